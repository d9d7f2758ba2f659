"""The grid keeps running, can be resumed, and the page shows what it found."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np
import pytest

import pt_rankcorr
from tests.calibration.grid.bounds import Figure, found_in, promises, read_json, write_json
from tests.calibration.grid.cells import HOW, TOPICS, Cell, cells
from tests.calibration.grid.page import generated
from tests.calibration.grid.running import BATCH, batch, journal_of, run
from tests.calibration.grid.trials import NAMES, TRIALS

FOUND = Path(__file__).parent / "grid" / "grid.json"
PAGE = Path(pt_rankcorr.__file__).parent / "pt_docs" / "calibration.rst"
SMALL = next(cell for cell in cells() if cell.data == "Gaussian, independent" and cell.n_systems == 5)


def test_cells_are_spread() -> None:
    every = list(cells())
    assert len({cell.name for cell in every}) == len(every) >= 90
    assert {cell.n_systems for cell in every} == {2, 5, 10, 20, 60, 100}
    assert {(cell.n_topics, cell.how) for cell in every} == {(n, how) for n in TOPICS for how in HOW}
    assert min(sum(cell.data == data for cell in every) for data in {cell.data for cell in every}) >= 8


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.CloseSystemsWarning")
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("part", TRIALS)
def test_a_repetition_answers_what_is_asked(part: str, how: str) -> None:
    cell = Cell("Gaussian, independent", 4, 10, how)
    values = [TRIALS[part](cell, np.random.default_rng(seed)) for seed in range(4)]
    assert {name for each in values for name in each} <= set(NAMES[part])
    assert all(math.isfinite(value) for each in values for name, value in each.items() if name.startswith("rank, "))


def test_systems_are_what_they_are_called() -> None:
    rng = np.random.default_rng(1)
    close, equal = (Cell("Gaussian, independent", 5, 10, how).systems(rng) for how in ("adjacent", "equal"))
    every = np.sort(close.population.means[0])
    first = int(np.searchsorted(every, close.means().min()))
    assert np.sort(close.means()).tolist() == every[first : first + 5].tolist()
    assert np.ptp(equal.means()) < 1e-12
    assert equal.draw(2000, rng).mean(axis=0) == pytest.approx(equal.means(), abs=0.03)


def test_a_second_run_goes_on_where_the_first_ended(tmp_path: Path) -> None:
    journal = tmp_path / "grid.jsonl"
    run(["tests"], [SMALL], journal, range(0, BATCH, BATCH), math.inf)
    with journal.open("a") as file:
        file.write('\n["tests", "Gau')  # an interrupt
    before = journal.read_text()
    run(["tests"], [SMALL], journal, range(0, BATCH, BATCH), math.inf)
    assert journal.read_text() == before
    run(["tests"], [SMALL], journal, range(0, 3 * BATCH, BATCH), time.monotonic() - 1)
    assert list(journal_of(journal)) == [("tests", SMALL.name, 0)]
    (values,) = journal_of(journal).values()
    again = batch("tests", SMALL, 0)
    assert np.array_equal(np.array(values), np.array(again), equal_nan=True)


def test_figures_survive_a_file(tmp_path: Path) -> None:
    journal, path = tmp_path / "grid.jsonl", tmp_path / "grid.json"
    run(["tests"], [SMALL], journal, range(0, BATCH, BATCH), math.inf)
    found = found_in([journal])
    level = found["d_rank: level up to .08"][SMALL.name]
    assert level.repetitions == BATCH
    write_json(path, found)
    assert read_json(path)["d_rank: level up to .08"][SMALL.name] == pytest.approx(level, abs=1e-4)


def test_a_promise_fails_surely_only_beyond_chance() -> None:
    promise = next(each for each in promises() if each.says == "level up to .08")
    assert promise.holds(SMALL, Figure(0.05, 0.03, 0.09, 100))
    assert not promise.holds(SMALL, Figure(0.1, 0.07, 0.13, 100))
    assert not promise.surely_fails(SMALL, Figure(0.1, 0.07, 0.13, 100))
    assert promise.surely_fails(SMALL, Figure(0.2, 0.15, 0.25, 100))


def test_the_page_shows_what_was_found() -> None:
    assert generated(read_json(FOUND)) in PAGE.read_text(encoding="utf-8"), "run it with --json and --rst"
