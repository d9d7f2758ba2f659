"""The grid keeps running, and ends when it is to."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests.calibration import studies
from tests.calibration.grid.bounds import Figure, found_in, promises, read_grid, write_grid
from tests.calibration.grid.cells import HOW, TOPICS, Cell, cells
from tests.calibration.grid.trials import NAMES, TRIALS, Question
from tests.calibration.studies import BATCH, recorded, run

SMALL, OTHER = (cell for cell in cells() if cell.data == "Gaussian, independent" and cell.n_systems == 5)


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
    every = np.sort(close.data.means)
    first = int(np.searchsorted(every, close.means.min()))
    assert np.sort(close.means).tolist() == every[first : first + 5].tolist()
    assert np.ptp(equal.means) < 1e-12
    assert equal.draw(2000, rng).mean(axis=0) == pytest.approx(equal.means, abs=0.03)


def test_a_run_that_ends_early_has_some_of_all(tmp_path: Path) -> None:
    journal, now = tmp_path / "grid.jsonl", iter([0.0, 0.0, 2.0])
    asked = [Question("tests", cell) for cell in (SMALL, OTHER)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(studies, "time", SimpleNamespace(monotonic=lambda: next(now)))
        values = dict(run(asked, lambda _: 3 * BATCH, journal=journal, end=1.0))
    assert {question.name: len(found) for question, found in values.items()} == {each.name: BATCH for each in asked}
    assert recorded(journal).keys() == {each.name for each in asked}


def test_figures_survive_a_file(tmp_path: Path) -> None:
    path = tmp_path / "grid.json"
    found = found_in(run([Question("tests", SMALL)], lambda _: BATCH))
    level = found["d_rank: level up to .08"][SMALL.name]
    assert level.repetitions == BATCH
    write_grid(found, path)
    assert read_grid(path)["d_rank: level up to .08"][SMALL.name] == pytest.approx(level, abs=1e-4)


def test_a_promise_fails_surely_only_beyond_chance() -> None:
    promise = next(each for each in promises() if each.says == "level up to .08")
    assert promise.holds(SMALL, Figure(0.05, 0.03, 0.09, 100))
    assert not promise.holds(SMALL, Figure(0.1, 0.07, 0.13, 100))
    assert not promise.surely_fails(SMALL, Figure(0.1, 0.07, 0.13, 100))
    assert promise.surely_fails(SMALL, Figure(0.2, 0.15, 0.25, 100))
