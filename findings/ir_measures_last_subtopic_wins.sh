#!/usr/bin/env bash
# ir-measures 0.4.3 with pytrec-eval-terrier 0.5.11, AP on judgments of subtopics
# Input:     judgments of one topic, a line for each document and subtopic; document a is relevant to subtopic 1 and not to 2.
# Comes out: AP .5; with the same lines in reverse order, 1.0: the last line of a document is its label.
# Right:     1.0 in both orders: a document that is relevant to one of the subtopics is relevant.
# Costs:     whoever asks for AP or nDCG beside measures of diversity, in one call, on one file.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ir_measures import AP, Qrel

qrels = [Qrel("1", "a", 1, "1"), Qrel("1", "a", 0, "2"), Qrel("1", "b", 1, "2")]
run = {"1": {"a": 2.0, "b": 1.0}}
right = [1.0, 1.0]
seen = [AP.calc_aggregate(lines, run) for lines in (qrels, qrels[::-1])]

report("ir_measures", right, seen, seen == [0.5, 1.0])
PY
