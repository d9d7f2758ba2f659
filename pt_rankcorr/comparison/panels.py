"""Panels of judges beside their members: is a panel better than its best member, and do members err alike?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from pt_rankcorr.comparison.judge_ranking import Sides, sample_of_judges
from pt_rankcorr.comparison.table import Settings
from pt_rankcorr.stats.accuracy import correlation, difference
from pt_rankcorr.stats.accuracy.replicates import replicate, standard_errors
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.types import TOLERANCE, ConfidenceInterval, Floats, Labels, Result
from pt_rankcorr.tables import COEFFICIENT, COUNT, PVALUE, WORD, Column, Table
from pt_rankcorr.text import decimals, p_equals, plain

FEWEST_SYSTEMS = 6  # of fewer, errors beside a parabola say nothing
NO_ERROR = 1e-9  # of a judge's variation, which is nothing but rounding


class JudgePanel(NamedTuple):
    """A panel beside its members.

    Attributes:
        panel, members: Its name, and those of its members.
        correlation, interval: Its coefficient with the reference on these topics, and for as many others.
        best: The member with the highest coefficient on these topics.
        best_correlation: That coefficient.
        difference: How much the panel is above its best member, with its interval and Student's t test of 0.
        error_correlation: The mean correlation of what two members err about pairs of systems, given the reference; nan
            with fewer than six systems, or where members do not err.
        error_interval: Its interval for as many topics.
    """

    panel: str
    members: Labels
    correlation: float
    interval: ConfidenceInterval
    best: str
    best_correlation: float
    difference: float
    difference_interval: ConfidenceInterval
    pvalue: float
    error_correlation: float
    error_interval: ConfidenceInterval

    @property
    def effective_judges(self) -> float:
        """For how many judges with independent errors the members stand."""
        return effective_number(len(self.members), self.error_correlation)

    @property
    def effective_interval(self) -> ConfidenceInterval:
        """Its interval for as many topics."""
        k, (low, high) = len(self.members), self.error_interval
        return ConfidenceInterval(effective_number(k, high), effective_number(k, low))


@dataclass(frozen=True, eq=False)
class PanelComparison(Result):
    """Panels of judges beside their members, a `JudgePanel` each."""

    panels: tuple[JudgePanel, ...]
    reference: str
    measure: str
    coefficient: str
    level: float
    n_topics: int
    _of: Coefficient

    def sentences(self) -> list[str]:
        """The outcome for each panel, as a paper may print it."""
        return [self._sentence(panel) for panel in self.panels]

    def _sentence(self, panel: JudgePanel) -> str:
        better = (
            "agrees better"
            if panel.pvalue <= 1.0 - self.level and panel.difference > 0.0
            else "is not shown to agree better"
        )
        low, high = map(decimals, panel.difference_interval)
        text = (
            f"{panel.panel} {better} with {self.reference} than {panel.best}, its best member ({self._of.title} "
            f"{decimals(panel.correlation)} against {decimals(panel.best_correlation)}, difference "
            f"{decimals(panel.difference)} [{low}, {high}], {plain(p_equals(panel.pvalue))})."
        )
        if math.isnan(panel.error_correlation):
            return text
        return (
            f"{text} Errors of its {len(panel.members)} judges correlate by {decimals(panel.error_correlation)}: they "
            f"stand for {panel.effective_judges:.1f} independent ones."
        )

    def _rows(self) -> Table:
        title = self._of.title
        columns: tuple[Column[Any], ...] = (
            Column("panel", "panel", WORD, lambda it: it.panel),
            Column("n_judges", "judges", COUNT, lambda it: len(it.members)),
            Column(
                self._of.column,
                f"{title} [{self.level:.0%}]",
                COEFFICIENT,
                lambda it: it.correlation,
                interval=lambda it: it.interval,
            ),
            Column("best", "best member", WORD, lambda it: it.best),
            Column(
                "difference",
                "difference",
                COEFFICIENT,
                lambda it: it.difference,
                interval=lambda it: it.difference_interval,
            ),
            Column("pvalue", "p", PVALUE, lambda it: it.pvalue),
            Column(
                "error_correlation",
                "errors alike",
                COEFFICIENT,
                lambda it: it.error_correlation,
                interval=lambda it: it.error_interval,
            ),
            Column(
                "effective_judges",
                "effective judges",
                COEFFICIENT,
                lambda it: it.effective_judges,
                interval=lambda it: it.effective_interval,
            ),
        )
        return Table(columns, self.panels, n_names=1)

    def _note(self) -> str:
        return (
            "Difference from the best member, which was chosen on these topics: that favours it. p: Student's t, not "
            "corrected. Errors alike: the mean correlation of what two members err about pairs of systems, given "
            f"{self.reference}, which is taken to be right. Effective judges: k / (1 + (k - 1) r) independent ones "
            f"would err as much, with r that correlation. {self.level:.0%} intervals for as many topics "
            f"({self.n_topics})."
        )


def effective_number(n_judges: int, error_correlation: float) -> float:
    """k / (1 + (k - 1) r): for how many independent judges k stand whose errors correlate by r, at most k."""
    return (
        n_judges / (1.0 + (n_judges - 1) * max(error_correlation, 0.0))
        if error_correlation == error_correlation
        else math.nan
    )


def compare_panels(
    sides: Sides, panels: Mapping[str, Labels], of: Coefficient, settings: Settings, n_jobs: int | None
) -> PanelComparison:
    """See `JudgeComparison.panels`."""
    trusted, judges = sides
    rows = [_compare(name, members, sides, of, settings, n_jobs) for name, members in panels.items()]
    measures = dict.fromkeys(str(judges[name].measure) for name in panels)
    return PanelComparison(
        panels=tuple(rows),
        reference=str(trusted.measure),
        measure=" ".join(measures),
        coefficient=of.name,
        level=settings.level,
        n_topics=trusted.n_topics,
        _of=of,
    )


def _compare(
    name: str, members: Labels, sides: Sides, of: Coefficient, settings: Settings, n_jobs: int | None
) -> JudgePanel:
    trusted, judges = sides
    sample, results = sample_of_judges(sides, [name, *members], of, settings, n_jobs)
    tests = difference.compare_pairs([sample], settings.alpha)
    if np.isnan(tests.values).any():
        raise ValueError(f"`judges` of a panel must not tie all systems, but some of {listing([name, *members])} do.")
    best = 1 + int(tests.values[1:].argmax())
    apart = float(tests.values[0] - tests.values[best])
    error, freedom = float(tests.pair_errors[0, best]), float(tests.pair_freedom[0, best])

    n_strata = trusted.design.n_strata if trusted.design else 1
    reference, *rows = correlation.rows_by_topic_name(trusted, [judges[member] for member in members])
    joined = np.hstack(rows)
    alike = partial(errors_alike, n_judges=len(members))
    drawn = replicate(alike, reference, [joined], **settings.resampled_by(), n_jobs=n_jobs)[..., 0, 0]
    error_correlation = float(alike(system_means(reference), system_means(joined))[0])
    of_errors = float(standard_errors(drawn, len(reference)))
    varies = of_errors > TOLERANCE and not math.isnan(error_correlation)
    return JudgePanel(
        panel=name,
        members=members,
        correlation=float(tests.values[0]),
        interval=ConfidenceInterval(results[0].low, results[0].high),
        best=members[best - 1],
        best_correlation=float(tests.values[best]),
        difference=apart,
        difference_interval=difference.difference_interval(apart, error, freedom, settings.level),
        pvalue=float(tests.pvalues[0, best]),
        error_correlation=error_correlation,
        error_interval=correlation.students_interval(
            error_correlation, of_errors if varies else math.nan, float(len(reference) - n_strata), settings.level
        ),
    )


def errors_alike(reference: Floats, judges: Floats, n_judges: int) -> Floats:
    """The mean correlation of what two judges err about pairs of systems, given a reference.

    What a judge errs about a pair is the difference of its means beside what the parabola through the reference's means
    says of it, so that neither unit nor bend of its scale counts. Over all pairs, such errors correlate as those of
    single systems do: it is the partial correlation given the reference's means and their squares.

    Args:
        reference: Means by the reference, shape (..., n_systems).
        judges: Means by the judges, one after the other, shape (..., n_judges * n_systems).
        n_judges: How many judges there are.

    Returns:
        Shape (..., 1): the mean over pairs of judges that err; nan with fewer than six systems, or two such judges.
    """
    size = reference.shape[-1]
    if size < FEWEST_SYSTEMS:
        return np.full((*reference.shape[:-1], 1), np.nan)
    means = judges.reshape(*judges.shape[:-1], n_judges, size)
    line = _unit(_centred(reference[..., np.newaxis, :]))
    curve = _unit(_without(_centred(line**2), line))
    centred = _centred(means)
    errors = _without(_without(centred, line), curve)
    errs = np.linalg.norm(errors, axis=-1) > NO_ERROR * np.linalg.norm(centred, axis=-1)
    total = (_unit(errors) * errs[..., np.newaxis]).sum(axis=-2)
    k = errs.sum(axis=-1)
    pairs = np.where(k > 1, k * (k - 1.0), np.nan)
    return np.asarray((((total**2).sum(axis=-1) - k) / pairs)[..., np.newaxis])


def _centred(values: Floats) -> Floats:
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def _unit(values: Floats) -> Floats:
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.asarray(np.divide(values, length, out=np.zeros_like(values), where=length > 0.0))


def _without(values: Floats, direction: Floats) -> Floats:
    return np.asarray(values - (values * direction).sum(axis=-1, keepdims=True) * direction)
