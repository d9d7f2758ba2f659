"""Minority rates and proportions of ties, against the paper's loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr.stats.core.means import in_one_order
from pt_rankcorr.stats.significance.swap import FUZZINESS, stability
from tests.stats import oracles_sensitivity as oracle
from tests.stats.strategies_scores import score_matrices

B = 30
SHIFTS = st.sampled_from([0.0, 0.3, 2.0])


@given(score_matrices(min_topics=1), st.integers(0, 99), st.sampled_from(sorted(oracle.STATISTICS)), SHIFTS)
def test_is_the_paper_s_algorithm(scores, seed, which, shift):
    """Margins of negative scores go with their size; these have no geometric mean."""
    ours, plain = oracle.STATISTICS["mean" if shift and which == "geometric" else which]
    scores = in_one_order(np.round(scores - shift, 12) if shift else scores)  # decimals, as both sides read them
    result = stability(scores, fuzziness=[0.0, 0.05, 0.2, 0.5], of="resamples", n_resamples=B, statistic=ours, rng=seed)
    samples = oracle.drawn_topics(len(scores), B, seed)
    expected = [oracle.stability(scores, samples, f, m=plain) for f in result.fuzziness]
    np.testing.assert_allclose(result.minority_rate, [minority for minority, _ in expected], atol=1e-12)
    np.testing.assert_allclose(result.proportion_of_ties, [ties for _, ties in expected], atol=1e-12)


def test_fuzziness_trades_the_minority_rate_for_ties():
    result = stability(np.random.default_rng(0).random((20, 8)), rng=1)
    assert result.fuzziness.tolist() == list(FUZZINESS) == [percent / 100 for percent in range(1, 21)]
    assert (np.diff(result.proportion_of_ties) >= 0).all()
    assert (np.diff(result.minority_rate) <= 0).all()


def test_a_difference_of_just_f_is_a_win():
    # 0.9 against 1.0: the margin at f = 0.1 is 0.1
    result = stability([[0.9, 1.0], [0.9, 1.0]], fuzziness=[0.1, 0.11], rng=1)
    assert result.proportion_of_ties.tolist() == [0.0, 1.0]


@pytest.mark.parametrize("scores", [np.zeros((3, 4)), np.full((1, 2), 0.4)])
def test_equal_systems_always_tie(scores):
    result = stability(scores, fuzziness=0.0, of="new topics" if len(scores) > 1 else "resamples", rng=1)
    assert result.proportion_of_ties.tolist() == [1.0]
    assert result.minority_rate.tolist() == [0.0]


def test_equal_systems_tie_whatever_the_order_of_topics():
    column = np.round(np.random.default_rng(0).random(40), 1)
    scores = np.stack([column, column, column], axis=1)
    assert stability(scores, fuzziness=0.0, rng=1).proportion_of_ties[0] == 1.0
