"""The plain definitions of the coefficients, as loops over items and pairs, and what the tests draw at random."""

import itertools
import math
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS as COEFFICIENTS  # for all tests: where they are

# --- what is drawn ----------------------------------------------------------------------------------


def pairs_of_scores(least=2, most=12, values=6):
    """Two vectors of one length with few distinct values, so that ties and constants are common."""
    return st.integers(least, most).flatmap(lambda m: st.tuples(tied_scores(m, values), tied_scores(m, values)))


def tied_scores(items, values=6):
    return st.lists(st.integers(0, values - 1).map(lambda n: n / 4), min_size=items, max_size=items)


def orders(least=2, most=12):
    """Scores without ties."""
    return st.integers(least, most).flatmap(lambda m: st.permutations([float(i) for i in range(m)]))


@st.composite
def score_matrices(draw, min_topics=2, max_topics=9, min_systems=2, max_systems=5):
    """Scores in [0, 1], of shape (n_topics, n_systems): continuous, with ties, equal systems, constant differences."""
    n_topics, n_systems = draw(st.integers(min_topics, max_topics)), draw(st.integers(min_systems, max_systems))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    kind = draw(st.sampled_from(["continuous", "tenths", "reciprocal", "equal", "constant difference", "zeros"]))
    scores = rng.random((n_topics, n_systems))
    if kind == "tenths":
        return np.round(scores, 1)
    if kind == "reciprocal":
        return 1 / rng.integers(1, 8, size=scores.shape)
    if kind == "equal":
        scores[:, 1] = scores[:, 0]
    if kind == "constant difference":
        scores[:, 1] = scores[:, 0] + 0.1
    return np.zeros_like(scores) if kind == "zeros" else scores


def has_ranking(*vectors):
    return all(len(set(vector)) > 1 for vector in vectors)


# --- definitions --------------------------------------------------------------------------------------


def sign(value):
    return int(value > 0) - int(value < 0)


def kendall_tau_a(truth, estimate):
    pairs = list(itertools.combinations(range(len(truth)), 2))
    return sum(sign(truth[i] - truth[j]) * sign(estimate[i] - estimate[j]) for i, j in pairs) / len(pairs)


def kendall_tau_b(truth, estimate):
    pairs = list(itertools.combinations(range(len(truth)), 2))
    agreement = sum(sign(truth[i] - truth[j]) * sign(estimate[i] - estimate[j]) for i, j in pairs)
    untied = [sum(scores[i] != scores[j] for i, j in pairs) for scores in (truth, estimate)]
    return agreement / math.sqrt(untied[0] * untied[1])


def kendall_distance(truth, estimate):
    pairs = itertools.combinations(range(len(truth)), 2)
    return sum((truth[i] - truth[j]) * (estimate[i] - estimate[j]) < 0 for i, j in pairs)


def fuzzy_tau(truth, estimate, fuzziness, variant):
    """Kendall's tau over the pairs whose gap in truth is not 0, nor smaller than a share of the smaller score."""
    clear = [
        (sign(truth[i] - truth[j]), sign(estimate[i] - estimate[j]))
        for i, j in itertools.combinations(range(len(truth)), 2)
        if truth[i] != truth[j] and abs(truth[i] - truth[j]) >= (fuzziness - 1e-12) * min(abs(truth[i]), abs(truth[j]))
    ]
    untied = [sum(pair[side] != 0 for pair in clear) for side in (0, 1)]
    compared = len(clear) if variant == "a" else math.sqrt(untied[0] * untied[1])
    return sum(first * second for first, second in clear) / compared if compared else math.nan


def best_first(scores):
    return sorted(range(len(scores)), key=lambda item: -scores[item])


def tau_ap_untied(truth, estimate):
    """Section 3 of Yilmaz et al. 2008."""
    order = best_first(estimate)
    total = 0.0
    for rank in range(2, len(order) + 1):
        item = order[rank - 1]
        rightly_above = sum(truth[other] > truth[item] for other in order[: rank - 1])
        total += rightly_above / (rank - 1)
    return 2 / (len(order) - 1) * total - 1


