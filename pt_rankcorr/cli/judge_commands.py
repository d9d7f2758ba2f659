"""The commands that compare judges, or judgments, and what these print besides rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from cyclopts import Parameter

import pt_rankcorr as rc
from pt_rankcorr import choices
from pt_rankcorr.cli import options, output
from pt_rankcorr.cli.options import Drawn, Flag, Level, Output, Seeding
from pt_rankcorr.cli.output import TABLES, Results, UsageError
from pt_rankcorr.cli.score_options import Runs
from pt_rankcorr.defaults import ALPHA, LEVEL
from pt_rankcorr.tables import constant
from pt_rankcorr.warnings import FailedJudgesWarning, silencing


def labels(
    *,
    qrels: str,
    against: options.Judges,
    scales: options.Scales = options.Scales(),
    width: Annotated[float | None, Parameter(validator=options.is_margin)] = None,
    level: Level = LEVEL,
    alpha: options.Alpha = ALPHA,
    wide: options.Wide = False,
    download: Flag = False,
    out: Drawn = Drawn(),
) -> None:
    """How far labels of judges agree with a reference's: kappa, binary kappa, Krippendorff's alpha.

    It needs no runs. It names labels outside of the scale, fractions, repeated and contradicting
    labels.

    Args:
        qrels: the TREC qrels file of the reference, or irds: and the id of a dataset of ir-datasets
        width: also show how many documents shorten the interval of kappa to this width
        alpha: the level at which two judges differ significantly in kappa
        download: whether judgments of ir-datasets that are not on this machine may be downloaded
    """
    output.check_plot(out.plot, [qrels, *against])
    settings = {"width": width, "level": level, "alpha": alpha, "download": download}
    result = rc.judgments.compare_labels(qrels, against, **(scales.arguments() | settings))
    table = result.table()
    with Results(out.format, wide=wide) as results:
        results.add(table, level=level)
    for text in table.notes:
        out.note(text)
    output.draw(out.plot, result)


def alpha(
    *,
    judges: list[str],
    metric: choices.LabelMetric = "ordinal",
    level: Level = LEVEL,
    out: Output = Output(),
) -> None:
    """Krippendorff's alpha of two or more sets of labels.

    Args:
        judges: TREC qrels files, a folder or a pattern of them
        metric: how far two labels are apart
    """
    # one row, with a jackknife interval over topics; one table may have a column for each judge
    with Results(out.format) as results:
        results.add(rc.judgments.alpha_of_judges(judges, metric, level=level).table())


def curve(
    *,
    runs: Runs = Runs(),
    depths: Annotated[list[int] | None, options.Whole] = None,
    shares: list[float] | None = None,
    repetitions: Annotated[int | None, options.Whole] = None,
    rows: options.CurveChoice = options.CurveChoice(),
    wide: options.Wide = False,
    draws: Seeding = Seeding(),
    out: Drawn = Drawn(),
) -> None:
    """How well fewer judgments rank systems: the rankings under them against that under all.

    Either --depths or --shares is required.

    Args:
        depths: depths of pools: judgments of the documents that some run ranks as high
        shares: shares of the judgments of each topic, drawn at random
        repetitions: how often each share is drawn (default: 10)
    """
    if (depths is None) == (shares is None):
        raise UsageError("One of the options --depths --shares is required, and not both.")
    if depths is not None and repetitions is not None:
        raise UsageError("--repetitions can only be used with --shares.")
    from pt_rankcorr.comparison.engine import Engine
    from pt_rankcorr.comparison.judgment_curve import compare_subsets

    arguments = runs.arguments()
    output.check_plot(out.plot, runs.files)
    with draws.seeded(out) as sampling, Results(out.format, wide=wide) as results:
        settings = rows.settings(sampling["rng"], d_rank=True)
        result = compare_subsets(
            qrels=runs.reference(),
            engine=Engine(settings, draws.n_jobs, results.add_row, out.verbose),
            depths=depths,
            shares=shares,
            repetitions=repetitions,
            **arguments,
        )
    out.note(f"{result.n_judgments} judgments in all.")
    output.draw(out.plot, result)


def judgments(
    *,
    runs: Runs = Runs(),
    against: options.Judges,
    scales: options.Scales = options.Scales(),
    rows: options.ComparisonChoice = options.ComparisonChoice(),
    judging: options.Judging = options.Judging(),
    draws: Seeding = Seeding(),
    out: Drawn = Drawn(),
) -> None:
    """Whether judgments of language models, assessors or shallow pools rank systems differently.

    Below the rows of two judges or more stands their order: which agree better with the reference,
    and which may be the best.
    """
    from pt_rankcorr.comparison.compare_judgments import compare_sets

    arguments, labels = runs.arguments(), scales.arguments()
    # the threshold of the reference goes with its judgments; the rest, and panels, are of judges
    arguments["reference"] = runs.reference(labels.pop("reference_threshold"))
    arguments["judges"] = rc.judgments.Judges(against, **labels, **judging.panels())
    compare = partial(compare_sets, **arguments)
    show_judges(compare, judging, rows, [*runs.files, *against], draws, out, option="--against")


def leaderboards(
    *,
    reference: list[str],
    judges: list[str],
    reference_measure: list[str] | None = None,
    measures: Annotated[list[str] | None, Parameter(group=options.READING)] = None,
    lower_is_better: Annotated[list[str] | None, Parameter(group=options.READING)] = None,
    missing: Annotated[choices.MissingOfJudges, Parameter(group=options.READING)] = "error",
    same_topics: bool = True,
    input_format: choices.LeaderboardFormat | None = None,
    rows: options.ComparisonChoice = options.ComparisonChoice(),
    judging: options.Judging = options.Judging(),
    draws: Seeding = Seeding(),
    out: Drawn = Drawn(),
) -> None:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    Below the rows of two judges or more stands their order: which agree better with the reference,
    and which may be the best. It reads the formats of autojudge-evaluate.

    Args:
        reference: the trusted leaderboard
        judges: the leaderboards to compare: one file or folder per judge
        reference_measure: measures of the reference (default: measures with equal names)
        measures: measures of the judges, such as AP nDCG@10 (default: all that can be compared)
        lower_is_better: measures that are better when lower
        missing: what to do where leaderboards differ in runs or topics. error: stop; skip or warn:
            leave out runs and topics that not all have; drop-topics, drop-systems: leave out only
            these; default or zero: a judge gives 0 where it has no score
        same_topics: whether judges have the topics of the reference
        input_format: the format of all files (default: found from their content)
    """
    from pt_rankcorr.comparison.compare_leaderboards import compare_boards

    compare = partial(
        compare_boards,
        reference=reference,
        judges=rc.judgments.Judges(judges, **judging.panels()),
        reference_measure=reference_measure and options.names_in(reference_measure),
        measures=measures and options.names_in(measures),
        lower_is_better=options.names_in(lower_is_better or []),
        missing=missing,
        format=input_format,
    )
    # None, which means no, is not named among the settings
    two_samples = None if same_topics else True
    files = [*reference, *judges]
    show_judges(
        compare, judging, rows, files, draws, out, option="--judges", two_samples=two_samples
    )


