#!/usr/bin/env bash
# evalica 0.4.2, bradley_terry
# Input:     six comparisons of three systems; A wins all of its own.
# Comes out: the same score for A, B and C, the smallest that there is.
# Right:     A first, or a refusal: the estimate for A has no bound.
# Costs:     arenas with a clear winner, or few comparisons: the table says that all systems tie.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check evalica==0.4.2 numpy==1.26.4 pandas==2.3.3
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from evalica import Winner, bradley_terry

pairs = [("A", "B"), ("A", "C"), ("A", "B"), ("B", "C"), ("C", "B"), ("C", "B")]
scores = bradley_terry([x for x, _ in pairs], [y for _, y in pairs], [Winner.X] * len(pairs)).scores
right = "A above B and C"
seen = {name: float(score) for name, score in scores.items()}

report("evalica", right, seen, len(set(seen.values())) == 1)
PY
