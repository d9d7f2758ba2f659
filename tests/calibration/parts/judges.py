"""Judges of runs: which is better, the set of the best, decisions; of one judge its row, its bias, labels, families."""

import itertools
from functools import cache, partial

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.engine import RowInput, RowsOfReference
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.judgments.label_agreement import alpha_of_judges, pair_accuracy
from pt_rankcorr.judgments.labels import compare_labels
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, correlations
from pt_rankcorr.stats.accuracy.difference import Sample, compare_pairs
from pt_rankcorr.stats.accuracy.group_bias import LEAST_OVERLAP, overlaps, shifts_of
from pt_rankcorr.stats.accuracy.replicates import replicate
from pt_rankcorr.stats.accuracy.variance_components import components_of
from pt_rankcorr.stats.coefficients.ap import TAU_AP
from pt_rankcorr.stats.coefficients.kendall import TAU
from tests.calibration.studies import MEAN_COVERAGE, Row, Study, coverage, covered, level
from tests.stats.oracles import COEFFICIENTS

N_SYSTEMS, TOPICS = 20, (10, 25, 50)
SPREAD = 0.3  # of the true means, in standard deviations of a topic
EQUAL = (0.7, 0.7, 0.7, 0.7)
UNLIKE = (0.3, 0.6, 0.9, 1.5)
RESAMPLES, DRAWS_OF_THE_TRUTH, TOPICS_OF_THE_TRUTH = 199, 2000, 20_000
OF_EQUALS = (
    *(level("judges", f"a pair of equals, {name}") for name in ("tau", "tau_ap")),
    level("judges", "any of all pairs of equals, corrected, tau"),
)
OF_UNLIKE = (coverage("judges", "the best is among those that may be, tau"),)
DECIDED = ("n_active_agreements", "n_false_positives", "n_false_negatives", "balanced_accuracy", "soft_accuracy")
OF_DECISIONS = (*(coverage("significant pairs", f"{name}, t-test") for name in DECIDED), coverage("per_topic", "tau"))


def studies():
    kinds = (
        ("equally noisy judges", OF_EQUALS, of_equals, 200),
        ("judges of unlike noise", OF_UNLIKE, of_unlike, 200),
        ("a judge with errors of its own", OF_DECISIONS, of_decisions, 400),
    )
    for data, rows, trial, repetitions in kinds:
        for n_topics in TOPICS:
            size = N_SYSTEMS, n_topics
            yield Study("judges", f"Gaussian, {data}", size, rows, partial(trial, n_topics), repetitions)


def draw(n_topics, noises, rng, own=0.0):
    """A reference, and judges that share some of its errors and make others; of systems that are always the same."""
    fixed = np.random.default_rng(0)
    means, errors = SPREAD * fixed.standard_normal(N_SYSTEMS), own * fixed.standard_normal(N_SYSTEMS)
    topics = rng.standard_normal((n_topics, 1))
    shared = rng.standard_normal((n_topics, N_SYSTEMS))
    judges = [means + errors + topics + 0.7 * shared + noise * rng.standard_normal(shared.shape) for noise in noises]
    return [means + topics + shared, *judges]


def of_equals(n_topics, rng):
    reference, *judges = draw(n_topics, EQUAL, rng)
    seed = int(rng.integers(2**32))
    found = {each.name: tested(each, reference, judges, seed) for each in (TAU, TAU_AP)}
    pairs = (float(found[name].pvalues[0, 1] <= 0.05) for name in found)
    return [*pairs, float((found["tau"].corrected <= 0.05).any())]


def tested(coefficient, reference, judges, seed):
    """Tests of all pairs of judges, as `judges()` makes them."""
    drawn = replicate(Coefficients((coefficient,)).of, reference, judges, RESAMPLES, seed)[..., 0]
    means = [scores.mean(axis=0).round(12) for scores in (reference, *judges)]
    values = np.array([float(coefficient.kernel(means[0], own)) for own in means[1:]])
    n_topics = np.full(len(values), float(len(reference)))
    return compare_pairs([Sample(values, drawn, drawn[0], n_topics, n_topics - 1.0)])