def show_judges(
    compare: Callable[..., Any],
    judging: options.Judging,
    rows: options.ComparisonChoice,
    files: Sequence[str],
    draws: Seeding,
    out: Drawn,
    *,
    option: str,
    two_samples: bool | None = None,
) -> None:
    """Compares judges; prints rows and the order of judges, then bias and families if asked for.

    `compare` takes an engine, and returns a JudgeComparison; `files` are its inputs, which no
    picture may replace, and `option` names judges in the error about those that failed.
    `two_samples` is as in `Settings`. CSV and JSON lines have one table: the rows, or that of
    groups of runs or of families of judges.
    """
    from pt_rankcorr.comparison.engine import Engine

    output.check_plot(out.plot, files)
    groups, factors = judging.read(), judging.factors()
    is_table = out.format in TABLES
    if groups is not None and factors is not None and not is_table:
        raise UsageError(
            f"--group is not allowed with --families in {out.format}, which has one table."
        )
    is_shown = is_table or (groups is None and factors is None)
    # failures are named at the end
    with silencing(FailedJudgesWarning), draws.seeded(out) as sampling:
        with Results(out.format, wide=rows.wide) as results:
            settings = rows.settings(sampling["rng"], two_samples=two_samples)
            on_row = results.add_row if is_shown else lambda _: None
            result = compare(engine=Engine(settings, draws.n_jobs, on_row, out.verbose))
            # csv and jsonl have the faults of labels in columns
            if result.label_checks is not None and is_table:
                checks = replace(result.label_checks.table(), notes=())
                output.emit(TABLES[out.format](checks, wide=rows.wide) + "\n")
        out.note_of(result, wide=rows.wide)
        # the first coefficient that was asked for, else tau
        how = {"coefficient": result.settings.shown[0], "n_jobs": draws.n_jobs}
        show_order(result, how, judging.margin, files, out)
        if is_table:
            of_panels = [row for row in result if row.judge in result.members]
            pairs = dict.fromkeys((row.reference, row.measure) for row in of_panels)
            for reference, measure in pairs:
                show_result(result.panels(measure, reference=reference, **how), out)
        if groups is not None:
            bias = result.bias(groups)
            show_result(bias, out, level=bias.level)
        if factors is not None:
            show_families(result, how, factors, judging.repetition, out)
    refuse_failures(result, option)


