#!/usr/bin/env bash
# scipy 1.17.1, stats.wilcoxon
# Input:     P@5 of two systems on ten topics; one finds a document more on nine, and one less on one.
# Comes out: p .059: .8 - .6 and .4 - .2 are not the same float, so ten equal differences get the ranks 1 to 10 at random.
# Right:     .021, as for the numbers of documents: all differences tie.
# Costs:     whoever tests P@5 or another measure of few values, as by pyterrier's Experiment(test="wilcoxon").

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


import numpy as np
from scipy.stats import wilcoxon

first = np.array([4, 1, 1, 3, 4, 1, 1, 0, 4, 4])
second = np.array([5, 2, 2, 4, 3, 2, 2, 1, 5, 5])
print("differences:", sorted(set(np.abs(first / 5 - second / 5).tolist())))
right = round(float(wilcoxon(first, second).pvalue), 3)
seen = round(float(wilcoxon(first / 5, second / 5).pvalue), 3)

report("scipy", right, seen, (right, seen) == (0.021, 0.059))
PY
