"""Judgments from given ones: pools, single runs, samples, random ones, a pool without a group."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import ceil
from typing import Any

import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.io import trec
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import MeasureLike, QrelsLike, RunLike, RunsLike, is_path
from pt_rankcorr.io.runs import Evaluator, each_run, named_runs, scores_from_runs
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.core import arguments
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.types import Result
from pt_rankcorr.text import shown


def depth_of_pool(depth: object, parameter: str = "depth", *, at_least: int = 0) -> int:
    """The depth of a pool, a whole number of at most 10^9; `parameter` names it in the error."""
    most = 10**9  # no run is as long
    return arguments.whole_number(parameter, depth, at_least=at_least, at_most=most)


def pool_ranks(runs: object, depth: int, verbose: bool | None = None) -> dict[str, dict[str, int]]:
    """Topic -> document that a run ranks among its first -> its best rank in any run, from 1."""
    pooled: dict[str, dict[str, int]] = {}
    for _, run in each_run(named_runs(runs), verbose, "reading runs"):
        for qid, docno, rank in trec.first_of(run, depth):
            ranks = pooled.setdefault(qid, {})
            ranks[docno] = min(rank, ranks.get(docno, rank))
    return pooled


def pool(
    runs: RunsLike, qrels: QrelsLike, depth: int | Sequence[int], *, verbose: bool | None = None
) -> pd.DataFrame | Any:  # several depths make a dictionary of them
    """The judgments of a shallower pool: of documents that a run ranks among its first `depth`.

    Documents outside the pool become unjudged; unjudged documents in the pool stay unjudged.
    Documents are ranked as by trec_eval: by score in single precision, then by falling docno.

    Args:
        runs: Runs, at least one, as `scores_from_runs` takes them.
        qrels: Judgments, as `scores_from_runs` takes them.
        depth: How many documents of each run and topic are pooled, from 0 to 10^9, or several
            depths. Runs are read once for all.
        verbose: Whether a bar shows how many runs have been read; by default if that takes long.

    Returns:
        Judgments in their order, with PyTerrier's columns (qid, docno, label, iteration), or those
        of ir_measures if the given frame has them. For several depths, a dictionary by depth.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, or if a depth is out of its range.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section
        4.3, "Shallow Pools".

    Example:
        >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d3": 2.0, "d1": 1.0}}}
        >>> qrels = {"1": {"d1": 1, "d2": 1, "d3": 0, "d4": 1}}
        >>> pool(runs, qrels, 1)[["docno", "label"]].to_numpy().tolist()
        [['d1', 1], ['d3', 0]]
        >>> {depth: len(judged) for depth, judged in pool(runs, qrels, [0, 1, 2]).items()}
        {0: 0, 1: 2, 2: 3}
    """
    single = np.ndim(depth) == 0
    listed: Any = [depth] if single else depth
    depths = [depth_of_pool(value) for value in listed]
    pooled = pool_ranks(runs, max(depths, default=0), verbose)
    judged = trec.read_qrels(qrels, lambda qid, docno: docno in pooled.get(qid, ()))
    documents = zip(judged["query_id"], judged["doc_id"], strict=True)
    best = np.array([pooled[qid][docno] for qid, docno in documents], dtype=np.float64)
    pools = {value: in_given_form(judged[best <= value], qrels) for value in depths}
    return pools[depths[0]] if single else pools


def single_run_judgments(run: RunLike, qrels: QrelsLike) -> pd.DataFrame:
    """The judgments of documents that one run retrieved, at any rank; all others are unjudged.

    Args:
        run: One run: a path, a frame, a dict of dicts or an iterable of ScoredDoc.
        qrels: As for `pool`.

    Returns:
        Judgments, as `pool` returns them.

    Raises:
        OSError, TypeError, ValueError: As `pool`.

    References:
        Sanderson and Joho, "Forming test collections with no system pooling", SIGIR 2004; section 5
        of Yilmaz, Aslam, Robertson, "A new rank correlation coefficient for information retrieval",
        SIGIR 2008.

    Example:
        >>> run, qrels = {"1": {"d1": 2.0, "d2": 1.0}}, {"1": {"d2": 1, "d3": 1}}
        >>> single_run_judgments(run, qrels)["docno"].tolist()
        ['d2']
    """
    retrieved = trec.read_run("run", run, "run")
    judged = trec.read_qrels(qrels, lambda qid, docno: docno in retrieved.get(qid, ()))
    return in_given_form(judged, qrels)


def pseudo_judgments(
    runs: RunsLike,
    *,
    depth: int = 100,
    share: float = 0.05,
    repetitions: int | None = None,
    rng: RandomState = None,
    verbose: bool | None = None,
) -> pd.DataFrame | Any:  # repetitions make a list of them
    """Random judgments without an assessor: documents drawn from topics' pools count as relevant.

    A share of the pool, rounded up, gets label 1, the rest label 0. On TREC runs, the ranking of
    systems by them had a tau of 0.4 to 0.66 with the ranking by assessors, though they know nothing
    of relevance. d_rank rejected it.

    Args:
        runs: As for `pool`.
        depth: How many documents of each run and topic are pooled.
        share: The share of each pool that is relevant, from 0 to 1. In TREC-8 it was about 5%.
        repetitions: The number of random sets, at least 1, from one pool: runs are read once.
        rng: A seed or a random generator; the order of runs does not matter.
        verbose: As for `pool`.

    Returns:
        Judgments in PyTerrier's form. With `repetitions`, a list, whose first is that without it.

    Raises:
        OSError, TypeError, ValueError: As `pool`.

    References:
        Soboroff, Nicholas, Cahan, "Ranking retrieval systems without relevance judgments", SIGIR
        2001; Carterette, "On rank correlation and the distance between rankings", SIGIR 2009,
        section 4.3, "No Relevance Judgments".

    Example:
        >>> runs = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"1": {"d3": 2.0, "d4": 1.0}}}
        >>> judged = pseudo_judgments(runs, share=0.5, rng=1)
        >>> judged["docno"].tolist(), int(judged["label"].sum())
        (['d1', 'd2', 'd3', 'd4'], 2)
    """
    share, random = check_share("share", share), generator(rng)
    times = 1
    if repetitions is not None:
        times = arguments.whole_number("repetitions", repetitions, at_least=1)
    pooled = pool_ranks(runs, depth_of_pool(depth), verbose)
    rows = sorted((qid, docno) for qid, documents in pooled.items() for docno in documents)
    documents = pd.DataFrame(rows, columns=trec.DOCUMENT)
    sizes = documents.groupby("query_id", sort=False).size()  # of topics' pools
    sets = []
    for _ in range(times):
        # less a rounding error: 0.07 * 100 is above 7
        labels = [random.permutation(n) < ceil(share * n * (1 - 1e-12)) for n in sizes]
        relevance = np.concatenate([[], *labels]).astype(np.int64)
        sets.append(in_given_form(documents.assign(relevance=relevance, iteration="0")))
    return sets[0] if repetitions is None else sets


# --- samples --------------------------------------------------------------------------------------


def sample_judgments(
    qrels: QrelsLike, share: float | Sequence[float], rng: RandomState = None
) -> pd.DataFrame | Any:  # several shares make a dictionary of them
    """A random share of the judged documents of each topic, separately of relevant and other ones.

    Of r documents of a kind, share * r are kept, rounded to the nearest whole number, but at least
    one. Samples of several shares are nested: every larger sample contains the smaller ones.

    Args:
        qrels: Judgments, as `scores_from_runs` takes them. Labels above 0 are relevant.
        share: The share to keep, from 0 to 1, or several.
        rng: A seed or a random generator; the order of the judgments does not matter.

    Returns:
        Judgments, as `pool` returns them; for several shares a dictionary of judgments by share.

    Raises:
        OSError, TypeError, ValueError: As `pool`.

    References:
        Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004;
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section
        4.3, "Incomplete Judgments".

    Example:
        >>> qrels = {"1": {"d1": 1, "d2": 2, "d3": 1, "d4": 1, "d5": 0, "d6": 0}}
        >>> sample_judgments(qrels, 0.5, rng=1)["label"].gt(0).value_counts().to_dict()
        {True: 2, False: 1}
        >>> [len(sample) for sample in sample_judgments(qrels, [0, 0.25, 1], rng=1).values()]
        [2, 2, 6]
    """
    single = np.ndim(share) == 0
    listed: Any = [share] if single else share
    shares = [check_share("share", value) for value in listed]
    judgments = trec.read_qrels(qrels)
    by_document = judgments.groupby(trec.DOCUMENT, sort=True)["relevance"]
    documents = by_document.max().gt(0).reset_index(name="relevant")
    documents["draw"] = generator(rng).random(len(documents))
    # kept are the lowest draws of a kind on a topic: so larger shares contain smaller ones
    draws = documents.groupby(["query_id", "relevant"])["draw"]
    document = by_document.ngroup().to_numpy()  # of each judgment
    place = draws.rank(method="first").to_numpy()[document]
    size = draws.transform("size").to_numpy()[document]
    samples = {}
    for value in shares:
        kept = place <= np.maximum(1.0, np.floor(value * size + 0.5))
        samples[value] = in_given_form(judgments[kept], qrels)
    return samples[shares[0]] if single else samples


def in_given_form(judgments: pd.DataFrame, qrels: object = None) -> pd.DataFrame:
    """The judgments with the columns of ir_measures if `qrels` has those, else PyTerrier's."""
    judgments = judgments.astype({name: str for name in trec.JUDGED if name in judgments})
    judgments = judgments.reset_index(drop=True)
    if isinstance(qrels, pd.DataFrame) and "query_id" in qrels:
        return judgments
    return judgments.rename(columns={name: host for host, name in trec.HOST_NAMES.items()})


