"""The result of all comparisons: a table with one row for each ranking against the trusted one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.columns import ALONE as ALONE
from pt_rankcorr.comparison.columns import columns_of
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.showing import Shown
from pt_rankcorr.stats.coefficients.kendall import kendall_interval
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.tables.kinds import UNDEFINED
from pt_rankcorr.tables.table import Column, Table
from pt_rankcorr.warnings import DegenerateInputWarning, warn


class Estimate(NamedTuple):
    """A coefficient over all topics there could be, for these systems.

    It is the median of draws of the true means, with an interval.
    """

    value: float
    low: float
    high: float


class PerTopic(NamedTuple):
    """The mean of the coefficients of single topics, over those where it is defined, with an interval over topics."""

    value: float
    low: float
    high: float
    n_undefined: int


@dataclass(frozen=True, eq=False)
class SignificantPairs(Result):
    """The pairs of systems that differ significantly, by the reference and by the other scores.

    Attributes:
        n_significant: The number of significant pairs by the reference.
        n_significant_other: The number of significant pairs by the other scores.
        n_active_agreements: The number of pairs that are significant by both, in the same direction.
        active_disagreements: The pairs that are significant by both, in opposite directions: (better by the reference,
            better by the other scores).
        n_pairs: The number of all pairs.
        n_false_positives: The number of pairs that are significant by the other scores alone.
        n_false_negatives: The number of pairs that are significant by the reference alone.
        balanced_accuracy: The mean of two shares: of the significant pairs by the reference, those that are so by the
            other scores in the same direction; of its other pairs, those that are not significant by the other scores.
            nan where there are no pairs of one kind.
        soft_accuracy: Soft pairwise accuracy: 1 less the mean distance, over pairs, between the one-sided p-values of
            the paired t-test by the reference and by the other scores.
        intervals: Name of a count or an accuracy -> its interval over samples of as many topics, where there are any.
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

    @property
    def reversed(self) -> str:
        """How many of the significant pairs are reversed, in words."""
        return f"{self.n_active_disagreements} of {self.n_significant}"

    def to_dict(self) -> dict[str, Any]:
        """Counts and accuracies."""
        return {**super().to_dict(), "n_active_disagreements": self.n_active_disagreements}


