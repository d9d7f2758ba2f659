#!/usr/bin/env bash
# nltk 3.10.4, metrics.spearman.spearman_correlation with ranks_from_scores
# Input:     scores of four systems by two measures in opposite order; three systems tie by both.
# Comes out: -.2: tied systems share the smallest of their ranks, and the short formula for ranks without ties is used.
# Right:     -1.0: ranks are opposite.
# Costs:     systems with tied scores; ranks_from_scores, which is made for this function, gives ranks that it cannot take.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check nltk==3.10.4
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from nltk.metrics.spearman import ranks_from_scores, spearman_correlation

first = [("a", 0.9), ("b", 0.9), ("c", 0.9), ("d", 0.1)]
second = [("d", 0.8), ("a", 0.2), ("b", 0.2), ("c", 0.2)]
right = -1.0
seen = round(spearman_correlation(ranks_from_scores(first), ranks_from_scores(second)), 2)

report("nltk", right, seen, seen == -0.2)
PY
