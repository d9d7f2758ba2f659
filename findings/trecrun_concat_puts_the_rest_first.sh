#!/usr/bin/env bash
# trecrun 0.4.4, TRECRun.concat
# Input:     two documents with scores of a reranker, .9 and .8; and the ranking of four that was reranked, with scores to 21.
# Comes out: c, d, a, b: the scores of what is appended are lowered by the range of their own ranking, not below the reranker's.
# Right:     a, b, c, d: the appended documents come at the end.
# Costs:     pipelines that rerank the first documents and keep the rest: the rest is ranked first.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check trecrun==0.4.4
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from trecrun import TRECRun

reranked = TRECRun({"1": {"a": 0.9, "b": 0.8}})
first_stage = TRECRun({"1": {"b": 21.0, "a": 20.5, "c": 20.0, "d": 19.0}})
right = ["a", "b", "c", "d"]
scores = reranked.concat(first_stage)["1"]
seen = sorted(scores, key=scores.get, reverse=True)

report("trecrun", right, seen, seen == ["c", "d", "a", "b"])
PY