def of_unlike(n_topics, rng):
    reference, *judges = draw(n_topics, UNLIKE, rng)
    return [float(tested(TAU, reference, judges, int(rng.integers(2**32))).may_be_best[0])]


def of_decisions(n_topics, rng):
    fields = computed(n_topics, rng, seed=int(rng.integers(2**32)))
    pairs, truth = fields["pairs"], expected(n_topics)
    held = [
        np.nan if np.isnan(getattr(pairs, name)) else covers(pairs.intervals[name], truth[at])
        for at, name in enumerate(DECIDED)
    ]
    return [*held, covers(fields["per_topic"]["tau"][1:3], truth[-1])]


def computed(n_topics, rng, *, seed, with_intervals=True):
    reference, judge = map(ScoreMatrix, draw(n_topics, (0.7,), rng, own=0.1))
    settings = Settings(n_resamples=99 if with_intervals else 0, seed=seed, test="t", per_topic=True)
    case = RowInput({}, ("people", "judge"), reference, judge, {})
    return RowsOfReference(reference, settings).compute(([case], [()], False))[0]


def covers(interval, value):
    return float(interval[0] <= value <= interval[1])


@cache
def expected(n_topics):
    """What the decisions, and the mean over topics, are on average."""
    rng = np.random.default_rng(1)
    rows = []
    for _ in range(DRAWS_OF_THE_TRUTH):
        fields = computed(n_topics, rng, seed=1, with_intervals=False)
        rows.append([*(getattr(fields["pairs"], name) for name in DECIDED), fields["per_topic"]["tau"].value])
    return np.asarray(np.nanmean(rows, axis=0))


GROUP = np.arange(N_SYSTEMS) < 7
GAP, FAVOUR, OWN = 0.4, 0.15, 0.1  # of the group's true means, of the judge for it, and of its errors with each run
DRAWS = 399
BEST = 10
OF_FAIR = (level("bias", "p-value of runs of this kind"),)
MORE = 4.0  # by which a judge errs more about the runs of a group
OF_FAVOUR = (coverage("bias", "shift of runs of this kind"),)
OF_RUNS = (Row("bias", "shifts of runs", MEAN_COVERAGE, 0.95),)
SCALES = {"half of the": lambda means: 0.5 * means, "a bent": lambda means: 0.25 * np.exp(1.2 * means)}
OF_ROWS = (
    *(coverage("compare_leaderboards", f"interval, {name}") for name in COEFFICIENTS),
    *(coverage("compare_leaderboards", f"interval, {name}@{BEST}") for name in ("tau", "tau_ap")),
)
LABELLED = ("kappa", "kappa_weighted", "kappa_binary", "alpha", "precision", "recall", "f1", "overlap")
OF_LABELS = tuple(coverage("compare_labels", f"interval, {name}") for name in LABELLED)
OF_MANY = coverage("pair_accuracy", "interval"), coverage("alpha_of_judges", "interval, three judges")
OF_ALL = Coefficients(tuple(COEFFICIENTS.values()), BEST)
MODELS, PROMPTS = np.repeat(np.arange(6), 3), np.arange(18)
OF_FAMILIES = (coverage("families", "sd between models"), coverage("families", "sd between prompts of a model"))


