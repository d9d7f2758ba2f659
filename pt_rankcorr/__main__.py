"""`python -m pt_rankcorr`: the same as the command `pt-rankcorr`."""

import os
import signal
import sys

from pt_rankcorr import cli

TERMINATED = 143


def main() -> int:
    """Runs one command; returns the exit status."""
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


if __name__ == "__main__":
    sys.exit(main())
