"""What the README shows is what comes out."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import kendalltau

import pt_rankcorr as ptr
from pt_rankcorr.cli import main

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
QUESTIONS = re.findall(r"^\| (.*\?) \| `(.*)` \| (?:`(\w+)`)? *\|$", README, re.MULTILINE)
TREC = Path(os.environ.get("PT_RANKCORR_DATA", ROOT / "../shared/data")) / "trec"
SMALL = ("BM25", "DPH", "PL2")


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    """What the first example leaves behind."""
    found: dict[str, Any] = {}
    exec(PYTHON[0].replace("print(", "printed = ("), found)
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that the README writes, to work in; of the runs only some."""
    monkeypatch.chdir(tmp_path)
    write = next(line for block in SHELL for line in block.splitlines() if "--write" in line)
    first, second = write.split(" && ")
    assert main(shlex.split(first)[3:]) == 0
    monkeypatch.chdir(second.removeprefix("cd "))
    for run in Path("runs").iterdir():
        if run.stem not in SMALL:
            run.unlink()
    return Path.cwd()


def test_the_first_example_prints_what_is_shown(names: dict[str, Any]) -> None:
    shown = re.search(r"```\n(measure.*?)```", README, re.DOTALL)
    assert shown
    assert names["printed"] + "\n" == shown.group(1)


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.CloseSystemsWarning")  # there are three runs only
@pytest.mark.usefixtures("folder")
def test_every_question_is_answered(names: dict[str, Any]) -> None:
    exec(PYTHON[1], names)
    assert sorted(names["scores"].systems) == sorted(SMALL)
    assert len(QUESTIONS) >= 5
    for question, call, _ in QUESTIONS:
        assert eval(call, names) is not None, question


def test_every_command_of_the_table_is_there(capsys: pytest.CaptureFixture[str]) -> None:
    for command in filter(None, (command for *_, command in QUESTIONS)):
        assert main([command, "--help"]) == 0
        assert command in capsys.readouterr().out


def test_the_command_lines_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [shlex.split(line) for block in SHELL for line in block.splitlines() if line.startswith("pt-rankcorr")]
    assert len(lines) >= 2
    for _, *arguments in lines:
        assert main([*arguments, "--seed", "1"]) == 0, capsys.readouterr().err
    assert (folder / "page.html").stat().st_size > 10_000


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.RoundedScoresWarning")
def test_two_questions_of_nearly_one_tau() -> None:
    """The numbers under "Why kendalltau is not enough"."""
    if not TREC.is_dir():
        pytest.skip(f"no TREC data in {TREC}")
    text = README[README.index("**Why `scipy") : README.index("## Try it")]
    pairs = [[trec_scores(f"{track}_{measure}") for measure in ("ap", "p10")] for track in ("adhoc6", "adhoc7")]
    taus = [kendalltau(ap.means, p10.means).statistic for ap, p10 in pairs]
    for verb, tau in zip(("is", "of"), taus, strict=True):
        assert f"tau {verb} {tau:.2f}".replace("0.", ".") in text
    alike = ptr.correlation_interval(*pairs[0], rng=42)
    shown = f"{alike.estimate:.2f} [{alike.low:.2f}, {alike.high:.2f}]".replace("0.", ".")
    assert f"tau would be {shown}" in text
    sixth, seventh = (ptr.d_rank(*pair, rng=42).pvalue for pair in pairs)
    assert [float(p) for p in re.findall(r"p = ([.\d]+)\)", text)] == [pytest.approx(sixth, abs=0.005)]
    assert max(alike.pvalue, seventh) < 0.001 == float(*set(re.findall(r"p < ([.\d]+)\)", text)))


def trec_scores(name: str) -> ptr.ScoreMatrix:
    (matrix,) = ptr.read_scores(TREC / f"{name}.csv").values()
    return matrix


def test_commands_that_ci_runs_are_there() -> None:
    for name in ("try", "test"):
        assert re.search(rf"<!-- {name} -->\n```sh\n.+\n```", README)


def test_it_is_short() -> None:
    assert len(README.splitlines()) <= 110
