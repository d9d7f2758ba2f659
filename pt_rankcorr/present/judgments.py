"""How judgments, the labels of judges, and judges that were asked several times are shown."""

from __future__ import annotations

import math
from dataclasses import replace
from operator import attrgetter
from typing import Any

from pt_rankcorr.judgments.label_agreement import JudgesAlpha, PairAccuracy
from pt_rankcorr.judgments.labels import JUDGED, LabelChecks, LabelComparison
from pt_rankcorr.judgments.pools import LeaveOut
from pt_rankcorr.judgments.repetitions import GAIN, JudgeRepetitions
from pt_rankcorr.present.generic import (
    against_the_first,
    facts_of,
    in_a_line,
    interval_of,
    table_of,
)
from pt_rankcorr.stats.significance.pairwise import holm
from pt_rankcorr.tables import (
    COEFFICIENT,
    COUNT,
    NUMBER,
    PERCENT,
    WORD,
    Column,
    Kind,
    Table,
    constant,
    facts,
    listed,
    of_frame,
)
from pt_rankcorr.text import confidence, in_a_sentence, percent

# --- agreement of labels --------------------------------------------------------------------------


@facts_of.register
def judges_alpha_facts(result: JudgesAlpha) -> tuple[Column[Any], ...]:
    """alpha with its interval, then the other values of the result."""
    return _with_interval_first("alpha", result)


@facts_of.register
def pair_accuracy_facts(result: PairAccuracy) -> tuple[Column[Any], ...]:
    """The accuracy with its interval, then the other values of the result."""
    return _with_interval_first("pair accuracy", result)


def _with_interval_first(title: str, result: JudgesAlpha | PairAccuracy) -> tuple[Column[Any], ...]:
    """A column of the statistic with its interval, then one for each other value of the result."""
    values = result.to_dict()
    statistic, ends = values.pop("statistic"), interval_of(values.pop("low"), values.pop("high"))
    return (constant(title, statistic, COEFFICIENT, **ends), *facts(values))


# --- labels of judges -----------------------------------------------------------------------------


@table_of.register
def label_checks_table(result: LabelChecks) -> Table:
    """One row per set of labels, the reference's first: how many, and what may be wrong."""

    def column(name: str, title: str, kind: Kind = COUNT, *, wide: bool = False) -> Column[Any]:
        return Column(name, title, kind, attrgetter(name), wide=wide)

    columns = [
        Column("judge", "labels of", WORD, attrgetter("name")),
        column("n_judgments", "judged"),
        column("n_topics", "topics", wide=True),
        column("coverage", "coverage", PERCENT),
        column("n_outside", "outside the scale"),
        column("outside", "such as", WORD, wide=True),
        column("n_fractions", "fractions"),
        column("n_repeated", "repeated"),
        column("n_contradicting", "contradicting"),
        column("commonest", "commonest label", Kind("{:g}".format), wide=True),
        column("commonest_share", "its share", PERCENT, wide=True),
    ]
    if not math.isnan(result.reference.judged):
        columns.append(column("judged", JUDGED.lower(), PERCENT, wide=True))
    note = " ".join(f"{doubt}." for doubt in result.doubts())
    return Table(tuple(columns), (result.reference, *result.sets), n_names=1, notes=(note,))


@table_of.register
def label_comparison_table(result: LabelComparison) -> Table:
    """One row per judge, the best kappa first: how far labels agree, and what may be wrong."""
    agreements, level = [result.agreement[name] for name in result.judges], result.level
    sets = {labels.name: labels for labels in result.label_checks.sets}
    of_labels = {column.name: column for column in table_of(result.label_checks).columns}
    cluster = {name: number for number, names in enumerate(result.clusters, 1) for name in names}
    is_complete = all(agreement.coverage == 1.0 for agreement in agreements)

    def column(name: str, title: str, kind: Kind = COEFFICIENT, **options: Any) -> Column[int]:
        """A field of each judge's `LabelAgreement`, by default only where all are asked for."""
        values = [getattr(agreement, name) for agreement in agreements]
        return listed(name, kind, values, title, **{"wide": True} | options)

    def measure(name: str, title: str, *, wide: bool = False) -> Column[int]:
        """Such a field with its interval over topics."""
        ends = [agreement.confidence_interval(name, level) for agreement in agreements]
        return column(name, title, wide=wide, interval=ends.__getitem__)

    def labels(name: str) -> Column[Any]:
        """A column of `label_checks_table`, with judges in the order of this table."""
        values = [getattr(sets[judge], name) for judge in result.judges]
        return replace(of_labels[name], value=values.__getitem__, wide=True)

    pvalues = holm(result.pvalues.iloc[1:, 0].to_list())
    columns: list[Column[Any]] = [
        listed("judge", WORD, result.judges),
        listed("cluster", COUNT, [cluster[name] for name in result.judges]),
        measure("kappa", "kappa"),
        against_the_first("p against the first", pvalues, result.alpha),
        measure("kappa_binary", "binary kappa"),
        measure("alpha", "alpha"),
        measure("kappa_weighted", "weighted kappa", wide=True),
        column("coverage", "coverage", PERCENT, wide=is_complete),
        column("precision", "precision"),
        column("recall", "recall"),
        column("n_shared", "judged by both", COUNT),
    ]
    if result.width is not None:
        width, title = result.width, f"documents for a width of {result.width:g}"
        needed = [agreement.documents_needed(width, "kappa", level) for agreement in agreements]
        columns.insert(3, listed("documents_needed", COUNT, needed, title))
    odd = ("n_outside", "outside", "n_fractions", "n_repeated", "n_contradicting")
    columns += [labels(name) for name in ("commonest", "commonest_share", *odd)]
    note = _label_comparison_note(result)
    return Table(tuple(columns), range(len(agreements)), n_names=1, notes=(note,))