def of_one_judge():
    for scale, gap, n_topics in itertools.product(SCALES, (0.0, GAP), TOPICS):
        told = f"Gaussian, a fair judge on {scale} scale, groups {gap:g} apart"
        yield Study("judges", told, (N_SYSTEMS, n_topics), OF_FAIR, partial(of_fair, n_topics, scale, gap), 400)
    for n_topics in TOPICS:
        told = f"Gaussian, a judge with errors of {OWN:g}, random groups"
        yield Study("judges", told, (N_SYSTEMS, n_topics), OF_FAIR, partial(of_erring, n_topics), 400)
    for n_group in (3, 10):
        told = f"Gaussian, a fair judge that errs {MORE:g} times as much about {n_group} of 30 runs"
        yield Study("judges", told, (30, 50), OF_FAIR, partial(of_unlike_errors, n_group), 2000)
    for own, n_topics in itertools.product((0.0, OWN), TOPICS):
        told = f"Gaussian, a judge with a favour of {FAVOUR:g} for a group and errors of {own:g}"
        yield Study("judges", told, (N_SYSTEMS, n_topics), OF_FAVOUR, partial(of_favour, n_topics, own), 500)
        yield Study("judges", told, (N_SYSTEMS, n_topics), OF_RUNS, partial(of_runs, n_topics, own), 200)
    for n_topics in TOPICS:
        told = f"Gaussian, a judge with errors of {OWN:g}, its row"
        yield Study("judges", told, (N_SYSTEMS, n_topics), OF_ROWS, partial(of_rows, n_topics), 200)
    for skill, n_topics in itertools.product((0.0, 0.6), TOPICS):
        told = f"labels, a judge right by more than chance on {skill:.0%}"
        yield Study("judges", told, (0, n_topics), OF_LABELS, partial(of_labels, n_topics, skill), 300)
    for n_topics in TOPICS:
        yield Study("judges", "labels of three judges", (0, n_topics), OF_MANY, partial(of_many, n_topics), 200)
    for between, within in ((0.0, 0.0), (0.0, 0.05), (0.1, 0.05)):
        told = f"normal coefficients of 6 models x 3 prompts, sd {between:g} and {within:g}, luck .05"
        yield Study("judges", told, (PROMPTS.size, 0), OF_FAMILIES, partial(of_families, between, within), 200)


# --- bias ---------------------------------------------------------------------------------------------------


def true_means(gap, favour, own):
    """By people, and by a judge on half of their scale; of systems that are always the same."""
    fixed = np.random.default_rng(0)
    means = SPREAD * fixed.standard_normal(N_SYSTEMS) + gap * GROUP
    return means, 0.5 * means + favour * GROUP + own * fixed.standard_normal(N_SYSTEMS)


def sampled(n_topics, means, rng):
    topics = rng.standard_normal((n_topics, 1))
    shared, alone = rng.standard_normal((2, n_topics, len(means[0])))
    return means[0] + topics + shared, means[1] + 0.5 * (topics + 0.7 * shared + 0.7 * alone)


def of_fair(n_topics, scale, gap, rng):
    """Always of other systems, as are those below."""
    means = SPREAD * rng.standard_normal(N_SYSTEMS) + gap * GROUP
    return _rejected((means, SCALES[scale](means)), n_topics, rng)


def of_erring(n_topics, rng):
    """The judge errs about single systems."""
    means = SPREAD * rng.standard_normal(N_SYSTEMS)
    return _rejected((means, 0.5 * means + OWN * rng.standard_normal(N_SYSTEMS)), n_topics, rng)


def of_unlike_errors(n_group, rng):
    group = np.arange(30) < n_group
    means = SPREAD * rng.standard_normal(30)
    judged = 0.5 * means + np.where(group, MORE, 1.0) * OWN / 2.0 * rng.standard_normal(30)
    return _rejected((means, judged), 50, rng, group)


def of_favour(n_topics, own, rng):
    """The interval of a true favour."""
    means = SPREAD * rng.standard_normal(N_SYSTEMS) + GAP * GROUP
    judged = 0.5 * means + FAVOUR * GROUP + own * rng.standard_normal(N_SYSTEMS)
    shifts = _shifts((means, judged), n_topics, rng)
    return [covered(shifts.interval(0, 0.95), FAVOUR) if shifts else np.nan]


def _rejected(means, n_topics, rng, group=GROUP):
    shifts = _shifts(means, n_topics, rng, group)
    return [float(shifts.pvalue(0) <= 0.05) if shifts else np.nan]


def _shifts(means, n_topics, rng, group=GROUP):
    """None where the group cannot be told from its quality."""
    reference, judge = sampled(n_topics, means, rng)
    if overlaps(reference, group[np.newaxis])[0] < LEAST_OVERLAP:
        return None
    return shifts_of(reference, judge, group[np.newaxis])


