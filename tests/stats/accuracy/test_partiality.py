from __future__ import annotations

import numpy as np
import pytest

from pt_rankcorr.stats.accuracy.partiality import Shifts, draw_shifts

CELLS = np.array([0, 0, 0, 1, 1, 1, 1, 2])
GROUPS = np.array([CELLS == 0, CELLS == 2])
HOW = {"n_draws": 300, "seed": 1}


def scores(seed: int, n_topics: int = 30, noise: float = 1.0) -> np.ndarray:
    """Of systems whose means are always the same."""
    means = np.array([3.0, 2.0, 1.0, 2.5, 1.5, 0.5, 0.0, 2.2])
    return means + noise * np.random.default_rng(seed).standard_normal((n_topics, len(means)))


def shifts_by_definition(
    first: np.ndarray, second: np.ndarray, cells: np.ndarray
) -> tuple[float, list[float], list[float]]:
    """Slope, shifts of scores and shifts of ranks, of the means of one draw."""
    inner = [
        [float(mean - row[cells == cell].mean()) for mean, cell in zip(row, cells, strict=True)]
        for row in (first, second)
    ]
    slope = sum(x * y for x, y in zip(*inner, strict=True)) / sum(x * x for x in inner[0])
    over = [float(y - slope * x) for x, y in zip(first, second, strict=True)]
    places = [[1 + sum(other > mean for other in row) for mean in row] for row in (first, second)]
    return slope, [each - sum(over) / len(over) for each in over], [float(x - y) for x, y in zip(*places, strict=True)]


def test_shifts_are_as_defined(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = scores(1, 5), scores(2, 5)
    monkeypatch.setattr("pt_rankcorr.stats.accuracy.partiality._draw_means", lambda *_: drawn)
    found = draw_shifts(drawn[0], drawn[1], CELLS, n_draws=5, seed=1)
    assert draw_shifts(drawn[0], drawn[1], CELLS, n_draws=5, seed=1, same_scale=True).slope.tolist() == [1.0] * 5
    for at in range(5):
        slope, of_scores, of_ranks = shifts_by_definition(drawn[0][at], drawn[1][at], CELLS)
        assert found.slope[at] == pytest.approx(slope)
        assert found.scores[at] == pytest.approx(of_scores)
        assert found.ranks[at].tolist() == of_ranks
        by_group = found.of_groups(GROUPS)
        for number, inside in enumerate(GROUPS):
            for shifts, groups in zip((of_scores, of_ranks), by_group, strict=True):
                values = np.array(shifts)
                assert groups[at, number] == pytest.approx(values[inside].mean() - values[~inside].mean())


def test_a_line_of_the_reference_favours_nobody() -> None:
    reference = scores(1)
    for judge in (0.5 * reference + 7.0, 100 * reference):
        found = draw_shifts(reference, judge, CELLS, **HOW)
        assert found.slope == pytest.approx(
            np.full(300, judge[0, 0] - judge[0, 1]) / (reference[0, 0] - reference[0, 1])
        )
        assert np.abs(found.scores).max() < 1e-8 * np.abs(judge).max()
        assert not found.ranks.any()


def test_what_a_group_gets_for_nothing_is_its_shift() -> None:
    reference = scores(1)
    judge = 2 * reference + 3.0 * (CELLS == 0)
    of_scores, of_ranks = draw_shifts(reference, judge, CELLS, **HOW).of_groups(GROUPS)
    assert of_scores[:, 0] == pytest.approx(np.full(300, 3.0))
    assert of_scores[:, 1] == pytest.approx(np.full(300, -9.0 / 7.0))
    assert of_ranks[:, 0].min() > 0.0


def test_means_of_groups_are_not_shrunk_and_a_system_alone_is_a_group() -> None:
    """Their draws are the measured means, and their spread the standard error with that of its estimate."""
    reference, judge = scores(1, noise=5.0), scores(2, noise=5.0)
    found = draw_shifts(reference, judge, CELLS, n_draws=20_000, seed=1, same_scale=True)
    of_scores, _ = found.of_groups(GROUPS)
    by_topic = judge - reference
    for number, inside in enumerate(GROUPS):
        contrast = by_topic[:, inside].mean(axis=1) - by_topic[:, ~inside].mean(axis=1)
        # those of the other groups weigh by their sizes, as measured
        error = contrast.std(ddof=1) / np.sqrt(30) * np.sqrt(29 / 27)
        assert of_scores[:, number].mean() == pytest.approx(contrast.mean(), abs=0.05 * error)
        assert of_scores[:, number].std() == pytest.approx(error, rel=0.05)


def test_neither_workers_nor_the_order_of_systems_matter() -> None:
    reference, judge = scores(1), scores(2)
    found = draw_shifts(reference, judge, CELLS, **HOW)
    assert same(draw_shifts(reference, judge, CELLS, **HOW, n_jobs=2), found)
    back = np.arange(len(CELLS))[::-1]
    turned = draw_shifts(reference[:, back], judge[:, back], CELLS[back], **HOW)
    assert turned.scores[:, back] == pytest.approx(found.scores, abs=1e-6)


def same(first: Shifts, second: Shifts) -> bool:
    return all(np.array_equal(*both) for both in zip(vars(first).values(), vars(second).values(), strict=True))


@pytest.mark.parametrize("cells", [np.arange(8), CELLS])
def test_without_systems_that_differ_within_groups_there_is_no_line(cells: np.ndarray) -> None:
    reference = np.repeat(scores(1)[:, :3], (3, 4, 1), axis=1)  # groups of equal systems
    found = draw_shifts(reference, scores(2), cells, **HOW)
    assert np.isnan(found.slope).all()
    assert np.isnan(found.scores).all()
    assert not np.isnan(found.ranks).any()
