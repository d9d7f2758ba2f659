#!/usr/bin/env bash
# ir-measures 0.4.3, ERR@10 (by gdeval, which needs perl)
# Input:     two topics, PLAIN-1 and PLAIN-2, each with its relevant document first.
# Comes out: half of ERR@10: the part before the hyphen is cut off, topics 1 and 2 get the scores, PLAIN-1 and PLAIN-2 get 0, and
#            the average is over four topics. 2019-1 and 2020-1 are one topic.
# Right:     the same average as for topics 1 and 2.
# Costs:     NFCorpus, and all collections whose topics are named by year or set.

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


from ir_measures import ERR


def err(*topics):
    return (ERR @ 10).calc_aggregate({topic: {"d" + topic: 1} for topic in topics}, {topic: {"d" + topic: 1.0} for topic in topics})


right = err("1", "2")
seen = err("PLAIN-1", "PLAIN-2")

report("ir_measures", right, seen, right > 0 and seen == right / 2)
PY
