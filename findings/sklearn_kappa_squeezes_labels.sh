#!/usr/bin/env bash
# scikit-learn 1.9.1, metrics.cohen_kappa_score(weights="quadratic")
# Input:     labels of two judges from the scale 0 to 3, where nobody gave a 2.
# Comes out: .73: weights are of places among the labels that occur, so 1 and 3 are neighbours.
# Right:     .65, with labels=[0, 1, 2, 3]: the distance of 1 and 3 is two.
# Costs:     whoever compares kappa across topics or judges: the scale changes with the sample.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check scikit-learn==1.9.1 scipy==1.17.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from sklearn.metrics import cohen_kappa_score

human, model = [0, 0, 1, 3, 0, 3, 1, 3], [0, 1, 1, 3, 0, 1, 3, 3]
right = round(float(cohen_kappa_score(human, model, weights="quadratic", labels=[0, 1, 2, 3])), 2)
seen = round(float(cohen_kappa_score(human, model, weights="quadratic")), 2)

report("scikit-learn", right, seen, (right, seen) == (0.65, 0.73))
PY
