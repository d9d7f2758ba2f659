"""What the README shows is what comes out."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyterrier as pt
import pytest

README = (Path(__file__).parents[1] / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the first example leaves behind."""
    found: dict[str, Any] = {}
    exec(PYTHON[0].replace("print(", "printed = ("), found)
    return found


def test_the_first_example_prints_what_is_shown(names: dict[str, Any]) -> None:
    shown = re.search(r"```\n(measure.*?)```", README, re.DOTALL)
    assert shown
    assert names["printed"] + "\n" == shown.group(1)


def test_the_second_example_runs(names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "runs").mkdir()
    for name in ("BM25", "DPH", "PL2"):
        run = names["systems"][name].transform(names["topics"])
        pt.io.write_results(run, str(tmp_path / "runs" / f"{name}.res"))
    rows = names["qrels"][["qid", "docno", "label"]].itertuples(index=False)
    (tmp_path / "qrels.txt").write_text("".join(f"{qid} 0 {docno} {label}\n" for qid, docno, label in rows))
    monkeypatch.chdir(tmp_path)
    exec(PYTHON[1], names)
    assert len(names["scores"].systems) == 3


def test_every_name_in_the_readme_exists() -> None:
    import pt_rankcorr as ptr

    table = README.split("## What there is")[1].split("###")[0]
    for name in re.findall(r"`(\w+)`", table):
        assert hasattr(ptr, name) or hasattr(pt.Experiment, name) or name in {"eval_metrics"}, name


def test_commands_that_ci_runs_are_there() -> None:
    for name in ("try", "test"):
        assert re.search(rf"<!-- {name} -->\n```sh\n.+\n```", README)
