"""How far the labels of two sets of judgments agree."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from pt_rankcorr.adapters.retrieved import read_qrels
from pt_rankcorr.stats._gaps import normalised
from pt_rankcorr.stats.checks import DegenerateInputWarning
from pt_rankcorr.stats.order import as_floats
from pt_rankcorr.stats.results import Result


@dataclass(frozen=True, eq=False)
class LabelAgreement(Result):
    """The agreement of two sets of judgments on the documents that both judge.

    Attributes:
        kappa: Cohen's kappa of the labels as they are; nan if a single label is used by both, or nothing is shared.
        kappa_binary: Cohen's kappa of being relevant (label above 0) or not.
        overlap: Documents relevant for both, of those relevant for either.
        n_shared: Judgments of documents that both judge.
        n_reference: Judgments of the reference.
        n_other: Judgments of the other set.
        confusion: How often the reference's label (row) met the other's (column).
    """

    kappa: float
    kappa_binary: float
    overlap: float
    n_shared: int
    n_reference: int
    n_other: int
    confusion: pd.DataFrame = field(repr=False, compare=False)


def label_agreement(reference: object, other: object) -> LabelAgreement:
    """Cohen's kappa between two sets of judgments, and their confusion.

    On the documents that both judge. Graded labels can be held against binary ones: `kappa_binary` then is the fair
    one, since no binary label can equal a higher grade. Of several labels of a document on a topic the highest counts.

    Args:
        reference: Judgments, as `scores_from_runs` takes them.
        other: Judgments of another assessor, or of a language model.

    Returns:
        The agreement; its kappas are nan, with a warning, where they are undefined.

    Raises:
        TypeError: If the judgments are of another kind.
        ValueError: If they are not what they should be.

    Example:
        >>> reference = {"1": {"d1": 1, "d2": 0, "d3": 2, "d4": 0}}
        >>> agreement = label_agreement(reference, {"1": {"d1": 1, "d2": 0, "d3": 1, "d4": 1, "d5": 1}})
        >>> agreement.n_shared, round(agreement.kappa, 4), agreement.kappa_binary
        (4, 0.2727, 0.5)
    """
    return agreement_of(read_qrels(reference), read_qrels(other))


def agreement_of(reference: pd.DataFrame, other: pd.DataFrame) -> LabelAgreement:
    """`label_agreement` of judgments in the form of ir_measures, which may be empty."""
    first, second = _labels(reference), _labels(other)
    shared = pd.concat([first, second], axis=1, join="inner", keys=["reference", "other"])
    relevant, found = (shared["reference"] > 0).to_numpy(), (shared["other"] > 0).to_numpy()
    either = int((relevant | found).sum())
    confusion = _confusion(shared["reference"].to_numpy(), shared["other"].to_numpy())
    return LabelAgreement(
        kappa=cohen_kappa(confusion.to_numpy()),
        kappa_binary=cohen_kappa(_confusion(relevant, found).to_numpy()),
        overlap=int((relevant & found).sum()) / either if either else math.nan,
        n_shared=len(shared),
        n_reference=len(first),
        n_other=len(second),
        confusion=confusion,
    )


def _labels(judgments: pd.DataFrame) -> pd.Series[int]:
    return judgments.groupby(["query_id", "doc_id"], sort=False)["relevance"].max()


def _confusion(reference: NDArray[Any], other: NDArray[Any]) -> pd.DataFrame:
    labels, codes = np.unique(np.concatenate([reference, other]), return_inverse=True)
    cells = codes[: reference.size] * labels.size + codes[reference.size :]
    counts = np.bincount(cells, minlength=labels.size**2).reshape(labels.size, labels.size)
    return pd.DataFrame(counts, pd.Index(labels, name="reference"), pd.Index(labels, name="other"))


def cohen_kappa(confusion: ArrayLike) -> float:
    """Cohen's kappa: agreement beyond what two judges with these frequencies of labels would have by chance.

    kappa = (p_o - p_e) / (1 - p_e), with p_o the share on the diagonal and p_e the sum over labels of the products of
    their shares in rows and columns. At most 1; 0 where agreement is that of chance, negative where it is less.

    Args:
        confusion: How often the label of the first judge (row) met that of the second (column), a square matrix.

    Returns:
        kappa; nan, with a warning, if there is nothing to agree on or both judges always use one and the same label.

    Raises:
        TypeError: If the counts are not numbers.
        ValueError: If they are not a square matrix, or negative.

    References:
        Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological Measurement 20, 1960.

    Example:
        >>> round(cohen_kappa([[20, 5], [10, 15]]), 4)
        0.4
    """
    counts = as_floats(confusion, "confusion")
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"`confusion` must be a square matrix, got shape {counts.shape}.")
    if (counts < 0).any():
        raise ValueError(f"`confusion` must hold counts, got {counts.min()}.")
    if counts.size:
        counts = normalised(counts.ravel()).reshape(counts.shape)  # no square overflows
    total = counts.sum()
    observed, expected = total * np.trace(counts), counts.sum(axis=0) @ counts.sum(axis=1)
    if expected == total**2:
        warnings.warn("Cohen's kappa is undefined: no two labels to agree on.", DegenerateInputWarning, stacklevel=2)
        return math.nan
    return float((observed - expected) / (total**2 - expected))
