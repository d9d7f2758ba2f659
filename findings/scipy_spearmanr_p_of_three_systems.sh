#!/usr/bin/env bash
# scipy 1.17.1, stats.spearmanr
# Input:     three systems in the same order by two measures.
# Comes out: p 0.0: the t distribution is used for any number of systems.
# Right:     .333: two of six orders agree as much. kendalltau gives it.
# Costs:     small leaderboards: any perfect agreement is "p < .001".

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from scipy.stats import kendalltau, spearmanr

right = round(float(kendalltau([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]).pvalue), 3)
seen = float(spearmanr([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]).pvalue)

report("scipy", right, seen, (right, seen) == (0.333, 0.0))
PY
