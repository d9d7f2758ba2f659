"""Every command prints the same bytes whatever order Python's sets and hashes have in a process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
def test_outputs_do_not_depend_on_the_seed_of_hashes(folder: Path, boards: Path) -> None:
    source = f"--runs {folder}/runs --qrels {folder}/qrels --measures AP nDCG@10 P@5 --seed 1"
    quick, judges = f"{source} --resamples 99", f"--against {folder}/near.qrels {folder}/far.qrels"
    commands = [
        f"compare {quick} --top 3 --per-topic",
        f"drank {quick}",
        f"expected {quick}",
        f"ranks {quick}",
        f"power {quick}",
        f"swap {source}",
        f"stability {source} --fuzziness 0.05",
        f"error {quick}",
        f"judgments {quick} {judges} --group x=b* --label-map 2=1 --relevance-threshold near=2",
        f"judgments {quick} {judges} --rank tau_ap",
        f"leaderboards --reference {boards}/truth.jsonl --judges {boards}/judges/*.txt --missing skip --seed 1",
        f"curve {quick} --depths 1 5",
        f"labels --qrels {folder}/qrels --against {folder}/near.qrels",
        f"alpha --judges {folder}/qrels {folder}/near.qrels",
    ]
    texts = json.dumps([command.split() for command in commands])
    outputs = []
    for hash_seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        ran = subprocess.run([sys.executable, "-c", RUN_ALL, texts], capture_output=True, env=environment, check=True)
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1]
    assert re.findall(rb"status [^0].*\n.*", outputs[0]) == []
