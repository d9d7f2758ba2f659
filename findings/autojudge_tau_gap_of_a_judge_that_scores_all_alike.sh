#!/usr/bin/env bash
# autojudge-evaluate 1.1.0, tau_gap (its file alone is loaded: the package fetches data when it is imported)
# Input:     the true scores of four systems, and a judge that gives all of them the same score.
# Comes out: 1.0, -1.0 or .39: ties are broken by the order of the systems.
# Right:     one number that does not depend on that order, and not 1: the judge tells nothing.
# Costs:     whoever ranks judges: one that answers the same to all may win, if the systems are sorted.

set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --no-compile --disable-pip-version-check --no-deps autojudge-evaluate==1.1.0 numpy==2.4.6
venv/bin/python - <<'PY'
import sys
from importlib.metadata import version


def report(package, right, seen, as_described):
    print(package, version(package))
    print("expected:", right)
    print("came out:", seen)
    sys.exit(None if as_described else "This has changed: see the head of this script.")


import importlib.util
import sysconfig
from pathlib import Path

path = Path(sysconfig.get_paths()["purelib"]) / "autojudge_evaluate" / "tau_gap.py"
module = importlib.util.module_from_spec(spec := importlib.util.spec_from_file_location("tau_gap", path))
spec.loader.exec_module(module)
right = "one number, not 1"
seen = [round(float(module.tau_gap(truth, [1, 1, 1, 1])), 2) for truth in ([0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.4, 0.1, 0.3, 0.2])]

report("autojudge-evaluate", right, seen, seen == [1.0, -1.0, 0.39])
PY
