"""What the package promises of any input: a value, nan with a named warning, or a refusal that names the input."""

from __future__ import annotations

import linecache
import re
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import pt_rankcorr

PACKAGE = str(Path(pt_rankcorr.__file__).parent)
REFUSALS = (ValueError, TypeError)  # themselves: a UnicodeDecodeError is a ValueError, but says nothing of the input
NAMES_THE_INPUT = re.compile(r"`[\w.]+`|'[^']*'|\"[^\"]*\"")
LONGEST_MESSAGE = 2000


class BrokenPromiseError(AssertionError):
    """The package did with an input what it must not do with any."""


@dataclass(frozen=True)
class Outcome:
    """What became of an input."""

    value: object = None
    refusal: Exception | None = None
    warned: bool = False


def outcome(call: Callable[[], object], seconds: float = 5.0) -> Outcome:
    """Calls, and checks that what comes of it is allowed.

    Raises:
        BrokenPromiseError: If it is not.
        AssertionError: If the call itself found a wrong value.
    """
    with warnings.catch_warnings(record=True) as caught, time_limit(seconds):
        warnings.simplefilter("always")
        try:
            value, refusal = call(), None
        except AssertionError:
            raise
        except Exception as error:
            check_refusal(error)
            value, refusal = None, error
    for warning in caught:
        check_warning(warning)
    return Outcome(value, refusal, bool(caught))


def check_refusal(error: Exception) -> None:
    """A refusal is raised by the package itself, and its message names what is refused."""
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        return
    if type(error) not in REFUSALS and not isinstance(error, OSError):
        raise BrokenPromiseError(f"{type(error).__name__} is no refusal: {shortened(text)}") from error
    if not _is_raised_by_us(error):
        raise BrokenPromiseError(f"{type(error).__name__} comes from deep inside: {shortened(text)}") from error
    if not NAMES_THE_INPUT.search(text.split(", got")[0]):
        raise BrokenPromiseError(f"the refusal names no input: {shortened(text)}") from error
    check_message(text)


def check_message(text: str) -> None:
    """A message is short, and cannot do anything to a terminal."""
    if len(text) > LONGEST_MESSAGE:
        raise BrokenPromiseError(f"a message of {len(text)} characters: {shortened(text)}")
    if not text.isprintable():
        raise BrokenPromiseError(f"a message with control characters: {shortened(text)}")


def check_warning(warning: warnings.WarningMessage) -> None:
    """A warning is one of the package's own."""
    if not warning.category.__module__.startswith("pt_rankcorr"):
        raise BrokenPromiseError(f"{warning.category.__name__} from {warning.filename}: {warning.message}")
    check_message(str(warning.message))


def shortened(text: str) -> str:
    return ascii(text) if len(text) < 300 else f"{text[:300]!a}..."


def _is_raised_by_us(error: Exception) -> bool:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    if last is None:
        return False
    path = last.tb_frame.f_code.co_filename
    # an error of a library in C has no frame of its own: the line would only call it
    return path.startswith(PACKAGE) and linecache.getline(path, last.tb_lineno).strip().startswith("raise ")


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """What hangs is interrupted, after so many seconds of processor time: a busy machine makes nothing hang."""
    if not hasattr(signal, "setitimer"):  # Windows
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise BrokenPromiseError(f"still at work after {seconds:g} seconds")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
