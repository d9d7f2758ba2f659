"""Panels: the labels, or the scores, of several judges joined to those of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io.paths import QrelsLike
from pt_rankcorr.io.trec import DOCUMENT, highest_labels, read_qrels
from pt_rankcorr.judgments.label_agreement import named_judges
from pt_rankcorr.judgments.labels import scales_of
from pt_rankcorr.judgments.pools import in_given_form, named_members
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import check_distinct, listing, one_of
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.warnings import DistortedLabelsWarning, warn


def panel(
    judges: Mapping[str, QrelsLike | Scores] | Any,
    combine: choices.Combine = "mean",
    *,
    label_map: Any = None,
) -> pd.DataFrame | Scores:
    """The labels or scores of a panel of judges: one more judge for functions that take judges.

    A document has the mean, the median or the commonest of the labels that members give it; of
    equally common ones the lowest. Members that do not label it do not count. Means and medians may
    be fractions: nDCG takes these as gains, other measures need a `relevance_threshold`. A run has
    the mean or the median of its scores on each topic.

    Args:
        judges: Name -> judgments, as `scores_from_runs` takes them, or qrels files, a folder or a
            pattern of them; or name -> `Scores` of the same runs and topics. At least two.
        combine: "mean", "median" or "majority", which is for labels alone.
        label_map: As for `compare_labels`: what labels stand for, if judges have different scales.

    Returns:
        Judgments with columns qid, docno and label; or `Scores` of the measures that all have.

    Raises:
        OSError, TypeError, ValueError: As `scores_from_runs`, or for fewer than two judges.

    Warns:
        DistortedLabelsWarning: If the highest label of a judge is more than twice that of another.

    Example:
        >>> a, b, c = ({"1": {"d1": label, "d2": 0}} for label in (2, 1, 1))
        >>> panel({"a": a, "b": b, "c": c}, "majority")["label"].tolist()
        [1, 0]
    """
    one_of("combine", combine, get_args(choices.Combine))
    named = named_judges(judges)
    if len(named) < 2:
        raise ValueError(f"`judges` must be at least 2, to be a panel, got {len(named)}.")
    are_scores = [isinstance(value, Scores) for value in named.values()]
    if all(are_scores):
        return panel_of_scores(named, combine)
    if any(are_scores):
        raise TypeError("`judges` must all be judgments or all `Scores`, got both.")
    scales, sets = scales_of(named, None, label_map), {}
    for name, qrels in named.items():
        sets[name] = scales[name].of(read_qrels(qrels, parameter="judges", fractions=True))
    return in_given_form(panel_of_labels(sets, combine))


def panel_of_labels(sets: Mapping[str, pd.DataFrame], combine: str) -> pd.DataFrame:
    """The judgments of a panel, from those of its members by name: query_id, doc_id, relevance."""
    highest = {name: float(labels["relevance"].max()) for name, labels in sets.items()}
    low, high = min(highest, key=highest.__getitem__), max(highest, key=highest.__getitem__)
    if highest[high] > 2.0 * max(highest[low], 0.0):  # they seem to have different scales
        scales = f"{low!r} has labels up to {highest[low]:g} and {high!r} up to {highest[high]:g}"
        message = f"A panel joins labels of one scale, but {scales}: `label_map=` can fix that."
        warn(message, DistortedLabelsWarning)
    judgments = pd.concat(map(highest_labels, sets.values()), ignore_index=True)
    if combine == "majority":
        # of each document the commonest label first, then the lowest
        labels_of = judgments.groupby([*DOCUMENT, "relevance"], as_index=False, sort=False)
        counts = labels_of.size()
        counts = counts.sort_values(["size", "relevance"], ascending=[False, True])
        joined = counts.drop_duplicates(DOCUMENT).set_index(DOCUMENT)["relevance"]
        # in the order of the judgments
        joined = joined.reindex(judgments.drop_duplicates(DOCUMENT).set_index(DOCUMENT).index)
    else:
        joined = judgments.groupby(DOCUMENT, sort=False)["relevance"].agg(combine)
    if (joined % 1 == 0).all():
        joined = joined.astype(np.int64)
    return joined.reset_index()


def panel_of_scores(members: Mapping[str, Scores], combine: str) -> Scores:
    """The scores of a panel by the measures that all have, ordered as those of the first."""
    if combine == "majority":
        raise ValueError("`combine` must be 'mean' or 'median' for scores, got 'majority'.")
    first, *others = members.values()
    measures = [name for name in first if all(name in scores for scores in others)]
    if not measures:
        rule = "`judges` of a panel must share a measure"
        raise ValueError(f"{rule}, got none that {listing(members)} all have.")
    both = set(first.topics), set(first.systems)
    if different := [
        name for name, it in members.items() if (set(it.topics), set(it.systems)) != both
    ]:
        rule = "`judges` of a panel must have the same runs and topics"
        raise ValueError(f"{rule}, got others of {listing(different)}.")
    in_order = [scores.select(systems=first.systems, topics=first.topics) for scores in others]
    joined, middle = {}, np.mean if combine == "mean" else np.median
    for name in measures:
        matrices = [first[name], *(scores[name] for scores in in_order)]
        if len({matrix.negated for matrix in matrices}) > 1:
            rule = "`lower_is_better` must be alike in all members of a panel"
            raise ValueError(f"{rule}, got both of {name!r}.")
        values = np.stack([matrix.values for matrix in matrices])
        joined[name] = first[name].with_values(middle(values, axis=0))
    return Scores(joined, first.alignment)


def members_of_panels(
    panels: Mapping[str, str | Sequence[str]] | None, judges: Sequence[str]
) -> dict[str, Labels]:
    """Panel -> its members, at least two each: from lists, or patterns of names of judges."""
    members = named_members(panels, judges, "panels", "judges")
    for name, names in members.items():
        check_distinct(names, "panels", "have each judge once")
        if len(names) < 2:
            seen = f"{len(names)} in {name!r}"
            raise ValueError(f"`panels` must have at least 2 judges each, got {seen}.")
        if name in judges:
            seen = f"{name!r}, which is a judge"
            raise ValueError(f"`panels` must have names of their own, got {seen}.")
    return {name: tuple(names) for name, names in members.items()}
