"""`python -m pt_rankcorr`: the same as the command `pt-rankcorr`."""

import signal
import sys

from pt_rankcorr import cli


def main() -> int:
    """Runs one command; returns the exit status."""
    try:
        status = cli.main()
    except KeyboardInterrupt:  # once more, while the first is dealt with
        status = cli.INTERRUPTED
    if status == cli.INTERRUPTED:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever cannot wait for the end of workers need not
    return status


if __name__ == "__main__":
    sys.exit(main())
