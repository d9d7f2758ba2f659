"""Scores that say less than they seem to are warned of, once: of few topics, and rounded ones."""

import warnings

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats import correlation_difference
from pt_rankcorr.stats.accuracy.ranks import rank_intervals
from pt_rankcorr.stats.core import parsing
from pt_rankcorr.stats.core.parsing import decimals_of
from pt_rankcorr.warnings import RoundedScoresWarning, UnreliableResultWarning
from tests import cases

SCORES = ScoreMatrix(np.random.default_rng(0).normal([0.1, 0.5, 0.9], 0.1, (10, 3)), systems=["a", "b", "c"])


@pytest.mark.parametrize(
    "name", ["d_rank", "DRankTest", "allowed_ranks", "expected_correlation", "rank_intervals", "best_systems"]
)
def test_few_topics_are_warned_of(name):
    def compute(scores):
        cases.CASES[name](scores, scores, n_resamples=19, rng=1)

    for few in (3, 9):
        with pytest.warns(UnreliableResultWarning, match=f"^{few} topics are few: .* checked from 10 topics on"):
            compute(SCORES.select(topics=SCORES.topics[:few]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compute(SCORES)


APART = np.random.default_rng(0).random((12, 4)) + np.arange(4.0)  # systems that are far apart


@pytest.mark.parametrize("decimals", [2, 3, 4, 5])
def test_decimals_are_those_that_all_scores_have(decimals):
    assert decimals_of(APART.round(decimals)) == decimals


def test_few_values_and_many_decimals_tell_nothing():
    assert decimals_of(APART) is None
    assert decimals_of(APART[:4].round(4)) is None  # 16 values
    assert decimals_of(np.append(np.linspace(0.0, 1.0, 401), np.pi)) is None  # the last one alone


def test_rounded_frames_are_warned_of():
    for decimals in (3, 4, 5):
        with pytest.warns(RoundedScoresWarning, match=f"`scores` looks rounded to {decimals} decimals. Rounding makes"):
            rank_intervals(pd.DataFrame(APART.round(decimals)), n_resamples=19, rng=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rank_intervals(pd.DataFrame(APART), n_resamples=19, rng=1)
        rank_intervals(pd.DataFrame(np.round(APART * 20) / 20), n_resamples=19, rng=1)  # as those of P@20
        rank_intervals(APART.round(4), n_resamples=19, rng=1)  # an array that somebody made


# --- each statistic parses each of its inputs once, and so warns of each once ---------------------------------

ROUNDED = cases.matrix(cases.VALUES.round(4))
OTHER = cases.OTHER.with_values(cases.OTHER.values.round(4))


@pytest.fixture
def parsed(monkeypatch):
    """The frames that were parsed."""
    frames, parse_frame = [], parsing.parse_frame

    def recorded(frame, parameter, *more):
        frames.append(frame)
        return parse_frame(frame, parameter, *more)

    monkeypatch.setattr(parsing, "parse_frame", recorded)
    return frames


def as_frames(value):
    if isinstance(value, dict):
        return {name: as_frames(scores) for name, scores in value.items()}
    return value.to_frame() if isinstance(value, ScoreMatrix) else value


def n_frames(value):
    if isinstance(value, dict):
        return sum(map(n_frames, value.values()))
    return int(isinstance(value, pd.DataFrame))


@pytest.mark.parametrize("name", [name for name in cases.CASES if name != "compare"])
def test_every_statistic_parses_each_frame_once(name, parsed):
    case = cases.CASES[name]
    inputs = [as_frames(value) for value in case.inputs(ROUNDED, OTHER)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        case.function(*inputs, **case.how({"n_resamples": 20, "n_draws": 20, "rng": 1}))
    of_rounding = [warning for warning in caught if warning.category is RoundedScoresWarning]
    assert len(parsed) == len(of_rounding) == sum(map(n_frames, inputs))


def test_a_permutation_test_parses_three(parsed):
    scores = [side.to_frame() for side in (OTHER, ROUNDED, OTHER)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        correlation_difference(*scores, method="permutation", n_resamples=5, rng=1)
    assert len(parsed) == 3
