import itertools

import numpy as np
import pytest
from hypothesis import given

from pt_rankcorr.stats.coefficients import counting
from pt_rankcorr.stats.coefficients.counting import CountsAbove, clear_pairs, count_above
from tests.stats.oracles import pairs_of_scores


def above_as_defined(truth, estimate):
    items = range(len(truth))
    return CountsAbove(
        estimate=[sum(estimate[j] > estimate[i] for j in items) for i in items],
        both=[sum(estimate[j] > estimate[i] and truth[j] > truth[i] for j in items) for i in items],
        tied_in_reference=[sum(estimate[j] > estimate[i] and truth[j] == truth[i] for j in items) for i in items],
        tie_size=[sum(estimate[j] == estimate[i] for j in items) for i in items],
    )


@given(vectors=pairs_of_scores(least=2, most=40))
def test_clear_and_discordant_pairs_are_those_of_the_definition(vectors):
    truth, estimate = vectors
    pairs = [
        (truth[i] - truth[j]) * (estimate[i] - estimate[j]) for i, j in itertools.combinations(range(len(truth)), 2)
    ]
    expected = (sum(pair != 0 for pair in pairs), sum(pair < 0 for pair in pairs))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BLOCK", 3)
        assert clear_pairs(*np.array(vectors)) == expected


@pytest.mark.parametrize("values", [40, 10**9])
def test_pairs_of_long_vectors_add_up_to_the_counts_of_their_items(values):
    truth, estimate = np.random.default_rng(values).integers(0, values, (2, 3001)).astype(float)
    above = count_above(truth, estimate)
    n_tied = (above.tied_in_reference + (above.tie_size - 1) / 2).sum()
    n_discordant = (above.estimate - above.both - above.tied_in_reference).sum()
    assert clear_pairs(truth, estimate) == (3001 * 1500 - n_tied, n_discordant)


either_computation = pytest.mark.parametrize("up_to", [0, 10**9], ids=["by sorting", "by bits"])


@either_computation
@given(vectors=pairs_of_scores(least=1, most=30))
def test_counts_are_those_of_the_definition(up_to, vectors):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "BITS_UP_TO", up_to)
        counts = count_above(*np.array(vectors))
    for computed, defined in zip(counts, above_as_defined(*vectors), strict=True):
        assert np.broadcast_to(computed, len(defined)).tolist() == defined


@either_computation
def test_pieces_of_a_batch_are_joined(up_to, monkeypatch):
    monkeypatch.setattr(counting, "BITS_UP_TO", up_to)
    truth, estimate = np.random.default_rng(5).integers(0, 9, (2, 7, 12)).astype(float)
    whole = count_above(truth, estimate)
    monkeypatch.setattr(counting, "CELLS", 3 * 12)  # three rows a piece
    for first, second in zip(whole, count_above(truth, estimate), strict=True):
        np.testing.assert_array_equal(first, second)


@given(vectors=pairs_of_scores(least=2, most=30))
def test_sums_of_gaps_by_blocks_are_those_of_all_pairs(vectors):
    reference, estimate = np.array(vectors)
    by_pairs = counting.gap_sums(reference, estimate)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "LONG", 1)
        patch.setattr(counting, "LONG_BLOCK", 4)
        by_blocks = counting.gap_sums(reference, estimate)
    for blocks, pairs in zip(by_blocks, by_pairs, strict=True):
        np.testing.assert_allclose(blocks, pairs, rtol=1e-12, atol=1e-12 * np.abs(reference).max())


@pytest.mark.parametrize("items", [2, 7, 64, 65, 130, 256, 257])
def test_many_rankings_are_counted_as_one_by_one(items):
    """In columns, and in pieces; with ties, and one ranking for all rows."""
    rng = np.random.default_rng(items)
    fine, coarse = rng.random((90, items)), rng.integers(0, max(items // 3, 2), (90, items)).astype(float)
    for reference in (fine, coarse):
        for estimate in (rng.permuted(fine, axis=1), rng.permuted(coarse, axis=1), fine[0], coarse[0]):
            together = count_above(*_repeated(reference, estimate, 2**18 // (90 * items) + 1 if items < 9 else 2))
            for row in range(0, 90, 10):
                alone = count_above(reference[row], np.broadcast_to(estimate, reference.shape)[row])
                for many, one in zip(np.broadcast_arrays(*together), alone, strict=True):
                    np.testing.assert_array_equal(many[row], np.broadcast_to(one, items))


def _repeated(reference, estimate, times):
    many = np.tile(reference, (times, 1))
    return many, np.tile(estimate, (times, 1)) if estimate.ndim == 2 else np.broadcast_to(estimate, many.shape)


@given(pairs_of_scores())
def test_what_was_counted_serves_the_swapped_arrays(pair):
    """Without ties the same items stand above an item by both; with ties they are counted again."""
    reference, estimate = map(np.asarray, pair)
    with counting.sharing_counts():
        first = count_above(reference, estimate)
        assert count_above(reference, estimate) is first
        with counting.sharing_counts():  # which knows the ranks alone
            again = count_above(reference, estimate)
        swapped = count_above(estimate, reference)
    for found, expected in ((again, first), (swapped, count_above(estimate, reference))):
        for counts, others in zip(found, expected, strict=True):
            np.testing.assert_array_equal(counts, others)
