"""Scores from PyTerrier experiments that ran without this package, and from several collections."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.io.align import COLUMNS, align, check_cells
from pt_rankcorr.io.paths import MeasureLike, PathName, by_name, kind_of
from pt_rankcorr.io.tables import below_header, read_table
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.core.arguments import listing

LABELS = {"cluster": "clusters", "stratum": "strata"}  # columns, and the arguments of `with_design`
PERQUERY = f"the perquery.csv of a pt.Experiment (columns {', '.join(COLUMNS)})"


def scores_from_experiment(
    experiment: pd.DataFrame | tuple[Any, Any] | PathName,
    *,
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
) -> Scores:
    """The scores of a PyTerrier experiment.

    Args:
        experiment: What `pt.Experiment(..., perquery=True)` returned (columns name, qid, measure, value), what
            `perquery="both"` returned, the `perquery.csv` of its `save_dir`, or that folder. Columns "cluster" and
            "stratum" hold the labels of topics, see `ScoreMatrix.with_design`. A column "dataset", as SuiteEval's
            frames have, makes each data set a stratum, and its topics "dataset/topic".
        missing: What to do where a system has no score for a topic that others have: "error", "drop-topics",
            "drop-systems" or "zero". Topics for which no system has a score are always left out.
        lower_is_better: Measures that are better when lower; their scores are negated.

    Returns:
        One score matrix per measure, with systems and topics in their order of appearance, and an alignment report.

    Raises:
        TypeError: If it is none of these.
        OSError: If there is no such file.
        ValueError: If columns are absent, a cell repeats or is infinite, or cells are missing under "error".
    """
    if isinstance(experiment, (str, PathLike)):
        path = Path(experiment)
        path = path / "perquery.csv" if path.is_dir() else path
        # as text: a topic "001" must not become 1, nor a system named "NA" a missing value
        table = read_table(path, PERQUERY, quoted=True)
        frame = below_header(path, PERQUERY, table).astype(object).set_axis(list(table.iloc[0]), axis=1)
        if "value" in frame.columns:
            frame["value"] = frame["value"].replace("", None)
        frame = frame.reset_index(drop=True)
    elif isinstance(experiment, tuple) and len(experiment) == 2:
        frame = experiment[1]
    else:
        frame = experiment
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"`experiment` must be the result of a pt.Experiment with perquery=True, got {kind_of(frame)}.")
    check_cells(frame, "experiment")
    frame = in_datasets(frame)
    scores = align(frame, missing=missing, lower_is_better=lower_is_better, parameter="experiment")
    return in_design_of(frame, scores)


def in_datasets(frame: pd.DataFrame) -> pd.DataFrame:
    """Scored cells of several data sets: these are strata, and their topics have names of their own."""
    if "dataset" not in frame or "stratum" in frame:
        return frame
    dataset = frame["dataset"].astype(str)
    return frame.assign(qid=dataset + "/" + frame["qid"].astype(str), stratum=dataset)


def with_labels(
    frame: pd.DataFrame, clusters: Mapping[str, str] | None = None, strata: Mapping[str, str] | None = None
) -> pd.DataFrame:
    """Scored cells with the columns "cluster" and "stratum" of their topics, where these are given."""
    columns = {"cluster": clusters, "stratum": strata}
    return frame.assign(**{name: frame["qid"].map(labels) for name, labels in columns.items() if labels is not None})


def in_design_of(frame: pd.DataFrame, scores: Scores) -> Scores:
    """The scores with the clusters and strata of the scored cells, if there are any."""
    design = {}
    for column, argument in LABELS.items():
        if column in frame:
            labels = frame.assign(qid=frame["qid"].astype(str)).drop_duplicates(["qid", column])
            repeated = labels.loc[labels["qid"].duplicated(), "qid"]
            if len(repeated):
                rule = f"one {column} for each topic"
                raise ValueError(f"`experiment` must have {rule}, got several for {listing(repeated)}.")
            design[argument] = dict(zip(labels["qid"], labels[column], strict=True))
    return scores.with_design(**design) if design else scores


def scores_from_collections(collections: Mapping[str, Scores]) -> Scores:
    """The scores of systems on a benchmark of several collections, which all weigh the same, as in BEIR and MTEB.

    The mean of a system is the mean of its means on the collections. The collections become strata: all statistics
    resample topics within collections, see `ScoreMatrix.with_design`.

    Args:
        collections: Name -> scores, of the same systems by the same measures.

    Returns:
        The scores on all topics, which are named "collection/topic". Clusters of topics are kept.

    Raises:
        TypeError: If anything but scores is given.
        ValueError: If there are none, systems or measures differ, or a collection has strata or only one topic.

    Example:
        >>> old = Scores([ScoreMatrix([[0.2, 0.4], [0.4, 0.4]], systems=["bm25", "dph"], measure="AP")])
        >>> new = Scores([ScoreMatrix([[0.9, 0.5], [0.7, 0.5], [0.5, 0.5]], systems=["bm25", "dph"], measure="AP")])
        >>> scores_from_collections({"old": old, "new": new})["AP"]
        ScoreMatrix('AP', 5 topics in 2 strata x 2 systems, means 0.45 to 0.5, best 'bm25')
    """
    named = by_name(collections, "collections")
    for name, scores in named.items():
        if not isinstance(scores, Scores):
            raise TypeError(f"`collections` must hold Scores, got {type(scores).__name__} for {name!r}.")
    if not named:
        raise ValueError("`collections` must hold at least one collection, got none.")
    first = next(iter(named.values()))
    for what in ("systems", "measures"):
        labels = [set(getattr(scores, what)) for scores in named.values()]
        different = set.union(*labels) - set.intersection(*labels)
        if different:
            raise ValueError(f"`collections` must be of the same {what}, got differences in {listing(different)}.")
    joined = []
    for measure in first:
        matrices = {name: scores[measure].select(systems=first.systems) for name, scores in named.items()}
        has_strata = any(matrix.design_labels[1] for matrix in matrices.values())
        if has_strata or len({matrix.negated for matrix in matrices.values()}) > 1:
            raise ValueError("`collections` must have no strata, and agree on which measures are better when lower.")
        joined.append(
            ScoreMatrix(
                np.concatenate([matrix.values for matrix in matrices.values()]),
                [f"{name}/{topic}" for name, matrix in matrices.items() for topic in matrix.topics],
                first.systems,
                first[measure].measure,
                first[measure].negated,
                clusters=[label for it in matrices.values() for label in it.design_labels[0] or it.topics],
                strata=[name for name, matrix in matrices.items() for _ in matrix.topics],
            )
        )
    return Scores(joined)
