"""What comparisons return: a row for each ranking against the trusted one, and all rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from pt_rankcorr.comparison.per_topic import PerTopic, per_topic_of
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.display import Displayable, Quotable
from pt_rankcorr.scores import ScoreMatrix
from pt_rankcorr.stats.accuracy.correlation_interval import CorrelationResult
from pt_rankcorr.stats.core.types import ConfidenceInterval, Result
from pt_rankcorr.text import in_a_sentence


@dataclass(frozen=True, eq=False)
class SignificantPairs(Result):
    """The pairs of systems that differ significantly, by the reference and by the other scores.

    Attributes:
        n_significant, n_significant_other: Significant pairs by the reference, by the other scores.
        n_active_agreements: Pairs that are significant by both, in the same direction.
        active_disagreements: Those in opposite directions, the better by the reference first.
        n_pairs: The number of all pairs.
        n_false_positives, n_false_negatives: Significant by the other scores, or reference, alone.
        balanced_accuracy: The mean of two shares: of the significant pairs by the reference, those
            that are so by the other scores in the same direction; of its other pairs, those that
            are not. nan without pairs of one kind.
        soft_accuracy: Soft pairwise accuracy: 1 less the mean distance, over pairs, between the
            one-sided p-values of the paired t-test by the reference and by the other scores.
        intervals: Count or accuracy -> its interval over topic samples of this size, if any.
    """

    n_significant: int
    n_significant_other: int
    n_active_agreements: int
    active_disagreements: tuple[tuple[str, str], ...]
    n_pairs: int
    n_false_positives: int
    n_false_negatives: int
    balanced_accuracy: float
    soft_accuracy: float
    intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)

    @property
    def n_active_disagreements(self) -> int:
        """The number of reversed pairs."""
        return len(self.active_disagreements)

    def to_dict(self) -> dict[str, Any]:
        """Counts and accuracies."""
        return {**super().to_dict(), "n_active_disagreements": self.n_active_disagreements}


@dataclass(frozen=True, eq=False)
class RankingAgreement(Result, Quotable):
    """How a ranking of systems agrees with the trusted one: one row of a comparison.

    Attributes:
        key: What tells the row from others, such as the names of the reference and the measure.
        sides: What sentences call the reference and the other ranking.
        n_topics, n_systems: The number of topics, and of systems.
        coefficients: On these topics: tau, tau_ap and tau_gap, ties "a"; tau_b and tau_ap_b, ties
            "b"; spearman and pearson; and with `top` the same for the reference's best systems, as
            "tau@10". They and d_rank are nan where a ranking ties all systems.
        correlations: Coefficient -> its interval, its standard error and what one true ranking
            would give, as of `correlation_interval`; of those that tables show, if wanted.
        d_rank: The distance from the reference's scores to the ranking, if wanted.
        d_rank_pvalue: Its p-value: small if this could not be the reference's true ranking.
        d_rank_pvalue_standard_error: The Monte Carlo standard error of that p-value.
        per_topic: Coefficient -> its mean over single topics, if wanted.
        pairs: The significant pairs of systems, where they are tested.
        details: Other properties of the row, such as the agreement of labels.
        n_collections: Over how many collections coefficients are means; the rest is then undefined.
    """

    key: Mapping[str, Any]
    sides: tuple[str, str]
    n_topics: int
    n_systems: int
    coefficients: Mapping[str, float]
    settings: Settings = field(repr=False)
    correlations: Mapping[str, CorrelationResult] = field(default_factory=dict)
    d_rank: float = math.nan
    d_rank_pvalue: float = math.nan
    d_rank_pvalue_standard_error: float = math.nan
    per_topic: Mapping[str, PerTopic] = field(default_factory=dict)
    pairs: SignificantPairs | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    n_collections: int = 1

    @property
    def reference(self) -> str:
        """The name of the reference's measure."""
        return str(self.key["reference"])

    @property
    def measure(self) -> str:
        """The name of the measure that ranks, or by which a judge does."""
        return str(self.key["measure"])

    @property
    def judge(self) -> str:
        """The name of the judge, where judges are compared."""
        return str(self.key["judge"])

    @property
    def tau(self) -> float:
        """Kendall's tau a on these topics."""
        return self.coefficients["tau"]

    @property
    def pvalue(self) -> float:
        """The p-value of one true ranking for the first shown coefficient, or nan."""
        return next((result.pvalue for result in self.correlations.values()), math.nan)

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on what makes the intervals special."""
        texts = (text for result in self.correlations.values() for text in result.cautions)
        return tuple(dict.fromkeys(texts))

    @property
    def is_defined(self) -> bool:
        """Whether neither ranking ties all systems."""
        return not np.isnan(self.coefficients["tau"])

    @property
    def is_different(self) -> bool:
        """Whether d_rank finds that the ranking is significantly different from the reference's."""
        return bool(self.d_rank_pvalue <= self.settings.alpha)

    @property
    def rules_out_one_ranking(self) -> bool:
        """Whether the noise of topics does not explain how both differ."""
        return bool(self.pvalue <= self.settings.alpha)

    @property
    def measures(self) -> str:
        """The measure of a judge, with that of the reference if it differs."""
        same = self.key.get("reference", self.measure) == self.measure
        return self.measure if same else f"{self.measure} against {self.reference}"

    @property
    def name(self) -> str:
        """What notes call the row, which is its judge or both of its measures."""
        return self.judge if "judge" in self.key else " with ".join(sorted(self.sides))

    def to_dict(self) -> dict[str, Any]:
        """One flat row, unrounded. Variants and ends of intervals have names as "tau b low"."""
        (record,) = self.table().records()
        return record


