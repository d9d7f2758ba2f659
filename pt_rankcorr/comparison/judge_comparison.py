"""Judges beyond their rows: which is better, how much do families differ, and is a judge biased?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from pt_rankcorr.comparison.bias import JudgeBias, judge_bias
from pt_rankcorr.comparison.families import JudgeFamilies, compare_families
from pt_rankcorr.comparison.judges import JudgeRanking, ScoresOfJudges, rank_judges
from pt_rankcorr.comparison.panel_comparison import PanelComparison, compare_panels
from pt_rankcorr.comparison.rows import Comparison, RankingAgreement, with_per_topic
from pt_rankcorr.comparison.settings import Settings as Settings  # of a field
from pt_rankcorr.display import Drawable
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.judgments.labels import LabelChecks
from pt_rankcorr.scores import ScoreMatrix, Scores
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import listing, share
from pt_rankcorr.stats.core.types import Labels
from pt_rankcorr.stats.significance.power import check_difference
from pt_rankcorr.text import shown

ALIKE = " Each judge has another one: `read_scores(file, measure=...)` gives all the same name."


@dataclass(frozen=True)
class JudgesCompared(Comparison):
    """Judges compared with a reference, on one collection or several."""

    reference_name: str

    def judges(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        alpha: float | None = None,
        margin: float | None = None,
        n_jobs: int | None = None,
    ) -> JudgeRanking:
        """Judges in the order of their agreement with the reference, each pair tested.

        All is about topic samples of the size at hand. The null hypothesis of a test: two judges
        agree equally well with the reference, or, for several collections, on average over these.
        Differences are tested over common resamples of topics: see `JudgeRanking.pairs`.

        Args:
            measure, reference: The measures of judges and of the reference, if rows have several.
            coefficient: The name of a coefficient, or a `stats.Coefficient`.
            alpha: The level after correction; by default 1 less the comparison's confidence level.
            margin: Also test that two judges agree with the reference within this of each other: a
                difference of coefficients above 0, and at most 2.
            n_jobs: The number of workers; the result does not depend on it.

        Returns:
            The judges, best first, with significantly different clusters; and which may be best.
        """
        return rank_judges(
            self._scores_of(reference, measure),
            as_coefficient(coefficient),
            self.settings,
            n_jobs,
            alpha=self.settings.alpha if alpha is None else share("alpha", alpha),
            margin=None if margin is None else check_difference("margin", margin),
            reference_name=self.reference_name,
        )

    def _scores_of(self, reference: object, measure: object) -> list[ScoresOfJudges]:
        """For each collection: the reference's matrix, and judge -> matrix, of judges in all."""
        raise NotImplementedError