def of_runs(n_topics, own, rng):
    """The share of runs whose interval holds their shift."""
    means, judged = true_means(GAP, FAVOUR, own)
    ends = shifts_of(*sampled(n_topics, (means, judged), rng), GROUP[np.newaxis]).intervals_of_systems(0.95, n_topics)
    twice = (np.repeat(each[np.newaxis], 2, axis=0) for each in (means, judged))  # without noise
    truth = shifts_of(*twice, GROUP[np.newaxis]).scores
    return [float(((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean())]


# --- a row --------------------------------------------------------------------------------------------------


def of_rows(n_topics, rng):
    reference, judge = sampled(n_topics, true_means(0.0, 0.0, OWN), rng)
    (results,), _ = correlations(reference, [judge], OF_ALL, n_resamples=DRAWS, seed=int(rng.integers(2**32)))
    held = {
        result.coefficient: covered(result.confidence_interval(), mean)
        for result, mean in zip(results, mean_row(n_topics), strict=True)
    }
    return [held[name] for name in (*COEFFICIENTS, f"tau@{BEST}", f"tau_ap@{BEST}")]


@cache
def mean_row(n_topics):
    """The mean of each coefficient over samples of as many topics."""
    rng, values = np.random.default_rng(1), []
    for _ in range(DRAWS_OF_THE_TRUTH):
        sides = sampled(n_topics, true_means(0.0, 0.0, OWN), rng)
        values.append(OF_ALL.of(*(scores.mean(axis=0).round(12) for scores in sides)))
    return np.nanmean(values, axis=0).tolist()


# --- labels -------------------------------------------------------------------------------------------------


def labelled(n_topics, skill, rng):
    """People's labels of 20 documents a topic, and those of a judge who is better on some topics than on others."""
    richness = rng.beta(2.0, 4.0, (n_topics, 1))
    truth = rng.binomial(3, richness, (n_topics, 20))
    chance = rng.binomial(3, rng.beta(2.0, 4.0, (n_topics, 1)), (n_topics, 20))
    right = rng.random((n_topics, 20)) < skill * rng.beta(6.0, 2.0, (n_topics, 1)) / 0.75
    return _frame(truth), _frame(np.where(right, truth, chance))


def _frame(labels):
    topics, documents = np.indices(labels.shape)
    named = {"query_id": topics.ravel().astype(str), "doc_id": documents.ravel().astype(str)}
    return pd.DataFrame({**named, "relevance": labels.ravel()})


def agreement(reference, judge):
    return compare_labels(reference, {"judge": judge}).agreement["judge"]


def of_labels(n_topics, skill, rng):
    found, truth = agreement(*labelled(n_topics, skill, rng)), true_agreement(skill)
    return [covered(found.confidence_interval(name), truth[name]) for name in LABELLED]


@cache
def true_agreement(skill):
    """Of very many topics; all measures pool the documents of all."""
    pooled = [
        frame.assign(doc_id=frame["query_id"] + " " + frame["doc_id"], query_id="all")
        for frame in labelled(TOPICS_OF_THE_TRUTH, skill, np.random.default_rng(1))
    ]
    found = agreement(*pooled)
    return {name: getattr(found, name) for name in LABELLED}


def of_many(n_topics, rng):
    both = zip(_of_three(n_topics, rng), true_three(), strict=True)
    return [covered((found.low, found.high), truth) for found, truth in both]


def _of_three(n_topics, rng):
    people, judge = labelled(n_topics, 0.6, rng)
    either = np.where(rng.random(len(people)) < 0.5, people["relevance"], judge["relevance"])
    other = people.assign(relevance=either)
    return pair_accuracy(people, judge), alpha_of_judges({"people": people, "judge": judge, "other": other})


@cache
def true_three():
    return [found.statistic for found in _of_three(TOPICS_OF_THE_TRUTH // 4, np.random.default_rng(1))]


# --- families -----------------------------------------------------------------------------------------------


def of_families(between, within, rng):
    """Half of the luck is shared, as judges have one reference and the same topics."""
    luck = 0.05**2 * (0.5 + 0.5 * np.eye(PROMPTS.size))
    truth = 0.7 + between * rng.standard_normal(6)[MODELS] + within * rng.standard_normal(PROMPTS.size)
    estimates = rng.multivariate_normal(truth, luck)
    found = components_of(estimates, luck, [MODELS, PROMPTS], 0.95)
    return [covered((each.low, each.high), sd) for each, sd in zip(found, (between, within), strict=True)]
