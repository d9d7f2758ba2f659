"""Statistics of one score matrix, for several measures on equal ground: over the same topic resamples."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

from numpy.typing import ArrayLike

from pt_rankcorr.stats.resampling import generator

P = ParamSpec("P")
R = TypeVar("R")


class OverMeasures(Protocol[P, R]):
    """A statistic of a score matrix, and of a mapping of measure names to score matrices."""

    @overload
    def __call__(self, scores: Mapping[str, ArrayLike], *args: P.args, **kwargs: P.kwargs) -> dict[str, R]: ...

    @overload
    def __call__(self, scores: ArrayLike, *args: P.args, **kwargs: P.kwargs) -> R: ...


def over_measures(statistic: Callable[Concatenate[ArrayLike, P], R]) -> OverMeasures[P, R]:
    """The statistic, such that it also takes several measures, and then returns a result for each.

    Every measure gets a generator in the same state, so that a measure's result is what it would be alone.
    """

    @wraps(statistic)
    def wrapper(scores: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
        if not isinstance(scores, Mapping):
            return statistic(scores, *args, **kwargs)
        if not scores:
            raise ValueError("`scores` must have at least one measure, got none.")
        root = generator(cast(Any, kwargs.get("rng")))
        copies = [*(copy.deepcopy(root) for _ in range(len(scores) - 1)), root]  # the caller's own moves on
        return {
            str(measure): statistic(matrix, *args, **cast(Any, kwargs | {"rng": own}))
            for (measure, matrix), own in zip(scores.items(), copies, strict=True)
        }

    return cast("OverMeasures[P, R]", wrapper)
