#!/usr/bin/env bash
# ir-measures 0.4.3 with pyndeval 0.0.8, on judgments of ir_datasets 0.6.3
# Input:     judgments as ir_datasets gives them for diversity tracks: two documents, each relevant to a subtopic of its own.
# Comes out: StRecall@1 1.0: ir_datasets calls the subtopic subtopic_id, ir-measures reads iteration, and all judgments are of
#            one subtopic. (A line on standard error says that there is only one.)
# Right:     .5: the first document covers one of two subtopics.
# Costs:     whoever evaluates diversity on data that a catalogue serves: alpha_nDCG and ERR_IA are those of plain relevance.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-measures==0.4.3 pytrec-eval-terrier==0.5.11 numpy==2.4.6 pandas==3.1.1 pyndeval==0.0.8 ir-datasets==0.6.3
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


from ir_datasets.formats.trec import TrecSubQrel
from ir_measures import Qrel, StRecall

judged = [TrecSubQrel("1", "a", 1, "1"), TrecSubQrel("1", "b", 1, "2")]
run = {"1": {"a": 2.0, "b": 1.0}}
right = (StRecall @ 1).calc_aggregate([Qrel(*row) for row in judged], run)
seen = (StRecall @ 1).calc_aggregate(judged, run)

report("ir_measures", right, seen, (right, seen) == (0.5, 1.0))
PY
