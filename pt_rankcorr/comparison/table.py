"""What all comparisons return: rows of one kind, each a ranking against the one that is trusted, in one table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.numbers import decimals, pvalue, with_interval
from pt_rankcorr.showing import Shown
from pt_rankcorr.stats.coefficients.coefficient import AT
from pt_rankcorr.stats.coefficients.kendall import kendall_interval
from pt_rankcorr.stats.coefficients.registry import COEFFICIENTS, headlines
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.results import ConfidenceInterval, Result
from pt_rankcorr.warnings import DegenerateInputWarning, level_of_the_caller

ALONE = "scores"  # the name of a collection that has none


class Ceiling(NamedTuple):
    """The coefficient that a perfect judge can be expected to reach, as the reference is measured on few topics itself.

    It is the expected correlation of the reference's ranking with the true one; `low` and `high` are the ends of an
    interval for the actual one.
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
        n_significant: Pairs that differ significantly by the reference.
        n_significant_other: Pairs that do so by the other scores.
        n_active_agreements: Pairs that do so by both, one way.
        active_disagreements: Pairs that do so by both, in opposite ways: (better by the reference, better by the other
            scores).
        n_pairs: All pairs.
        n_false_positives: Pairs that do so by the other scores alone.
        n_false_negatives: Pairs that do so by the reference alone.
        balanced_accuracy: The mean of two shares: of the pairs that differ significantly by the reference, those that
            do so one way by the other scores; of the other pairs, those that do not by the other scores. nan where
            there are no pairs of one kind.
        soft_accuracy: Soft pairwise accuracy: 1 less how far one-sided p-values of the paired t-test, by the reference
            and by the other scores, are apart in the mean over pairs.
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

    def to_dict(self) -> dict[str, Any]:
        """Counts and accuracies, and the ends of their intervals."""
        counts = {**super().to_dict(), "n_active_disagreements": len(self.active_disagreements)}
        return {**counts, **_ends(self.intervals)}


