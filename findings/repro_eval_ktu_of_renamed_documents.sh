#!/usr/bin/env bash
# repro_eval 0.5.0, KTU
# Input:     two rankings of four documents that differ by a swap of the first two; and the same with other names for documents.
# Comes out: .67, 0 or -.67 by the names: the positions that are correlated are those of the alphabet.
# Right:     .67 for all names: one of six pairs is swapped.
# Costs:     studies of reproducibility: the number says how ids sort, and a perfect copy is the only safe case.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check repro_eval==0.5.0 numpy==1.26.4 scipy==1.17.1 pandas==3.0.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from itertools import permutations

from repro_eval.measure.document_order import KTU


def ktu(names):
    a, b, c, d = names
    return round(KTU({"1": {a: 4.0, b: 3.0, c: 2.0, d: 1.0}}, {"1": {b: 4.0, a: 3.0, c: 2.0, d: 1.0}}), 2)


right = [ktu("abcd")]
seen = sorted({ktu(names) for names in permutations("abcd")})

report("repro_eval", right, seen, seen == [-0.67, 0.0, 0.67])
PY
