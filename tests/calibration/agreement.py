"""Agreement at the topics at hand: intervals, differences of judges, and the best ones, on resampled collections.

    python -m tests.calibration.agreement intervals SEED SAMPLES
    python -m tests.calibration.agreement judges SEED SAMPLES TOPICS
    python -m tests.calibration.agreement equal SEED SAMPLES

Topics are drawn with replacement. The truth is the mean coefficient over samples of as many topics. `intervals`: how
often they hold it and how wide they are, by cell (systems x topics) and by data. `judges`: how often differences of
the judges of DL 2019 are found; and the judges that may be best. `equal`: simulated judges of one tau, equally noisy or
one biased but clean and one noisy, beside a plain bootstrap of the difference.
"""

import sys
import warnings

import numpy as np
import pandas as pd

from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients, correlations
from pt_rankcorr.stats.accuracy.difference import Sample, compare_pairs
from pt_rankcorr.stats.accuracy.replicates import replicate
from pt_rankcorr.stats.core.means import round_means
from tests.calibration.populations import TREC, read_scores, real_judges
from tests.stats.oracles import COEFFICIENTS

BOTH = Coefficients((COEFFICIENTS["tau"], COEFFICIENTS["tau_ap"]))
TAU = Coefficients((COEFFICIENTS["tau"],))
PAIRS = (
    ("adhoc6", "ap", "p10"),
    ("adhoc7", "ap", "rr"),
    ("web2012", "ap", "err20"),
    ("web2012", "ndcg20", "rr"),
    ("web2012", "p10", "p20"),
    ("robust2004", "ap", "p10"),
)
SIZES = (4, 25), (8, 10), (20, 10), (20, 25), (20, 50), (60, 50)
RESAMPLES, TRUTHS = 1000, 1000
BINS = (0.0, 0.01), (0.01, 0.03), (0.03, 0.06), (0.06, 0.1), (0.1, 0.3)


def mean_coefficients(coefficients, reference, estimate, n_topics, rng, size=TRUTHS):
    """Over samples of so many topics, with replacement: shape (n_coefficients,)."""
    shares = rng.multinomial(n_topics, np.full(len(reference), 1 / len(reference)), size=size) / n_topics
    sides = (round_means(shares @ scores, scores) for scores in (reference, estimate))
    return np.nanmean(coefficients.of(*sides), axis=0)


def intervals(seed, samples):
    rng, rows = np.random.default_rng(seed), []
    people, *judges = real_judges().values()
    data = [("dl19 judge", people, judge) for judge in judges[::3]]
    for collection, *measures in PAIRS:
        sides = (read_scores(TREC / f"{collection}_{measure}.csv") for measure in measures)
        data.append((f"{collection} {' '.join(measures)}", *sides))
    for name, x, y in data:
        for m, n in SIZES:
            for _ in range(samples if m <= x.shape[1] else 0):
                some, topics = rng.choice(x.shape[1], m, replace=False), rng.integers(0, len(x), n)
                truths = mean_coefficients(BOTH, x[:, some], y[:, some], n, rng)
                sides = x[np.ix_(topics, some)], y[np.ix_(topics, some)]
                seed_of = int(rng.integers(2**32))
                (results,), _ = correlations(sides[0], [sides[1]], BOTH, n_resamples=RESAMPLES, seed=seed_of)
                for result, truth in zip(results, truths, strict=True):
                    rows.append((result.coefficient, name, f"{m} x {n}", *_held((result.low, result.high), truth)))
    table = pd.DataFrame(rows, columns=["coefficient", "data", "cell", "held", "width"])
    for by in (["cell"], ["data"], []):
        yield table.groupby(["coefficient", *by])[["held", "width"]].mean().round(3).to_string()
    cells = table.groupby(["coefficient", "data", "cell"])["held"].mean()
    least = cells.sort_values().head(8)
    yield f"no interval: {table['held'].isna().mean():.3f}; least of the cells of single data:\n{least}"


def _held(ends, truth):
    low, high = ends
    return (np.nan, np.nan) if np.isnan(low) else (float(low - 1e-9 <= truth <= high + 1e-9), high - low)


