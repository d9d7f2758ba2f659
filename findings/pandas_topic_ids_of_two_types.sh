#!/usr/bin/env bash
# pandas 3.1.1, read_csv
# Input:     a long file of scores; the topic ids are 1 and, far below, q2.
# Comes out: three topics: the file is read in parts, and 1 is a number in some of them and a text in others. (With a DtypeWarning.)
# Right:     two topics.
# Costs:     runs of some hundred thousand lines: topic 1 is split in two, and its averages are of parts.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pandas==3.1.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import warnings
from io import StringIO

import pandas as pd

text = "qid,score\n" + "1,.5\n" * 400_000 + "q2,.5\n"
right = pd.read_csv(StringIO(text), dtype={"qid": str})["qid"].nunique()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    seen = pd.read_csv(StringIO(text))["qid"].nunique()

report("pandas", right, seen, (right, seen) == (2, 3))
PY