def tau_gap_untied(truth, estimate):
    """Equation 3 of Gao and Oard 2015, of an estimate without ties."""
    return gap_weighted(truth, estimate, lambda j, i: abs(truth[j] - truth[i]))


def gap_weighted(truth, estimate, gap):
    """The same for any gap between two items; ranks without any gap to those above leave the sum and the count."""
    order = best_first(estimate)
    shares = []
    for rank in range(2, len(order) + 1):
        item, above = order[rank - 1], order[: rank - 1]
        total = math.fsum(gap(other, item) for other in above)
        if total > 0:
            rightly = math.fsum(gap(other, item) for other in above if truth[other] > truth[item])
            shares.append(rightly / total)
    return 2 * math.fsum(shares) / len(shares) - 1


def tau_gap(truth, estimate):
    """The mean over all ways of breaking the ties of the estimate."""
    values = [tau_gap_untied(truth, broken) for broken in tie_breaks(estimate)]
    return math.fsum(values) / len(values)


def tau_ap_a(truth, estimate):
    """The expectation over ties in closed form (Urbano and Marrero 2017)."""
    items = range(len(truth))
    total = 0.0
    for item in items:
        above = [other for other in items if estimate[other] > estimate[item]]
        tied = sum(estimate[other] == estimate[item] for other in items)
        right = sum((1 + sign(truth[other] - truth[item])) / 2 for other in above)
        for place in range(tied):  # with so many of the tie before it
            if len(above) + place > 0:
                total += (right + place / 2) / (len(above) + place) / tied
    return 2 / (len(truth) - 1) * total - 1


def tau_ap_b(truth, estimate):
    return (_tau_ap_b_one_way(truth, estimate) + _tau_ap_b_one_way(estimate, truth)) / 2


def _tau_ap_b_one_way(truth, estimate):
    shares = []
    for item in range(len(estimate)):
        above = [other for other in range(len(estimate)) if estimate[other] > estimate[item]]
        if above:
            shares.append(sum(truth[other] > truth[item] for other in above) / len(above))
    return 2 * sum(shares) / len(shares) - 1


def pearson(truth, estimate):
    """Without any rounding before the root."""
    x, y = (
        [Fraction(value) - sum(map(Fraction, scores)) / len(scores) for value in scores] for scores in (truth, estimate)
    )
    products = sum(a * b for a, b in zip(x, y, strict=True))
    return sign(products) * math.sqrt(products**2 / (sum(a * a for a in x) * sum(b * b for b in y)))


def average_ranks(scores):
    return [1 + sum(o > s for o in scores) + (sum(o == s for o in scores) - 1) / 2 for s in scores]


def spearman(truth, estimate):
    return pearson(average_ranks(truth), average_ranks(estimate))


DEFINITIONS = {
    "tau": kendall_tau_a,
    "tau_b": kendall_tau_b,
    "tau_ap": tau_ap_a,
    "tau_ap_b": tau_ap_b,
    "tau_gap": tau_gap,
    "spearman": spearman,
    "pearson": pearson,
}


# --- ties by enumeration --------------------------------------------------------------------------------


def tie_breaks(scores):
    """Every way to break the ties: vectors of distinct scores that keep the strict order."""
    groups = [[i for i, s in enumerate(scores) if s == value] for value in sorted(set(scores))]
    for orders_of_groups in itertools.product(*(itertools.permutations(group) for group in groups)):
        broken = [0.0] * len(scores)
        for place, item in enumerate(itertools.chain(*orders_of_groups)):
            broken[item] = float(place)
        yield broken


def mean_over_tie_breaks(statistic, truth, estimate):
    """The mean of a statistic of two untied rankings, over all tie breaks of both."""
    values = [statistic(x, y) for x in tie_breaks(truth) for y in tie_breaks(estimate)]
    return math.fsum(values) / len(values)