@dataclass(frozen=True, eq=False)
class RankingAgreement(Result):
    """How a ranking of systems agrees with the one that is trusted: one row of a comparison.

    The names in `key`, `coefficients` and `more` are attributes as well: `row.measure`, `row.tau`, `row.kappa`.

    Attributes:
        key: What is compared with what, such as the reference and the measure.
        n_topics: The number of topics.
        n_systems: The number of systems.
        coefficients: tau, tau_ap and tau_gap, ties "a"; tau_b and tau_ap_b, ties "b"; spearman and pearson; and where
            `top` is given the same for the reference's best systems, as "tau@10". nan where a ranking ties all systems,
            and so is d_rank.
        d_rank: The distance from the reference's scores to the ranking.
        pvalue: Of the distance: small if the choice of topics does not explain it.
        pvalue_standard_error: Of the p-value, over Monte Carlo resamples.
        critical_value: The distance beyond which the p-value is at most alpha.
        intervals: Coefficient -> its interval over topics, where there are any.
        ceilings: Coefficient -> what a perfect judge can be expected to reach, where there are intervals.
        per_topic: Coefficient -> the mean of those of single topics, where it is wanted.
        pairs: The significant pairs of systems, where they are tested.
        more: What else there is to know of the row, such as the agreement of labels.
        settings: How the row was computed.
    """

    key: Mapping[str, Any]
    n_topics: int
    n_systems: int
    coefficients: Mapping[str, float]
    d_rank: float
    pvalue: float
    pvalue_standard_error: float
    critical_value: float
    intervals: Mapping[str, ConfidenceInterval] = field(default_factory=dict)
    ceilings: Mapping[str, Ceiling] = field(default_factory=dict)
    per_topic: Mapping[str, PerTopic] = field(default_factory=dict)
    pairs: SignificantPairs | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    settings: Settings | None = field(default=None, repr=False)

    def __getattr__(self, name: str) -> Any:
        for names in ("key", "coefficients", "more"):
            found = self.__dict__.get(names, {})
            if name in found:
                return found[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def is_defined(self) -> bool:
        """Whether both rankings rank anything: neither ties all systems."""
        return not np.isnan(self.coefficients["tau"])

    def reaches_ceiling(self, coefficient: str = "tau") -> bool:
        """Whether a coefficient is at least at the low end of its ceiling: the reference cannot tell it from perfect.

        Raises:
            KeyError: If the row has no ceiling of that coefficient.
        """
        return self.coefficients[coefficient] >= self.ceilings[coefficient].low

    def kendall_interval(self, level: float = LEVEL) -> ConfidenceInterval:
        """Kendall's interval for tau, over the sampling of systems: see `stats.kendall_interval`; nan where tau is."""
        tau = self.coefficients["tau"]
        return kendall_interval(tau, self.n_systems, level=level) if self.is_defined else ConfidenceInterval(tau, tau)

    def to_dict(self) -> dict[str, Any]:
        """One flat row, unrounded. Variants of ties and ends of intervals have columns such as "tau b low".

        Kendall's interval for tau, at a level of .95, is in "tau kendall low" and "tau kendall high".
        """
        pairs = {} if self.pairs is None else self.pairs.to_dict()
        sizes = {"n_topics": self.n_topics, "n_systems": self.n_systems}
        distance = {name: getattr(self, name) for name in DISTANCE}
        coefficients = {column(name): value for name, value in self.coefficients.items()}
        ends = _ends({column(name): interval for name, interval in self.intervals.items()})
        ends |= _ends({"tau kendall": self.kendall_interval()})
        return {**self.key, **sizes, **self.more, **coefficients, **distance, **ends, **self._further(), **pairs}

    def _further(self) -> dict[str, Any]:
        """Ceilings and means over topics."""
        found: dict[str, Any] = {}
        for name, (value, *ends) in self.ceilings.items():
            ceiling = f"{column(name)} ceiling"
            found |= {ceiling: value, **_ends({ceiling: ConfidenceInterval(*ends)})}
            found[f"{ceiling} reached"] = self.reaches_ceiling(name)
        for name, (value, low, high, undefined) in self.per_topic.items():
            mean = f"{column(name)} per topic"
            found |= {mean: value, **_ends({mean: ConfidenceInterval(low, high)}), f"{mean} undefined": undefined}
        return found

    def _table(self) -> dict[str, list[str]]:
        texts = self.texts()
        return {"": list(texts), "value": list(texts.values())}

    def texts(self, *, wide: bool = False) -> dict[str, str]:
        """The row as people are shown it: few digits, intervals in brackets, "-" for what is undefined.

        Args:
            wide: Whether to show all columns. Otherwise a row with intervals lacks those of `WIDE`.
        """
        key = {name: value for name, value in self.key.items() if (name, value) != ("collection", ALONE)}
        coefficients = headlines("a" if self.settings is None else self.settings.ties)
        names = {name: f"{value:g}" if isinstance(value, float) else str(value) for name, value in key.items()}
        shown = {
            **({"kappa": decimals(self.more["kappa"])} if "kappa" in self.more else {}),
            **{each.title: self._coefficient(each.name) for each in coefficients},
            **self._shown_further(wide=wide or not self.intervals),
            "d_rank": decimals(self.d_rank),
            "p-value": pvalue(self.pvalue),
            **({} if self.pairs is None else _shown_pairs(self.pairs)),
        }
        left_out = WIDE if self.intervals and not wide else ()
        texts = {name: UNDEFINED if text.startswith("nan") else text for name, text in shown.items()}
        return {**names, **{name: text for name, text in texts.items() if name not in left_out}}

    def _coefficient(self, name: str) -> str:
        value, interval = self.coefficients[name], self.intervals.get(name)
        return decimals(value) if interval is None else with_interval(value, interval)

    def _shown_further(self, *, wide: bool) -> dict[str, str]:
        best = {f"tau{name[3:]}": self._coefficient(name) for name in self.coefficients if name.startswith("tau@")}
        if "tau" in self.per_topic:
            value, low, high, _ = self.per_topic["tau"]
            best["tau per topic"] = with_interval(value, (low, high))
        if "tau" in self.ceilings:
            value, low, high = self.ceilings["tau"]
            reached = ", reached" if self.reaches_ceiling() else ""
            best["ceiling of tau"] = f"{with_interval(value, (low, high)) if wide else decimals(value)}{reached}"
        return best


WIDE = ("tau_GAP", "d_rank", "balanced accuracy")  # of a row with intervals: shown where there is room
UNDEFINED = "-"
DISTANCE = ("d_rank", "pvalue", "pvalue_standard_error", "critical_value")


def column(coefficient: str) -> str:
    """How columns name a coefficient: "tau b@10" for tau_b@10."""
    name, at, top = coefficient.partition(AT)
    return f"{COEFFICIENTS[name].column}{at}{top}" if name in COEFFICIENTS else coefficient


def _ends(intervals: Mapping[str, ConfidenceInterval]) -> dict[str, float]:
    return {f"{name} {end}": value for name, interval in intervals.items() for end, value in interval._asdict().items()}


def _shown_pairs(pairs: SignificantPairs) -> dict[str, str]:
    def accuracy(name: str) -> str:
        value, interval = getattr(pairs, name), pairs.intervals.get(name)
        return decimals(value) if interval is None else with_interval(value, interval)

    return {
        "pairs reversed": f"{len(pairs.active_disagreements)} of {pairs.n_significant}",
        "balanced accuracy": accuracy("balanced_accuracy"),
        "soft accuracy": accuracy("soft_accuracy"),
    }


@dataclass(frozen=True)
class Comparison(Shown):
    """Rankings compared with the one that is trusted: a sequence of `RankingAgreement`.

    Attributes:
        rows: The agreements.
        settings: How rankings were compared.
    """

    rows: tuple[RankingAgreement, ...]
    settings: Settings

    def __iter__(self) -> Iterator[RankingAgreement]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def seed(self) -> int:
        """What to give as `rng` for the same numbers."""
        return self.settings.seed

    def row(self, *names: object) -> RankingAgreement:
        """The row whose key ends with these names, such as a judge and a measure.

        Raises:
            KeyError: If there is no such row, or more than one.
        """
        wanted = [str(name) for name in names]
        found = [row for row in self.rows if list(map(str, row.key.values()))[-len(wanted) :] == wanted]
        if len(found) != 1:
            raise KeyError(f"{'no row' if not found else 'more than one row'} of {', '.join(map(repr, wanted))}")
        return found[0]

    def to_frame(self) -> pd.DataFrame:
        """One line a row, unrounded."""
        return pd.DataFrame([row.to_dict() for row in self.rows])

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
        """What to call a row in a message."""
        raise NotImplementedError

    @property
    def note(self) -> str:
        """What was compared, and how; the ceilings; and why something is undefined."""
        return " ".join([self._subject(), str(self.settings), *self._ceilings(), *self._undefined()])

    def _ceilings(self) -> Iterator[str]:
        """One sentence a reference."""
        found = {tuple(self._reference_of(row)): row.ceilings["tau"] for row in self.rows if "tau" in row.ceilings}
        for names, (value, low, high) in found.items():
            where = f" with {' on '.join(names)}" if len(found) > 1 else ""
            yield f"Ceiling of tau{where}: {with_interval(value, (low, high))}."

    @staticmethod
    def _reference_of(row: RankingAgreement) -> list[str]:
        keys = ("reference", "collection") if "reference" in row.key else ("measure", "collection")
        return [str(row.key[name]) for name in keys if row.key.get(name, ALONE) != ALONE]

    def _undefined(self) -> Iterator[str]:
        if not all(row.is_defined for row in self.rows):
            yield f"{UNDEFINED}: a ranking ties all systems."
        pairs = [row.pairs for row in self.rows if row.pairs is not None]
        if any(np.isnan(each.balanced_accuracy) for each in pairs):
            yield "No balanced accuracy where none or all of the pairs differ significantly by the reference."

    def texts(self, *, wide: bool = False) -> pd.DataFrame:
        """The table as people are shown it; if it is to be wide, with all columns."""
        return pd.DataFrame([row.texts(wide=wide) for row in self.rows])

    def _table(self) -> dict[str, list[str]]:
        return dict(self.texts().to_dict("list"))  # type: ignore[arg-type]

    def _note(self) -> str:
        return self.note

    def warn_of_undefined(self) -> None:
        """Warns once of all rows in which a ranking ties all systems."""
        undefined = {self._name_of(row) for row in self.rows if not row.is_defined}
        if undefined:
            warnings.warn(
                f"All systems are tied, and so not ranked at all, in {listing(undefined)}: the results are nan.",
                DegenerateInputWarning,
                stacklevel=level_of_the_caller(),
            )
