#!/usr/bin/env bash
# pandas 3.1.1, read_json
# Input:     scores by topic in JSON; the topics are "001" and "1e0", in quotes, as JSON asks for.
# Comes out: two topics that are both called 1: text that looks like a number becomes one, quoted or not. Document ids in
#            values go the same way.
# Right:     two topics; dtype=False and convert_axes=False keep them.
# Costs:     runs and judgments as JSON, as dense retrievers write them: zeros are lost, and hexadecimal ids become numbers at times.

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


import json
from io import StringIO

import pandas as pd

text = '{"001": {"d1": 0.5}, "1e0": {"d1": 0.7}}'
right = list(json.loads(text))
seen = pd.read_json(StringIO(text)).columns.tolist()
print("values:", pd.read_json(StringIO('[{"docno": "0012"}, {"docno": "1e3"}]'))["docno"].tolist())

report("pandas", right, seen, seen == [1.0, 1.0])
PY
