#!/usr/bin/env bash
# scipy 1.17.1, stats.kendalltau
# Input:     four systems in the same order by two measures; then the two last tie by one of them.
# Comes out: p falls from .083 to .071: with a tie, the exact distribution is left for the normal one, whatever the size.
# Right:     p rises to .167: 4 of the 24 orders agree as much or more.
# Costs:     small groups of systems with rounded scores: ties make agreement more significant.

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


from itertools import permutations

from scipy.stats import kendalltau

order, tied = [1, 2, 3, 4], [1, 2, 3, 3]
observed = abs(kendalltau(order, tied).statistic)
as_much = [abs(kendalltau(other, tied).statistic) >= observed - 1e-9 for other in permutations(order)]
print("without a tie:", round(float(kendalltau(order, order).pvalue), 3))
right = round(sum(as_much) / len(as_much), 3)
seen = round(float(kendalltau(order, tied).pvalue), 3)

report("scipy", right, seen, (right, seen) == (0.167, 0.071))
PY