def show_result(result: Any, out: Output, *, wide: bool = True, **settings: Any) -> None:
    """Prints the table of a result below others, and its note; csv and jsonl get `settings`."""
    if out.format in TABLES:
        output.emit("")
    table = result.table()
    with Results(out.format, wide=wide) as results:
        results.add(table, **settings)
    out.note(" ".join([table.answer, *table.notes]).strip())


def show_order(
    result: Any, how: dict[str, Any], margin: float | None, files: Sequence[str], out: Drawn
) -> None:
    """Prints the order of two judges or more by each pair of measures, and draws it, or the rows.

    Pairs are (measure of the reference, of the judges). `how` has the arguments `coefficient` and
    `n_jobs`; `margin` is for tests of equivalence, None for none.
    """
    n_judges = Counter((row.reference, row.measure) for row in result if row.is_defined)
    pairs = [pair for pair in n_judges if n_judges[pair] > 1]
    if not pairs:
        output.draw(out.plot, result)
        return
    if out.format not in TABLES and out.plot is None:  # csv and jsonl have rows alone
        return
    # "AP-nDCG", or "AP" where both are
    named = {"-".join(dict.fromkeys(pair)): pair for pair in pairs}
    pictures = output.pictures_of(out.plot, list(named), files)
    for part, (reference, measure) in named.items():
        ranking = result.judges(measure, reference=reference, margin=margin, **how)
        if out.format in TABLES:
            show_result(ranking, out, wide=False)
        output.draw(pictures.get(part), ranking)


def show_families(
    result: Any, how: dict[str, Any], factors: Any, repetition: str | None, out: Output
) -> None:
    """Prints how much judges vary between families and by chance, for each pair of measures.

    All but `result` and `out` are arguments of `JudgeComparison.families`.
    """
    if out.format in TABLES:
        output.emit("")
    with Results(out.format) as results:
        for reference, measure in dict.fromkeys((row.reference, row.measure) for row in result):
            families = result.families(
                factors, measure, repetition=repetition, reference=reference, **how
            )
            table = families.table()
            results.add(
                table.with_leading_columns(constant("measure", measure)),
                coefficient=families.coefficient,
                level=families.level,
                seed=result.seed,
            )
            out.note(table.notes[0])
            if families.repetitions is not None and out.format in TABLES:
                show_result(families.repetitions, out)


def refuse_failures(result: Any, option: str) -> None:
    """Ends with an error, below all output of the others, if some judges could not be used."""
    if result.failed:
        raise ValueError(f"{option}: {result.failures}")