def _label_comparison_note(result: LabelComparison) -> str:
    """How to read the columns, and the faults of single judges."""
    agreements = result.agreement.values()
    thresholds = {agreement.relevance_threshold for agreement in agreements}
    thresholds |= {agreement.other_threshold for agreement in agreements}
    relevant = " or ".join(f"{threshold:g}" for threshold in sorted(thresholds))
    texts = [
        f"In brackets: {percent(result.level)} intervals over topics (jackknife).",
        f"Binary kappa: relevant from {relevant} on. Alpha: Krippendorff's, ordinal.",
        f"Judges of different clusters differ in kappa (p <= {result.alpha:g}, Holm); "
        "those of one may, too.",
    ]
    n_tests = len(result.judges) - 1
    if n_tests > 0:
        corrected = f", corrected for {n_tests} tests (Holm)" * (n_tests > 1)
        texts.append(f"p against the first: a t test{corrected}.")
    texts += (f"{doubt}." for doubt in result.label_checks.doubts(of_rankings=False))
    return " ".join(texts)


# --- judges that were asked several times ---------------------------------------------------------


@table_of.register
def repetitions_table(result: JudgeRepetitions) -> Table:
    """One row per judge, the best first: its mean over runs, and variation of runs and topics."""
    judges, sure = result.judges, confidence(result.level)
    ends = list(zip(judges["low"], judges["high"], strict=True))

    def column(name: str, title: str, kind: Kind = NUMBER, **options: Any) -> Column[int]:
        return listed(name, kind, judges[name].tolist(), title, **options)

    means, title = judges["mean"].tolist(), f"{result.statistic} [{sure}]"
    columns = (
        column("judge", "judge", WORD),
        column("n_runs", "runs", COUNT),
        listed(result.statistic, COEFFICIENT, means, title, interval=ends.__getitem__),
        column("between_runs", "sd: runs"),
        column("between_both", "both"),
        column("between_topics", "topics"),
        column("error_of_one", "error of one"),  # standard errors: with one run, and with all
        column("error", "of all runs", wide=True),
        column("enough", "enough", COUNT),
        against_the_first("pvalue", judges["pvalue"][1:]),
        column("differ", "labels differ", PERCENT, shown=bool(judges["differ"].notna().any())),
    )
    texts = [
        f"Mean {result.statistic} of the runs of each judge; {sure} intervals for other runs and "
        f"as many topics ({result.n_topics}).",
        "Standard deviations: of runs on endless topics, of both, which is of a run on some topics "
        "alone, and of topics for all runs.",
        f"Enough: endless runs would shorten the error by less than {GAIN:.0%}.",
        "p: Student's t, with the noise of runs, not corrected.",
    ]
    if single := judges.loc[judges["n_runs"] < 2, "judge"].tolist():
        texts.append(f"Asked once, so the noise of runs is unknown: {in_a_sentence(single)}.")
    note = " ".join([*texts, *result.doubts()])
    return Table(columns, range(len(judges)), n_names=1, notes=(note,))


# --- pools ----------------------------------------------------------------------------------------


@table_of.register
def leave_out_table(result: LeaveOut) -> Table:
    """One row per measure, which sums the runs up."""
    return replace(of_frame(result.measures), notes=(in_a_line(result),))
