"""Measures of trec_eval on columns: all topics of a run at once, each sum in the order of ranks, so that bits agree.

A measure here is a function of judgments and of the judged documents of a run that gives a value a topic. Parameters
are those of ir_measures: `rel`, the lowest label of what is relevant, and `cutoff`, the last rank that counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, TypeAlias

import ir_measures
import numpy as np
from ir_measures import Measure
from numpy.typing import NDArray

from pt_rankcorr.io.ranking import Hits, Judged, Places
from pt_rankcorr.stats.core.types import Floats

Kernel: TypeAlias = Callable[[Judged, Hits], Floats]

NO_CUTOFF = 1 << 62


def kernel_of(measure: Measure) -> Kernel | None:
    """The function that computes a measure as trec_eval does, if there is one."""
    function = KERNELS.get(type(measure))
    given = dict(measure.params)
    if function is None or given.pop("judged_only", False) or given.pop("dcg", "log2") != "log2":
        return None
    if not given.keys() <= (function.__kwdefaults__ or {}).keys():  # gains, or the cut-off of RR, which others compute
        return None
    return partial(function, **given)


def _ap(judged: Judged, hits: Hits, *, rel: int = 1, cutoff: int = NO_CUTOFF) -> Floats:
    at = np.flatnonzero((hits.label >= rel) & (hits.place <= cutoff))
    precision = _ordinals(hits.topic[at]) / hits.place[at]
    return _ratio(_sums(judged, hits, at, precision), _n_relevant(judged, rel))


def _precision(judged: Judged, hits: Hits, *, rel: int = 1, cutoff: int = 1) -> Floats:
    return _n_found(judged, hits, rel, cutoff) / cutoff


def _recall(judged: Judged, hits: Hits, *, rel: int = 1, cutoff: int = NO_CUTOFF) -> Floats:
    return _ratio(_n_found(judged, hits, rel, cutoff), _n_relevant(judged, rel))


def _success(judged: Judged, hits: Hits, *, rel: int = 1, cutoff: int = NO_CUTOFF) -> Floats:
    return np.asarray(_n_found(judged, hits, rel, cutoff) > 0, dtype=np.float64)


def _r_precision(judged: Judged, hits: Hits, *, rel: int = 1) -> Floats:
    n_relevant = _n_relevant(judged, rel)
    return _ratio(_n_found(judged, hits, rel, n_relevant[hits.topic]), n_relevant)


def _reciprocal_rank(judged: Judged, hits: Hits, *, rel: int = 1) -> Floats:
    at = np.flatnonzero(hits.label >= rel)
    first = at[_ordinals(hits.topic[at]) == 1]
    values = np.zeros(len(judged.topics))
    values[hits.topic[first]] = 1 / hits.place[first]
    return values


def _bpref(judged: Judged, hits: Hits, *, rel: int = 1) -> Floats:
    n_relevant = _n_relevant(judged, rel)
    counted = np.minimum(n_relevant, judged.count((judged.labels >= 0) & (judged.labels < rel)))
    at = np.flatnonzero(hits.label >= 0)
    is_relevant = hits.label[at] >= rel
    others = np.cumsum(~is_relevant)
    first = np.flatnonzero(_ordinals(hits.topic[at]) == 1)
    before: Places = np.repeat(others[first] - ~is_relevant[first], np.diff(first, append=len(at)))
    at, above = at[is_relevant], (others - before)[is_relevant]
    topic = hits.topic[at]
    lost = np.minimum(above, n_relevant[topic]) / np.maximum(counted[topic], 1)
    return _ratio(_sums(judged, hits, at, 1.0 - lost), n_relevant)


def _ndcg(judged: Judged, hits: Hits, *, cutoff: int = NO_CUTOFF) -> Floats:
    at = np.flatnonzero((hits.label > 0) & (hits.place <= cutoff))
    gained = _sums(judged, hits, at, hits.label[at] / _discounts(hits.place[at]))
    if cutoff not in judged.ideals:
        judged.ideals[cutoff] = _ideal(judged, cutoff)
    return _ratio(gained, judged.ideals[cutoff])


def _ideal(judged: Judged, cutoff: int) -> Floats:
    relevant = np.flatnonzero(judged.labels > 0)
    relevant = relevant[np.lexsort((-judged.labels[relevant], judged.topic[relevant]))]
    place = _ordinals(judged.topic[relevant])
    relevant, place = relevant[place <= cutoff], place[place <= cutoff]
    gains = judged.labels[relevant] / _discounts(place)
    return np.asarray(np.bincount(judged.topic[relevant], gains, len(judged.topics)), dtype=np.float64)


def _judged(judged: Judged, hits: Hits, *, cutoff: int = NO_CUTOFF) -> Floats:
    n_judged = np.bincount(hits.topic[hits.place <= cutoff], minlength=len(judged.topics))
    return _ratio(n_judged, np.minimum(hits.n_retrieved, cutoff))


KERNELS: dict[type, Any] = {
    type(ir_measures.AP): _ap,
    type(ir_measures.P): _precision,
    type(ir_measures.R): _recall,
    type(ir_measures.Success): _success,
    type(ir_measures.Rprec): _r_precision,
    type(ir_measures.RR): _reciprocal_rank,
    type(ir_measures.Bpref): _bpref,
    type(ir_measures.nDCG): _ndcg,
    type(ir_measures.Judged): _judged,
}


def _n_relevant(judged: Judged, rel: int) -> Places:
    return judged.count(judged.labels >= rel)


def _n_found(judged: Judged, hits: Hits, rel: int, cutoff: int | Places) -> Places:
    return np.bincount(hits.topic[(hits.label >= rel) & (hits.place <= cutoff)], minlength=len(judged.topics))


def _sums(judged: Judged, hits: Hits, at: Places, values: Floats) -> Floats:
    """The sum of values a topic, added one after the other."""
    return np.asarray(np.bincount(hits.topic[at], values, len(judged.topics)), dtype=np.float64)


def _ordinals(topics: Places) -> Places:
    """1, 2, ... within each run of equal topics."""
    at = np.arange(len(topics))
    begins = np.append(True, topics[1:] != topics[:-1])[: len(topics)]
    return np.asarray(at - np.maximum.accumulate(np.where(begins, at, 0)) + 1)


def _ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> Floats:
    """The ratio; 0 where there is nothing to divide by."""
    ratio: Floats = np.zeros(len(numerator))
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio


def _discounts(places: Places) -> Floats:
    n_places = int(places.max(initial=1))
    return _logarithms(1 << n_places.bit_length())[places]


@lru_cache(maxsize=4)
def _logarithms(n_places: int) -> Floats:
    """log2(1 + place), by the library of C, as that of numpy may differ in the last bit."""
    return np.fromiter(map(math.log2, range(1, n_places + 2)), np.float64, n_places + 1)
