#!/usr/bin/env bash
# pandas 3.1.1, read_csv and merge
# Input:     labels and scores of two documents with ids of 16 digits; the labels have a third line without an id.
# Comes out: four rows for two: with an empty cell, ids are read as floats, two ids become one, and each gets the other's label.
# Right:     two rows; or a refusal to read ids as floats.
# Costs:     ids from hashes, tweets, patents; one incomplete line changes all others.

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


from io import StringIO

import pandas as pd

labels = "docid,label\n9007199254740993,1\n9007199254740992,0\n"
scores = pd.read_csv(StringIO("docid,score\n9007199254740993,.9\n9007199254740992,.1\n"))
right, seen = (len(pd.read_csv(StringIO(text)).merge(scores, on="docid")) for text in (labels, labels + ",1\n"))

report("pandas", right, seen, (right, seen) == (2, 4))
PY
