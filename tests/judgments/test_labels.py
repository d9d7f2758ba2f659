import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from pt_rankcorr.judgments import cohen_kappa, compare_labels, krippendorff_alpha
from pt_rankcorr.judgments.label_agreement import MEASURES
from pt_rankcorr.warnings import DegenerateInputWarning
from tests.stats.core.test_jackknife import clopper_pearson, interval_by_definition

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=30)


def label_agreement(reference, other, **thresholds):
    return compare_labels(reference, {"other": other}, **thresholds).agreement["other"]


def kappa_by_definition(pairs):
    """Agreement of each item with itself, and of each item with each other: that by chance."""
    observed = np.mean([first == second for first, second in pairs])
    expected = np.mean([first == second for first, _ in pairs for _, second in pairs])
    return math.nan if expected == 1 else (observed - expected) / (1 - expected)


def test_kappas_and_alpha_are_those_of_other_packages():
    metrics, krippendorff = (pytest.importorskip(name) for name in ("sklearn.metrics", "krippendorff"))
    rng = np.random.default_rng(1)
    first = rng.integers(0, 4, 300)
    second = np.where(rng.random(300) < 0.4, first, rng.integers(0, 4, 300))
    found = label_agreement(*({"1": {f"d{n}": label for n, label in enumerate(each)}} for each in (first, second)))
    assert found.kappa == pytest.approx(metrics.cohen_kappa_score(first, second), abs=1e-12)
    assert found.kappa_binary == pytest.approx(metrics.cohen_kappa_score(first > 0, second > 0), abs=1e-12)
    squared = metrics.cohen_kappa_score(first, second, weights="quadratic")
    assert found.kappa_weighted == pytest.approx(squared, abs=1e-12)
    labels = np.where(rng.random((3, 300)) < 0.2, math.nan, [first, second, first[::-1]])
    for metric in ("nominal", "ordinal", "interval"):
        theirs = krippendorff.alpha(labels, level_of_measurement=metric)
        assert krippendorff_alpha(labels, metric) == pytest.approx(theirs, abs=1e-9)


def test_confusion_is_of_documents_that_both_judge():
    agreement = label_agreement({"1": {"d1": 2, "d2": 0, "d3": 1}, "2": {"d1": 1}}, {"1": {"d1": 1, "d2": 0, "d4": 1}})
    assert agreement.confusion.loc[2, 1] == 1
    assert agreement.confusion.loc[0, 0] == 1
    assert agreement.confusion.to_numpy().sum() == agreement.n_shared == 2
    assert (agreement.n_reference, agreement.n_other) == (4, 3)
    assert agreement.confusion.index.name == "reference"


@pytest.mark.parametrize("other", [{"1": {"d1": 1}}, {"2": {"d9": 1}}])
def test_nothing_to_agree_on(other):
    with pytest.warns(DegenerateInputWarning):
        assert math.isnan(label_agreement({"1": {"d1": 1}}, other).kappa)


def test_a_crosstab_is_matched_by_its_labels():
    """In any order, with labels that one judge never used, and with whole numbers that became floats."""
    pairs = [(0, 0)] * 20 + [(0, 1)] * 5 + [(1, 0)] * 10 + [(1, 1)] * 15
    table = pd.crosstab(*(pd.Series(labels) for labels in zip(*pairs, strict=True)))
    assert cohen_kappa([[20, 5], [10, 15]]) == pytest.approx(0.4, abs=1e-12)  # p_o = .7, p_e = .5
    for crosstab in (table, table[[1, 0]], table.loc[[1, 0]], table.set_axis([0.0, 1.0], axis=1)):
        assert cohen_kappa(crosstab) == pytest.approx(0.4, abs=1e-12)
    other = [(first, second + 1) for first, second in pairs]
    table = pd.crosstab(*(pd.Series(labels) for labels in zip(*other, strict=True)))
    assert cohen_kappa(table) == pytest.approx(kappa_by_definition(other), abs=1e-12)
    assert cohen_kappa(table.iloc[:, ::-1]) == pytest.approx(-1 / 7, abs=1e-12)


GAP = math.nan
FOUR_JUDGES = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, GAP, GAP, GAP],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, GAP, 3],
    [GAP, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, GAP],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, GAP],
]


