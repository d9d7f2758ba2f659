#!/usr/bin/env bash
# polars 2.1.0, sort, top_k and rank
# Input:     a leaderboard of four systems; one score is missing (null), one is not a number (nan).
# Comes out: sorted from the best on, the two without a score lead; top_k and rank put nan first. max skips it.
# Right:     the best score first, as pandas and spreadsheets sort.
# Costs:     whoever takes the first row as the best system.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check polars==2.1.0
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import polars as pl

table = pl.DataFrame({"system": ["a", "b", "c", "d"], "ndcg": [0.5, None, float("nan"), 0.7]})
right = ["d", "a"]
seen = table.sort("ndcg", descending=True)["system"].to_list()[:2]
print("rank of c:", table["ndcg"].rank(descending=True).to_list()[2], "top_k(1):", table.top_k(1, by="ndcg")["system"].to_list())

report("polars", right, seen, seen == ["b", "c"])
PY
