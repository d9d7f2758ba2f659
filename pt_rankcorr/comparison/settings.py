"""The options of a comparison, checked, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pt_rankcorr import choices, defaults
from pt_rankcorr.defaults import RESAMPLES
from pt_rankcorr.stats.accuracy.correlation_interval import Coefficients
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficients, headlines
from pt_rankcorr.stats.core.arguments import (
    flag,
    listing,
    one_of,
    resample_count,
    share,
    whole_number,
)
from pt_rankcorr.stats.core.resampling import RandomState, seed_of
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.rank_distance.distance import covariance_for
from pt_rankcorr.stats.rank_distance.null import DEFAULT_NULL, NULLS
from pt_rankcorr.stats.significance.pairwise import TESTS, check_correction

if TYPE_CHECKING:
    from pt_rankcorr.components import DiscriminativePower, DRank


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The options of a comparison, as `compare` explains them, and the coefficients they ask for.

    Raises TypeError and ValueError for options that are out of range or would be ignored.
    """

    coefficients: Sequence[Any] | Any = None  # what `as_coefficients` takes
    level: float = defaults.LEVEL
    n_resamples: int | None = None  # for standard errors: 0 for none
    d_rank: bool = False
    # of d_rank alone, as `DRankTest` takes them
    null: choices.Null | None = None
    covariance: choices.Covariance | None = None
    ridge: float = defaults.RIDGE
    d_rank_resamples: int | None = None
    # of pairs of systems, as `discriminative_power` takes them
    test: choices.PairTest | None = None
    correction: choices.PairCorrection | None = None
    test_alpha: Any = None  # a float once it is checked
    test_resamples: int = defaults.FEWER_RESAMPLES
    top: int | None = None
    per_topic: bool = False
    seed: int
    # whether rankings have topics of their own; not shown if None, which means no
    two_samples: bool | None = None

    def __post_init__(self) -> None:
        for name in ("null", "covariance"):
            value = getattr(self, name)
            if not self.d_rank and value is not None:
                raise ValueError(f"`{name}` must be None unless `d_rank` is True, got {value!r}.")
        if self.two_samples and self.null not in (None, DEFAULT_NULL, "two-sample"):
            rule = "`null` must be 'two-sample' if judges have topics of their own"
            raise ValueError(f"{rule}, got {self.null!r}.")
        if self.n_resamples is not None:
            whole_number("n_resamples", self.n_resamples, at_least=0)
        if self.intervals and self.n_resamples is not None:
            resample_count(self.n_resamples, at_least=2)  # a standard error is of two or more
        if self.test is not None:
            one_of("test", self.test, tuple(TESTS))
            check_correction(self.test, self.correction)
        elif self.correction is not None:
            rule = "`correction` must be None unless pairs are tested"
            raise ValueError(f"{rule}, got {self.correction!r}.")
        checked: dict[str, Any] = {
            "level": share("level", self.level),
            "d_rank": flag("d_rank", self.d_rank),
            "per_topic": flag("per_topic", self.per_topic),
            "d_rank_resamples": self.d_rank_resamples or self.n_resamples or RESAMPLES,
            "test_alpha": self.alpha,
        }
        if self.d_rank:
            null = one_of("null", self.null or DEFAULT_NULL, NULLS)
            checked["null"] = "two-sample" if self.two_samples else null
            checked["covariance"] = covariance_for(checked["null"], self.covariance)
        if self.test_alpha is not None:
            checked["test_alpha"] = share("alpha", self.test_alpha)
        if self.top is not None:
            checked["top"] = whole_number("top", self.top, at_least=2)
        if self.coefficients is not None:
            checked["coefficients"] = as_coefficients(self.coefficients)
        for name, value in checked.items():  # frozen: fields cannot be assigned
            object.__setattr__(self, name, value)

    @property
    def alpha(self) -> float:
        """The level at which two rankings differ significantly."""
        return round(1.0 - self.level, 12)  # .05, not .05000000000000004

    @property
    def intervals(self) -> bool:
        """Whether there are standard errors, intervals, and what one true ranking would give."""
        return self.n_resamples != 0

    @property
    def shown(self) -> tuple[Coefficient, ...]:
        """The coefficients in tables, the first one in most detail."""
        asked = cast("tuple[Coefficient, ...] | None", self.coefficients)
        return asked or headlines()

    @property
    def computed(self) -> tuple[Coefficient, ...]:
        """All coefficients of rows, those asked for first; a user's own replaces its namesake."""
        every = tuple(COEFFICIENTS.values())
        if not self.coefficients:
            return every
        taken = {text for asked in self.shown for text in (asked.name, asked.column)}
        others = (known for known in every if taken.isdisjoint({known.name, known.column}))
        return tuple(dict.fromkeys((*self.shown, *others)))

    def coefficients_for(self, systems: Labels, chosen: tuple[Coefficient, ...]) -> Coefficients:
        """The `Coefficients` of means of these systems; with `top` also of the best systems."""
        # the place of each system by name decides ties at the border of the best
        return Coefficients(chosen, self.top, np.argsort(np.argsort(systems, kind="stable")))

    @property
    def with_intervals(self) -> tuple[Coefficient, ...]:
        """The coefficients with standard errors: those that are asked for, or tau and tau_AP."""
        if self.coefficients:
            return self.shown
        return tuple(known for known in self.shown if known.name != "tau_gap")

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
        of_d_rank = () if self.d_rank else ("ridge", "d_rank_resamples")
        of_pairs = () if self.test else ("test_alpha", "test_resamples")
        # the first two only show columns
        unused = {"coefficients", "d_rank", *of_d_rank, *of_pairs}
        used = {name: value for name, value in vars(self).items() if name not in unused}
        settings = {name: value for name, value in used.items() if value is not None}
        return {**settings, "alpha": self.alpha, "intervals": self.intervals}


def settings_of(
    *,
    d_rank: bool | DRank,
    test: choices.PairTest | DiscriminativePower | None = None,
    rng: RandomState,
    **options: Any,
) -> Settings:
    """The settings that public functions take: `d_rank` and `test` may be components."""
    from pt_rankcorr.components import DiscriminativePower, DRank  # which load PyTerrier

    chosen: dict[str, Any] = {"d_rank": d_rank, "test": test}
    if not isinstance(d_rank, (bool, DRank)):
        raise TypeError(f"`d_rank` must be True, False or a `DRank`, got {type(d_rank).__name__}.")
    if isinstance(d_rank, DRank):
        chosen |= {"d_rank": True, "null": d_rank.null, "covariance": d_rank.covariance}
        chosen |= {"ridge": d_rank.ridge, "d_rank_resamples": d_rank.n_resamples}
    if isinstance(test, DiscriminativePower):
        chosen |= {"test": test.test, "correction": test.correction, "test_alpha": test.alpha}
        chosen |= {"test_resamples": test.n_resamples}
    for name, component in (("d_rank", d_rank), ("test", test)):
        options_of_ours = ("reference", "rng", "n_jobs")
        own = [key for key in options_of_ours if getattr(component, key, None) is not None]
        if own:
            rule = f"`{name}` must not have {listing(own)} of its own"
            raise ValueError(f"{rule}, got {component!r}.")
    return Settings(**chosen, **options, seed=seed_of(rng))
