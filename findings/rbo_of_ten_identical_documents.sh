#!/usr/bin/env bash
# rbo 0.1.3, RankingSimilarity.rbo(p=.9)
# Input:     a list of ten documents, and the same list.
# Comes out: .65: the sum ends with the list, and the mass of deeper ranks counts as disagreement.
# Right:     1.0 where 1 is to mean "the same"; rbo_ext extrapolates, and gives it.
# Costs:     whoever compares rbo of lists of different lengths, or reads .65 as "two thirds alike".

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check rbo==0.1.3 numpy==1.26.4
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from rbo import RankingSimilarity

same = RankingSimilarity(list("abcdefghij"), list("abcdefghij"))
right = round(float(same.rbo_ext(p=0.9)), 2)
seen = round(float(same.rbo(p=0.9)), 2)

report("rbo", right, seen, (right, seen) == (1.0, 0.65))
PY
