"""Repeated runs of judges: components against sums over a two-way table, and the files and names they come from."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as students_t

from pt_rankcorr.judgments import compare_labels
from pt_rankcorr.judgments.repetitions import enough_runs, repetitions_of, runs_of_judges

PATTERN = r"(?P<model>\w+)-(?P<run>\d+)"
HOW = {"statistic": "tau", "n_topics": 40, "level": 0.95}


def rows_of(repetitions):
    """Judge -> its row, in their order."""
    return {row.judge: row for row in repetitions.judges.itertuples(index=False)}


def anova(table):
    """Of a table of topics x runs of one judge: the means, and the variances of means by the method of moments."""
    n, k = table.shape
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    both = (residuals**2).sum() / ((n - 1) * (k - 1))
    topics = k * ((table.mean(axis=1) - table.mean()) ** 2).sum() / (n - 1)
    runs = n * ((table.mean(axis=0) - table.mean()) ** 2).sum() / (k - 1)
    return max((runs - both) / n, 0.0), both / n, max((topics - both) / k, 0.0) / n


def test_of_means_over_topics_components_are_those_of_a_two_way_analysis_of_variance():
    random = np.random.default_rng(3)
    judges = {}
    for name, k, of_run in (("a", 4, 0.3), ("b", 6, 0.0)):
        judges[name] = random.normal(0.5, 1, (40, 1)) + of_run * random.normal(0, 1, k) + random.normal(0, 1, (40, k))
    every = np.hstack(list(judges.values()))
    covariance = np.cov(every, rowvar=False) / 40
    runs_of = {"a": [0, 1, 2, 3], "b": [4, 5, 6, 7, 8, 9]}
    found = repetitions_of(runs_of, every.mean(axis=0), covariance, 39.0, {}, **HOW)
    by_name = rows_of(found)
    assert found.judges["mean"].is_monotonic_decreasing
    for name, table in judges.items():
        own, expected = by_name[name], anova(table)
        assert np.square([own.between_runs, own.between_both, own.between_topics]) == pytest.approx(expected)
        assert own.error**2 == pytest.approx(table.mean(axis=1).var(ddof=1) / 40 + expected[0] / table.shape[1])
        assert own.error_of_one**2 == pytest.approx(sum(expected))
        assert own.n_runs == table.shape[1]
    first, second = rows_of(found).values()
    apart = judges[first.judge].mean(axis=1) - judges[second.judge].mean(axis=1)
    variances = [apart.var(ddof=1) / 40, *(own.between_runs**2 / own.n_runs for own in (first, second))]
    freedoms = 39, first.n_runs - 1, second.n_runs - 1
    freedom = sum(variances) ** 2 / sum(v**2 / f for v, f in zip(variances, freedoms, strict=True))
    expected = 2 * students_t.sf(abs(apart.mean()) / math.sqrt(sum(variances)), freedom)
    assert second.pvalue == pytest.approx(expected)
    assert math.isnan(first.pvalue)


def test_runs_are_enough_where_endless_ones_gain_less_than_a_tenth():
    for of_runs, of_topics in ((0.0025, 0.0025), (0.0001, 0.0025), (0.04, 0.0025), (0.4, 0.0025)):
        gains = [1 - math.sqrt(of_topics / (of_topics + of_runs / k)) for k in range(1, 2000)]
        assert enough_runs(of_runs, of_topics) == 1 + next(place for place, gain in enumerate(gains) if gain <= 0.1)
    assert enough_runs(0.0, 0.05) == enough_runs(0.0, 0.0) == 1.0
    assert enough_runs(0.1, 0.0) == math.inf
    assert math.isnan(enough_runs(math.nan, math.nan))


def judged(seed, noise):
    random = np.random.default_rng(seed)
    labels = np.random.default_rng(0).integers(0, 3, 600)
    again = np.where(random.random(600) < noise, random.integers(0, 3, 600), labels)
    return pd.DataFrame({"qid": np.repeat(np.arange(30), 20), "docno": [f"d{n}" for n in range(600)], "label": again})


def test_kappa_of_repeated_runs_and_which_judges_change_their_labels():
    judges = {"steady-1": judged(1, 0.3), "steady-2": judged(1, 0.3), "alone-1": judged(9, 0.5)}
    judges |= {f"careless-{run}": judged(run, 0.3) for run in (2, 3, 4)}
    comparison = compare_labels(judged(0, 0), judges, width=0.1)
    found = comparison.repetitions(PATTERN, "run")
    by_name = rows_of(found)
    steady, careless, alone = (by_name[name] for name in ("steady", "careless", "alone"))
    runs = [comparison.agreement[f"careless-{run}"].kappa for run in (2, 3, 4)]
    assert careless.mean == pytest.approx(np.mean(runs))
    assert steady.between_runs == steady.between_both == steady.differ == 0.0
    assert steady.enough == 1
    assert careless.between_both > 0.01
    labels = [judges[f"careless-{run}"]["label"].to_numpy() for run in (2, 3, 4)]
    pairs = [(labels[i] != labels[j]).mean() for i, j in ((0, 1), (0, 2), (1, 2))]
    assert careless.differ == pytest.approx(np.mean(pairs))
    assert np.isnan([alone.between_runs, alone.differ, alone.error, alone.low, alone.high]).all()
    assert found.doubts() == [f"'careless': two of its runs differ on {np.mean(pairs):.0%} of labels."]
    text = str(found).replace("\n", " ")
    assert "Asked once, so the noise of runs is unknown: alone." in text
    assert found.doubts()[0] in text
    assert "labels differ" in text
    of_alpha = rows_of(comparison.repetitions(PATTERN, "run", "alpha"))
    alphas = [comparison.agreement[f"careless-{run}"].alpha for run in (2, 3, 4)]
    assert of_alpha["careless"].mean == pytest.approx(np.mean(alphas))


def test_a_single_topic_has_means_alone():
    people, careless = ({"1": dict(zip("abc", labels, strict=True))} for labels in ([1, 0, 2], [0, 0, 1]))
    comparison = compare_labels(people, {"steady-1": people, "careless-1": people, "careless-2": careless})
    by_name = rows_of(comparison.repetitions(PATTERN, "run"))
    kappas = [comparison.agreement[f"careless-{run}"].kappa for run in (1, 2)]
    assert (by_name["steady"].mean, by_name["careless"].mean) == (1.0, pytest.approx(np.mean(kappas)))
    assert np.isnan([[row.error, row.low, row.high] for row in by_name.values()]).all()


def test_what_is_refused():
    table = pd.DataFrame({"model": ["a", "a", "b"], "run": ["1", "2", "1"]}, index=["a-1", "a-2", "b-1"])
    assert runs_of_judges(table, "run") == {"a": [0, 1], "b": [2]}
    assert runs_of_judges(table[["run"]], "run") == {"judge": [0, 1, 2]}
    for judges, repetition, got in ((table, "time", "'time'"), (table.iloc[1:], "run", "one each of 'a', 'b'")):
        with pytest.raises(ValueError, match=f"`repetition` must .*got {got}"):
            runs_of_judges(judges, repetition)
    with pytest.raises(ValueError, match=r"`measure` must .*got 'tau'"):
        compare_labels(judged(0, 0), {f"a-{run}": judged(run, 0.3) for run in (1, 2, 3)}).repetitions(
            r"(?P<run>\d)", "run", "tau"
        )
    with pytest.raises(ValueError, match="`width`"):
        compare_labels(judged(0, 0), {"a": judged(1, 0.3)}, width=0)
