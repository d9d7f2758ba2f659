"""What all API paths of the statistics take: one measure of several, topics that fit, frames not transposed."""

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from tests.cases import CASES, TWO_SIDES

VALUES = np.random.default_rng(5).random((50, 4))
SYSTEMS, TOPICS = list("abcd"), [str(number) for number in range(301, 351)]
AP = rc.Scores([rc.ScoreMatrix(VALUES, TOPICS, SYSTEMS, "ap")])
FRAME = AP["ap"].to_frame()


def test_a_single_measure_is_taken_where_one_is_meant():
    one, other = AP["ap"], AP["ap"].with_values(VALUES[::-1])
    assert rc.kendall_tau(AP, other) == rc.kendall_tau(one, other)
    assert rc.d_rank(AP, other, n_resamples=50, rng=1) == rc.d_rank(one, other, n_resamples=50, rng=1)
    assert rc.best_systems(AP, rng=1) == rc.best_systems(one, rng=1)
    assert rc.kendall_tau({"ap": one}, other) == rc.kendall_tau(one, other)


def test_a_measure_is_found_in_whatever_case_it_is_written():
    assert AP["AP"] is AP["ap"]
    both = rc.Scores({"ap": AP["ap"], "Ap": AP["ap"]})
    with pytest.raises(KeyError, match="no measure 'AP'"):
        both["AP"]


PLAIN = pd.DataFrame(VALUES[:, :3], columns=SYSTEMS[:3])


@pytest.mark.parametrize("name", TWO_SIDES)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        *((PLAIN, PLAIN.head(40)), (VALUES[:, :3], VALUES[:40, :3])),
        *((PLAIN.head(40), VALUES[:, :3]), (FRAME[SYSTEMS[:3]], VALUES[:40, :3])),
    ],
)
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.UnmatchedNamesWarning")
def test_unlike_numbers_of_topics_without_names_are_refused(name, first, second):
    with pytest.raises(ValueError, match=r"must be on the topics of .*, (50, got 40|40, got 50)"):
        TWO_SIDES[name](first, second, n_resamples=50, rng=1)


@pytest.mark.parametrize("name", [*TWO_SIDES, "prediction_powered"])
def test_a_square_of_topics_and_systems_is_not_taken_transposed(name):
    square, case = PLAIN.head(3), CASES[name]
    for sides in ((square, square.T), (square.T, square)):
        with pytest.raises(ValueError, match="rows that are named as systems: transpose it"):
            case.function(*sides, **case.how({"n_resamples": 50, "rng": 1}))


@pytest.mark.parametrize(
    ("reference", "estimate", "message"),
    [
        (FRAME.T, FRAME, "`reference` must .* rows named 'system' and columns named 'topic': transpose"),
        (FRAME, FRAME.rename_axis(columns="qid"), "`estimate` must have .* rows named 'topic' and columns named 'qid'"),
        (FRAME, FRAME.T.rename_axis(index=None, columns=None), "`estimate` .* got columns numbered as topics are"),
    ],
)
def test_a_transposed_frame_is_asked_about(reference, estimate, message):
    with pytest.raises(ValueError, match=message):
        rc.kendall_tau(reference, estimate)
