"""`python -m pt_rankcorr`: the same as the command `pt-rankcorr`."""

import sys

from pt_rankcorr.cli import main

if __name__ == "__main__":
    sys.exit(main())
