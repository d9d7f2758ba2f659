#!/usr/bin/env bash
# scikit-learn 1.9.1, metrics.label_ranking_average_precision_score
# Input:     two topics, two documents each; the first has no relevant document, the second's is ranked last.
# Comes out: .75: the topic without relevant documents counts 1. ndcg_score gives such a topic 0.
# Right:     .25 as trec_eval averages, with 0 for that topic; or .5 without it.
# Costs:     judgments with many empty topics (judges in the field, mined labels): the score rises with what is missing.

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


from sklearn.metrics import label_ranking_average_precision_score, ndcg_score

labels, scores = [[0, 0], [1, 0]], [[0.1, 0.2], [0.1, 0.2]]
print("ndcg_score of the topic without relevant documents:", ndcg_score(labels[:1], scores[:1]))
right = 0.25
seen = float(label_ranking_average_precision_score(labels, scores))

report("scikit-learn", right, seen, seen == 0.75)
PY
