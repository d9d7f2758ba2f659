"""How rankings are compared: the settings that all rows of a comparison share."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from pt_rankcorr import choices
from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, as_coefficients, headlines
from pt_rankcorr.stats.core.arguments import flag, one_of, resample_count, share, whole_number
from pt_rankcorr.stats.rank_distance.distance import covariance_for
from pt_rankcorr.stats.rank_distance.null import NULLS
from pt_rankcorr.stats.significance.pairwise import TESTS

CORRELATION_RESAMPLES = FEWER_RESAMPLES  # as `correlation_interval` takes

OF_PAIRS = (
    "Pairs reversed: of those that differ significantly by the reference, how many do so in the other direction. "
)
OF_ONE_RANKING = "A small p of one ranking says that the choice of topics does not explain all disagreement. "
OF_D_RANK = (
    "A small p of d_rank says that the order could not be the true one by the reference. P-values are not corrected "
    "for the number of rows."
)


@dataclass(frozen=True)
class Settings:
    """How rankings are compared.

    Attributes:
        n_resamples: Resamples of topics for the test of d_rank.
        null: Its null hypothesis, as `DRankTest` takes it.
        covariance: How it estimates the covariance of systems; None for the way of the null.
        alpha: The level at which two rankings, or two systems, differ significantly.
        seed: The `rng` that gives the same numbers.
        level: The confidence level of intervals.
        intervals: Whether rows have estimates and intervals over all topics.
        test: How pairs of systems are tested; None where they are not.
        variant: Which variant of tau and tau_AP tables show, "a" or "b".
        top: How many of the reference's best systems have coefficients of their own; None for none.
        per_topic: Whether there are means of the coefficients of single topics.
        coefficients: The coefficients in tables; None for the default ones.
        two_samples: True where the topics of a ranking are another sample than those of the reference; else None.
    """

    n_resamples: int
    null: str
    covariance: Any
    alpha: float
    seed: int
    level: float = LEVEL
    intervals: bool = False
    test: choices.PairTest | None = None
    variant: str = "a"
    top: int | None = None
    per_topic: bool = False
    coefficients: Any = None
    two_samples: bool | None = None

    def __post_init__(self) -> None:
        null = "two-sample" if self.two_samples else one_of("null", self.null, NULLS)
        checked: dict[str, Any] = {
            "null": null,
            "n_resamples": resample_count(self.n_resamples, at_least=2),
            "covariance": covariance_for(null, self.covariance),
            "alpha": share("alpha", self.alpha),
            "level": share("level", self.level),
            "intervals": flag("intervals", self.intervals),
            "test": None if self.test is None else one_of("test", self.test, tuple(TESTS)),
            "variant": one_of("variant", self.variant, ("a", "b")),
            "top": None if self.top is None else whole_number("top", self.top, at_least=2),
            "per_topic": flag("per_topic", self.per_topic),
            "coefficients": None if self.coefficients is None else as_coefficients(self.coefficients),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def computed(self) -> tuple[Coefficient, ...]:
        """All coefficients of rows: those in tables first, then every other one that the package has."""
        return tuple(dict.fromkeys((*(self.coefficients or ()), *COEFFICIENTS.values())))

    @property
    def shown(self) -> tuple[Coefficient, ...]:
        """The coefficients in tables, the first one in most detail."""
        return self.coefficients or headlines(self.variant)

    @property
    def columns(self) -> dict[str, str]:
        """Name of a coefficient -> name of its column."""
        return {each.name: each.column for each in self.computed}

    def coefficient(self, name: str) -> Coefficient:
        """A coefficient of rows by its name."""
        return next(each for each in self.computed if each.name == name)

    @property
    def shared(self) -> bool:
        """Whether all rankings are of the same topics."""
        return not self.two_samples

    def drawn_by(self) -> dict[str, Any]:
        """Arguments of functions that draw true means."""
        drawn = {"n_resamples": CORRELATION_RESAMPLES, "seed": self.seed}
        return {**drawn, "level": self.level, "shared": self.shared}

    def distance_arguments(self) -> dict[str, Any]:
        """Arguments of `DRankTest`."""
        return {"n_resamples": self.n_resamples, "null": self.null, "covariance": self.covariance, "rng": self.seed}

    def to_dict(self) -> dict[str, Any]:
        """The settings that apply and that change numbers of rows."""
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
        of_pairs, of_one = self.test and OF_PAIRS, self.intervals and OF_ONE_RANKING
        return f"{'; '.join(parts)}. {of_pairs or ''}{of_one or ''}{OF_D_RANK}"
