#!/usr/bin/env bash
# pandas 3.1.1, read_html
# Input:     a table of a paper on the web; .45 is marked as significantly better than system 2, by a superscript.
# Comes out: .452: the mark is read as a digit of the score, and the column is one of numbers.
# Right:     .45; or the text of the cell.
# Costs:     leaderboards with footnotes and marks: marked systems get higher scores, and ties are broken by marks.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pandas==3.1.1 numpy==2.4.6 lxml==6.1.3
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

page = """
<table>
  <tr><th>system</th><th>nDCG</th></tr>
  <tr><td>1 dense</td><td>.45<sup>2</sup></td></tr>
  <tr><td>2 sparse</td><td>.44</td></tr>
</table>
"""
right = [0.45, 0.44]
seen = pd.read_html(StringIO(page))[0]["nDCG"].tolist()

report("pandas", right, seen, seen == [0.452, 0.44])
PY
