"""What samples are drawn from: systems whose true means are known, by two measures, and topics without end.

Simulated topics are like those of Robust 2004 where its scores are at hand (in ../shared/data, or the folder named by
PT_RANKCORR_DATA), else like those of the package's own demonstration, so that anybody can run this.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pt_rankcorr.stats.expected.simulation import TopicSimulator

Floats = NDArray[np.float64]

TREC = Path(os.environ.get("PT_RANKCORR_DATA", Path(__file__).resolve().parents[3] / "shared" / "data")) / "trec"
JUDGES, PEOPLE = TREC.parent / "judges", "dl19_people_ndcg10"
TREC_FILES = {"AP": TREC / "robust2004_ap.csv", "P@10": TREC / "robust2004_p10.csv"}
MEASURES = tuple(TREC_FILES)
INDEPENDENT_SYSTEMS = 100
SIMULATED_TOPICS = 20_000


# --- collections ------------------------------------------------------------------------------------


def collection_name():
    """Which collection simulated topics are like."""
    return "Robust 2004" if all(path.exists() for path in TREC_FILES.values()) else "demo"


@lru_cache(maxsize=1)
def collection():
    """Its scores by both measures, shape (2, n_topics, n_systems)."""
    if collection_name() == "demo":
        return _demo()
    return np.stack([read_scores(path) for path in TREC_FILES.values()])


def read_scores(path):
    """Topics x systems; the first column may be of topics."""
    header = path.read_text(encoding="utf-8").split("\n")[0].split(",")
    named = header[0].strip('"') == "topic"
    return np.loadtxt(path, delimiter=",", skiprows=1, usecols=range(int(named), len(header)))


@cache
def trec_collections():
    """Scores by measure, of each collection; none where the files are not at hand."""
    found = {}
    for path in sorted(TREC.glob("*_*.csv")):
        name, _, measure = path.stem.partition("_")
        if "_" not in measure:  # others are of another source
            found.setdefault(name, {})[measure] = read_scores(path)
    return found


@cache
def real_judges():
    """Scores of DL 2019 by people, then by eleven language models; none where the files are not at hand."""
    paths = sorted(JUDGES.glob("dl19_*.csv"), key=lambda path: (path.stem != PEOPLE, path.stem))
    return {path.stem: read_scores(path) for path in paths}


def _demo():
    import pt_rankcorr as rc
    from pt_rankcorr.demo import collection as made_up
    from pt_rankcorr.demo import pipelines

    data = made_up(90)
    runs = {name: system(data.topics) for name, system in pipelines(data).items()}
    scores = rc.scores_from_runs(runs, data.qrels, list(MEASURES), verbose=False)
    return np.stack([scores[measure].values for measure in MEASURES])


# --- populations ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Population:
    """Systems, and topics to draw."""

    means: Floats  # the true ones by each measure, shape (2, n_systems)
    draw: Callable[[int, np.random.Generator], Floats]  # so many topics: scores of shape (2, n_topics, n_systems)


@lru_cache(maxsize=1)
def independent():
    """Gaussian scores, all independent; the two measures see the qualities of systems a little differently."""
    rng = np.random.default_rng(1)
    quality = 0.3 + 0.1 * rng.standard_normal(INDEPENDENT_SYSTEMS)
    means = quality + 0.03 * rng.standard_normal((2, INDEPENDENT_SYSTEMS))
    return Population(means, lambda n, rng: means[:, np.newaxis] + 0.2 * rng.standard_normal((2, n, means.shape[1])))


@lru_cache(maxsize=1)
def correlated():
    """Gaussian scores with the means and covariances of the collection."""
    scores = collection()
    n_systems = scores.shape[2]
    joined = np.hstack(list(scores))
    means, root = joined.mean(axis=0), (joined - joined.mean(axis=0)) / np.sqrt(len(joined) - 1)

    def draw(n_topics, rng):
        drawn = means + rng.standard_normal((n_topics, len(root))) @ root
        return np.stack([drawn[:, :n_systems], drawn[:, n_systems:]])

    return Population(scores.mean(axis=1), draw)


@lru_cache(maxsize=1)
def simulated():
    """A great many simulated topics, drawn with replacement; P@10 is rounded to tenths, up or down at random."""
    scores, rng = collection(), np.random.default_rng(2)
    drawn = TopicSimulator(np.hstack(list(scores))).draw(SIMULATED_TOPICS, rng)
    average_precision, precision = np.hsplit(drawn, 2)
    tenths = np.floor(10 * precision + rng.random(precision.shape)) / 10
    return with_replacement(np.stack([average_precision, tenths]))


@lru_cache(maxsize=1)
def real():
    """The topics of the collection, drawn with replacement: no other scores than there are, and real ties."""
    return with_replacement(collection())


def with_replacement(scores):
    """Topics of these scores, as often as they are drawn."""
    n_topics = scores.shape[1]
    return Population(scores.mean(axis=1), lambda n, rng: scores[:, rng.integers(0, n_topics, n)])


POPULATIONS = {"independent": independent, "correlated": correlated, "simulated": simulated, "real": real}


@dataclass(frozen=True)
class Data:
    """One measure of a population, by name, so that it can be sent to a worker."""

    population: str
    measure: str = "AP"

    def __str__(self):
        if self.population in ("simulated", "real"):
            return f"{collection_name()} {self.measure}, {self.population}"
        return f"Gaussian, {self.population}"

    @property
    def of(self):
        return POPULATIONS[self.population]()

    @property
    def means(self):
        return np.asarray(self.of.means[MEASURES.index(self.measure)])

    def draw(self, n_topics, rng):
        return np.asarray(self.of.draw(n_topics, rng)[MEASURES.index(self.measure)])


INDEPENDENT, CORRELATED = Data("independent"), Data("correlated")
SIMULATED, DISCRETE = Data("simulated"), Data("real", "P@10")
ALL = (INDEPENDENT, CORRELATED, SIMULATED, DISCRETE)


# --- systems ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Systems:
    """Some systems of a population, perhaps shifted to other means."""

    data: Data
    positions: NDArray[np.intp]
    shift: Floats  # added to the scores of each

    @property
    def means(self):
        """The true ones."""
        return np.asarray(self.data.means[self.positions] + self.shift)

    def draw(self, n_topics, rng):
        """A sample of topics, shape (n_topics, n_systems)."""
        return np.asarray(self.data.draw(n_topics, rng)[:, self.positions] + self.shift)


def choose(data, n_systems, how, rng):
    """Systems that do not tie, in random order: "random" ones, "adjacent" in rank, or "equal", shifted to one mean."""
    by_mean = untied(data)
    first = rng.integers(0, by_mean.size - n_systems + 1) if how == "adjacent" else 0
    from_these = by_mean[first : first + n_systems] if how == "adjacent" else by_mean
    positions = rng.permutation(from_these)[:n_systems]
    means = data.means[positions]
    return Systems(data, positions, means.mean() - means if how == "equal" else np.zeros(n_systems))


def untied(data):
    """One system of each mean, worst first."""
    return np.unique(data.means.round(12), return_index=True)[1]


def choose_pair(data, rng):
    """Two systems of one true mean: adjacent ones that are shifted, or where scores are discrete a tied pair."""
    if data != DISCRETE:
        pair = choose(data, 2, "adjacent", rng)
        return Systems(data, pair.positions, pair.means.mean() - pair.means)
    pairs = _tied_pairs()
    return Systems(data, pairs[rng.integers(len(pairs))], np.zeros(2))


@lru_cache(maxsize=1)
def _tied_pairs():
    """Different systems that have the same mean by P@10."""
    scores = collection()[MEASURES.index("P@10")]
    means = scores.mean(axis=0).round(12)
    pairs = np.argwhere(np.triu(means[:, np.newaxis] == means, 1))
    return pairs[[bool((scores[:, i] != scores[:, j]).any()) for i, j in pairs]]


def variances_of_differences(covariance):
    variances = covariance.diagonal()
    return variances[:, np.newaxis] + variances - 2 * covariance