@pytest.mark.parametrize(("metric", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_four_judges_with_gaps(metric, published):
    """Krippendorff 2011, section D."""
    assert krippendorff_alpha(FOUR_JUDGES, metric) == pytest.approx(published, abs=5e-4)


def test_alpha_of_two_judges():
    """Krippendorff 2011, section A."""
    judges = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
    assert krippendorff_alpha(judges, "nominal") == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha([[1, 2, 3, None], [1, 2, 3, 5]]) == 1.0


@pytest.mark.parametrize("labels", [[[1, 1], [1, 1]], [[1, GAP], [GAP, 2]], [[GAP], [GAP]]])
def test_no_alpha(labels):
    with pytest.warns(DegenerateInputWarning):
        assert math.isnan(krippendorff_alpha(labels))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cohen_kappa([[1, 2]]), "must be a square matrix, got shape"),
        (lambda: cohen_kappa([[1, -1], [0, 2]]), "must hold counts, got -1"),
        (lambda: cohen_kappa(pd.DataFrame(np.eye(2), [1, "1"], [0, 1])), "distinct names of labels, got '1' more than"),
        (lambda: krippendorff_alpha([1, 2]), r"`labels` must be of shape \(n_judges, n_items\), got shape \(2,\)"),
        (lambda: krippendorff_alpha([FOUR_JUDGES]), r"`labels` .* got shape \(1, 4, 12\)"),
        (lambda: krippendorff_alpha(FOUR_JUDGES, "ratio"), "`metric` must be 'nominal' or 'ordinal' or 'interval"),
    ],
)
def test_what_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@given(LABELS, st.integers(0, 3), st.integers(0, 3))
@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
def test_measures_are_their_definitions(pairs, threshold, other_threshold):
    first, second = ({"1": {f"d{n}": pair[side] for n, pair in enumerate(pairs)}} for side in (0, 1))
    found = label_agreement(first, second, reference_threshold=threshold, relevance_threshold=other_threshold)
    one, other = (
        {n for n, pair in enumerate(pairs) if pair[at] >= least} for at, least in ((0, threshold), (1, other_threshold))
    )
    both, nan = len(one & other), math.nan
    binary = [(n in one, n in other) for n in range(len(pairs))]
    assert found.kappa == pytest.approx(kappa_by_definition(pairs), nan_ok=True, abs=1e-12)
    assert found.kappa_binary == pytest.approx(kappa_by_definition(binary), nan_ok=True, abs=1e-12)
    assert label_agreement(second, first).kappa == pytest.approx(found.kappa, nan_ok=True)
    assert found.overlap == pytest.approx(both / len(one | other) if one | other else nan, nan_ok=True)
    assert found.precision == pytest.approx(both / len(other) if other else nan, nan_ok=True)
    assert found.recall == pytest.approx(both / len(one) if one else nan, nan_ok=True)
    assert found.f1 == pytest.approx(2 * both / (len(one) + len(other)) if one or other else nan, nan_ok=True)
    assert found.alpha == pytest.approx(krippendorff_alpha(np.transpose(pairs)), nan_ok=True)
    observed = np.mean([(x - y) ** 2 for x, y in pairs])
    expected = np.mean([(x - y) ** 2 for x, _ in pairs for _, y in pairs])
    assert found.kappa_weighted == pytest.approx(1 - observed / expected if expected else nan, nan_ok=True, abs=1e-12)


def several_topics(n):
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 3, (n, 20))
    others = np.where(rng.random((n, 20)) < 0.7, labels, rng.integers(0, 3, (n, 20)))
    return tuple(
        {f"q{at}": {f"d{d}": int(it) for d, it in enumerate(row)} for at, row in enumerate(x)} for x in (labels, others)
    )


def test_by_topic():
    reference, other = several_topics(4)
    del other["q3"], other["q2"]["d0"]
    found = label_agreement(reference, other)
    assert found.by_topic["topic"].tolist() == ["q0", "q1", "q2"]
    assert found.by_topic["n_shared"].tolist() == [20, 20, 19]
    alone = label_agreement({"q1": reference["q1"]}, {"q1": other["q1"]})
    assert found.by_topic.loc[1, ["kappa", "alpha", "f1"]].tolist() == [alone.kappa, alone.alpha, alone.f1]
    assert found.coverage == 59 / 80


