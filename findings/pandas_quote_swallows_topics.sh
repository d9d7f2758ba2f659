#!/usr/bin/env bash
# pandas 3.1.1, read_csv(sep="\t")
# Input:     a file of five topics, id and query between tabs; one query begins with a quotation mark, a later one ends with one.
# Comes out: three topics: all between the marks is one query.
# Right:     five: the format of TREC's and MS MARCO's files has no quoting (quoting=csv.QUOTE_NONE).
# Costs:     logs of real queries: topics are lost, and systems are compared on fewer.

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

text = 'q1\twhite album\nq2\t"white album\nq3\tyellow submarine\nq4\tabbey road"\nq5\tlet it be\n'
right = 5
seen = len(pd.read_csv(StringIO(text), sep="\t", header=None))

report("pandas", right, seen, seen == 3)
PY
