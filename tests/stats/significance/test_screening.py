"""Single precision, with its margin, against the plain way in double precision: the same numbers for all scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pt_rankcorr.stats.core.pairs import Pairs, pair_blocks
from pt_rankcorr.stats.core.resampling import TopicSamples
from pt_rankcorr.stats.core.studentised import paired_differences
from pt_rankcorr.stats.significance import _screening
from pt_rankcorr.stats.significance.power import DiscriminativePowerResult, discriminative_power
from tests.stats.strategies_scores import score_matrices


def power(scores: np.ndarray, *, screened: bool, **how) -> DiscriminativePowerResult:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_screening, "is_worthwhile", lambda *_: screened)
        return discriminative_power(scores, test="paired-bootstrap", **{"rng": 1, "n_resamples": 60, **how})


DOUBLE = 1e-10  # single precision would miss by 1e-7; how sums are added, which differs by processor, by 1e-12


def assert_as_plain(scores: np.ndarray, **how) -> tuple[DiscriminativePowerResult, DiscriminativePowerResult]:
    found, plain = (power(scores, screened=screened, **how) for screened in (True, False))
    np.testing.assert_array_equal(found.pvalues, plain.pvalues)
    for name in ("required_difference", "published_difference"):
        assert getattr(found, name) == pytest.approx(getattr(plain, name), rel=DOUBLE, nan_ok=True)
    return found, plain


def some_scores(n_topics: int, n_systems: int) -> np.ndarray:
    """Easy and hard topics, good and bad systems."""
    rng = np.random.default_rng(n_topics)
    return rng.random((n_topics, 1)) * rng.uniform(0.7, 1, n_systems) + rng.normal(0, 0.1, (n_topics, n_systems))


def weights_of(n_topics: int, n_resamples: int) -> np.ndarray:
    return _screening.held_weights(TopicSamples.of(n_topics, n_resamples, np.random.default_rng(1)))


# --- the same numbers ---------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(score_matrices(max_topics=30), st.integers(0, 99), st.sampled_from([0.05, 0.2]))
def test_scores_of_all_kinds(scores, seed, alpha):
    assert_as_plain(scores, rng=seed, alpha=alpha)


@pytest.mark.parametrize("n_topics", [25, 60, 400])
@pytest.mark.parametrize("decimals", [15, 1, 0])
def test_ordinary_scores(n_topics, decimals):
    assert_as_plain(np.round(some_scores(n_topics, 24), decimals), n_resamples=500)


@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
def test_scores_that_single_precision_cannot_hold(scale):
    assert_as_plain(some_scores(30, 8) * scale)


@pytest.mark.parametrize(
    "make",
    [
        lambda rng, shape: 10.0 ** rng.integers(-15, 15, shape),
        lambda rng, shape: rng.standard_cauchy(shape) ** 9,
        lambda rng, shape: rng.choice([-1e10, -1, 0, 1e-10, 1, 1e10], shape),
        lambda rng, shape: 1e6 + rng.integers(0, 2, shape),
        lambda rng, shape: rng.random((shape[0], 1)) + rng.integers(0, 3, shape[1]) * 1e-9,
        lambda rng, shape: rng.random((shape[0], 1)) + 1e-11 * rng.random(shape),
    ],
    ids=["powers", "tails", "sizes", "offset", "constant differences", "nearly equal"],
)
@pytest.mark.parametrize("n_topics", [2, 3, 10, 40])
def test_hard_scores(make, n_topics):
    assert_as_plain(make(np.random.default_rng(n_topics), (n_topics, 7)))


def test_systems_that_differ_on_few_topics():
    """Many of their resamples tie with what was observed, so that such pairs are left open."""
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 2, (40, 1)) ^ (rng.random((40, 12)) < 0.05)
    scores = scores.astype(np.float64)
    assert_as_plain(scores, n_resamples=300)
    counts, is_open = _screening.screen(scores, weights_of(40, 300), 15, next(pair_blocks(12, 1)))
    assert np.isnan(counts).any()
    assert is_open[np.isnan(counts)].all()


def test_ties_that_rounding_puts_on_their_limit():
    """Steps of a thousandth around 1: resamples that tie in exact arithmetic differ by as much as ties may."""
    for seed in range(24):
        rng = np.random.default_rng(seed)
        base, steps = np.round(rng.random((25, 1)), 3), rng.integers(-1, 2, (25, 24)) * (rng.random((25, 24)) < 0.3)
        assert_as_plain(np.round(base + 0.5 + 0.001 * steps, 3), n_resamples=500, rng=3)


@pytest.mark.parametrize("kind", ["zeros and ones", "tenths", "twins"])
def test_of_pairs_that_need_equal_differences_the_first_is_named(kind):
    for seed in range(8):
        rng = np.random.default_rng(seed)
        scores = rng.random((26, 24))
        scores[:, 12:] = scores[:, :12] if kind == "twins" else scores[:, 12:]
        scores = np.round(scores, {"zeros and ones": 0, "tenths": 1, "twins": 15}[kind])
        found, plain = assert_as_plain(scores, n_resamples=99)
        assert (found.required_pair, found.published_pair) == (plain.required_pair, plain.published_pair)
        np.testing.assert_array_equal(found.published_topics, plain.published_topics)


def test_workers_and_blocks_do_not_change_a_bit(monkeypatch):
    scores = np.round(some_scores(30, 12), 2)
    whole = power(scores, screened=True, n_resamples=300)
    blocks = lambda n_systems, cells, **_: pair_blocks(n_systems, cells, at_once=3000)  # noqa: E731
    monkeypatch.setattr("pt_rankcorr.stats.significance.pairwise.pair_blocks", blocks)
    one, two = (power(scores, screened=True, n_resamples=300, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(whole.pvalues, one.pvalues)
    assert whole.required_difference == pytest.approx(one.required_difference, rel=DOUBLE)
    np.testing.assert_array_equal(one.pvalues, two.pvalues)
    assert one.required_difference == two.required_difference
    assert one.published_difference == two.published_difference
    np.testing.assert_array_equal(one.published_topics, two.published_topics)


# --- the margin, and what it leaves open ------------------------------------------------------------------


@pytest.mark.parametrize("n_topics", [2, 9, 100, 1000])
@pytest.mark.parametrize("kind", ["ordinary", "rare", "wide"])
def test_no_resample_is_outside_of_the_margin(n_topics, kind):
    rng, weights = np.random.default_rng(n_topics), weights_of(n_topics, 400)
    first, second = rng.random((2, 10, n_topics))
    if kind == "rare":
        first = np.where(rng.random(first.shape) < 3 / n_topics, first, second)
    if kind == "wide":
        first = first * 10.0 ** rng.integers(-12, 1, first.shape)
    centred = paired_differences(first, second).centred
    found = _screening.Screened.of(centred, weights, np.empty(3 * 10 * 400, dtype=np.float32))
    sums, squares = (values @ weights.T.astype(np.float64) for values in (found.differences, found.differences**2))
    exact = np.abs(sums) / np.sqrt(n_topics * np.maximum(squares, 1e-300))
    assert np.abs(np.sqrt(found.shares.astype(np.float64)) - exact).max() < found.margin
    assert np.abs(found.sums - sums).max() < found.margin * np.sqrt(n_topics * squares).max()


def test_few_pairs_are_left_open():
    scores = some_scores(50, 60)
    counts, is_open = _screening.screen(scores, weights_of(50, 500), 25, next(pair_blocks(60, 1)))
    assert not np.isnan(counts).any()
    assert 0 < is_open.sum() < 0.01 * is_open.size


def test_what_is_required_is_between_its_ends():
    scores, weights, room = some_scores(30, 20).T, weights_of(30, 500), np.empty(3 * 190 * 500, dtype=np.float32)
    pairs: Pairs = next(pair_blocks(20, 1))
    observed = paired_differences(scores[pairs.first], scores[pairs.second])
    _, required, published = _screening._screen(observed, weights, 25, room)
    sums, squares = (values @ weights.T.astype(np.float64) for values in (observed.centred, observed.centred**2))
    shares = sums**2 / (30 * squares)
    at = np.argsort(-shares, axis=1)[:, 24][:, np.newaxis]
    critical = np.take_along_axis(shares, at, axis=1)[:, 0]
    exact = np.sqrt(29 * critical / (1 - critical)) * observed.centred.std(axis=1, ddof=1) / np.sqrt(30)
    means = np.abs(np.take_along_axis(sums, at, axis=1)[:, 0]) / 30
    for (least, most), wanted in ((required, exact), (published, means)):
        assert ((least <= wanted) & (wanted <= most)).all()
        assert np.median(most / least) < 1.001


@pytest.mark.parametrize(
    ("n_topics", "n_resamples", "n_pairs", "expected"),
    [
        (250, 1000, 499_500, True),
        (_screening.LEAST_TOPICS, 20, _screening.LEAST_PAIRS, True),
        (_screening.LEAST_TOPICS - 1, 1000, 499_500, False),
        (_screening.MOST_TOPICS + 1, 20, 499_500, False),
        (250, 1000, _screening.LEAST_PAIRS - 1, False),
        (250, 20_000, 499_500, False),
    ],
)
def test_when_it_is_worthwhile(n_topics, n_resamples, n_pairs, expected):
    samples = TopicSamples.of(n_topics, n_resamples, np.random.default_rng(0))
    assert _screening.is_worthwhile(samples, n_pairs) is expected


def test_pairs_are_screened_where_it_is_worthwhile(monkeypatch):
    screened, screen = [], _screening.screen
    monkeypatch.setattr(_screening, "screen", lambda *given: screened.append(given) or screen(*given))
    for n_topics in (_screening.LEAST_TOPICS, _screening.LEAST_TOPICS - 1):
        discriminative_power(some_scores(n_topics, 21), test="paired-bootstrap", n_resamples=20, rng=1)
    assert len(screened) == 1
