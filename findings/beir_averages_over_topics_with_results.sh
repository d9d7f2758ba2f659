#!/usr/bin/env bash
# beir 2.2.0, EvaluateRetrieval
# Input:     three judged topics; the run has results for one, and these are perfect.
# Comes out: NDCG@10 1.0 and MRR@10 .33: the first is averaged over the topics of the run, the second over those judged.
# Right:     .33 for both: a topic without results scores 0.
# Costs:     systems that return nothing for hard topics: they win by NDCG, MAP, recall and precision.

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

qrels = {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}
run = {"1": {"a": 1.0}}
right = [0.33333, 0.33333]
seen = [EvaluateRetrieval.evaluate(qrels, run, [10])[0]["NDCG@10"], EvaluateRetrieval.evaluate_custom(qrels, run, [10], "mrr")["MRR@10"]]

report("beir", right, seen, seen == [1.0, 0.33333])
PY
