"""The short examples run, on the synthetic collection and on files; so does the notebook."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyterrier as pt
import pytest
from scipy.stats import kendalltau

from pt_rankcorr.defaults import LEVEL
from tests.fixtures import qrels, systems, topics, write_qrels

pytestmark = pytest.mark.whole

FOLDER = Path(__file__).parents[2] / "examples"

SHOWN = {
    "can_other_judgments_replace_these": "kappa",
    "do_these_measures_agree": "p (same true ranking)",
    "how_many_topics": "topics needed",
    "which_systems_may_be_best": f"ranks ({LEVEL:.0%})",
    "why_do_they_disagree": "pairs are swapped or tied",
}
ALL = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "data")
FEWER = {
    "calibration_of_d_rank": ["--populations", "adjacent", "--repetitions", 1, "--out", "new/calibration"],
    "simulated_llm_judges": ["--topics", 8, "--pictures", "new"],
}
WITH_FOLDERS = {"one_page_for_a_track", "two_rankings", "which_judge_is_best", "judging_the_judges", "tune_a_model"}


def mean_ndcg(runs, judged):
    """nDCG@10 by definition, of the documents as they are ranked by score."""
    means = []
    for run in runs.values():
        values = []
        for topic, own in judged.groupby("qid"):
            gains = dict(zip(own["docno"], own["label"], strict=True))
            ranked = run[run["qid"] == topic].sort_values(["score", "docno"], ascending=False)["docno"][:10]
            weights = 1 / np.log2(np.arange(2, 12))
            ideal = sorted(gains.values(), reverse=True)[:10]
            gained = sum(gains.get(doc, 0) * weight for doc, weight in zip(ranked, weights, strict=False))
            values.append(gained / sum(gain * weight for gain, weight in zip(ideal, weights, strict=False)))
        means.append(float(np.mean(values)))
    return means


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs an example with arguments; returns what it prints."""

    def run(name, *arguments):
        monkeypatch.syspath_prepend(str(FOLDER))
        monkeypatch.delitem(sys.modules, "data", raising=False)
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        runpy.run_path(str(FOLDER / f"{name}.py"), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.fixture
def files(tmp_path, register):
    """Arguments for runs and judgments in files, and the same judgments in ir-datasets as `on-this-machine`."""
    (tmp_path / "runs").mkdir()
    for name, system in systems().items():
        pt.io.write_results(system(topics()), str(tmp_path / "runs" / f"{name}.run"))
    write_qrels(tmp_path / "judged.qrels", qrels().to_numpy())
    register("on-this-machine", qrels_trec=tmp_path / "judged.qrels")
    return ["--runs", tmp_path / "runs", "--qrels", tmp_path / "judged.qrels"]


def test_judges_of_leaderboards(run, tmp_path):
    printed = run("which_judge_is_best", "--topics", 10, "--folder", tmp_path)
    assert printed.startswith("Which judge ranks runs as people do")
    assert "may be best" in printed
    assert "shift [95%]" in printed
    assert "favours runs such as those of the group rerankers" in (tmp_path / "judges.html").read_text(encoding="utf-8")


def test_one_page_for_a_track(run, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, runs, _, people = files
    strict = qrels().assign(label=lambda judged: (judged["label"] - 1).clip(lower=0))
    write_qrels(tmp_path / "strict.qrels", strict.to_numpy())
    assert "may be best" in run("one_page_for_a_track", runs, people, people, tmp_path / "strict.qrels")
    assert "Which judge ranks the systems" in (tmp_path / "judges.html").read_text(encoding="utf-8")


def test_the_judges_are_judged_from_files_as_found(run, tmp_path):
    """On small files in the places of the real ones: fractions, contradictions, and few topics."""
    script = runpy.run_path(str(FOLDER / "judging_the_judges.py"))
    runs, judged = {name: system(topics()) for name, system in systems().items()}, qrels()
    (tmp_path / script["RUNS"]).mkdir(parents=True)
    for name, frame in runs.items():
        pt.io.write_results(frame, str(tmp_path / script["RUNS"] / f"input.{name}.gz"))
    taus, random = {}, np.random.default_rng(1)
    for name, path in {"people": script["PEOPLE"], **script["JUDGES"]}.items():
        noise = random.random(len(judged)) < (0.0 if name == "people" else 0.4)
        labels = judged["label"].mask(noise, random.integers(0, 3, len(judged)))
        labels = labels / 10 if "exam" in name else labels
        lines = [f"{q} 0 {d} {label}\n" for q, d, label in zip(judged["qid"], judged["docno"], labels, strict=True)]
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("".join(lines[:30] if name == "llama32-nuggets" else lines))
        taus[name] = mean_ndcg(runs, judged.assign(label=labels))
    (tmp_path / script["JUDGES"]["llama32-umbrela"]).write_text("q1 0 d1 1\nq1 0 d1 2\n")
    printed = run("judging_the_judges", "--folder", tmp_path)
    for name in ("gpt4-umbrela", "gpt4-exam", "flant5-sun"):
        line = next(line for line in printed.split("Which judges rank")[1].splitlines() if line.startswith(name))
        tau = kendalltau(taus["people"], taus[name]).statistic
        assert f" {tau:.2f}".replace("0.", ".") in line, printed[printed.index("Which judges") :][:3000]
    assert "'llama32-umbrela': " in printed
    assert "We left out 1 that lack topics (llama32-nuggets), and 1 that contradicts itself" in printed


@pytest.mark.parametrize(("name", "shown"), SHOWN.items(), ids=list(SHOWN))
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")  # of a shallow pool
def test_on_the_synthetic_collection(run, name, shown):
    printed = run(name, "--topics", 12)
    assert shown in printed
    assert "12 topics" in printed or name == "why_do_they_disagree"


@pytest.mark.parametrize(("name", "shown"), SHOWN.items(), ids=list(SHOWN))
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DistortedLabelsWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # files that ir-datasets leaves open
def test_files_and_ir_datasets_give_the_same(run, files, name, shown):
    printed = run(name, *files)
    assert shown in printed
    # judgments of ir-datasets have no file after which people's are called
    of_dataset = run(name, *files[:3], "irds:on-this-machine")
    assert of_dataset == re.sub(r" (and|with) judged (rank|than)", r" \1 the reference \2", printed)


@pytest.mark.parametrize("name", ALL)
def test_each_has_help(run, capsys, name):
    with pytest.raises(SystemExit, match="0"):
        run(name, "--help")
    assert "--help" in capsys.readouterr().out


@pytest.mark.parametrize("name", sorted({*ALL} - {*SHOWN, *WITH_FOLDERS}))
def test_each_runs_alone_and_answers_its_question(run, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    question, *answer = run(name, *FEWER.get(name, [])).split("\n")
    assert question == (FOLDER / f"{name}.py").read_text().split('"""')[1].splitlines()[0]
    assert len([line for line in answer if line]) > 3


def test_other_judgments_may_come_from_files(run, files):
    printed = run("can_other_judgments_replace_these", *files, "--others", files[3], "--measures", "AP")
    assert printed.splitlines()[3].split()[:3] == ["judged", "1.00", "1.00"]


def test_a_picture_is_drawn(run, tmp_path):
    run("how_many_topics", "--topics", 12, "--measures", "AP", "--picture", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").stat().st_size > 10_000


def test_runs_without_judgments_are_refused(run):
    with pytest.raises(SystemExit, match="go together"):
        run("how_many_topics", "--runs", "runs")


@pytest.mark.filterwarnings("default")  # those of the machinery of notebooks are not ours
def test_the_notebook_runs(monkeypatch):
    reason = "nbclient and ipykernel are not installed: pip install 'pt-rankcorr[test]'"
    nbclient = pytest.importorskip("nbclient", reason=reason)
    nbformat = pytest.importorskip("nbformat", reason=reason)
    pytest.importorskip("ipykernel", reason=reason)
    notebook = nbformat.read(FOLDER / "first_steps.ipynb", as_version=4)
    nbformat.validate(notebook)
    kept = [texts(cell) for cell in notebook.cells]
    assert any(kept)  # what is shown where nothing runs
    monkeypatch.delenv("MPLBACKEND", raising=False)  # a notebook shows its pictures
    nbclient.NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
    shown = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.outputs]
    assert len(shown) >= 5
    assert any("image/png" in output.get("data", {}) for cell in shown for output in cell.outputs)
    assert [texts(cell) for cell in notebook.cells] == kept, (
        "run: jupyter execute --inplace examples/first_steps.ipynb, and remove the metadata of its cells"
    )


def texts(cell):
    """What a cell prints or shows as text, but for pictures."""
    outputs = cell.get("outputs", [])
    shown = [output.get("data", {}) for output in outputs if "image/png" not in output.get("data", {})]
    return ["".join(output.get("text", "")) for output in outputs] + [
        "".join(each.get("text/plain", "")) for each in shown
    ]


def test_the_picture_of_the_readme_is_what_comes_out(tmp_path):
    path = tmp_path / "two_rankings.svg"
    finished = subprocess.run(
        [sys.executable, str(FOLDER / "two_rankings.py"), str(path)], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert "TF-IDF" in finished.stdout
    words = re.compile(r">([^<>\n]+)</text>")
    committed = (FOLDER / "two_rankings.svg").read_text()
    assert words.findall(path.read_text()) == words.findall(committed) != []
