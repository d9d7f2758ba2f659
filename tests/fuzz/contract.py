"""What the package promises of any input: a value, nan with a named warning, or an error that names the input."""

import linecache
import re
import traceback
import warnings
from contextlib import contextmanager
from pathlib import Path

import pt_rankcorr
from pt_rankcorr.io.measure_names import MeasureTypeError, UnknownMeasureError

PACKAGE = str(Path(pt_rankcorr.__file__).parent)
NAMES_THE_INPUT = re.compile(r"`[\w.]+`|'[^']*'|\"[^\"]*\"")
LONGEST_MESSAGE = 2000


@contextmanager
def contract():
    """Accepts errors that the package raises itself for an input, and warnings of its own; all else fails the test."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except AssertionError:
            raise
        except Exception as error:
            check_error(error)
    for warning in caught:
        assert warning.category.__module__.startswith("pt_rankcorr"), f"{warning.filename}: {warning.message}"
        check_message(str(warning.message))


def check_error(error):
    """It is raised by a line of the package, and its message names what is wrong."""
    if isinstance(error, OSError):
        return
    raised = (ValueError, TypeError, UnknownMeasureError, MeasureTypeError)
    assert type(error) in raised, f"{type(error).__name__}: {error!a}"
    last = traceback.extract_tb(error.__traceback__)[-1]
    # an error of a library in C has no frame of its own: the line would only call it
    line = linecache.getline(last.filename, last.lineno or 0).strip() if last.filename.startswith(PACKAGE) else ""
    assert line.startswith("raise "), f"{type(error).__name__} comes from deep inside: {error!a}"
    assert NAMES_THE_INPUT.search(str(error).split(", got")[0]), f"the error names no input: {error!a}"
    check_message(str(error))


def check_message(text):
    """A message is short, and cannot do anything to a terminal."""
    assert len(text) <= LONGEST_MESSAGE
    assert text.isprintable(), f"a message with control characters: {text!a}"
