"""How rankings are compared: the settings that all rows of a comparison share."""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

from pt_rankcorr import choices
from pt_rankcorr.comparison._checkpoint import resumable_seed
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficients, headlines
from pt_rankcorr.stats.core.arguments import flag, one_of, resample_count, share, whole_number
from pt_rankcorr.stats.core.resampling import RandomState
from pt_rankcorr.stats.rank_distance.settings import NULLS, covariance_for
from pt_rankcorr.stats.significance.pairwise import TESTS


@dataclass(frozen=True)
class Settings:
    """How rankings are compared.

    Attributes:
        n_resamples: Resamples of topics for the test of d_rank.
        null: Its null hypothesis, as `DRankTest` takes it.
        covariance: How it estimates the covariance of systems.
        alpha: The level at which two rankings, or two systems, differ significantly.
        seed: What to give as `rng` for the same numbers.
        level: The confidence level of intervals.
        intervals: Whether rows say what is so over all topics.
        test: How pairs of systems are tested; None where they are not.
        variant: Which variant of tau and tau_AP people are shown, "a" or "b".
        top: Of how many of the reference's best systems there are coefficients, too; None for none.
        per_topic: Whether there are means of the coefficients of single topics.
        coefficients: Which people are shown; None for those that tables show by default.
    """

    n_resamples: int
    null: str
    covariance: str
    alpha: float
    seed: int
    level: float = LEVEL
    intervals: bool = False
    test: choices.PairTest | None = None
    variant: str = "a"
    top: int | None = None
    per_topic: bool = False
    coefficients: tuple[Coefficient, ...] | None = None

    @classmethod
    def from_arguments(
        cls,
        *,
        n_resamples: object,
        null: object,
        covariance: object,
        rng: RandomState,
        alpha: object = ALPHA,
        level: object = LEVEL,
        intervals: object = False,
        test: object = None,
        variant: object = "a",
        top: object = None,
        per_topic: object = False,
        coefficients: object = None,
        resume: str | os.PathLike[str] | None = None,
    ) -> Settings:
        """From what a caller gave."""
        known_null = one_of("null", null, NULLS)
        return cls(
            resample_count(n_resamples, at_least=2),
            known_null,
            covariance_for(known_null, covariance),
            share("alpha", alpha),
            resumable_seed(rng, resume),
            share("level", level),
            flag("intervals", intervals),
            None if test is None else one_of("test", test, tuple(TESTS)),
            one_of("variant", variant, ("a", "b")),
            None if top is None else whole_number("top", top, at_least=2),
            flag("per_topic", per_topic),
            None if coefficients is None else as_coefficients(coefficients),
        )

    @property
    def computed(self) -> tuple[Coefficient, ...]:
        """What rows have: those that people are shown, and every other one that the package knows."""
        return tuple(dict.fromkeys((*(self.coefficients or ()), *COEFFICIENTS.values())))

    @property
    def shown(self) -> tuple[Coefficient, ...]:
        """What people are shown, the first one in most detail."""
        return self.coefficients or headlines(self.variant)

    @property
    def columns(self) -> dict[str, str]:
        """Of each coefficient the name, and what its column is called."""
        return {each.name: each.column for each in self.computed}

    def coefficient(self, name: str) -> Coefficient:
        """One of those that rows have."""
        return next(each for each in self.computed if each.name == name)

    def distance_arguments(self) -> dict[str, Any]:
        """What `DRankTest` takes."""
        return {"n_resamples": self.n_resamples, "null": self.null, "covariance": self.covariance, "rng": self.seed}

    def to_dict(self) -> dict[str, Any]:
        """Those that apply, and that rows depend on, beside which coefficients they have."""
        shown_alone = ("variant", "coefficients")
        found = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in shown_alone}
        return {name: value for name, value in found.items() if value is not None}

    def __str__(self) -> str:
        parts = [
            *([f"Ties: variant {self.variant}"] if self.coefficients is None else []),
            *([f"{self.level:.0%} intervals over all topics"] if self.intervals else []),
            f"d_rank: {self.null}, {self.covariance}, {self.n_resamples} resamples",
            *([] if self.test is None else [f"pairs: {TESTS[self.test].full_title}"]),
            f"significant: p <= {self.alpha:g}",
            f"seed {self.seed}",
        ]
        return f"{'; '.join(parts)}."
