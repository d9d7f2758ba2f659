"""Judges as they are used: repeated runs, panels, budgets, and tests of equality and equivalence, by simulation.

    python -m tests.calibration.judges_in_use repetitions SEED SAMPLES
    python -m tests.calibration.judges_in_use panels SEED SAMPLES
    python -m tests.calibration.judges_in_use budget SEED SAMPLES
    python -m tests.calibration.judges_in_use promises SEED SAMPLES
    python -m tests.calibration.judges_in_use permutation SEED SAMPLES
    python -m tests.calibration.judges_in_use equivalence SEED SAMPLES

`repetitions`: runs of a judge with known noise, on all topics of a run and on single ones. `panels`: judges whose
errors correlate by a known share. `budget`: from 20 topics of DL 2019 to all 43. `promises`: power with as many topics
as are said to tell two judges, or measures, apart. `permutation`: two judges of one mean tau. `equivalence`: two
judges, and two systems, whose true difference is the margin, or none.
"""

import sys
import warnings
from functools import partial
from itertools import product

import numpy as np
from scipy.special import stdtrit

from pt_rankcorr.comparison.families import covariance_of
from pt_rankcorr.comparison.panel_comparison import effective_number, errors_alike
from pt_rankcorr.judgments.repetitions import repetitions_of
from pt_rankcorr.stats import paired_bootstrap_test
from pt_rankcorr.stats.accuracy.budget import forecast_difference
from pt_rankcorr.stats.accuracy.correlation_interval import students_interval
from pt_rankcorr.stats.accuracy.difference import Sample, compare_pairs, equivalence_pvalues, permutation_pvalue
from pt_rankcorr.stats.accuracy.replicates import replicate, standard_errors
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.significance.power import topics_for_width
from tests.calibration.agreement import TAU, _equal_judges
from tests.calibration.populations import TREC, read_scores, real_judges

RESAMPLES = 600


def sample_of(reference, judges, seed, size=RESAMPLES):
    """Taus of judges on these topics, and over nested resamples of them."""
    drawn = replicate(TAU.of, reference, judges, size, seed)[..., 0]
    values = np.array([float(TAU.of(system_means(reference), system_means(judge))[0]) for judge in judges])
    n = np.full(len(judges), len(reference))
    return Sample(values, drawn, drawn[0], n, n - 1.0)


# --- repeated runs -------------------------------------------------------------------------------------------


def repetitions(seed, samples):
    n, m = 40, 25
    for run, both, k in ((0.0, 0.3, 3), (0.0, 0.3, 6), (0.1, 0.3, 3), (0.1, 0.3, 6), (0.2, 0.0, 3), (0.2, 0.0, 6)):
        rng = np.random.default_rng(seed)
        means = 0.4 * rng.standard_normal(m)
        biases = 0.15 * rng.standard_normal((2, m))

        def draw(size, rng=rng, means=means, biases=biases, run=run, both=both):
            """The reference, and `size` runs of each of two equally biased judges, on new topics."""
            truth = means + rng.standard_normal((n, 1)) + 0.5 * rng.standard_normal((n, m))
            runs = [
                truth + bias + run * rng.standard_normal(m) + both * rng.standard_normal((n, m))
                for bias in biases
                for _ in range(size)
            ]
            return truth, runs

        taus = []  # of one run and of the mean of k, of each judge, over topics and runs
        for _ in range(2000):
            truth, runs = draw(k)
            reference = system_means(truth)
            taus.append([float(TAU.of(reference, system_means(one))[0]) for one in runs])
        taus = np.array(taus).reshape(-1, 2, k)
        of_one, of_mean = taus[..., 0].std(axis=0).mean(), taus.mean(axis=2).std(axis=0).mean()
        expected = taus.mean(axis=(0, 2))
        errors, held, plain, rejected, rejected_plain = [], [], [], [], []
        for _ in range(samples):
            truth, runs = draw(k)
            sample = sample_of(truth, runs, int(rng.integers(2**32)))
            covariance = covariance_of(sample, standard_errors(sample.replicates, sample.n_topics))
            judges = {"a": list(range(k)), "b": list(range(k, 2 * k))}
            how = {"statistic": "tau", "n_topics": n, "level": 0.95}
            # so that both agree equally well: less what they differ by in truth
            values = sample.values - np.repeat(expected - expected.mean(), k)
            result = repetitions_of(judges, values, covariance, n - 1.0, {}, **how).judges
            rejected.append(result["pvalue"][1] <= 0.05)
            apart = np.repeat([1 / k, -1 / k], k)
            z = abs(values @ apart) / np.sqrt(apart @ covariance @ apart)
            rejected_plain.append(z > 2.02)
            for judge in result.itertuples():
                errors.append((judge.error_of_one, judge.error))
                held.append(judge.low <= expected.mean() <= judge.high)
                low, high = students_interval(values[0], np.sqrt(covariance[0, 0]), n - 1.0, 0.95)
                plain.append(low <= expected.mean() <= high)
        one, mean = np.sqrt((np.array(errors) ** 2).mean(axis=0))
        yield (
            f"run noise {run}, on single topics {both}, {k} runs: error of one {one:.3f} (true {of_one:.3f}), of the "
            f"mean {mean:.3f} ({of_mean:.3f}); held {np.mean(held):.3f}; one run without "
            f"its noise {np.mean(plain):.3f}; equal judges rejected {np.mean(rejected):.3f}, without the noise of runs "
            f"{np.mean(rejected_plain):.3f}"
        )


