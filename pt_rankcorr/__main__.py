"""`python -m pt_rankcorr`: the same as the command `pt-rankcorr`."""

import os
import shutil
import signal
import sys

from pt_rankcorr import cli

TERMINATED = 143
NARROWEST = 40  # columns of a terminal for which help can be laid out


def main() -> int:
    """Runs one command; returns the exit status."""
    _prepare_streams()
    # joblib's processes that clean up after an interrupt would warn of what they find
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [os.getenv("PYTHONWARNINGS"), "ignore:resource_tracker"]))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # by an exception, so that workers end, too
    try:
        status = cli.main()
    except KeyboardInterrupt:  # once more, while the first is dealt with
        status = cli.INTERRUPTED
    if status == cli.INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends the workers, too
    return status


def _prepare_streams() -> None:
    """Output goes nowhere where a stream is closed, as daemons close them; letters that it lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if shutil.get_terminal_size().columns < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)


if __name__ == "__main__":
    sys.exit(main())
