#!/usr/bin/env bash
# irrCAC 0.4.4, CAC(weights="quadratic")
# Input:     labels of two judges for eight documents, the words no, partly and fully.
# Comes out: alpha .57: weights are of the places in the alphabet, so fully is next to no, and partly is farthest from fully.
# Right:     .81, as for the same labels as numbers 0, 1 and 2, or with categories=["no", "partly", "fully"].
# Costs:     labels that a language model gives in words: confusions of neighbours cost most.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check irrCAC==0.4.4 numpy==1.26.4 pandas==2.3.3 scipy==1.12.0
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import pandas as pd
from irrCAC.raw import CAC

scale = {"no": 0, "partly": 1, "fully": 2}
first = ["no", "partly", "fully", "no", "partly", "fully", "no", "partly"]
second = ["no", "fully", "fully", "no", "partly", "fully", "partly", "partly"]


def alpha(*judges):
    labels = pd.DataFrame(list(zip(*judges)), columns=["first", "second"])
    return round(float(CAC(labels, weights="quadratic").krippendorff()["est"]["coefficient_value"]), 2)


right = alpha([scale[word] for word in first], [scale[word] for word in second])
seen = alpha(first, second)

report("irrCAC", right, seen, (right, seen) == (0.81, 0.57))
PY
