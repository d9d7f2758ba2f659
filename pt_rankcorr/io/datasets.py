"""Topics of several data sets or collections: their names and strata, and scores on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core import summary_rows
from pt_rankcorr.stats.core.arguments import by_name, listing

# columns of cells -> the arguments of `with_design`
LABELS = {"cluster": "clusters", "stratum": "strata"}


def in_datasets(frame: pd.DataFrame) -> pd.DataFrame:
    """Scored cells whose column "dataset" becomes "stratum", and topics "dataset/topic".

    Cells without such a column stay as they are. Rows whose data set is over all others, such as
    "mean", are left out, with a warning.
    """
    if "dataset" not in frame or "stratum" in frame:
        return frame
    dataset = frame["dataset"].astype(str)
    over_all = summary_rows.sure_rows(dataset.unique())
    if over_all.any() and not over_all.all():
        names = dataset.unique()[over_all]
        summary_rows.warn_of_rows([f"dataset {name}" for name in names])
        frame, dataset = frame[~dataset.isin(names)], dataset[~dataset.isin(names)]
    return frame.assign(qid=dataset + "/" + frame["qid"].astype(str), stratum=dataset)


def labels_in_datasets(cells: pd.DataFrame) -> dict[object, str]:
    """Topic, as `in_datasets` names it -> its name in its data set; none without data sets."""
    if "dataset" not in cells or "stratum" not in cells:
        return {}
    pairs = cells[["qid", "stratum"]].drop_duplicates().astype(str)
    named = zip(pairs["qid"], pairs["stratum"], strict=True)
    return {qid: qid.removeprefix(f"{stratum}/") for qid, stratum in named}


def in_design_of(frame: pd.DataFrame, scores: Scores) -> Scores:
    """The scores with the labels in the columns "cluster" and "stratum" of the cells, if any."""
    design: dict[str, Any] = {}
    for column in filter(frame.__contains__, LABELS):
        labels = frame.assign(qid=frame["qid"].astype(str)).drop_duplicates(["qid", column])
        repeated = labels.loc[labels["qid"].duplicated(), "qid"]
        if len(repeated):
            seen = f"several for {listing(repeated)}"
            raise ValueError(f"`experiment` must have one {column} for each topic, got {seen}.")
        design[LABELS[column]] = dict(zip(labels["qid"], labels[column], strict=True))
    return scores.with_design(**design) if design else scores


def scores_from_collections(collections: Mapping[str, Scores]) -> Scores:
    """The scores on a benchmark of several collections, which all weigh the same.

    So it is in BEIR and MTEB. A system's mean is that of its means on the collections. These become
    strata, see `ScoreMatrix.with_design`.

    Args:
        collections: Name -> scores, of the same systems by the same measures.

    Returns:
        The scores on all topics, which are named "collection/topic". Clusters of topics are kept.

    Raises:
        TypeError, ValueError: If anything but scores is given, or none, systems or measures differ,
            or a collection has strata or only one topic.

    Example:
        >>> systems = ["bm25", "dph"]
        >>> old = ScoreMatrix([[0.2, 0.4], [0.4, 0.4]], systems=systems, measure="AP")
        >>> new = ScoreMatrix([[0.9, 0.5], [0.7, 0.5], [0.5, 0.5]], systems=systems, measure="AP")
        >>> scores_from_collections({"old": Scores([old]), "new": Scores([new])})["AP"]
        ScoreMatrix('AP', 5 topics in 2 strata x 2 systems, means 0.45 to 0.5, best 'bm25')
    """
    named = by_name(collections, "collections")
    for name, scores in named.items():
        if not isinstance(scores, Scores):
            seen = f"{type(scores).__name__} for {name!r}"
            raise TypeError(f"`collections` must hold Scores, got {seen}.")
    if not named:
        raise ValueError("`collections` must hold at least one collection, got none.")
    first = next(iter(named.values()))
    for attribute in ("systems", "measures"):
        names = [set(getattr(scores, attribute)) for scores in named.values()]
        if different := set.union(*names) - set.intersection(*names):
            seen = f"differences in {listing(different)}"
            raise ValueError(f"`collections` must be of the same {attribute}, got {seen}.")
    joined = []
    for measure in first:
        matrices = [scores[measure].select(systems=first.systems) for scores in named.values()]
        has_strata = any(matrix.design_labels[1] for matrix in matrices)
        if has_strata or len({matrix.negated for matrix in matrices}) > 1:
            rule = "have no strata, and agree on which measures are better when lower"
            raise ValueError(f"`collections` must {rule}.")
        topics: list[str] = []
        clusters: list[str] = []
        strata: list[str] = []
        for name, matrix in zip(named, matrices, strict=True):
            topics += [f"{name}/{topic}" for topic in matrix.topics]
            clusters += matrix.design_labels[0] or matrix.topics
            strata += [name] * len(matrix.topics)
        values = np.concatenate([matrix.values for matrix in matrices])
        head, labels = matrices[0], {"clusters": clusters, "strata": strata}
        joined += [ScoreMatrix(values, topics, head.systems, head.measure, head.negated, **labels)]
    return Scores(joined)
