"""Every command prints the same bytes whatever order Python's sets and hashes have in a process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import runs_of

RUN_ALL = """if True:
    import contextlib, io, json, sys, warnings
    warnings.simplefilter("ignore")
    from pt_rankcorr.cli import main
    for arguments in json.loads(sys.argv[1]):
        for form in ("table", "csv"):
            with contextlib.redirect_stderr(io.StringIO()) as said:
                status = main([*arguments, "--format", form])
            print("status", status, said.getvalue())
"""


@pytest.mark.whole
def test_outputs_do_not_depend_on_the_seed_of_hashes(folder: Path, boards: Path, tmp_path: Path) -> None:
    seed, quick = ["--seed", 1], ["--seed", 1, "--resamples", 99]
    runs = runs_of(folder, "AP", "nDCG@10", "P@5")
    judges = ["--against", folder / "near.qrels", folder / "far.qrels"]
    leaderboards = ["--reference", boards / "truth.jsonl", "--judges", f"{boards}/judges/*.txt"]
    commands = [
        ["compare", *runs, *quick, "--top", 3, "--per-topic"],
        ["drank", *runs, *quick],
        ["expected", *runs, *quick],
        ["ranks", *runs, *quick],
        ["power", *runs, *quick],
        ["swap", *runs, *seed],
        ["stability", *runs, "--fuzziness", 0.05, *seed],
        ["error", *runs, *quick],
        [
            "judgments",
            *runs,
            *judges,
            *quick,
            "--group",
            "x=b*",
            "--label-map",
            "2=1",
            "--relevance-threshold",
            "near=2",
        ],
        ["judgments", *runs, *judges, *quick, "--rank", "tau_ap"],
        ["leaderboards", *leaderboards, "--missing", "skip", *quick],
        ["curve", *runs, *quick, "--depths", 1, 5],
        ["labels", "--qrels", folder / "qrels", "--against", folder / "near.qrels"],
        ["alpha", "--judges", folder / "qrels", folder / "near.qrels"],
    ]
    texts = json.dumps([[str(part) for part in command] for command in commands])
    outputs = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run([sys.executable, "-c", RUN_ALL, texts], capture_output=True, env=environment, check=True)
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1]
    assert re.findall(rb"status [^0].*\n.*", outputs[0]) == []
