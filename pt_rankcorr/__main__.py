"""`python -m pt_rankcorr`: the same as the command `pt-rankcorr`."""

import os
import shutil
import signal
import sys

INTERRUPTED = 130  # the exit status that shells give an interrupt


def main() -> int:
    """Runs one command; returns its exit status. A signal ends the processes of workers, too."""
    # in the background of a script interrupts are ignored, and stay so
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heard:
        signal.signal(signal.SIGINT, _end)  # nothing is under way for half a second of loading
    _prepare_streams()
    # joblib's processes that clean up after an interrupt would warn of what they find
    filters = [os.getenv("PYTHONWARNINGS"), "ignore:resource_tracker"]
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, filters))
    from joblib import parallel_config

    from pt_rankcorr import cli

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # an exception ends workers, too
    if is_heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # a terminal interrupts workers, too: these leave it to the first process, which ends them
        ignore_it = (signal.SIGINT, signal.SIG_IGN)
        with parallel_config("loky", initializer=signal.signal, initargs=ignore_it):
            status = cli.main()
    except KeyboardInterrupt:  # once more, while the first is dealt with
        status = INTERRUPTED
    if status == INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second one ends the workers, too
    return status


def _end(*_: object) -> None:
    """Ends the process at once."""
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)


def _prepare_streams() -> None:
    """Output to a closed stream goes nowhere; letters that a stream lacks are escaped."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if shutil.get_terminal_size().columns < 40:  # for which help cannot be laid out
        os.environ["COLUMNS"] = "40"


if __name__ == "__main__":
    sys.exit(main())