# --- panels --------------------------------------------------------------------------------------------------


def panels(seed, samples, populations=10):
    """Judges with errors of systems, of which a share is common to all; people may err, and judges bend the scale."""
    cells = [(25, 20, 5), (50, 40, 5), (50, 40, 11)]
    kinds = [(0.0, 0.0, False), (0.3, 0.0, False), (0.7, 0.0, False), (1.0, 0.0, False)]
    kinds += [(0.0, 0.1, False), (0.0, 0.0, True)]
    for (n, m, k), (share, people, is_bent) in product(cells, kinds):
        rng = np.random.default_rng(seed)
        alike = partial(errors_alike, n_judges=k)
        found, held = [], []
        for _ in range(populations):
            means, common = 0.4 * rng.standard_normal(m), rng.standard_normal(m)
            own = np.sqrt(share) * common + np.sqrt(1 - share) * rng.standard_normal((k, m))
            of_people = people * rng.standard_normal(m)

            def draw(rng=rng, n=n, m=m, means=means, own=own, of_people=of_people, is_bent=is_bent):
                truth = means + rng.standard_normal((n, 1)) + 0.5 * rng.standard_normal((n, m))
                judges = [truth + 0.2 * error for error in own]
                return truth + of_people, [np.exp(0.5 * judge) for judge in judges] if is_bent else judges

            def correlation(reference, judges, alike=alike):
                return float(alike(system_means(reference), system_means(np.hstack(judges)))[0])

            wanted = np.mean([correlation(*draw()) for _ in range(200)])
            for _ in range(samples // populations):
                reference, judges = draw()
                r = correlation(reference, judges)
                drawn = replicate(alike, reference, [np.hstack(judges)], RESAMPLES, int(rng.integers(2**32)))
                error = float(standard_errors(drawn[..., 0, 0], n))
                low, high = students_interval(r, error, n - 1.0, 0.95) if error > 1e-9 else (r, r)
                found.append(effective_number(k, r))
                held.append(low - 1e-9 <= wanted <= high + 1e-9)
        yield (
            f"{m} x {n}, {k} judges, common share {share}, people err {people}, bent {is_bent}: effective number "
            f"{np.mean(found):.2f} ({effective_number(k, share):.2f} by the share); correlation held "
            f"{np.mean(held):.3f}"
        )


# --- budget --------------------------------------------------------------------------------------------------


def budget(seed, samples):
    """From 20 topics to 43: standard errors, and numbers of topics for a width, beside those of all."""
    rng, (people, *judges) = np.random.default_rng(seed), real_judges().values()
    size, few = len(people), 20
    first, second = np.triu_indices(len(judges), 1)

    def errors(topics):
        tests = compare_pairs([sample_of(people[topics], [judge[topics] for judge in judges], 1)])
        return tests.errors, tests.pair_errors[first, second]

    of_all = errors(np.arange(size))
    ratios, pairs, numbers = [], [], []
    for _ in range(samples):
        alone, apart = errors(rng.choice(size, few, replace=False))
        ratios.append(alone * np.sqrt(few / size) / of_all[0])
        pairs.append(apart * np.sqrt(few / size) / of_all[1])
        needed = [topics_for_width(error, few, 0.2, 0.95) for error in alone]
        wanted = [topics_for_width(error, size, 0.2, 0.95) for error in of_all[0]]
        numbers.append(np.divide(needed, wanted))
    what = "error of tau with 43 topics", "error of a difference with 43 topics", "number of topics for a width of .2"
    for text, values in zip(what, (ratios, pairs, numbers), strict=True):
        low, middle, high = np.quantile(values, [0.1, 0.5, 0.9])
        yield f"{text}, predicted from 20, over that by 43: median {middle:.2f}, 80% of {low:.2f} to {high:.2f}"


def promises(seed, samples):
    """From 20 and 40 topics with replacement to new ones: power of the t test with the true standard error."""
    sets = [list(real_judges().values())]
    for year, *measures in (("web2012", "ap", "p10", "rr", "err20", "ndcg20"), ("adhoc6", "ap", "p10", "rr")):
        sets.append([read_scores(TREC / f"{year}_{measure}.csv") for measure in measures])
    numbers = np.unique(np.geomspace(4, 400, 20).astype(int))
    for n in (20, 40):
        rng, promised, told = np.random.default_rng(seed), [], []
        for reference, *others in sets:
            first, second = np.triu_indices(len(others), 1)
            powers = []  # of each number of topics and pair: that the first, and the second, is found to be better
            for number in numbers:
                weights = rng.multinomial(number, np.full(len(reference), 1 / len(reference)), 300) / number
                taus = np.stack([TAU.of(weights @ reference, weights @ other)[..., 0] for other in others])
                apart = (taus[first] - taus[second]).T
                bound = stdtrit(number - 1, 0.975) * apart.std(axis=0)
                powers.append([(apart > bound).mean(axis=0), (apart < -bound).mean(axis=0)])
            for _ in range(samples):
                topics = rng.integers(len(reference), size=n)
                tests = compare_pairs([sample_of(reference[topics], [other[topics] for other in others], seed)])
                for pair, sides in enumerate(zip(first, second, strict=True)):
                    apart, error = tests.values[sides[0]] - tests.values[sides[1]], tests.pair_errors[sides]
                    forecast = forecast_difference(apart, error, n - 1.0, n, 0.05, 0.8)
                    by_number = np.array(powers)[:, int(apart < 0), pair]
                    power = np.interp(min(forecast.topics, 10 * n), numbers, by_number)
                    of_judges = reference is sets[0][0]
                    (promised if forecast.topics < np.inf else told).append((forecast.probability, power, of_judges))
        promised, told = np.array(promised), np.array([one for one in told if not np.isnan(one[0])])
        for what, some in (("all", promised), ("of judges", promised[promised[:, 2] > 0.0])):
            said, kept, _ = some.mean(axis=0)
            yield f"{n} topics, {what}: {len(some)} promises, said {said:.2f}, kept {kept:.2f}"
        for low in np.arange(0.1, 0.8, 0.1):
            among = told[(told[:, 0] >= low) & (told[:, 0] < low + 0.1)]
            if len(among):
                said = among[:, :2].mean(axis=0)
                yield "with {} topics: {} pairs, said {:.2f}, found {:.2f}".format(10 * n, len(among), *said)


# --- equality and equivalence ----------------------------------------------------------------------------------


def permutation(seed, samples, populations=8):
    """Judges of one mean tau: over populations of systems, and in that where the permutation test rejects most."""
    for m, n in ((40, 50), (40, 100), (20, 25)):
        for kind in ("one biased, one noisy", "equally noisy"):
            rng, permuted, tested = np.random.default_rng(seed), [], []
            for _ in range(populations):
                make, rejected = _equal_judges(kind, m, n, rng), []
                for _ in range(samples // populations):
                    sides = make()
                    own = permutation_pvalue(sides, TAU, 200, int(rng.integers(2**32))) <= 0.05
                    sample = sample_of(sides[0], sides[1:], int(rng.integers(2**32)), size=200)
                    rejected.append((own, compare_pairs([sample]).pvalues[0, 1] <= 0.05))
                by_permutation, by_t = np.mean(rejected, axis=0)
                permuted.append(by_permutation)
                tested.append(by_t)
            yield (
                f"{m} x {n}, {kind}: permutation {np.mean(permuted):.3f}, worst {max(permuted):.2f}; t "
                f"{np.mean(tested):.3f}, worst {max(tested):.2f}"
            )


def equivalence(seed, samples):
    n, m = 50, 30
    for other, margin in ((0.6, None), (1.0, None), (0.4, 0.05), (0.4, 0.1)):
        rng = np.random.default_rng(seed)
        means = 0.4 * rng.standard_normal(m)

        def draw(rng=rng, means=means, other=other):
            truth = means + rng.standard_normal((n, 1)) + 0.5 * rng.standard_normal((n, m))
            return [truth, *(truth + noise * rng.standard_normal((n, m)) for noise in (0.4, other))]

        apart = []
        for _ in range(3000):
            reference, *both = map(system_means, draw())
            apart.append(float(TAU.of(reference, both[0])[0] - TAU.of(reference, both[1])[0]))
        wanted, found = abs(np.mean(apart)) if margin is None else margin, []
        for _ in range(samples):
            reference, *both = draw()
            tests = compare_pairs([sample_of(reference, both, int(rng.integers(2**32)))])
            values = tests.values[0] - tests.values[1], tests.pair_errors[0, 1], tests.pair_df[0, 1]
            found.append(float(equivalence_pvalues(*map(np.asarray, values), wanted)) <= 0.05)
        truth = f"the true difference is the margin, {wanted:.3f}" if margin is None else f"equal, margin {wanted}"
        yield f"judges, {truth}: shown to be equivalent {np.mean(found):.3f}"
    for n in (10, 25, 50):
        rng, level, power = np.random.default_rng(seed), [], []
        for _ in range(4 * samples):
            x, y, noise = rng.beta(2, 3, (3, n))
            shifted = x + 0.1 * (y - noise)  # of mean difference 0
            level.append(paired_bootstrap_test(shifted + 0.02, x, margin=0.02, rng=rng).equivalence_pvalue <= 0.05)
            power.append(paired_bootstrap_test(shifted, x, margin=0.02, rng=rng).equivalence_pvalue <= 0.05)
        yield f"systems, {n} topics: at the margin {np.mean(level):.3f}, equal {np.mean(power):.3f}"


STUDIES = {study.__name__: study for study in (repetitions, panels, budget, promises, permutation, equivalence)}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in STUDIES[sys.argv[1]](*map(int, sys.argv[2:])):
        print(line, flush=True)
