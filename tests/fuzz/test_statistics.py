"""Statistics of degenerate scores, and options of the command line with any value."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import pt_rankcorr as ptr
from pt_rankcorr.cli import main
from tests.cases import CASES
from tests.fuzz.contract import check_message, contract
from tests.fuzz.strategies import files, names, numbers
from tests.fuzz.test_readers import LEADERBOARD, LONG, QUOTED, WIDE

cells = st.sampled_from([0.0, 0.0, 0.5, 0.5, 1 / 3, 1.0, 0.1, -1.0, 1e-9, 1e6])
shapes = st.tuples(st.integers(1, 7), st.integers(2, 4))
two_matrices = shapes.flatmap(lambda shape: st.tuples(*[arrays(float, shape, elements=cells)] * 2))


@pytest.mark.parametrize("name", CASES)
@given(
    shapes.flatmap(lambda shape: st.tuples(arrays(float, shape, elements=cells), arrays(float, shape, elements=cells)))
)
def test_few_topics_ties_and_constants(name: str, scores: tuple[np.ndarray, np.ndarray]) -> None:
    with contract():
        CASES[name](*map(ptr.ScoreMatrix, scores), n_resamples=9, n_draws=9, rng=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    (folder / "AP.csv").write_bytes(WIDE)
    (folder / "RR.csv").write_bytes(WIDE.replace(b"0.5", b"0.4"))
    return folder


def run(arguments: list[str]) -> int:
    """Done, bad input or wrong usage, said in lines; never a traceback."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # of the parser
            status = int(str(stopped.code))
    assert status in (0, 1, 2)
    assert (status == 0) == bool(out.getvalue()), "what is done has results, and nothing else has"
    assert "Traceback" not in err.getvalue()
    for line in err.getvalue().split("\n") if status == 1 else ():
        check_message(line.strip("\r"))  # of the progress bar, above which messages stand
    return status


@given(files(WIDE, QUOTED, LONG, LEADERBOARD))
def test_a_command_with_any_file(folder: Path, content: bytes) -> None:
    (folder / "any").mkdir(exist_ok=True)
    (folder / "any" / "AP.csv").write_bytes(content)
    run(["power", "--scores", str(folder / "any" / "AP.csv"), "--test", "t", "--format", "table"])


OPTIONS = {
    "compare": "--reference --measures --columns --missing --lower-is-better --null --covariance --seed --format",
    "drank": "--reference --measures --null --covariance --seed --resamples --jobs --format",
    "expected": "--coefficient --estimator --target --topics --level --measures --seed --resamples --format",
    "power": "--test --alpha --measures --seed --resamples --format --names --qrels --irds",
}
WORDS = ["AP", "RR", "Accuracy", "AP(rel=2147483648)", "P@0", "nDCG(x=1)@5", "", "nan", "-1", "1e400", "published"]
options = st.sampled_from([(command, option) for command in OPTIONS for option in OPTIONS[command].split()])


@given(options, st.one_of(numbers, names, st.sampled_from(WORDS)), st.booleans())
def test_options_with_any_value(folder: Path, option: tuple[str, str], value: str, both: bool) -> None:
    command, name = option
    scores = [str(folder / file) for file in ("AP.csv", "RR.csv")[: 1 + both]]
    run([command, "--scores", *scores, "--resamples", "20", "--seed", "1", f"{name}={value}"])
