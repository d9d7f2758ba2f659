#!/usr/bin/env bash
# statsmodels 0.15.0, stats.multitest.multipletests
# Input:     p-values .001, nan and .002; the nan is what a t-test gives for two equal systems.
# Comes out: Holm rejects the missing one; it counts as a test; and Benjamini and Hochberg's corrected p-values are all nan.
# Right:     nan stays not rejected, and changes no other p-value.
# Costs:     pyterrier's Experiment(baseline=..., correction="holm"), among others: a copy of the baseline differs from it, "reject" True.

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
from statsmodels.stats.multitest import multipletests

p = [0.001, np.nan, 0.002]
right = [True, False, True]
seen = multipletests(p, method="holm")[0].tolist()
bh = multipletests(p, method="fdr_bh")[1]
print("corrected by Benjamini and Hochberg:", bh)

report("statsmodels", right, seen, seen == [True, True, True] and np.isnan(bh).all())
PY
