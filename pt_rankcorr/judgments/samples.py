"""Random samples of judgments, as if there had been time for fewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.io.paths import QrelsLike
from pt_rankcorr.io.trec import HOST_NAMES, read_qrels
from pt_rankcorr.stats.core.arguments import real_number
from pt_rankcorr.stats.core.resampling import RandomState, generator
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import shown


@overload
def sample_judgments(qrels: QrelsLike, share: float, rng: RandomState = None) -> pd.DataFrame: ...


@overload
def sample_judgments(
    qrels: QrelsLike, share: Sequence[float], rng: RandomState = None
) -> dict[float, pd.DataFrame]: ...


def sample_judgments(
    qrels: QrelsLike, share: float | Sequence[float], rng: RandomState = None
) -> pd.DataFrame | dict[float, pd.DataFrame]:
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
    judgments = read_qrels(qrels)
    order = SamplingOrder.of(judgments, generator(rng))
    samples = {value: in_given_form(judgments[order.mask(value)].reset_index(drop=True), qrels) for value in shares}
    return samples[shares[0]] if single else samples


@dataclass(frozen=True)
class SamplingOrder:
    """The order in which the documents of each topic and kind enter samples.

    Attributes:
        place: The place of each judgment's document in that order, from 1.
        size: How many documents of its topic are of its kind.
    """

    place: Floats
    size: Floats

    @classmethod
    def of(cls, judgments: pd.DataFrame, rng: np.random.Generator) -> SamplingOrder:
        """A random order for judgments in the form of ir_measures."""
        by_document = judgments.groupby(["query_id", "doc_id"], sort=True)["relevance"]
        document = by_document.ngroup().to_numpy()
        best = by_document.max()
        relevant = best.to_numpy() > 0
        kind = 2 * best.index.codes[0].astype(np.intp) + relevant  # type: ignore[attr-defined]
        place, size = _shuffled_places(kind, rng)
        return cls(place[document], size[document])

    def mask(self, share: float) -> NDArray[np.bool_]:
        """Which judgments are in the sample of a share."""
        return np.asarray(self.place <= np.maximum(1.0, np.floor(share * self.size + 0.5)))


def _shuffled_places(kind: NDArray[np.intp], rng: np.random.Generator) -> tuple[Floats, Floats]:
    """The place of each item in a random order of those of its kind, from 1, and how many there are."""
    order = np.lexsort((rng.random(kind.size), kind))
    _, start, inverse, count = np.unique(kind[order], return_index=True, return_inverse=True, return_counts=True)
    place, size = np.empty(kind.size), np.empty(kind.size)
    place[order] = np.arange(kind.size) - start[inverse] + 1
    size[order] = count[inverse]
    return place, size


# --- what samples and pools share ----------------------------------------------------------------------------


def in_given_form(judgments: pd.DataFrame, given: object) -> pd.DataFrame:
    """Under the names of ir_measures if a frame with those was given, else in PyTerrier's form."""
    is_other_form = isinstance(given, pd.DataFrame) and "query_id" in given
    return judgments if is_other_form else in_host_form(judgments)


def in_host_form(judgments: pd.DataFrame) -> pd.DataFrame:
    """With the names of PyTerrier: qid, docno, label, iteration."""
    return judgments.rename(columns={ours: host for host, ours in HOST_NAMES.items()})


def check_share(parameter: str, value: object) -> float:
    """The value as a float, if it lies between 0 and 1, both included."""
    number = real_number(parameter, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be from 0 to 1, got {shown(value)}.")
    return number
