"""A coefficient of many rankings, each with each: that of two, for all pairs."""

import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from scipy.stats import kendalltau, pearsonr, spearmanr

import pt_rankcorr as rc
from pt_rankcorr.stats import Rankings, coefficient_matrix
from pt_rankcorr.stats.coefficients import counting, kendall
from pt_rankcorr.warnings import DegenerateInputWarning, MissingTopicsWarning, UnreliableResultWarning
from tests.stats import oracles
from tests.stats.oracles import COEFFICIENTS

SCIPY = {"tau_b": kendalltau, "spearman": spearmanr, "pearson": pearsonr}
SYSTEMS = [f"system {number}" for number in range(9)]


def tied_scores(seed=3):
    return pd.DataFrame(np.random.default_rng(seed).integers(0, 6, (9, 4)) / 8, SYSTEMS, list("abcd"))


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_each_pair_is_that_of_two(name):
    scores = tied_scores()
    matrix = coefficient_matrix(scores, name)
    assert list(matrix.index) == list(matrix.columns) == list("abcd")
    for first in scores:
        for second in scores:
            assert matrix.loc[first, second] == pytest.approx(
                COEFFICIENTS[name](scores[first], scores[second]), abs=1e-12
            )
            if name in SCIPY:
                assert matrix.loc[first, second] == pytest.approx(SCIPY[name](scores[first], scores[second])[0])


def test_values_of_an_independent_implementation(data):
    cases = json.loads((data / "reference" / "coefficients.json").read_text())
    for case in cases:
        scores = pd.DataFrame({name: case[name] for name in ("x", "y", "xt", "yt")})
        if (scores.nunique() == 1).any():
            continue
        tau, tau_ap = coefficient_matrix(scores), coefficient_matrix(scores, "tau_ap")
        assert tau.loc["x", ["y", "yt"]].tolist() == pytest.approx([case["tau"], case["tau_a"]], abs=1e-9)
        assert tau_ap.loc["x", ["y", "yt"]].tolist() == pytest.approx([case["tauAP"], case["tauAP_a"]], abs=1e-9)
        assert coefficient_matrix(scores, "tau_b").loc["xt", "yt"] == pytest.approx(case["tau_b"], abs=1e-9)


def test_rankings_are_matched_by_name_in_all_forms():
    scores = tied_scores()
    matrix = rc.ScoreMatrix(np.vstack([scores["b"], scores["b"]]), systems=SYSTEMS)
    named = {
        "a": scores["a"][::-1],
        "b": matrix,
        "c": scores["c"].to_dict(),
        "d": scores["d"].sample(9, random_state=1),
    }
    pd.testing.assert_frame_equal(coefficient_matrix(named, "tau_ap"), coefficient_matrix(scores, "tau_ap"))
    arrays = {name: scores[name].to_numpy() for name in scores}
    pd.testing.assert_frame_equal(coefficient_matrix(arrays), coefficient_matrix(scores))


def test_systems_that_one_of_two_lacks_are_left_out_of_this_pair():
    scores = tied_scores().astype(object)
    scores.loc["system 2", "b"] = scores.loc["system 7", "c"] = None
    with pytest.raises(
        ValueError, match=r"must rank the same systems, got differences in 'system 2', 'system 7': `miss"
    ):
        coefficient_matrix(scores)
    with pytest.warns(MissingTopicsWarning):
        matrix = coefficient_matrix(scores, missing="skip")
    left_out = pytest.warns(MissingTopicsWarning, match=r"left out of some pairs: 'system 2', 'system 7'\.")
    with pytest.warns(MissingTopicsWarning, match="'a' with 'b' 8"), left_out:
        pd.testing.assert_frame_equal(coefficient_matrix(scores, missing="warn"), matrix)
    both = scores.drop(index=["system 2", "system 7"]).astype(float)
    assert matrix.loc["b", "c"] == rc.kendall_tau(both["b"], both["c"])
    assert matrix.loc["a", "d"] == rc.kendall_tau(tied_scores()["a"], tied_scores()["d"])


def test_pairs_that_share_few_systems_are_named_with_their_number():
    few = {"a": {"x": 1, "y": 2}, "b": {"y": 3, "z": 1}, "c": {"x": 4, "y": 3, "z": 2}}
    with pytest.warns(MissingTopicsWarning, match="share few .*: 'a' with 'b' 1, 'a' with 'c' 2, 'b' with 'c' 2\\.$"):
        matrix = coefficient_matrix(few, missing="skip")
    assert np.isnan(matrix.loc["a", "b"])
    assert (matrix.loc["a", "c"], matrix.loc["b", "c"]) == (-1.0, 1.0)
    many = pd.DataFrame(np.random.default_rng(1).random((20, 4)), columns=list("abcd"))
    for place, name in enumerate(many):
        many.loc[place, name] = np.nan
    coefficient_matrix(many, missing="skip")  # no warning: each pair shares 18
    many.loc[8:, :] = np.nan
    with pytest.warns(MissingTopicsWarning, match="'b' with 'd' 6, and 1 pairs more"):
        coefficient_matrix(many, missing="skip")


