"""The subsets of judgments that a curve goes through: of pools of growing depth, or random shares again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.judgments.pools import pooled
from pt_rankcorr.judgments.samples import SamplingOrder
from pt_rankcorr.stats.order import Floats

JUDGMENTS_AT_ONCE = 1_000_000  # that evaluators hold together; some 500 bytes each
SUBSETS_AT_ONCE = 16


class Subset(NamedTuple):
    """Some of the judgments.

    Attributes:
        x: The depth of the pool, or the share that is kept.
        repetition: Which of several random ones, from 0.
        judgments: In the form of ir_measures.
    """

    x: float
    repetition: int
    judgments: pd.DataFrame

    @property
    def key(self) -> tuple[float, int]:
        """What tells it from others of the curve."""
        return self.x, self.repetition


def pools(
    runs: Mapping[str, Any], judgments: pd.DataFrame, depths: Sequence[float], verbose: bool | None
) -> Iterator[Subset]:
    """The judgments in the pool of each depth."""
    ranks = _first_ranks(runs, judgments, int(max(depths)), verbose)
    for depth in depths:
        yield Subset(depth, 0, judgments[ranks <= depth])


def _first_ranks(runs: Mapping[str, Any], judgments: pd.DataFrame, depth: int, verbose: bool | None) -> Floats:
    """The best rank at which any run has each judged document; infinite beyond the depth."""
    found = pooled(runs, depth, verbose)
    documents = zip(judgments["query_id"], judgments["doc_id"], strict=True)
    return np.array([found.get(qid, {}).get(docno, np.inf) for qid, docno in documents])


def samples(judgments: pd.DataFrame, shares: Sequence[float], repetitions: int, seed: int) -> Iterator[Subset]:
    """Random samples of each share, nested within a repetition."""
    for repetition, child in enumerate(np.random.default_rng(seed).spawn(repetitions)):
        order = SamplingOrder.of(judgments, child)
        for share in shares:
            yield Subset(share, repetition, judgments[order.kept(share)])


def in_blocks(subsets: Iterator[Subset]) -> Iterator[list[Subset]]:
    """As many at a time as can be evaluated together within the bounds."""
    block: list[Subset] = []
    for subset in subsets:
        size = sum(len(each.judgments) for each in [*block, subset])
        if block and (size > JUDGMENTS_AT_ONCE or len(block) == SUBSETS_AT_ONCE):
            yield block
            block = []
        block.append(subset)
    if block:
        yield block
