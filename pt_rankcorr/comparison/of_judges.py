"""Judges compared with a reference: the result of `compare_leaderboards` and `compare_judgments`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pt_rankcorr.comparison.bias import JudgeBias, judge_bias
from pt_rankcorr.comparison.judges import JudgeFamilies, JudgeRanking, judge_families, rank_judges
from pt_rankcorr.comparison.settings import Settings as Settings  # the type of an inherited field, for its readers
from pt_rankcorr.comparison.table import Comparison, RankingAgreement
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.judgments.labels import LabelHygiene
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.text import shown

ALIKE = " Each judge has another one: `read_scores(file, measure=...)` gives all the same name."


@dataclass(frozen=True)
class JudgeComparison(Comparison):
    """Judges compared with a reference: a sequence of `RankingAgreement`, by pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference: The trusted scores, of the runs and topics in use.
        others: Judge -> its scores of these runs and topics.
        dropped_topics: Topics that were left out, as not all sides have them.
        dropped_systems: Runs that were left out for the same reason.
        failed: Judge -> why it could not be used.
        hygiene: A table of the faults of judges' labels, if judges are sets of judgments.
        groups: The given groups of runs.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels
    failed: Mapping[str, str] = field(default_factory=dict)
    hygiene: LabelHygiene | None = field(default=None, repr=False)
    groups: Mapping[str, object] | None = field(default=None, repr=False)

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference over all topics, each pair tested.

        The null hypothesis of a test: two judges agree equally well with the reference over all topics there could be.
        The test uses draws of the true means by the reference and by all judges, over the same resampled topics. The
        p-values of all pairs are corrected together, by the stepwise test of the largest studentised difference.

        Args:
            measure: The measure of the judges, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            reference: The measure of the reference, if rows have several for that of the judges.
            alpha: The level after correction; by default that of the comparison.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with significantly different clusters, and the judges that may be the best.

        Raises:
            ValueError: If an argument is unknown, out of its range, or missing where several rows match, or if fewer
                than two judges rank systems.

        References:
            Romano and Wolf, "Stepwise multiple testing as formalized data snooping", Econometrica 73, 2005.
        """
        settings = self.settings if alpha is None else replace(self.settings, alpha=alpha)
        return rank_judges(*self._of_one_pair(reference, measure), coefficient, settings, n_jobs)

    def families(
        self,
        factors: object,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeFamilies:
        r"""How much judges that are model x prompt x repetition differ by each of these, and by luck.

        The true coefficients are assumed normal: a mean, a deviation for each group of a factor, and the luck of
        topics, whose covariance is that of draws of the true means. Standard deviations maximise the restricted
        likelihood; intervals come from its profile, and include 0 unless the data exclude it. In simulations of normal
        coefficients 95% intervals covered .92 to 1.00 with 4 to 8 models of 3 or 4 prompts, and .88 between 3 models
        (120 samples per cell).

        Args:
            factors: A pattern with named groups that is found in the names of judges, such as
                ``r"(?P<model>\w+)-(?P<prompt>\w+)"``; or a table, judge -> factor -> value, or a frame with one row per
                judge, named by its index or in the column "judge". The first factor contains the others: prompts are
                compared within a model.
            measure: The measure of the judges, if rows have several.
            coefficient: As for `judges`.
            reference: The measure of the reference, if rows have several for that of the judges.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            A table that prints itself, with one row per factor and one for luck, and `best`: for each model the judges
            that may be its best, or that none can be told from another.

        Raises:
            TypeError: If the factors are neither a pattern nor a table.
            ValueError: If a judge has none, or all have one value; if a judge ties all systems; or an argument is
                unknown.

        References:
            Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", Biometrika 58,
            1971 (restricted likelihood).
        """
        return judge_families(*self._of_one_pair(reference, measure), factors, coefficient, self.settings, n_jobs)

    def _of_one_pair(self, reference: object, measure: object) -> tuple[ScoreMatrix, dict[str, ScoreMatrix]]:
        """The scores by the chosen measures, of the reference and of each judge."""
        chosen = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            there = list(dict.fromkeys(row.key[name] for row in chosen))
            if len(there) > 1:
                advice = ALIKE if len(there) == len(chosen) else ""
                raise ValueError(f"`{name}` must be one of {listing(there)}, got None.{advice}")
        return self.reference[chosen[0].reference], {row.judge: self.others[row.judge][row.measure] for row in chosen}

    def bias(
        self,
        groups: Mapping[str, object] | None = None,
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge. The curve h puts both
        on one scale, so that a judge who is lenient, or uses half of the scale, or bends it, favours nobody. It is a
        parabola that never falls, fitted to runs within groups, so that differences in quality between groups do not
        bend it; so a shift changes a little with the other groups that are named. The shift of a group is the mean over
        its runs less that over all others. So if a judge favours one group, others have a shift below 0.

        All results are for the means over all topics there could be: values are means, intervals quantiles, and
        p-values shares of draws of the true means by both measures. There are two p-values. One is for *these very
        runs*: it is small if the judge scores them too high or low, whatever the cause, even errors about single runs.
        The other is for *runs of that kind*, with errors about single runs as luck: only it supports "favours such
        runs". Groups chosen after looking have no valid p. In simulations with 25 and 50 topics the second rejected
        .00 to .04 of true hypotheses at .05 (straight and bent scales, random groups and good ones).

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``. A run is in one group
                or in none. By default those of the comparison.
            measure: A measure of the judges; by default all.
            coefficient: As for `judges`, for the correlation without each group.
            same_scale: Whether judge and reference give the same run the same score, so that h(R) is R.
            reference: A measure of the reference; by default all.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            A table that prints itself, with `groups` and `runs`, two frames.

        Warns:
            DegenerateInputWarning: If a judge or the reference ties all runs, or those of each group: shifts are nan.
                If by the reference a group is better, or worse, than other runs in more than nine of ten pairs: its
                shift cannot be told from its quality, and its p-values are nan.

        Raises:
            TypeError: If the groups are no mapping to lists or patterns.
            ValueError: If a group has none or all of the runs, an unknown run, or a run of another group; or an
                argument is unknown.
        """
        if self.settings.two_samples:
            raise ValueError("`groups` must be None if judges have topics of their own, got groups.")
        how: dict[str, Any] = {"coefficient": coefficient, "same_scale": same_scale, "n_jobs": n_jobs}
        compared = [
            (row, self.reference[row.reference], self.others[row.judge][row.measure])
            for row in self._rows_of(reference, measure)
        ]
        return judge_bias(compared, (self.groups or {}) if groups is None else groups, self.settings, **how)

    @property
    def failures(self) -> str:
        """Which judges could not be used, and why; "" if all were."""
        reasons = "; ".join(f"{shown(name)}: {reason}" for name, reason in self.failed.items())
        of = len(self.failed) + len(self.others)
        return f"{len(self.failed)} of {of} judges cannot be used, and are left out: {reasons}" if self.failed else ""

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """The rows of these measures; None stands for all."""
        rows = list(self.rows)
        for name, given in (("measure", measure), ("reference", reference)):
            if given is not None:
                found = find_measure(given, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == found]
        return rows

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.judge} by {row.measure}"

    def _facts(self) -> dict[str, Any]:
        sizes = {"n_topics": len(self.reference.topics), "n_systems": len(self.reference.systems)}
        left_out = {"dropped_topics": list(self.dropped_topics), "dropped_systems": list(self.dropped_systems)}
        return {**sizes, **left_out, "failed": dict(self.failed)}

    def _subject(self) -> str:
        dropped = [
            f"{len(names)} {what}, {listing(names)}"
            for what, names in (("runs", self.dropped_systems), ("topics", self.dropped_topics))
            if names
        ]
        left_out = f" (left out, as not all have them: {'; '.join(dropped)})" if dropped else ""
        judges = "1 judge" if len(self.failed) == 1 else f"{len(self.failed)} judges"
        unused = f" {judges} could not be used: {listing(self.failed)}." if self.failed else ""
        sizes = f"{len(self.reference.systems)} runs on {len(self.reference.topics)} topics{left_out}"
        if self.settings.two_samples:
            others = sorted({len(scores.topics) for scores in self.others.values()})
            span = " to ".join(map(str, dict.fromkeys((others[0], others[-1]))))
            return f"{sizes}; judges on {span} topics of their own: two independent samples.{unused}"
        return f"{sizes}.{unused}"
