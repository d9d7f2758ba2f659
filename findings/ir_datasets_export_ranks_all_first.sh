#!/usr/bin/env bash
# ir-datasets 0.6.3, ir_datasets export DATASET scoreddocs
# Input:     a baseline run that a dataset has: a topic with three documents, the best one last.
# Comes out: a TREC run in which all three have rank 0, the best one last.
# Right:     ranks 0, 1, 2 by falling score: the exporter sorts the documents of a topic, but takes each document for a topic.
# Costs:     whoever gives the exported run to a tool that goes by ranks or by the order of lines, as those of MS MARCO do.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check ir-datasets==0.6.3
printf '1 Q0 d3 3 1.0 bm25\n1 Q0 d2 2 2.0 bm25\n1 Q0 d1 1 3.0 bm25\n' > baseline.run
venv/bin/python - <<'PY'
import sys
from contextlib import redirect_stdout
from importlib.metadata import version
from io import StringIO
from pathlib import Path

import ir_datasets
from ir_datasets.commands.export import main


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


scored = ir_datasets.formats.TrecScoredDocs(ir_datasets.util.LocalDownload(Path("baseline.run")))
ir_datasets.registry.register("with-a-baseline", ir_datasets.Dataset(scored))
printed = StringIO()
with redirect_stdout(printed):
    main(["with-a-baseline", "scoreddocs"])
seen = [tuple(line.split()[2:4]) for line in printed.getvalue().splitlines()]

report("ir_datasets", [("d1", "0"), ("d2", "1"), ("d3", "2")], seen, seen == [("d3", "0"), ("d2", "0"), ("d1", "0")])
PY
