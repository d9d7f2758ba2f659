"""The options of a comparison, checked, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from pt_rankcorr import choices, defaults
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficients, headlines
from pt_rankcorr.stats.core.arguments import flag, one_of, resample_count, share, whole_number
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.distance import covariance_for
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL, NULLS
from pt_rankcorr.stats.significance.pairwise import TESTS

ONLY_SHOWN = ("coefficients", "d_rank")  # options that change no number of a row


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of a comparison, which `compare` explains, and what follows from them: coefficients, resamples.

    Raises TypeError and ValueError for options that are out of range or would be ignored.
    """

    null: choices.Null | None = None
    covariance: choices.Covariance | None = None
    n_resamples: int | None = None
    level: float = defaults.LEVEL
    coefficients: Sequence[Any] | Any = None  # what `as_coefficients` takes
    intervals: bool = True
    d_rank: bool = False
    test: choices.PairTest | None = defaults.PAIR_TEST
    alpha: Any = None  # as checked a float
    top: int | None = None
    per_topic: bool = False
    seed: int
    two_samples: bool | None = None  # are topics of rankings another sample? files and tables do not show None

    def __post_init__(self) -> None:
        with_d_rank = flag("d_rank", self.d_rank)
        for name in ("null", "covariance"):
            if not with_d_rank and getattr(self, name) is not None:
                raise ValueError(f"`{name}` must be None unless `d_rank` is True, got {getattr(self, name)!r}.")
        if self.two_samples and self.null not in (None, "two-sample"):
            raise ValueError(f"`null` must be 'two-sample' if judges have topics of their own, got {self.null!r}.")
        null = "two-sample" if self.two_samples else one_of("null", self.null or DEFAULT_NULL, NULLS)
        checked: dict[str, Any] = {
            "n_resamples": None if self.n_resamples is None else resample_count(self.n_resamples, at_least=2),
            "d_rank": with_d_rank,
            "null": null if with_d_rank else None,
            "covariance": covariance_for(null, self.covariance) if with_d_rank else None,
            "level": share("level", self.level),
            "alpha": round(1.0 - self.level, 12) if self.alpha is None else share("alpha", self.alpha),
            "intervals": flag("intervals", self.intervals),
            "test": None if self.test is None else one_of("test", self.test, tuple(TESTS)),
            "top": None if self.top is None else whole_number("top", self.top, at_least=2),
            "per_topic": flag("per_topic", self.per_topic),
            "coefficients": None if self.coefficients is None else as_coefficients(self.coefficients),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def shown(self) -> tuple[Coefficient, ...]:
        """The coefficients in tables, the first one in most detail."""
        asked = cast("tuple[Coefficient, ...] | None", self.coefficients)
        return asked or headlines()

    @property
    def computed(self) -> tuple[Coefficient, ...]:
        """All coefficients of rows, those that are asked for first; one's own take the place of those of their name."""
        taken = {text for coefficient in self.shown for text in (coefficient.name, coefficient.column)}
        in_all_rows = (
            known for known in COEFFICIENTS.values() if known in self.shown or not taken & {known.name, known.column}
        )
        return tuple(dict.fromkeys((*self.shown, *in_all_rows) if self.coefficients else (*in_all_rows, *self.shown)))

    def coefficients_for(self, systems: Labels, chosen: Sequence[Coefficient] | None = None) -> Coefficients:
        """The `Coefficients` object of rows, by default of all coefficients; with `top` also of the best systems."""
        coefficients = self.computed if chosen is None else tuple(chosen)
        return Coefficients(coefficients, self.top, np.argsort(np.argsort(systems, kind="stable")))

    @property
    def with_intervals(self) -> tuple[Coefficient, ...]:
        """The coefficients that have standard errors, which are those that are asked for, or tau and tau_AP."""
        return self.shown if self.coefficients else tuple(known for known in self.shown if known.name != "tau_gap")

    @property
    def columns(self) -> dict[str, str]:
        """Name of a coefficient -> name of its column."""
        return {coefficient.name: coefficient.column for coefficient in self.computed}

    @property
    def shared(self) -> bool:
        """Whether all rankings are of the same topics."""
        return not self.two_samples

    def resampled_by(self) -> dict[str, Any]:
        """Arguments of functions that resample topics for standard errors."""
        return {"n_resamples": self.n_resamples or defaults.ERROR_RESAMPLES, "seed": self.seed}

    def to_dict(self) -> dict[str, Any]:
        """The settings that apply and that change numbers of rows."""
        return {name: value for name, value in vars(self).items() if name not in ONLY_SHOWN and value is not None}
