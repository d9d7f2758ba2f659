#!/usr/bin/env bash
# statsmodels 0.15.0, stats.inter_rater.aggregate_raters and fleiss_kappa
# Input:     labels 0 and 1 of three judges who agree on five documents; the third judge left two out.
# Comes out: .55: there are three labels, one of them nan, and to leave out a document is to disagree on it.
# Right:     1.0: nobody disagrees on a label that was given.
# Costs:     panels of judges with gaps: the more is missing, the lower kappa.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import numpy as np
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

labels = np.array([[1, 1, 1], [0, 0, 0], [1, 1, np.nan], [0, 0, np.nan], [1, 1, 1]])
counts, categories = aggregate_raters(labels)
right = 1.0
seen = round(float(fleiss_kappa(counts)), 2)
print("categories:", categories)

report("statsmodels", right, seen, seen < 0.8)
PY