def compared(reference, judges, rng, size=400):
    """Tests of all pairs, and of the first pair p of a plain bootstrap of the difference (percentile)."""
    seed, n = int(rng.integers(2**32)), len(reference)
    drawn = replicate(TAU.of, reference, judges, size, seed)[..., 0]
    resamples = replicate(TAU.of, reference, judges, 1000, seed, nested=False)[0, ..., 0]
    means = reference.mean(axis=0)
    values = np.array([float(TAU.of(means.round(12), judge.mean(axis=0).round(12))[0]) for judge in judges])
    n_topics = np.full(len(values), float(n))
    return compare_pairs([Sample(values, drawn, resamples, n_topics, n_topics - 1.0)]), resamples


def judges(seed, samples, n_topics):
    rng, (people, *others) = np.random.default_rng(seed), real_judges().values()
    size = len(people)
    shares = rng.multinomial(n_topics, np.full(size, 1 / size), size=4000) / n_topics
    wanted = round_means(shares @ people, people)
    truth = np.array([TAU.of(wanted, round_means(shares @ judge, judge)).mean() for judge in others])
    first, second = np.triu_indices(len(others), 1)
    apart = truth[first] - truth[second]
    found, sets = [], []
    for _ in range(samples):
        topics = rng.integers(0, size, n_topics)
        tests, _ = compared(people[topics], [judge[topics] for judge in others], rng)
        differences = tests.values[first] - tests.values[second]
        found.append(np.sign(differences) * (tests.pvalues[first, second] <= 0.05))
        sets.append(tests.may_be_best)
    found, sets = np.array(found), np.array(sets)
    for low, high in BINS:
        some = (np.abs(apart) >= low) & (np.abs(apart) < high)
        right, wrong = ((found[:, some] == side * np.sign(apart[some])).mean() for side in (1, -1))
        yield f"true difference {low} to {high}, {some.sum()} pairs: right {right:.3f}, wrong {wrong:.3f}"
    kept = sets[:, truth.argmax()].mean()
    yield f"best kept {kept:.3f}, {sets.sum(axis=1).mean():.1f} of {len(others)} judges kept"


def equal(seed, samples):
    """Judges with one mean tau: of equal noise, or the first biased and clean and the second noisy."""
    for n_systems, n_topics in ((20, 10), (20, 25), (40, 25), (40, 50)):
        for kind in ("equally noisy", "one biased, one noisy"):
            rng = np.random.default_rng(seed)
            make, rejected, plain = _equal_judges(kind, n_systems, n_topics, rng), [], []
            for _ in range(samples):
                reference, *both = make()
                tests, resamples = compared(reference, both, rng)
                rejected.append(tests.pvalues[0, 1] <= 0.05)
                low, high = np.quantile(resamples[:, 0] - resamples[:, 1], [0.025, 0.975])
                plain.append(low > 0.0 or high < 0.0)
            yield f"{n_systems} x {n_topics}, {kind}: rejected {np.mean(rejected):.3f}, plain {np.mean(plain):.3f}"


def _equal_judges(kind, n_systems, n_topics, rng):
    """A function that draws scores; the noise of the second judge is set so that both have one mean tau."""
    means = 0.4 * rng.standard_normal(n_systems)
    errors = 0.3 * rng.standard_normal(n_systems)

    def sampled(noises, biases):
        topics, shared = rng.standard_normal((n_topics, 1)), rng.standard_normal((n_topics, n_systems))
        drawn = [
            means + bias + topics + 0.7 * shared + noise * rng.standard_normal(shared.shape)
            for noise, bias in zip(noises, biases, strict=True)
        ]
        return [means + topics + shared, *drawn]

    if kind == "equally noisy":
        return lambda: sampled((0.7, 0.7), (0.0, 0.0))
    low, high = 0.2, 12.0
    for _ in range(12):  # bisection, over the mean difference of tau
        noise = np.sqrt(low * high)
        apart = []
        for _ in range(300):
            reference, *both = sampled((0.2, noise), (errors, 0.0))
            sides = [scores.mean(axis=0).round(12) for scores in (reference, *both)]
            apart.append(float(TAU.of(sides[0], sides[2])[0] - TAU.of(sides[0], sides[1])[0]))
        low, high = (noise, high) if np.mean(apart) > 0.0 else (low, noise)
    return lambda: sampled((0.2, noise), (errors, 0.0))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in {"intervals": intervals, "judges": judges, "equal": equal}[sys.argv[1]](*map(int, sys.argv[2:])):
        print(line, flush=True)
