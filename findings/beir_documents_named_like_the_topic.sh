#!/usr/bin/env bash
# beir 2.2.0, EvaluateRetrieval.evaluate
# Input:     topic 1, whose relevant documents are 1 and a; the run has both.
# Comes out: recall@10 .5: a document whose id is the topic's is removed, from the run that was passed, too.
# Right:     1.0: numbers of documents and topics have nothing in common in most collections.
# Costs:     collections that number both; later measures of the same dictionary see the shorter run.

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

run = {"1": {"1": 2.0, "a": 1.0}}
right = [1.0, ["1", "a"]]
seen = [EvaluateRetrieval.evaluate({"1": {"1": 1, "a": 1}}, run, [10])[2]["Recall@10"], list(run["1"])]

report("beir", right, seen, seen == [0.5, ["a"]])
PY
