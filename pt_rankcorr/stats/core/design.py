"""Topics that depend on each other, or are of several collections, as an independent sample.

Statistics treat the rows of a matrix as an independent sample of topics, all of the same weight.
Topics in clusters are no such sample, and a mean of several means has other weights. So their
scores become rows that form such a sample: one row per cluster. Their mean is the mean of the
design, and their covariance over C is the variance of that mean,

    z_c = mean + w_c (mean of cluster c - mean of its stratum k),
    w_c = (C n_c) / (K N_k) sqrt(C_k / (C_k - 1) (C - 1) / C)

for C clusters and K strata, the k-th of C_k clusters and N_k topics, and a cluster of n_c topics.
For clusters of one size, the rows are the means of the clusters. This is Taylor linearisation
(Woodruff 1971; Cochran 1977): see the page on dependent topics.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from pt_rankcorr.stats.core.arguments import (
    as_text,
    is_default_index,
    list_of,
    listing,
    spelling_hint,
)
from pt_rankcorr.stats.core.types import Floats, Indices, Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import UnreliableResultWarning, warn

# Fewer topics than this are warned of: the simulations of the calibration page begin with ten.
FEWEST_TOPICS = 10
# Warnings and notes of few topics have these words.
ARE_FEW = "topics are few"


@dataclass(frozen=True)
class Design:
    """The cluster and the stratum of each topic, a label each in the order of the topics."""

    clusters: Labels | None  # a label in two strata is two clusters; None where each topic is alone
    strata: Labels | None  # None where there is one stratum

    @classmethod
    def of_labels(cls, clusters: object, strata: object, topics: Labels) -> Design | None:
        """The design of topics whose clusters and strata a caller gave: see `labels_of_topics`."""
        labels = labels_of_topics(clusters, topics, "clusters")
        return cls.of(labels, labels_of_topics(strata, topics, "strata"))

    @classmethod
    def of(cls, clusters: Labels | None, strata: Labels | None) -> Design | None:
        """The design of so labelled topics; None where they are an independent sample after all."""
        # one stratum is none, and clusters of one topic each are none
        if strata is not None and len(set(strata)) < 2:
            strata = None
        if clusters is not None:
            # a label in two strata is two clusters
            n_clusters = len(set(zip(clusters, strata or clusters, strict=True)))
            clusters = None if n_clusters == len(clusters) else clusters
        if clusters is None and strata is None:
            return None
        design = cls(clusters, strata)
        if strata:
            # strata with a single cluster, which have no variance
            _, stratum, in_strata = design._codes()
            few = {strata[topic] for topic in np.flatnonzero((in_strata < 2)[stratum])}
            if few:
                rule = "`strata` must have at least 2 independent topics each"
                raise ValueError(f"{rule}, got one in {listing(few)}.")
        return design

    def select(self, topics: Sequence[int]) -> Design | None:
        """The design of the topics at these positions; None if they are an independent sample."""
        kinds = (self.clusters, self.strata)
        return Design.of(*(labels and tuple(labels[topic] for topic in topics) for labels in kinds))

    def _codes(self) -> tuple[Indices, Indices, Indices]:
        """Each topic's cluster and stratum, (n_topics,); each stratum's clusters, (n_strata,)."""
        n_topics = len(self.clusters or self.strata or ())
        stratum = np.unique(self.strata or [""] * n_topics, return_inverse=True)[1]
        label = np.arange(n_topics)
        if self.clusters:
            label = np.unique(self.clusters, return_inverse=True)[1]
        # the pair (stratum, label of the cluster) becomes one number, stratum by stratum
        clusters, cluster = np.unique(stratum * n_topics + label, return_inverse=True)
        return cluster, stratum, np.bincount(clusters // n_topics)

    @property
    def n_clusters(self) -> int:
        """How many independent topics or clusters of topics there are."""
        return int(self._codes()[2].sum())

    @property
    def n_strata(self) -> int:
        """How many strata there are: each costs a degree of freedom."""
        return len(set(self.strata or ("",)))

    def __str__(self) -> str:
        clusters = f"{self.n_clusters} clusters" if self.clusters else ""
        strata = f"{len(set(self.strata))} strata" if self.strata else ""
        return " and ".join(filter(None, (clusters, strata)))

    @property
    def is_even(self) -> bool:
        """Whether the rows are plain means: clusters are of one size, and there is one stratum."""
        return bool((self._weights() == 1.0).all())

    @property
    def n_effective(self) -> float:
        """How many clusters of equal weight vary as much: the df by Satterthwaite's rule."""
        # if clusters have equal variances, the c-th adds w_c^2 to the variance of the mean:
        # df = (sum of w^2)^2 / sum of w^4
        squares = self._weights() ** 2
        return float(squares.sum() ** 2 / (squares**2).sum()) if squares.any() else 1.0

    def _weights(self) -> Floats:
        """The factor w of each cluster, (n_clusters,), which are numbered stratum by stratum."""
        # by cluster: N_k, the topics of its stratum, and C_k, the clusters of its stratum; C in all
        cluster, stratum, n_clusters = self._codes()
        stratum_sizes, total = np.repeat(np.bincount(stratum), n_clusters), n_clusters.sum()
        in_stratum = np.repeat(n_clusters, n_clusters)
        # (C n_c) / (K N_k), times the root of C_k / (C_k - 1) (C - 1) / C
        weights = (total * np.bincount(cluster)) / (n_clusters.size * stratum_sizes)
        squared = (in_stratum * (total - 1.0)) / (np.maximum(in_stratum - 1.0, 1.0) * total)
        return np.asarray(weights * np.sqrt(squared))

    def sample(self, scores: Floats) -> Floats:
        """The independent sample, (n_clusters, n_systems), of scores of (n_topics, n_systems)."""
        cluster, stratum, n_clusters = self._codes()
        cluster_means, stratum_means = _group_means(scores, cluster), _group_means(scores, stratum)
        # the mean of the design is the mean of the means of strata, which all weigh the same
        mean, weights = stratum_means.mean(axis=0), self._weights()[:, np.newaxis]
        # z_c = w_c (mean of cluster) + (mean - w_c (mean of stratum)): summed in this order,
        # weights of 1 leave the means of clusters as they are, to the last bit
        centre = mean - weights * np.repeat(stratum_means, n_clusters, axis=0)
        return np.ascontiguousarray(weights * cluster_means + centre)


