"""What comes in at the door of the statistics: one measure of scores, topics that fit, and the right way round."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr

VALUES = np.random.default_rng(5).random((50, 4))
SYSTEMS, TOPICS = list("abcd"), [str(number) for number in range(301, 351)]
AP = ptr.Scores([ptr.ScoreMatrix(VALUES, TOPICS, SYSTEMS, "ap")])
FRAME = AP["ap"].to_frame()


def test_a_single_measure_is_taken_where_one_is_meant() -> None:
    one, other = AP["ap"], AP["ap"].with_values(VALUES[::-1])
    assert ptr.kendall_tau(AP, other) == ptr.kendall_tau(one, other)
    assert ptr.d_rank(AP, other, n_resamples=50, rng=1) == ptr.d_rank(one, other, n_resamples=50, rng=1)
    assert ptr.best_systems(AP, rng=1) == ptr.best_systems(one, rng=1)
    assert ptr.kendall_tau({"ap": one}, other) == ptr.kendall_tau(one, other)


def test_a_measure_is_found_in_whatever_case_it_is_written() -> None:
    assert AP["AP"] is AP["ap"]
    both = ptr.Scores({"ap": AP["ap"], "Ap": AP["ap"]})
    with pytest.raises(KeyError, match="no measure 'AP'"):
        both["AP"]


TWO_SIDES = {
    "kendall_tau": ptr.kendall_tau,
    "tau_ap": ptr.tau_ap,
    "tau_gap": ptr.tau_gap,
    "pearson": ptr.stats.pearson,
    "spearman": ptr.stats.spearman,
    "kendall_distance": ptr.stats.kendall_distance,
    "contributions": ptr.stats.contributions,
    "significant_agreement": partial(ptr.stats.significant_agreement, test="t"),
    "d_rank": partial(ptr.d_rank, n_resamples=50, rng=1),
    "distance": lambda reference, ranking: ptr.DRankTest(reference, n_resamples=50, rng=1).distance(ranking),
    "rank_geometry": ptr.stats.rank_geometry,
    "correlation_interval": partial(ptr.correlation_interval, n_resamples=50, rng=1),
    "correlation_difference": lambda reference, estimate: ptr.stats.correlation_difference(
        reference, estimate, reference, n_resamples=50, rng=1
    ),
}
PLAIN = pd.DataFrame(VALUES[:, :3], columns=SYSTEMS[:3])


@pytest.mark.parametrize("name", TWO_SIDES)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (PLAIN, PLAIN.head(40)),
        (VALUES[:, :3], VALUES[:40, :3]),
        (PLAIN.head(40), VALUES[:, :3]),
        (FRAME[SYSTEMS[:3]], VALUES[:40, :3]),
    ],
)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnmatchedNamesWarning")
def test_unlike_numbers_of_topics_without_names_are_refused(name: str, first: object, second: object) -> None:
    with pytest.raises(ValueError, match=r"must be on the topics of .*, (50, got 40|40, got 50)"):
        TWO_SIDES[name](first, second)


@pytest.mark.parametrize("name", [*TWO_SIDES, "prediction_powered"])
def test_a_square_of_topics_and_systems_is_not_taken_the_wrong_way_round(name: str) -> None:
    square = PLAIN.head(3)
    for sides in ((square, square.T), (square.T, square)):
        with pytest.raises(ValueError, match="rows that are named as systems: transpose it"):
            {**TWO_SIDES, "prediction_powered": ptr.stats.prediction_powered}[name](*sides)


def test_unlike_numbers_of_topics_are_fine_where_they_say_so() -> None:
    assert ptr.kendall_tau(VALUES, VALUES[:40].mean(axis=0)) == ptr.kendall_tau(
        VALUES.mean(axis=0), VALUES[:40].mean(axis=0)
    )
    assert ptr.kendall_tau(FRAME, FRAME.head(40)) == ptr.kendall_tau(FRAME, FRAME.head(40).mean())
    ptr.d_rank(VALUES, VALUES[:40], null="two-sample", n_resamples=50, rng=1)
    ptr.d_rank(VALUES, VALUES[:40].mean(axis=0), n_resamples=50, rng=1)


@pytest.mark.filterwarnings("ignore:.*looks transposed")
@pytest.mark.parametrize(
    ("reference", "estimate", "message"),
    [
        (
            FRAME.T,
            FRAME,
            "`reference` must .* rows named 'system' and columns named 'topic': transpose",
        ),
        (FRAME, FRAME.rename_axis(columns="qid"), "`estimate` must have .* rows named 'topic' and columns named 'qid'"),
        (FRAME, FRAME.T.rename_axis(index=None, columns=None), "`estimate` .* got rows that are named as systems"),
    ],
)
def test_a_transposed_frame_is_asked_about(reference: object, estimate: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ptr.kendall_tau(reference, estimate)