@pytest.mark.parametrize(("measure", "least"), [("precision", 0.0), ("kappa", -1.0)])
def test_the_interval_of_a_ratio_is_a_jackknife(measure, least):
    reference, other = several_topics(8)
    found = label_agreement(reference, other)
    without = [label_agreement(reference, {q: it for q, it in other.items() if q != topic}) for topic in other]
    value, *values = (getattr(each, measure) for each in (found, *without))
    pseudo = 8 * value - 7 * np.array(values)
    counts = found.confusion.to_numpy()
    by_chance = np.trace(np.outer(counts.sum(axis=1), counts.sum(axis=0))) / 160**2
    n_items = counts[:, 1:].sum() if measure == "precision" else 160 * (1 - by_chance)
    expected = interval_by_definition(value, pseudo, 0.9, least=least, n_items=n_items)
    assert found.confidence_interval(measure, 0.9) == pytest.approx(expected)


def test_the_interval_of_perfect_labels_is_that_of_so_many_documents():
    """Of recall, of the relevant; of kappa, of chance agreement p_e, on all: 1 - kappa is their share over 1 - p_e."""
    rng = np.random.default_rng(1)
    labels = (rng.random((200, 2)) < 0.4).astype(int)  # of so many topics that one that is missing counts little
    people = {f"q{at}": {"a": int(a), "b": int(b)} for at, (a, b) in enumerate(labels)}
    found = label_agreement(people, people)
    relevant = labels.mean()
    wrong = 1 - clopper_pearson(1.0, 400 * 2 * relevant * (1 - relevant), 0.95)[0]
    for measure in ("kappa", "kappa_binary", "kappa_weighted"):
        low, high = found.confidence_interval(measure)
        assert (low, high) == pytest.approx((min(1 - wrong, 0.025 ** (1 / 200)), 1.0), abs=0.002)
    low, high = found.confidence_interval("recall")
    assert (low, high) == pytest.approx((clopper_pearson(1.0, labels.sum(), 0.95)[0], 1.0))
    assert all(np.diff(found.confidence_interval(measure)) > 0.01 for measure in MEASURES)


def test_documents_needed_for_the_width_of_the_interval_are_those_that_there_are():
    found = label_agreement(*several_topics(12))
    for measure in MEASURES:
        low, high = found.confidence_interval(measure)
        assert found.documents_needed(high - low + 1e-12, measure) == 240
        assert found.documents_needed((high - low) / 2, measure) > 2 * 240
    assert math.isinf(found.documents_needed(1e-9))
    assert math.isnan(label_agreement(*several_topics(1)).documents_needed(0.1))


def test_no_interval_of_a_single_topic():
    found = label_agreement(*several_topics(1))
    assert np.isnan(found.confidence_interval("alpha")).all()


def judges(n_topics=30, n_documents=20):
    """People, two judges that are right in four of five cases, and two that are in two of five."""
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, (n_topics, n_documents))

    def named(labels):
        return {f"q{at}": {f"d{d}": int(it) for d, it in enumerate(row)} for at, row in enumerate(labels)}

    def judge(skill):
        return named(np.where(rng.random(truth.shape) < skill, truth, rng.integers(0, 3, truth.shape)))

    return named(truth), {"bad": judge(0.4), "good": judge(0.8), "worse": judge(0.4), "better": judge(0.8)}


def as_array(labels):
    """Labels of topics x documents."""
    return np.array([list(of_topic.values()) for of_topic in labels.values()])


def kappa_of(first, second):
    expected = sum((first == label).mean() * (second == label).mean() for label in range(3))
    return ((first == second).mean() - expected) / (1 - expected)


