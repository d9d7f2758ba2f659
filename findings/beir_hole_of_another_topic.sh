#!/usr/bin/env bash
# beir 2.2.0, EvaluateRetrieval.evaluate_custom(metric="hole")
# Input:     two topics; each has one judged document, and the run ranks first the one that is judged for the other topic.
# Comes out: Hole@1 0.0: a document counts as judged if it has a label for any topic.
# Right:     1.0: no document that is ranked first was judged for its topic.
# Costs:     whoever shows by holes that judgments are complete: collections whose topics share documents seem to have none.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps beir==2.2.0 pytrec-eval-terrier==0.5.11 tqdm==4.70.1 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from beir.retrieval.evaluation import EvaluateRetrieval

qrels = {"1": {"a": 1}, "2": {"b": 1}}
run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 2.0, "b": 1.0}}
right = sum(max(run[topic], key=run[topic].get) not in qrels[topic] for topic in run) / 2
seen = EvaluateRetrieval.evaluate_custom(qrels, run, [1], metric="hole")["Hole@1"]

report("beir", right, seen, (right, seen) == (1.0, 0.0))
PY
