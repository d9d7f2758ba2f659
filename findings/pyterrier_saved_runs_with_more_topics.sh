#!/usr/bin/env bash
# pyterrier 1.1.2, pt.Experiment with save_dir and save_mode="reuse"
# Input:     an experiment on one topic, run again with a second topic.
# Comes out: AP .5: the second topic is read from the saved file, where it is not, and counts 0. Nothing is said.
# Right:     1.0: the system finds the relevant document of both topics.
# Costs:     whoever adds topics to an experiment whose runs are saved: the old systems lose to new ones.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check pyterrier==1.1.2 ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import pandas as pd
import pyterrier as pt
from ir_measures import AP

run = pd.DataFrame([("q1", "d1", 2.0, 0), ("q2", "d2", 2.0, 0)], columns=["qid", "docno", "score", "rank"])
qrels = pd.DataFrame([("q1", "d1", 1), ("q2", "d2", 1)], columns=["qid", "docno", "label"])
topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["one", "two"]})
system = pt.Transformer.from_df(run)


def ap(topics, **saving):
    return float(pt.Experiment([system], topics, qrels, [AP], names=["system"], **saving)["AP"][0])


ap(topics[:1], save_dir=".", save_mode="reuse")
right = ap(topics)
seen = ap(topics, save_dir=".", save_mode="reuse")

report("pyterrier", right, seen, (right, seen) == (1.0, 0.5))
PY
