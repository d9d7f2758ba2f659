"""Is a collection fair to runs outside its pool? Each run or team is scored without the documents only it found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io.measure_names import resolve_measures
from pt_rankcorr.io.paths import MeasureLike, QrelsLike, RunsLike
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import first_of, read_qrels
from pt_rankcorr.judgments.pools import depth_of_pool
from pt_rankcorr.judgments.scoring import keep_readable, scores_under
from pt_rankcorr.stats.coefficients.kendall import kendall_tau
from pt_rankcorr.stats.core.arguments import list_of, listing
from pt_rankcorr.stats.core.means import ranks
from pt_rankcorr.stats.core.results import Result
from pt_rankcorr.tables import Table, of_frame

SEVERAL = object()  # groups pooled a document


@dataclass(frozen=True, eq=False)
class LeaveOut(Result):
    """The scores and ranks of runs as if their group had not contributed to the pool.

    Attributes:
        runs: One row per measure and run: its group, how many judged documents that group alone pooled ("unique"), how
            many of these are relevant, its score and rank, and its score and rank without the group's contribution
            ("score without", "rank without"). The largest loss of ranks comes first.
        measures: One row per measure: Kendall's tau between the ranking and the one by every run's score without its
            group's contribution, the largest loss of ranks ("drop"), the largest relative loss of score ("loss"), and
            the runs with these losses.
    """

    runs: pd.DataFrame = field(repr=False, compare=False)
    measures: pd.DataFrame = field(compare=False)
    depth: int
    n_groups: int

    def to_frame(self) -> pd.DataFrame:
        """`runs`."""
        return self.runs

    def _rows(self) -> Table:
        """`measures`, which sum the runs up."""
        return of_frame(self.measures)


def leave_out(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    groups: Mapping[str, Iterable[str]] | None = None,
    depth: int = 100,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    verbose: bool | None = None,
) -> LeaveOut:
    """Whether a collection is fair to runs outside its pool: scores and ranks without the documents a run alone found.

    For each group of runs, such as those of a team, the documents that it alone has among the first `depth` become
    unjudged, and its runs are scored again. A run's new rank compares the new scores of its own group with the old
    scores of all other groups. A topic that loses all judgments counts with the least score. Judged documents that no
    run has that high stay judged. Each run is read three times.

    Args:
        runs, names, missing: As for `scores_from_runs`; at least two runs.
        qrels: Judgments, as `scores_from_runs` takes them.
        measures: Measures, as objects or by name, that are better when higher.
        groups: Group -> its runs; each other run is a group of its own. By default every run is its own group.
        depth: How many documents of each run and topic were pooled, at least 1.
        verbose: Whether to show a progress bar; by default from ten runs on.

    Returns:
        Two frames, by run and by measure; tau is nan, with a warning, where all runs would tie.

    Raises:
        TypeError: As `scores_from_runs`, or if the groups are no mapping to lists.
        ValueError: As `scores_from_runs`, or if a group has an unknown run, or a run of another group.

    References:
        Zobel, "How reliable are the results of large-scale information retrieval experiments?", SIGIR 1998; Voorhees,
        "The philosophy of information retrieval evaluation", CLEF 2001 (leave out uniques).

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 1} for topic in range(3)}
        >>> usual = {topic: {"d2": 2.0, "d1": 1.0} for topic in qrels}
        >>> other = {topic: {"d3": 2.0, "d2": 1.0} for topic in qrels}
        >>> found = leave_out({"usual": usual, "same": usual, "other": other}, qrels, ["AP"], depth=2)
        >>> found.runs[["name", "score", "score without", "rank", "rank without"]].values.tolist()[0]
        ['other', 0.5, 0.0, 1.0, 3.0]
    """
    depth, resolved = depth_of_pool(depth, at_least=1), resolve_measures(measures)
    named = keep_readable(runs, names)
    group_of = _groups(groups, list(named))
    judgments = read_qrels(qrels)
    full = scores_from_runs(named, judgments, resolved.values(), missing=missing, verbose=verbose)
    owners: dict[tuple[str, str], object] = {}  # topic and document -> the group that alone pooled it, or `SEVERAL`
    for name, run in each_run(named, verbose, "reading runs"):
        for qid, docno, _ in first_of(run, depth):
            if owners.setdefault((qid, docno), group_of[name]) != group_of[name]:
                owners[qid, docno] = SEVERAL
    owner = np.array([owners.get(key) for key in zip(judgments["query_id"], judgments["doc_id"], strict=True)], object)
    relevant = judgments["relevance"].to_numpy() > 0
    without, unique = np.empty((len(full), len(full.systems))), {}
    for group in dict.fromkeys(group_of.values()):
        is_own = owner == group
        unique[group] = int(is_own.sum()), int((is_own & relevant).sum())
        members = {name: named[name] for name in full.systems if group_of[name] == group}
        like = full.select(systems=[*members])
        (scored,) = scores_under(members, [judgments[~is_own]], [resolved], like, verbose=False)
        without[:, [full.systems.index(name) for name in members]] = [matrix.means for matrix in scored.values()]

    groups_in_order = np.array([group_of[name] for name in full.systems], object)
    rows, totals = [], []
    for (measure, matrix), changed in zip(full.items(), without, strict=True):
        would = np.array(
            [
                ranks(np.where(groups_in_order == group, changed, matrix.means))[system]
                for system, group in enumerate(groups_in_order)
            ]
        )
        kept = np.divide(changed, matrix.means, out=np.ones(len(changed)), where=matrix.means != 0.0)
        drop, loss = would - matrix.ranks, 1.0 - kept
        frame = pd.DataFrame(
            {
                "measure": measure,
                "name": full.systems,
                "group": groups_in_order,
                "unique": [unique[group][0] for group in groups_in_order],
                "unique relevant": [unique[group][1] for group in groups_in_order],
                "score": matrix.means,
                "score without": changed,
                "rank": matrix.ranks,
                "rank without": would,
            }
        )
        order = np.lexsort((-loss, -drop))
        rows.append(frame.iloc[order])
        worst = int(loss.argmax())
        tau = float(kendall_tau(matrix.means, changed))
        totals.append((measure, tau, drop[order[0]], full.systems[order[0]], loss[worst], full.systems[worst]))
    columns = ["measure", "tau", "drop", "drop of", "loss", "loss of"]
    return LeaveOut(pd.concat(rows, ignore_index=True), pd.DataFrame(totals, columns=columns), depth, len(unique))


def _groups(groups: Mapping[str, Iterable[str]] | None, names: list[str]) -> dict[str, str]:
    """Run -> its group."""
    if not isinstance(groups, Mapping | None):
        raise TypeError(f"`groups` must map names to lists of runs, got {type(groups).__name__}.")
    if of_text := [group for group, runs in (groups or {}).items() if isinstance(runs, str)]:
        raise TypeError(f"`groups` must map names to lists of runs, got a text for {listing(of_text)}.")
    members = [(name, group) for group, runs in (groups or {}).items() for name in list_of("groups", runs, "runs")]
    group_of = dict(members)
    if strangers := group_of.keys() - set(names):
        raise ValueError(f"`groups` must be of runs that are there, got {listing(strangers)}.")
    times = Counter(name for name, _ in members)
    if repeated := [name for name in times if times[name] > 1]:
        raise ValueError(f"`groups` must have each run once, got again {listing(repeated)}.")
    return {name: group_of.get(name, name) for name in names}