@dataclass(frozen=True)
class JudgeComparison(JudgesCompared, Drawable):
    """Judges compared with a reference: a `RankingAgreement` per pair of measures and judge.

    A judge is a leaderboard, or a set of judgments under which the runs were evaluated.

    Attributes:
        reference, others: The trusted scores, and judge -> its scores, of runs and topics in use.
        reference_name: What sentences call the reference: the name of its file, or "the reference".
        dropped_topics, dropped_systems: Topics and runs left out, as not all sides have them.
        failed: Judge -> why it could not be used.
        label_checks: A table of the faults of judges' labels, if judges are sets of judgments.
        members: Panel -> the judges in it.
    """

    reference: Scores = field(repr=False)
    others: Mapping[str, Scores] = field(repr=False)
    dropped_topics: Labels
    dropped_systems: Labels
    failed: Mapping[str, str] = field(default_factory=dict)
    label_checks: LabelChecks | None = field(default=None, repr=False)
    members: Mapping[str, Labels] = field(default_factory=dict)

    def panels(
        self,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> PanelComparison:
        """Each panel beside its members: is it better than the best of them, and do they err alike?

        The correlation of errors of two members is their partial correlation given the reference:
        of the mean scores of systems, beside the parabola through the reference's. Members whose
        errors correlate by r on average stand for k / (1 + (k - 1) r) independent ones. Errors of
        the reference count as those of all members: where people's labels are noisy, r is too high.

        Args:
            measure, coefficient, reference, n_jobs: As for `judges`.

        Returns:
            A row a panel, with `sentences()`.

        References:
            Kish, "Survey Sampling", 1965, section 5.4 (the effective number).
        """
        (sides,) = self._scores_of(reference, measure)
        there = sides[1].keys()
        panels = {name: of for name, of in self.members.items() if {name, *of} <= there}
        if not panels:
            raise ValueError("`panels` must have at least one panel with this measure, got none.")
        of, name = as_coefficient(coefficient), self.reference_name
        return compare_panels(sides, panels, of, self.settings, n_jobs, name)

    def families(
        self,
        factors: object,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        *,
        repetition: str | Mapping[str, object] | pd.Series[Any] | None = None,
        reference: object = None,
        n_jobs: int | None = None,
    ) -> JudgeFamilies:
        r"""How much judges, model x prompt x repetition, differ by each, and by sampling error.

        The true coefficients are assumed normal: a mean, a deviation for each group of a factor,
        and the sampling error of topics. Standard deviations maximise the restricted likelihood;
        intervals come from its profile. In simulations of normal coefficients 95% intervals covered
        .92 to 1.00 with 4 to 8 models of 3 or 4 prompts, and .88 between 3 models (120 samples a
        cell).

        Args:
            factors: A pattern with named groups that is found in the names of judges, such as
                ``r"(?P<model>\w+)-(?P<prompt>\w+)"``; or a table, judge -> factor -> value, or a
                frame with one row per judge, named by its index or in the column "judge". The first
                factor contains the others: prompts are compared within a model.
            repetition: The factor that numbers the runs of one judge, or a column of these numbers,
                judge -> number, such as frame["seed"] of a frame indexed by judges. Runs may then
                have equal labels, and the result has `repetitions`: how much each judge varies
                between runs and topics, how many runs are enough, and a test against the first with
                the noise of runs. Each run must be a judge of its own: a column of repeats in a
                file, such as "seed", is averaged as it is read, so give a file, or a frame, for
                each of its values.
            measure, coefficient, reference, n_jobs: As for `judges`.

        Returns:
            A table with one row per factor and one for topic sampling error, and `best`: for each
            model the judges that may be its best. All is about topic samples of the size at hand,
            and about judges that are no panels.

        References:
            Patterson and Thompson, "Recovery of inter-block information when block sizes are
            unequal", Biometrika 58, 1971 (restricted likelihood).
        """
        ((trusted, all_judges),) = self._scores_of(reference, measure)
        judges = {name: of for name, of in all_judges.items() if name not in self.members}
        return compare_families(
            (trusted, judges),
            factors,
            repetition,
            as_coefficient(coefficient),
            self.settings,
            self.label_checks,
            n_jobs,
        )

    def _scores_of(self, reference: object, measure: object) -> list[ScoresOfJudges]:
        """Of the only collection; an error if rows have several measures and None is given."""
        rows = self._rows_of(reference, measure)
        for name in ("reference", "measure"):
            measures = list(dict.fromkeys(row.key[name] for row in rows))
            if len(measures) > 1:
                advice = ALIKE if len(measures) == len(rows) else ""
                raise ValueError(f"`{name}` must be one of {listing(measures)}, got None.{advice}")
        judges = {row.judge: self.others[row.judge][row.measure] for row in rows}
        return [(self.reference[rows[0].reference], judges)]

    def bias(
        self,
        groups: Mapping[str, object] | pd.Series,
        *,
        measure: object = None,
        coefficient: CoefficientLike = "tau",
        same_scale: bool = False,
        reference: object = None,
    ) -> JudgeBias:
        """Whether judges favour groups of runs, beyond what the reference sees in them.

        The score shift of a run is F - h(R), with R and F its mean scores by reference and judge.
        The curve h is a parabola that never falls, fitted to runs within groups, so a judge who is
        lenient or bends the scale favours nobody. The shift of a group is the mean over its runs
        less that over all others, in the topic population. Its interval and p-value are for runs of
        this kind: what the judge errs about single runs counts as chance, and it may err more about
        those of one group (Welch's t). They are corrected alike for all rows (Bonferroni), so an
        interval leaves out 0 where p <= 1 - level. Groups chosen after looking have no valid p.

        Args:
            groups: Group -> its runs: a list of names, or a pattern such as ``"rerank-*"``; or a
                series of run and group. A run is in one group or in none.
            measure, reference: A measure of the judges, and of the reference; by default all.
            coefficient: As for `judges`, for the correlation without each group, on these topics.
            same_scale: Whether judge and reference give a run the same score, so that h(R) is R.

        Returns:
            A table, with the frames `groups` and `runs`, and `sentence()` for a paper.

        Warns:
            DegenerateInputWarning: If a judge or the reference ties all runs, or those of each
                group: shifts are nan. If a group is better, or worse, than other runs in more than
                nine of ten pairs: it has no p-value.
        """
        return judge_bias(
            self._rows_of(reference, measure),
            self.reference,
            self.others,
            groups,
            settings=self.settings,
            coefficient=as_coefficient(coefficient),
            same_scale=same_scale,
        )

    def per_topic(self) -> JudgeComparison:
        """The comparison with columns of single topics: mean coefficients, and accuracy of pairs.

        See `MeasureComparison.per_topic`; `judgments.pair_accuracy` is of pairs of documents.
        """

        def scores_of(row: RankingAgreement) -> tuple[ScoreMatrix, ScoreMatrix]:
            return self.reference[row.reference], self.others[row.judge][row.measure]

        return with_per_topic(self, scores_of)

    @property
    def failures(self) -> str:
        """Which judges could not be used, and why; "" if all were."""
        if not self.failed:
            return ""
        reasons = "; ".join(f"{shown(name)}: {reason}" for name, reason in self.failed.items())
        n_judges = len(self.failed) + len(self.others)
        unused = f"{len(self.failed)} of {n_judges} judges cannot be used, and are left out"
        return f"{unused}: {reasons}"

    def _rows_of(self, reference: object, measure: object) -> list[RankingAgreement]:
        """The rows with this measure of the reference, and this one of the judges; None for all.

        Any alias of a measure is taken. A ValueError if no row has it.
        """
        rows = list(self.rows)
        for name, wanted in (("measure", measure), ("reference", reference)):
            if wanted is not None:
                chosen = find_measure(wanted, dict.fromkeys(row.key[name] for row in rows), name)
                rows = [row for row in rows if row.key[name] == chosen]
        return rows

    def _compared(self) -> dict[str, Any]:
        return {
            "n_topics": len(self.reference.topics),
            "n_systems": len(self.reference.systems),
            "dropped_topics": list(self.dropped_topics),
            "dropped_systems": list(self.dropped_systems),
            "failed": dict(self.failed),
        }
