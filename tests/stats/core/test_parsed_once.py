"""Each statistic parses each of its inputs once, and so warns of each once."""

import warnings

import pandas as pd
import pytest

from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats import correlation_difference
from pt_rankcorr.stats.core import parsing
from pt_rankcorr.warnings import RoundedScoresWarning
from tests import cases

ROUNDED = cases.matrix(cases.VALUES.round(4))
OTHER = cases.OTHER.with_values(cases.OTHER.values.round(4))


@pytest.fixture
def parsed(monkeypatch):
    """The frames that were parsed."""
    frames, parse_frame = [], parsing.parse_frame

    def recorded(frame, parameter):
        frames.append(frame)
        return parse_frame(frame, parameter)

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


@pytest.mark.parametrize("name", [name for name in cases.CASES if name not in ("compare", "geometric_mean")])
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
