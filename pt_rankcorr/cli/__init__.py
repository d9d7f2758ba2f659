"""The command line: results on standard output, all else on standard error."""

from __future__ import annotations

import sys
from collections.abc import Sequence

BAD_INPUT, INTERRUPTED = 1, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns the exit status.

    Args:
        arguments: What follows the name of the command line; by default what it was called with.

    Returns:
        0 if all went well or whoever reads the output has had enough, 1 for bad input or an output that cannot be
        written, 130 after an interrupt, when what was finished has been printed.
    """
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return _report_interrupt()
    except (ValueError, ImportError) as error:
        if isinstance(error.__cause__ or error.__context__, KeyboardInterrupt):  # libraries in C that were loading
            return _report_interrupt()
        return _report_failure(str(error))


def _run(arguments: Sequence[str] | None) -> int:
    # here, since it takes a moment, in which it may be interrupted
    from pt_rankcorr.cli._messages import warnings_as_messages
    from pt_rankcorr.cli._output import CannotWriteError, flush_output, leave_output
    from pt_rankcorr.cli._parser import parse

    try:
        with flush_output():  # what --help and --version say
            options = parse(arguments)
        from pt_rankcorr.cli._commands import run

        with warnings_as_messages(quiet=options.quiet):
            run(options)
    except BrokenPipeError:
        leave_output()
    except CannotWriteError as error:
        leave_output()
        return _report_failure(str(error))
    except OSError as error:
        return _report_failure(f"{error.filename}: {error.strerror}" if error.filename else str(error))
    return 0


def _report_interrupt() -> int:
    if sys.stderr is not None:
        print("interrupted", file=sys.stderr)  # noqa: T201
    return INTERRUPTED


def _report_failure(message: str) -> int:
    from pt_rankcorr.cli._messages import say

    say(f"error: {message}")
    return BAD_INPUT
