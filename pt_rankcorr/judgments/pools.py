"""Other judgments from given ones: pools, single runs, samples, and random pseudo-judgments.

Runs are read one after the other, and only the top of each is kept. Judgments are chosen as they are read, so that
only those kept take memory: about 350 bytes per judgment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.io import trec
from pt_rankcorr.io.paths import QrelsLike, RunLike, RunsLike
from pt_rankcorr.io.runs import each_run, named_runs
from pt_rankcorr.stats.core.arguments import real_number, whole_number
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown

ROUNDING = 1e-12  # 0.07 * 100 is above 7
DEEPEST = 10**9  # no run is as long

Pooled: TypeAlias = dict[str, dict[str, int]]  # topic -> document -> the best rank that any run gives it, from 1


def depth_of_pool(depth: object, parameter: str = "depth", *, at_least: int = 0) -> int:
    return whole_number(parameter, depth, at_least=at_least, at_most=DEEPEST)


def pool_ranks(runs: object, depth: int, verbose: bool | None = None) -> Pooled:
    """The documents that any run ranks among its first, with the best rank that any gives them.

    Documents are ranked by score in single precision; ties are broken by document number, descending, as by trec_eval.
    """
    pooled: Pooled = {}
    for _, run in each_run(named_runs(runs, at_least=1), verbose, "reading runs"):
        for qid, docno, rank in trec.first_of(run, depth):
            ranks = pooled.setdefault(qid, {})
            ranks[docno] = min(rank, ranks.get(docno, rank))
    return pooled


def pool(
    runs: RunsLike, qrels: QrelsLike, depth: int | Sequence[int], *, verbose: bool | None = None
) -> pd.DataFrame | Any:  # several depths make a dictionary of them
    """The judgments of a shallower pool: of documents that at least one run ranks among its first `depth`.

    Documents outside the pool become unjudged; unjudged documents in the pool stay unjudged. Documents are ranked as by
    trec_eval, by score in single precision; ties are broken by document number, descending. A depth of 0 gives no
    judgments.

    Args:
        runs: Runs, at least one, as `scores_from_runs` takes them.
        qrels: Judgments, as `scores_from_runs` takes them.
        depth: How many documents of each run and topic are pooled, or several depths. Runs are read once for all.
        verbose: Whether a bar shows how many runs have been read; by default if that takes long.

    Returns:
        Judgments in their order, with PyTerrier's columns (qid, docno, label, iteration), or those of ir_measures if
        the given frame has them. For several depths, a dictionary of judgments by depth.

    Raises:
        TypeError: If runs or judgments are of another kind, or a depth is no integer.
        ValueError: If a depth is negative or above 10^9, or runs or judgments are not valid.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, "Shallow Pools".

    Example:
        >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d3": 2.0, "d1": 1.0}}}
        >>> qrels = {"1": {"d1": 1, "d2": 1, "d3": 0, "d4": 1}}
        >>> pool(runs, qrels, 1)[["docno", "label"]].to_numpy().tolist()
        [['d1', 1], ['d3', 0]]
        >>> {depth: len(judged) for depth, judged in pool(runs, qrels, [0, 1, 2]).items()}
        {0: 0, 1: 2, 2: 3}
    """
    single = np.ndim(depth) == 0
    depths = [depth_of_pool(value) for value in ([depth] if single else depth)]  # type: ignore[union-attr]
    pooled = pool_ranks(runs, max(depths, default=0), verbose)
    judged = trec.read_qrels(qrels, lambda qid, docno: docno in pooled.get(qid, ()))
    documents = zip(judged["query_id"], judged["doc_id"], strict=True)
    best = np.array([pooled[qid][docno] for qid, docno in documents], dtype=np.float64)
    pools = {value: in_given_form(judged[best <= value].reset_index(drop=True), qrels) for value in depths}
    return pools[depths[0]] if single else pools


def single_run_judgments(run: RunLike, qrels: QrelsLike) -> pd.DataFrame:
    """The judgments of documents that one run retrieved, at any rank; all others are unjudged.

    Args:
        run: One run: a path, a frame, a dict of dicts or an iterable of ScoredDoc.
        qrels: Judgments, as `scores_from_runs` takes them.

    Returns:
        Judgments, as `pool` returns them.

    Raises:
        TypeError, ValueError: As `pool`.

    References:
        Sanderson and Joho, "Forming test collections with no system pooling", SIGIR 2004; section 5 of Yilmaz, Aslam,
        Robertson, "A new rank correlation coefficient for information retrieval", SIGIR 2008.

    Example:
        >>> single_run_judgments({"1": {"d1": 2.0, "d2": 1.0}}, {"1": {"d2": 1, "d3": 1}})["docno"].tolist()
        ['d2']
    """
    retrieved = trec.read_run("run", run, "run")
    return in_given_form(trec.read_qrels(qrels, lambda qid, docno: docno in retrieved.get(qid, ())), qrels)


def pseudo_judgments(
    runs: RunsLike,
    *,
    depth: int = 100,
    share: float = 0.05,
    repetitions: int | None = None,
    rng: RandomState = None,
    verbose: bool | None = None,
) -> pd.DataFrame | Any:  # repetitions make a list of them
    """Random judgments without an assessor: documents drawn from the pool of each topic count as relevant.

    A share of the pool, rounded up, gets label 1, the rest label 0. Such judgments are a baseline for comparisons with
    other judgments. On TREC runs, the ranking of systems by them had a tau of 0.4 to 0.66 with the ranking by
    assessors, though they know nothing of relevance. d_rank rejected it.

    Args:
        runs, depth: As for `pool`.
        share: The share of each pool that counts as relevant, from 0 to 1. In the pools of TREC-8, assessors found
            about 5% relevant.
        repetitions: The number of random sets, at least 1, from one pool: runs are read once.
        rng: A seed or a random generator; the order of runs does not matter.
        verbose: As for `pool`.

    Returns:
        Judgments in PyTerrier's form: qid, docno, label, iteration. With `repetitions`, a list of them, whose first
        is the result without it.

    Raises:
        TypeError, ValueError: As `pool`, and if the share is not from 0 to 1.

    References:
        Soboroff, Nicholas, Cahan, "Ranking retrieval systems without relevance judgments", SIGIR 2001; Carterette, "On
        rank correlation and the distance between rankings", SIGIR 2009, section 4.3, "No Relevance Judgments".

    Example:
        >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d3": 2.0, "d4": 1.0}}}
        >>> judged = pseudo_judgments(runs, share=0.5, rng=1)
        >>> judged["docno"].tolist(), int(judged["label"].sum())
        (['d1', 'd2', 'd3', 'd4'], 2)
    """
    share, random = check_share("share", share), generator(rng)
    times = 1 if repetitions is None else whole_number("repetitions", repetitions, at_least=1)
    pooled = pool_ranks(runs, depth_of_pool(depth), verbose)
    pools = [(qid, sorted(documents)) for qid, documents in sorted(pooled.items())]
    sets = []
    for _ in range(times):
        rows = []
        for qid, documents in pools:
            relevant = random.permutation(len(documents)) < ceil(share * len(documents) * (1 - ROUNDING))
            rows += [(qid, docno, int(label), "0") for docno, label in zip(documents, relevant, strict=True)]
        judgments = pd.DataFrame(rows, columns=trec.QRELS_COLUMNS).astype({"relevance": np.int64})
        sets.append(in_given_form(judgments))
    return sets[0] if repetitions is None else sets


# --- samples --------------------------------------------------------------------------------------------------


def sample_judgments(
    qrels: QrelsLike, share: float | Sequence[float], rng: RandomState = None
) -> pd.DataFrame | Any:  # several shares make a dictionary of them
    """A random share of the judged documents of each topic, drawn separately from relevant and other documents.

    Of r documents of a kind, share * r are kept, rounded to the nearest whole number, but at least one: no topic loses
    all its relevant documents, and a share of 0 leaves one of each kind. Samples of several shares are nested: every
    larger sample contains the smaller ones. O(n log n) time for n judgments.

    Args:
        qrels: Judgments, as `scores_from_runs` takes them. Documents with a label above 0 are relevant.
        share: The share to keep, from 0 to 1, or several.
        rng: A seed or a random generator; the order of the judgments does not matter.

    Returns:
        Judgments, as `pool` returns them; for several shares a dictionary of judgments by share.

    Raises:
        TypeError, ValueError: If a share is not a number from 0 to 1, or the judgments are not valid.

    References:
        Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004; Carterette, "On rank
        correlation and the distance between rankings", SIGIR 2009, section 4.3, "Incomplete Judgments".

    Example:
        >>> qrels = {"1": {"d1": 1, "d2": 2, "d3": 1, "d4": 1, "d5": 0, "d6": 0}}
        >>> sample_judgments(qrels, 0.5, rng=1)["label"].gt(0).value_counts().to_dict()
        {True: 2, False: 1}
        >>> [len(sample) for sample in sample_judgments(qrels, [0, 0.25, 1], rng=1).values()]
        [2, 2, 6]
    """
    single = isinstance(share, (int, float)) or np.ndim(share) == 0
    shares = [check_share("share", value) for value in ([share] if single else share)]  # type: ignore[union-attr]
    judgments = trec.read_qrels(qrels)
    order = SamplingOrder.of(judgments, generator(rng))
    samples = {value: in_given_form(judgments[order.mask(value)].reset_index(drop=True), qrels) for value in shares}
    return samples[shares[0]] if single else samples


@dataclass(frozen=True)
class SamplingOrder:
    """The order in which the documents of each topic and kind enter samples."""

    place: Floats  # of each judgment's document, from 1
    size: Floats  # how many documents of its topic are of its kind

    @classmethod
    def of(cls, judgments: pd.DataFrame, rng: np.random.Generator) -> SamplingOrder:
        """A random order for judgments in the form of ir_measures."""
        by_document = judgments.groupby(trec.DOCUMENT, sort=True)["relevance"]
        documents = by_document.max().gt(0).reset_index(name="relevant")
        documents["draw"] = rng.random(len(documents))
        of_its_kind = documents.groupby(["query_id", "relevant"])["draw"]
        place, size = of_its_kind.rank(method="first"), of_its_kind.transform("size")
        document = by_document.ngroup().to_numpy()
        return cls(place.to_numpy(np.float64)[document], size.to_numpy(np.float64)[document])

    def mask(self, share: float) -> NDArray[np.bool_]:
        """Which judgments are in the sample of a share."""
        return np.asarray(self.place <= np.maximum(1.0, np.floor(share * self.size + 0.5)))


# --- what samples and pools share ----------------------------------------------------------------------------


def in_given_form(judgments: pd.DataFrame, qrels: object = None) -> pd.DataFrame:
    """Under the names of ir_measures if the qrels are a frame with those, else under those of PyTerrier."""
    if isinstance(qrels, pd.DataFrame) and "query_id" in qrels:
        return judgments
    return judgments.rename(columns={name: host for host, name in trec.HOST_NAMES.items()})


def check_share(parameter: str, value: object) -> float:
    """The value as a float, if it lies between 0 and 1, both included."""
    number = real_number(parameter, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be from 0 to 1, got {shown(value)}.")
    return number