@dataclass(frozen=True)
class Comparison(Displayable):
    """Rankings compared with the trusted one: iterating gives its `rows`, `RankingAgreement`."""

    rows: tuple[RankingAgreement, ...]
    settings: Settings

    def __iter__(self) -> Iterator[RankingAgreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seed(self) -> int:
        """The `rng` that gives the same numbers."""
        return self.settings.seed

    def row(self, *names: object) -> RankingAgreement:
        """The row whose key has these names in order, such as judge, measure; else a KeyError."""
        wanted = [str(name) for name in names]
        fitting = []
        for row in self.rows:
            key = iter(map(str, row.key.values()))
            # `in` moves the iterator on, so names are found in this order
            if all(name in key for name in wanted):
                fitting.append(row)
        if len(fitting) != 1:
            seen = "more than one row" if fitting else "no row"
            raise KeyError(f"{seen} of {', '.join(map(repr, wanted))}")
        return fitting[0]

    def to_dict(self) -> dict[str, Any]:
        """A mapping for machines, with how the comparison was made, and its rows."""
        rows = [row.to_dict() for row in self.rows]
        return {**self._compared(), **self.settings.to_dict(), "rows": rows}

    def _compared(self) -> dict[str, Any]:
        """What was compared, for `to_dict`."""
        return {}

    def sentences(self) -> str:
        """The outcome of each row, as a paper may print it, a line each."""
        return "\n".join(row.sentence() for row in self.rows)

    @property
    def note(self) -> str:
        """What was compared and how, how to read it, and what makes single rows special."""
        return " ".join(self.table(all_settings=True).notes)


C = TypeVar("C", bound=Comparison)


def with_per_topic(
    comparison: C, scores_of: Callable[[RankingAgreement], tuple[ScoreMatrix, ScoreMatrix]]
) -> C:
    """The comparison with statistics of single topics; `scores_of` gives a row's two matrices."""
    settings = replace(comparison.settings, per_topic=True)
    rows = []
    for row in comparison.rows:
        per_topic = per_topic_of(*scores_of(row), settings)
        rows.append(replace(row, settings=settings, per_topic=per_topic))
    return replace(comparison, rows=tuple(rows), settings=settings)


def with_names(cautions: Sequence[tuple[str, Iterable[str]]]) -> Iterator[str]:
    """Each caution once, after the names of its rows unless these are all: of (name, cautions)."""
    about: dict[str, dict[str, None]] = {}
    for name, texts in cautions:
        for text in texts:
            about.setdefault(text, {})[name] = None
    n_names = len({name for name, _ in cautions})
    for text, names in about.items():
        yield text if len(names) == n_names else f"{in_a_sentence([*names], 5)}: {text}"