def check_share(parameter: str, value: object) -> float:
    """The value as a float, if it lies between 0 and 1, both included."""
    number = arguments.real_number(parameter, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be from 0 to 1, got {shown(value)}.")
    return number


# --- runs under other judgments -------------------------------------------------------------------


def keep_readable(runs: object, names: choices.NamedAfter = "file") -> dict[str, Any]:
    """Name -> run that can be read repeatedly: files of up to 16 MB in all are parsed once, here.

    In memory they take some ten times as much. Larger files stay paths, and are read when needed.
    """
    named = named_runs(runs, names=names)
    are_small = sum(os.path.getsize(run) for run in named.values() if is_path(run)) <= 2**24
    for name, run in named.items():
        if are_small or isinstance(run, Iterator):
            named[name] = trec.read_run(name, run)
    return named


def scores_under(
    runs: Mapping[str, Any],
    judgments: Sequence[pd.DataFrame],
    measures: Sequence[Mapping[str, Measure]],
    reference: Scores,
    *,
    verbose: bool | None = None,
) -> list[Scores]:
    """The reference's systems on its topics, scored by its measures under each set of judgments.

    The measures of a set, one mapping a set, stand for those of the reference, in their order. Each
    run is read once. Topics that a set does not judge have the measure's least score.
    """
    defaults = np.array([float(measure.DEFAULT) for measure in measures[0].values()])
    # all scores, at first the least: sets x measures x topics x systems
    shape = (len(judgments), len(defaults), len(reference.topics), len(reference.systems))
    values = np.broadcast_to(defaults[:, np.newaxis, np.newaxis], shape).copy()
    place_of = {topic: place for place, topic in enumerate(reference.topics)}
    evaluators = []
    for scores, labels, computed in zip(values, judgments, measures, strict=True):
        if len(labels):
            evaluator = Evaluator(computed.values(), labels)
            # topics of the set that the reference lacks have the place -1
            places = np.array([place_of.get(topic, -1) for topic in evaluator.topics])
            evaluators.append((scores, evaluator, places))  # `scores` is a view of `values`
    systems = {name: runs[name] for name in reference.systems}
    for system, (_, run) in enumerate(each_run(systems, verbose)):
        for scores, evaluator, places in evaluators:
            # (n_measures, n_topics of the set); nan without documents on a topic
            evaluated = evaluator.evaluate(run)
            wanted = (places >= 0) & ~np.isnan(evaluated).all(axis=0)
            scores[:, places[wanted], system] = evaluated[:, wanted]
    # negated where lower is better, by a subtraction that makes no -0
    is_negated = [matrix.negated for matrix in reference.values()]
    values[:, is_negated] = 0.0 - values[:, is_negated]
    under = []
    for scores in values:
        pairs = zip(reference.values(), scores, strict=True)
        matrices = [matrix.with_values(computed) for matrix, computed in pairs]
        under.append(Scores(matrices, reference.alignment))
    return under


# --- a pool without a group -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class LeaveOut(Result):
    """The scores and ranks of runs as if their group had not contributed to the pool.

    Attributes:
        runs: One row per measure and run: its group, how many judged documents that group alone
            pooled ("unique"), how many of these are relevant, its score and rank, and its score and
            rank without the group's contribution ("score without", "rank without"). The largest
            loss of ranks comes first.
        measures: One row per measure: Kendall's tau between the scores and those without the
            contributions, of all groups at once, the largest loss of ranks ("drop") and relative
            loss of score ("loss"), and the runs with these.
    """

    runs: pd.DataFrame = field(repr=False, compare=False)
    measures: pd.DataFrame = field(compare=False)
    depth: int
    n_groups: int

    def to_frame(self) -> pd.DataFrame:
        """The frame `runs`."""
        return self.runs


def leave_out(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    groups: Mapping[str, object] | None = None,
    depth: int = 100,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    verbose: bool | None = None,
) -> LeaveOut:
    """Whether a collection is fair to runs outside its pool: scores without what a run alone found.

    For each group of runs, such as those of a team, the documents that it alone has among the first
    `depth` become unjudged, and its runs are scored again. A run's new rank compares the new scores
    of its own group with the old scores of all other groups. A topic that loses all judgments
    counts with the least score. Runs in files of more than 16 MB in all are read three times.

    Args:
        runs, names, missing: As for `scores_from_runs`; at least two runs.
        qrels: Judgments, as `scores_from_runs` takes them.
        measures: Measures, as objects or by name, that are better when higher.
        groups: Group -> its runs, a list of names or a pattern; other runs are groups of their own.
        depth: How many documents of each run and topic were pooled, at least 1.
        verbose: Whether to show a progress bar; by default from ten runs on.

    Returns:
        Two frames, by run and by measure; tau is nan, with a warning, where all runs would tie.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, or for unknown runs, or one in two
            groups.

    References:
        Zobel, "How reliable are the results of large-scale information retrieval experiments?",
        SIGIR 1998; Voorhees, "The philosophy of information retrieval evaluation", CLEF 2001 (leave
        out uniques).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 1} for topic in range(3)}
        >>> usual = {topic: {"d2": 2.0, "d1": 1.0} for topic in qrels}
        >>> other = {topic: {"d3": 2.0, "d2": 1.0} for topic in qrels}
        >>> runs = {"usual": usual, "same": usual, "other": other}
        >>> found = leave_out(runs, qrels, ["AP"], depth=2)
        >>> columns = ["name", "score", "score without", "rank", "rank without"]
        >>> found.runs[columns].values.tolist()[0]
        ['other', 0.5, 0.0, 1.0, 3.0]
    """
    depth, resolved = depth_of_pool(depth, at_least=1), resolve_measures(measures)
    named = keep_readable(runs, names)
    group_of = {name: name for name in named}
    for group, in_group in members_of(groups, list(named)).items():
        if group in named and group not in in_group:  # which would be of that group, too
            seen = f"{shown(group)}, which is the name of a run outside of it"
            raise ValueError(f"`groups` must have names of their own, got {seen}.")
        group_of |= dict.fromkeys(in_group, group)
    judgments = trec.read_qrels(qrels)
    full = scores_from_runs(named, judgments, resolved.values(), missing=missing, verbose=verbose)
    # topic and document -> the group that alone pooled it, or `several`, which equals no group
    owners: dict[tuple[str, str], object] = {}
    several = object()
    for name, run in each_run(named, verbose, "reading runs"):
        for qid, docno, _ in trec.first_of(run, depth):
            if owners.setdefault((qid, docno), group_of[name]) != group_of[name]:
                owners[qid, docno] = several
    documents = zip(judgments["query_id"], judgments["doc_id"], strict=True)
    owner = np.array([owners.get(document) for document in documents], object)
    relevant = judgments["relevance"].to_numpy() > 0
    without = np.empty((len(full), len(full.systems)))  # scores, measures x systems
    unique = {}  # group -> how many judged, and relevant, documents it alone pooled
    for group in dict.fromkeys(group_of[name] for name in full.systems):  # those that are left
        is_own = owner == group
        unique[group] = int(is_own.sum()), int((is_own & relevant).sum())
        members = {name: named[name] for name in full.systems if group_of[name] == group}
        of_group = full.select(systems=[*members])
        (scored,) = scores_under(members, [judgments[~is_own]], [resolved], of_group, verbose=False)
        places = [full.systems.index(name) for name in members]
        without[:, places] = [matrix.means for matrix in scored.values()]

    groups_in_order = np.array([group_of[name] for name in full.systems], object)
    rows, totals = [], []
    for (measure, matrix), changed in zip(full.items(), without, strict=True):
        means, ranks_without = matrix.means, np.empty(len(full.systems))
        for group in unique:  # the new rank of a run, with only its own group's scores changed
            is_own = groups_in_order == group
            ranks_without[is_own] = ranks(np.where(is_own, changed, means))[is_own]
        kept = np.divide(changed, means, out=np.ones(len(changed)), where=means != 0.0)
        drop, loss = ranks_without - matrix.ranks, 1.0 - kept
        columns = {
            "measure": measure,
            "name": full.systems,
            "group": groups_in_order,
            "unique": [unique[group][0] for group in groups_in_order],
            "unique relevant": [unique[group][1] for group in groups_in_order],
            "score": means,
            "score without": changed,
            "rank": matrix.ranks,
            "rank without": ranks_without,
        }
        order = np.lexsort((-loss, -drop))
        rows.append(pd.DataFrame(columns).iloc[order])
        first, worst = order[0], int(loss.argmax())
        losses = drop[first], full.systems[first], loss[worst], full.systems[worst]
        totals.append((measure, float(kendall_tau(means, changed)), *losses))
    titles = ["measure", "tau", "drop", "drop of", "loss", "loss of"]
    by_measure = pd.DataFrame(totals, columns=titles)
    return LeaveOut(pd.concat(rows, ignore_index=True), by_measure, depth, len(unique))


def members_of(
    groups: Mapping[str, object] | pd.Series | None, systems: Sequence[str]
) -> dict[str, set[str]]:
    """Group -> its systems, each in one at most: from lists, patterns, or a series by system.

    A system whose group is missing in a series is in none.
    """
    if isinstance(groups, pd.Series):
        groups = {group: list(own.index) for group, own in groups.groupby(groups, sort=False)}
    if isinstance(groups, Mapping) and not groups:
        raise ValueError("`groups` must have at least one group, got none.")
    by_group = named_members(groups, systems, "groups", "runs")
    members = {group: set(names) for group, names in by_group.items()}
    in_groups = [system for names in members.values() for system in names]
    arguments.check_distinct(in_groups, "groups", "have each run once")
    if empty := {group for group, names in members.items() if not names}:
        rule = f"`groups` must each have some of the runs {listing(systems)}"
        raise ValueError(f"{rule}, got none in {listing(empty)}.")
    if full := {group for group, names in members.items() if len(names) == len(systems)}:
        rule = "`groups` must leave some runs outside"
        raise ValueError(f"{rule}, got all of them in {listing(full)}.")
    return members


def named_members(
    groups: Mapping[str, object] | None, names: Sequence[str], parameter: str, members: str
) -> dict[str, list[str]]:
    """Group -> those of the names that belong to it: from lists, or from patterns.

    `members` is what messages call them, such as "runs". A text that is one of the names means that
    name alone, even if it looks like a pattern.
    """
    if not isinstance(groups, Mapping | None):
        rule = f"`{parameter}` must map names to lists or patterns of {members}"
        raise TypeError(f"{rule}, got {type(groups).__name__}.")
    names_of: dict[str, list[str]] = {}
    for group, wanted in arguments.by_name(groups or {}, parameter).items():
        if not isinstance(wanted, str):
            names_of[group] = [str(name) for name in arguments.list_of(parameter, wanted, members)]
        elif wanted in names:
            names_of[group] = [wanted]
        else:
            names_of[group] = [name for name in names if fnmatchcase(name, wanted)]
    if strangers := {name for wanted in names_of.values() for name in wanted} - set(names):
        rule = f"`{parameter}` must have only {members} that are compared"
        raise ValueError(f"{rule}, got {listing(strangers)}.")
    return names_of
