"""What comes in at the door of the statistics: one measure of scores, topics that fit, and the right way round."""

from __future__ import annotations

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


def test_unlike_numbers_of_topics_without_names_are_refused() -> None:
    plain = pd.DataFrame(VALUES, columns=SYSTEMS)
    for reference, ranking in ((plain, plain.head(40)), (VALUES, VALUES[:40])):
        with pytest.raises(ValueError, match="`ranking` must be on the topics of `reference`, 50, got 40"):
            ptr.d_rank(reference, ranking, n_resamples=50)
        ptr.d_rank(reference, ranking, null="two-sample", n_resamples=50, rng=1)
    ptr.d_rank(VALUES, VALUES[:40].mean(axis=0), n_resamples=50, rng=1)


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
