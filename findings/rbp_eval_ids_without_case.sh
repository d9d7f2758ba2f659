#!/usr/bin/env bash
# rbp-eval 1.0.0, evaluate
# Input:     a run of the documents AB and ab; ab is relevant, AB has no judgment.
# Comes out: RBP .75, with two of one relevant documents retrieved: ids are written in small letters, and both are ab.
# Right:     .25, with a residual of .75: the first document is unjudged, the second is relevant.
# Costs:     ids in which case counts, as in base 64 and web addresses: unjudged documents take the labels of others.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check rbp-eval==1.0.0 numpy==2.4.6 scipy==1.17.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from io import StringIO

from rbp_eval import Ordering, evaluate, load_qrels, load_run

qrels = load_qrels(StringIO("1 0 ab 1\n"))
run = load_run(StringIO("1 Q0 AB 1 2.0 tag\n1 Q0 ab 2 1.0 tag\n"))
right = 0.25
seen = evaluate(qrels, run, Ordering.SCORE, [0.5], [2]).ave_res.depth_res[0].persist_res[0].sum

report("rbp-eval", right, seen, seen == 0.75)
PY