def test_judges_in_order_and_clusters_with_the_p_values_of_a_paired_jackknife():
    reference, others = judges()
    found = compare_labels(reference, others)
    assert {*found.clusters[0]} == {"good", "better"}
    assert {*found.clusters[1]} == {"bad", "worse"}
    kappas = [found.agreement[name].kappa for name in found.judges]
    assert kappas == sorted(kappas, reverse=True)

    first, second = found.judges[:2]
    people, *both = (as_array(labels) for labels in (reference, others[first], others[second]))
    pseudo = [
        30 * kappa_of(people, own)
        - 29 * np.array([kappa_of(np.delete(people, topic, 0), np.delete(own, topic, 0)) for topic in range(30)])
        for own in both
    ]
    alone = compare_labels(reference, {name: others[name] for name in (first, second)})  # one pair: nothing to correct
    difference = pseudo[0] - pseudo[1]
    statistic = (kappas[0] - kappas[1]) / (difference.std(ddof=1) / math.sqrt(30))
    assert alone.pvalues.iloc[0, 1] == pytest.approx(2 * t.sf(statistic, 29))
    assert found.pvalues.iloc[0, 1] == alone.pvalues.iloc[0, 1]
    # Holm, for the three judges that are not the first: the least p times 3, the next times 2
    pvalues, largest = found.pvalues.iloc[0, 1:].to_numpy(), 0.0
    expected = np.full(4, np.nan)
    for place, judge in enumerate(np.argsort(pvalues)):
        largest = expected[1 + judge] = max(largest, min(1.0, (3 - place) * pvalues[judge]))
    frame = found.to_frame()
    np.testing.assert_allclose(frame["p against the first"], expected)


def labels_of(*skills, rng):
    """People's labels on 12 topics, and those of judges by letters that are right so often."""
    truth = rng.integers(0, 3, (12, 10))
    sets = [np.where(rng.random(truth.shape) < skill, truth, rng.integers(0, 3, truth.shape)) for skill in skills]
    named = [{f"q{at}": dict(enumerate(map(int, row))) for at, row in enumerate(each)} for each in (truth, *sets)]
    return named[0], dict(zip("abc", named[1:], strict=True))


def test_clusters_are_of_corrected_p_values():
    """By Holm's correction the least p of three pairs counts three times: only from there on two judges differ."""
    labels = labels_of(0.5, 0.6, 0.7, rng=np.random.default_rng(5))
    least = compare_labels(*labels).pvalues.to_numpy()[np.triu_indices(3, 1)].min()
    clusters = [compare_labels(*labels, alpha=times * least).clusters for times in (2.99, 3.01)]
    assert (len(clusters[0]), len(clusters[1])) == (1, 2)


@pytest.mark.whole
def test_equal_judges_are_rarely_told_apart():
    rng = np.random.default_rng(5)
    told = 0
    for _ in range(25):
        told += len(compare_labels(*labels_of(0.6, 0.6, 0.6, rng=rng)).clusters) > 1
    assert told <= 4  # of 25 at .05: P(more than 4) is .007


@pytest.mark.filterwarnings("ignore::pt_rankcorr.warnings.DegenerateInputWarning")
@pytest.mark.parametrize("fraction", [1, 0.5])
def test_a_judge_of_other_topics_stands_beside_one_of_these(fraction):
    people = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 0, "b": 1}}
    judges = {"same": people, "elsewhere": {"9": {"a": fraction, "b": 0}}}
    found = compare_labels(people, judges)
    assert found.judges == ("same", "elsewhere")
    kappas, coverages = ([getattr(found.agreement[name], what) for name in judges] for what in ("kappa", "coverage"))
    np.testing.assert_equal((kappas, coverages), ([1.0, np.nan], [1.0, 0.0]))
    assert "'elsewhere': it labels 0% of the reference's judgments" in found.to_text()


def test_labels_are_mapped_and_thresholds_are_of_judges():
    reference, others = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 0, "b": 2}}, {"1": {"a": 5, "b": 0, "c": 1}}
    found = compare_labels(reference, {"model": others}, label_map={5: 2}, reference_threshold=2)
    assert found.agreement["model"].kappa == found.agreement["model"].kappa_binary == 1.0
    strict = compare_labels(reference, {"model": others}, reference_threshold=2, relevance_threshold={"mod*": 6})
    assert strict.agreement["model"].other_threshold == 6
    assert "1 of 3 labels are outside of the reference's scale (5)" in strict.to_text()
    frame = found.to_frame()
    assert frame.loc[0, ["judge", "kappa", "coverage"]].tolist() == ["model", 1.0, 0.6]