def labels_of_topics(by_topic: object, topics: Sequence[str], parameter: str) -> Labels | None:
    """One label a topic, such as its cluster, in the order of the topics; None if none are given.

    They may be a mapping or a series by the name of the topic, a list in the order of the topics,
    or a text. A regular expression finds the label at the start of the topic: its first group, or
    all that it matches.
    """
    if by_topic is None:
        return None
    if isinstance(by_topic, str):
        try:
            matches = [re.match(by_topic, topic) for topic in topics]
        except re.error as error:
            rule = f"`{parameter}` must be a regular expression"
            raise ValueError(f"{rule}, got {shown(by_topic)} ({error}).") from None
        groups = [match and match[min(1, match.re.groups)] for match in matches]
        if absent := [topic for topic, label in zip(topics, groups, strict=True) if not label]:
            unmatched = f"no match of {shown(by_topic)} in {listing(absent)}"
            raise ValueError(f"`{parameter}` must match each topic, got {unmatched}.")
        return tuple(map(str, groups))
    # a mapping, or a series with names, becomes a list in the order of the topics
    is_list = isinstance(by_topic, pd.Series) and is_default_index(by_topic.index)
    if isinstance(by_topic, (Mapping, pd.Series)) and not is_list:
        by_name = {as_text(topic, parameter): label for topic, label in by_topic.items()}
        absent = [topic for topic in topics if topic not in by_name]
        if absent:
            seen = f"none for {listing(absent)}.{spelling_hint(absent, by_name)}"
            raise ValueError(f"`{parameter}` must have a label for each topic, got {seen}")
        by_topic = [by_name[topic] for topic in topics]
    labels = list_of(parameter, by_topic, "labels")
    if len(labels) != len(topics):
        rule = f"`{parameter}` must have one label for each of {len(topics)} topics"
        raise ValueError(f"{rule}, got {len(labels)}.")
    return tuple(as_text(label, parameter) for label in labels)


def _group_means(scores: Floats, group: Indices) -> Floats:
    """The mean scores of groups, (n_groups, n_systems), by the number of each topic's group."""
    # topics sorted by group: `reduceat` sums each run from its start to the next one
    sizes = np.bincount(group)
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    in_groups = scores[np.argsort(group, kind="stable")]
    return np.asarray(np.add.reduceat(in_groups, starts, axis=0) / sizes[:, np.newaxis])


def warn_if_uneven(design: Design | None) -> None:
    """Warns if clusters are few or uneven: statistics count them all, their df are far fewer."""
    if design is None:
        return
    fewest = 5  # chosen, not tuned
    if design.n_clusters < fewest:
        what = f"The topics in {design} are of fewer than {fewest} clusters"
    # with 15 degrees of freedom, a test at .05 by the normal distribution would have a level of .07
    elif design.n_effective < min(15, design.n_clusters / 2):
        few = f"count as only {design.n_effective:.0f} independent ones"
        why = "a few large clusters or small strata outweigh all others"
        what = f"The topics in {design} {few}: {why}"
    else:
        return
    message = f"{what}. Tests may reject half of true hypotheses, and intervals are too short."
    warn(message, UnreliableResultWarning)


def warn_of_few_topics(n_topics: int, what: str) -> None:
    """Warns if topics are fewer than the simulations had; `what` was checked is the subject."""
    if n_topics < FEWEST_TOPICS:
        warn(of_few_topics(n_topics, what), UnreliableResultWarning)


def of_few_topics(n_topics: int, what: str) -> str:
    """The sentence of the warning of few topics."""
    checked = f"{n_topics} {ARE_FEW}: {what} checked from {FEWEST_TOPICS} topics on."
    return f"{checked} With fewer a poor system may lead by chance."


def first_enough(is_enough: Callable[[int], bool], at_most: int = 2**60) -> float:
    """The least number of topics, 2 to `at_most`, from which on `is_enough` is True; else inf."""
    # doubling finds a power of two that is enough; bisection finds the first such number below it
    high = 2
    while high < at_most and not is_enough(high):
        high *= 2
    if high >= at_most and not is_enough(at_most):
        return math.inf
    between = range(high // 2 + 1, min(high, at_most))
    return float(between.start + bisect_left(between, True, key=is_enough))