def test_ranks_among_scores_are_warned_of():
    scores = tied_scores().assign(b=np.arange(1, 10))
    with pytest.warns(UnreliableResultWarning, match="has the ranks 1 to 9 as scores in 'b', of which the largest is"):
        coefficient_matrix(scores)
    coefficient_matrix(scores[["b"]].assign(c=np.arange(9, 0, -1)))  # where all are ranks, their order does not matter


def test_small_scores_beside_a_missing_one_keep_their_order():
    scores = pd.DataFrame({"a": [1e-14, 3e-14, 2e-14, np.nan], "b": [1, 3, 2, 5]}, index=list("wxyz"))
    with pytest.warns(MissingTopicsWarning, match="'a' with 'b' 3"):
        assert coefficient_matrix(scores, missing="skip").loc["a", "b"] == 1.0


def test_a_ranking_that_ties_all_systems_is_nan_with_one_warning():
    with pytest.warns(DegenerateInputWarning) as caught:
        matrix = coefficient_matrix(tied_scores().assign(b=1.0))
    assert len(caught) == 1
    assert matrix["b"].isna().all()
    assert matrix.drop(index="b", columns="b").notna().all(axis=None)


@pytest.mark.parametrize(
    ("rankings", "error", "message"),
    [
        (
            [[1, 2], [2, 1]],
            TypeError,
            "`rankings` must be a frame, a mapping from names to scores, or `stats.Rankings`, got",
        ),
        ({}, ValueError, "`rankings` must have at least 1 ranking of at least 2 systems"),
        (tied_scores().head(1), ValueError, "at least 2 systems, got shape"),
        (
            tied_scores().assign(a="x"),
            TypeError,
            "`rankings` must have numbers in each column, got 'x' for 'system 0' in 'a'",
        ),
        (tied_scores().assign(a=np.inf), ValueError, "`rankings` must be finite, got an infinite score in 'a'"),
        (tied_scores().set_axis(list("aacd"), axis=1), ValueError, "distinct names of rankings, got 'a' more than"),
        (tied_scores().rename(index={SYSTEMS[0]: SYSTEMS[1]}), ValueError, "distinct names of systems"),
        ({"a": rc.stats.Rankings([[1, 2], [2, 1]])}, ValueError, "one ranking under each name, got several under 'a'"),
    ],
)
def test_what_is_refused(rankings, error, message):
    with pytest.raises(error, match=message):
        coefficient_matrix(rankings)


# --- kernels of all pairs and of long vectors, against single pairs -------------------------------------------

RNG = np.random.default_rng(4)
FINE, COARSE = RNG.random((6, 9)), RNG.integers(0, 4, (6, 9)).astype(float)


@pytest.mark.parametrize("name", COEFFICIENTS)
@pytest.mark.parametrize("cells", [2**18, 9])
def test_the_matrix_is_of_single_pairs(name, cells, monkeypatch):
    monkeypatch.setattr(counting, "CELLS", cells)
    known, constant = COEFFICIENTS[name], np.ones((1, 9))
    for references in (FINE, COARSE, FINE[:, :2], constant):
        for estimates in (FINE[::-1], COARSE[:4], constant):
            estimates = estimates[:, : references.shape[1]]
            expected = [[known.kernel(reference, estimate) for estimate in estimates] for reference in references]
            np.testing.assert_allclose(known.matrix(references, estimates), expected, atol=1e-14)


def test_the_public_matrix_takes_rankings():
    found = coefficient_matrix(Rankings(COARSE), "tau_ap")
    expected = [[rc.tau_ap(reference, estimate) for estimate in COARSE] for reference in COARSE]
    np.testing.assert_allclose(found, expected, atol=1e-14)
    with pytest.warns(DegenerateInputWarning):
        undefined = np.isnan(coefficient_matrix(Rankings([[1, 1], [1, 2]])))
    assert undefined.to_numpy().tolist() == [[True, True], [True, False]]
    with pytest.raises(ValueError, match="`rankings`"):
        coefficient_matrix(Rankings(FINE[0]))


@pytest.mark.parametrize("name", ["tau", "tau_b"])
@pytest.mark.parametrize("values", [3, 10**6])
def test_long_vectors_have_the_value_of_their_counts(name, values, monkeypatch):
    reference, estimate = RNG.integers(0, values, (2, 3, 60)).astype(float)
    estimate[2] = 1.0
    expected = COEFFICIENTS[name].kernel(reference, estimate)
    monkeypatch.setattr(kendall, "BITS_UP_TO", 10)
    found = COEFFICIENTS[name].kernel(reference, estimate)
    np.testing.assert_allclose(found, expected, atol=1e-15)
    if name == "tau":
        assert found[0] == pytest.approx(oracles.kendall_tau_a(reference[0].tolist(), estimate[0].tolist()), abs=1e-15)
    else:
        assert found[0] == pytest.approx(scipy.stats.kendalltau(reference[0], estimate[0]).statistic, abs=1e-15)