@dataclass(frozen=True, eq=False)
class RankingAgreement(Result):
    """How a ranking of systems agrees with the trusted one: one row of a comparison.

    The names in `key`, `coefficients` and `more` are attributes as well: `row.measure`, `row.tau`, `row.kappa`.

    Attributes:
        key: The names of the two sides, such as the reference and the measure.
        n_topics: The number of topics.
        n_systems: The number of systems.
        coefficients: On these topics: tau, tau_ap and tau_gap, ties "a"; tau_b and tau_ap_b, ties "b"; spearman and
            pearson; and with `top` the same for the reference's best systems, as "tau@10". They and d_rank are nan
            where a ranking ties all systems. The luck of topics usually lowers them; luck that both sides share raises
            them.
        d_rank: The distance from the reference's scores to the ranking.
        pvalue: The p-value of the distance: small if this ranking could not be the true one by the reference.
        pvalue_standard_error: The Monte Carlo standard error of that p-value.
        estimates: Coefficient -> its estimate over all topics, if wanted. The interval reaches 1 unless the data
            exclude that both rank alike.
        one_ranking: The p-value of one ranking: small if the luck of topics does not explain how both differ. It is the
            same in both directions; None where there are no estimates.
        per_topic: Coefficient -> its mean over single topics, if wanted.
        pairs: The significant pairs of systems, where they are tested.
        more: Other properties of the row, such as the agreement of labels.
        settings: The settings of the row.
    """

    key: Mapping[str, Any]
    n_topics: int
    n_systems: int
    coefficients: Mapping[str, float]
    d_rank: float
    pvalue: float
    pvalue_standard_error: float
    estimates: Mapping[str, Estimate] = field(default_factory=dict)
    one_ranking: float | None = None
    per_topic: Mapping[str, PerTopic] = field(default_factory=dict)
    pairs: SignificantPairs | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings | None = field(default=None, repr=False)

    @classmethod
    def of_part(cls, part: Mapping[str, Any], settings: Settings) -> RankingAgreement:
        """A row from a file to resume from, where named tuples have become lists."""
        pairs = part["pairs"]
        if pairs is not None:
            swapped = tuple((better, worse) for better, worse in pairs["active_disagreements"])
            ends = {name: ConfidenceInterval(*values) for name, values in pairs["intervals"].items()}
            pairs = SignificantPairs(**{**pairs, "active_disagreements": swapped, "intervals": ends})
        estimates = {name: Estimate(*values) for name, values in part["estimates"].items()}
        per_topic = {name: PerTopic(*values) for name, values in part["per_topic"].items()}
        restored = {"estimates": estimates, "per_topic": per_topic, "pairs": pairs, "settings": settings}
        return cls(**{**part, **restored})

    def __getattr__(self, name: str) -> Any:
        for names in ("key", "coefficients", "more"):
            found = self.__dict__.get(names, {})
            if name in found:
                return found[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def is_defined(self) -> bool:
        """Whether neither ranking ties all systems."""
        return not np.isnan(self.coefficients["tau"])

    @property
    def is_different(self) -> bool:
        """Whether d_rank finds that the ranking is significantly different from the reference's."""
        return self.pvalue <= self._alpha

    @property
    def rules_out_one_ranking(self) -> bool:
        """Whether the choice of topics does not explain how both differ."""
        return self.one_ranking is not None and self.one_ranking <= self._alpha

    @property
    def _alpha(self) -> float:
        return ALPHA if self.settings is None else self.settings.alpha

    @property
    def measures(self) -> str:
        """The measure of a judge, with that of the reference if it differs."""
        same = self.key.get("reference", self.measure) == self.measure
        return str(self.measure) if same else f"{self.measure} against {self.reference}"

    def to_dict(self) -> dict[str, Any]:
        """One flat row, unrounded. Variants of ties and ends of intervals have columns such as "tau b low"."""
        (record,) = self.table().records()
        return record

    def _facts(self) -> tuple[Column[Any], ...]:
        return columns_of(self)

    def _note(self) -> str:
        return ""

    def kendall_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """Kendall's interval for tau, over the sampling of systems: see `stats.kendall_interval`; nan where tau is."""
        tau = self.coefficients["tau"]
        return kendall_interval(tau, self.n_systems, level=level) if self.is_defined else ConfidenceInterval(tau, tau)


@dataclass(frozen=True)
class Comparison(Shown):
    """Rankings compared with the trusted one: a sequence of `RankingAgreement`.

    Attributes:
        rows: The agreements.
        settings: The settings of the comparison.
    """

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
        """The row whose key has these names, in this order, such as a judge and a measure.

        Raises:
            KeyError: If there is no such row, or more than one.
        """
        wanted = [str(name) for name in names]
        found = [row for row in self.rows if _has_in_order(list(map(str, row.key.values())), wanted)]
        if len(found) != 1:
            raise KeyError(f"{'no row' if not found else 'more than one row'} of {', '.join(map(repr, wanted))}")
        return found[0]

    def to_dict(self) -> dict[str, Any]:
        """How the comparison was made, and its rows, for machines."""
        return {**self._facts(), **self.settings.to_dict(), "rows": [row.to_dict() for row in self.rows]}

    def _facts(self) -> dict[str, Any]:
        """What was compared, for machines."""
        return {}

    def _subject(self) -> str:
        """What was compared, in a sentence."""
        raise NotImplementedError

    def _name_of(self, row: RankingAgreement) -> str:
        """The name of a row in messages."""
        raise NotImplementedError

    @property
    def note(self) -> str:
        """What was compared, and how; and why something is undefined."""
        return " ".join([self._subject(), str(self.settings), *self._undefined()])

    def _undefined(self) -> Iterator[str]:
        if not all(row.is_defined for row in self.rows):
            yield f"{UNDEFINED}: a ranking ties all systems."
        pairs = [row.pairs for row in self.rows if row.pairs is not None]
        if any(np.isnan(each.balanced_accuracy) for each in pairs):
            yield "No balanced accuracy where none or all of the pairs differ significantly by the reference."

    def table(self) -> Table:
        """One line per row."""
        columns = columns_of(self.rows[0]) if self.rows else ()
        return Table(columns, self.rows, notes=(self.note,))

    def warn_of_undefined(self) -> None:
        """Warns once of all rows in which a ranking ties all systems."""
        undefined = {self._name_of(row) for row in self.rows if not row.is_defined}
        if undefined:
            warn(
                f"A ranking ties all systems in {listing(undefined)}: the results are nan.",
                DegenerateInputWarning,
            )


def _has_in_order(names: list[str], wanted: list[str]) -> bool:
    rest = iter(names)
    return all(name in rest for name in wanted)
