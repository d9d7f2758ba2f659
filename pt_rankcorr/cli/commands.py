"""The commands: each calls the function that its docstring speaks of, and writes the result line by line.

The parameters of a command are its options, and have the defaults of the function that they are for.
"""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import pt_rankcorr as rc
from pt_rankcorr import choices, tables, whole_file
from pt_rankcorr.cli import options, output
from pt_rankcorr.cli.options import (
    ComparisonOptions,
    ComparisonResamples,
    Drawn,
    FewerResamples,
    Flag,
    Level,
    Output,
    Resampling,
    Source,
)
from pt_rankcorr.cli.output import TABLES, Results, UsageError
from pt_rankcorr.defaults import ALONE, ALPHA, LEVEL
from pt_rankcorr.tables import Column, Table, constant
from pt_rankcorr.text import confidence, shown
from pt_rankcorr.warnings import silencing

OF_DISTANCES = ("n_topics", "n_systems", "tau", "d_rank", "d_rank pvalue", "d_rank pvalue standard error")  # columns
# the single numbers of swap rates that people see, and their titles
SWAPS = {
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
    "share_swapped": "all swaps",
}


def demo(
    *,
    n_topics: Annotated[
        int,
        options.Whole,
        Parameter("--topics", validator=options.rule("from 2 to 90", lambda number: 2 <= number <= 90)),
    ] = 50,
    write: str | None = None,
    messages: options.Notes = options.Notes(),
) -> None:
    """An experiment on an embedded, synthetic test collection: measures compared, and each with the true ranking.

    Args:
        n_topics: the number of topics, from 2 to 90
        write: do not run the experiment: write its runs and judgments to this folder, to try the other commands
    """
    from pt_rankcorr.demo import study

    if write is not None:
        n_runs = study.write(write, n_topics=n_topics)
        written = "ap.csv, reference.qrels, model.qrels and strict.qrels"
        output.emit(f"Wrote runs/ ({n_runs} runs), {written} to {shown(write)}.")
        return
    result = study.run(n_topics=n_topics, verbose=not messages.quiet and sys.stderr is not None and sys.stderr.isatty())
    output.emit("A synthetic collection: generated documents, topics and labels.\n")
    for frame in (result.by_system, result.by_measure):
        output.emit(output.in_terminal(tables.of_frame(frame)) + "\n")
    output.emit("\n".join(result.sentences))


def compare(
    *,
    source: Source = Source(),
    reference: str | None = None,
    how: ComparisonOptions = ComparisonOptions(),
    test: options.PairTest | None = None,
    wide: options.Wide = False,
    draws: ComparisonResamples = ComparisonResamples(),
    out: Drawn = Drawn(),
) -> None:
    """How alike measures rank systems, each compared with each, on each collection.

    Intervals are of the mean over samples of as many topics. A small p (same true ranking): the noise of topics does
    not explain how the two rankings differ. Each of several --experiment, --qrels or --irds is a collection.

    Args:
        reference: the trusted measure (default: each measure in turn)
        test: the test of pairs of systems; only tukey-hsd corrects for the number of pairs (default: pairs are not
            tested)
    """
    output.check_plot(out.plot, source.files)
    collections = source.collections(out, reference)
    pictures = output.pictures_of(out.plot, list(collections), source.files)
    total = sum((len(scores) if reference is None else 1) * (len(scores) - 1) for scores in collections.values())
    with draws.seeded(out) as sampling, written(out, total, wide=wide) as on_row:
        result = rc.compare(
            collections,
            reference=reference,
            test=test,
            verbose=False,  # rows have a progress bar already
            on_row=on_row,
            **sampling,
            **comparing(how, wide=wide),
        )
    note_of(result, out, wide=wide)
    for name, path in pictures.items():
        output.draw(path, result, title=None if name is ALONE else name, collection=name)


def drank(
    *,
    source: Source = Source(),
    reference: options.Reference = None,
    ranking: list[str] | None = None,
    only_shared_runs: Flag = False,
    null: options.OfNull = "shrunken",
    covariance: options.Covariance = None,
    draws: Resampling = Resampling(),
    out: Output = Output(),
) -> None:
    """Whether the order of a ranking could be the true ranking by the reference: Carterette's d_rank and its p-value.

    It tests the ranking by every other measure, or with --ranking the rankings in files.

    Args:
        ranking: test rankings in files instead of other measures: a system and its score per line, or systems, best
            first
        only_shared_runs: with --ranking: leave out systems that only one side has
    """
    if only_shared_runs and not ranking:
        raise UsageError("--only-shared-runs can only be used with --ranking.")
    rankings = options.read_rankings(ranking or ())
    scores = source.read(out, compared_by="" if ranking else "drank", reference=reference)
    name = options.reference_of(scores, reference)
    how: dict[str, Any] = {"null": null, "covariance": covariance}
    if not ranking:
        with draws.seeded(out) as sampling, written(out, len(scores) - 1, only=OF_DISTANCES) as on_row:
            result = rc.compare(
                scores, reference=name, intervals=False, d_rank=True, verbose=False, on_row=on_row, **sampling, **how
            )
        note_of(result, out)
        return
    tests: dict[tuple[str, ...], Any] = {}
    with draws.seeded(out) as sampling, Results(out.format) as results:
        for file, values in rankings.items():
            systems = options.shared_systems(out, scores[name], values, file, leave_out=only_shared_runs)
            trusted = scores[name].select(systems=systems)
            if systems not in tests:
                tests[systems] = rc.DRankTest(trusted, **sampling, **how)
            chosen = {system: values[system] for system in systems}
            result = tests[systems].test(chosen)
            distance, *others = result.table().columns
            tau = constant("tau", rc.kendall_tau(trusted, chosen), tables.COEFFICIENT)
            names = constant("reference", name), constant("ranking", file)
            table = Table((*names, tau, replace(distance, name="d_rank"), *others), [result])
            results.add(table, seed=sampling["rng"])


def expected(
    *,
    source: Source = Source(),
    coefficient: options.Coefficient = "tau_ap",
    estimator: choices.Estimator = "shrunken",
    target: Annotated[float, Parameter(validator=options.rule("from -1 to 1", lambda number: -1 <= number <= 1))] = 0.9,
    topics: options.Topics = None,
    level: Level = LEVEL,
    draws: Resampling = Resampling(),
    out: Drawn = Drawn(),
) -> None:
    """The expected correlation of a measure's ranking with the true ranking, and how many topics are needed.

    Args:
        coefficient: the rank correlation
        estimator: how the true means and the errors of systems are estimated
        target: show how many topics are needed for this correlation
        topics: also show the expected correlation with these numbers of topics
    """

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        result = rc.expected_correlation(scores, coefficient=coefficient, estimator=estimator, **sampling)
        value, *others = result.table().columns
        table = result.topics_needed(target).table(level)
        needed, *settings = table.columns
        columns = (
            replace(value, interval=lambda _: result.confidence_interval(level)),
            needed,
            *(constant(f"with {number} topics", result.curve(number), tables.COEFFICIENT) for number in topics or ()),
            *others,
            *settings,
        )
        notes = (result._note(level), *table.notes)
        return result, Table(columns, [result], notes=notes), {"target": target, "level": level}

    each_measure(source, compute, draws, out)


def ranks(
    *,
    source: Source = Source(),
    method: choices.RankMethod = "shrunken",
    simultaneous: bool = False,
    level: Level = LEVEL,
    draws: Resampling = Resampling(),
    out: Drawn = Drawn(),
) -> None:
    """The rank of each system with an interval of its true rank, and which systems may be the best.

    Tier 1 has the systems that may be the best, tier 2 those that may be the best of the others, and so on. The
    level of the intervals holds on average over systems, and with --method pairwise for each.

    Args:
        method: how the intervals are computed
        simultaneous: whether the intervals hold for all systems together, with --method pairwise
    """
    from pt_rankcorr.stats.accuracy.ranks import best_of

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        result = rc.rank_intervals(scores, method=method, simultaneous=simultaneous, level=level, **sampling)
        best = best_of(result)
        system, *others = result.table().columns
        columns = (
            replace(system, value=scores.systems.__getitem__),
            Column("mean", "mean", tables.NUMBER, lambda index: scores.mean_of(scores.systems[index])),
            *others,
        )
        rows = [scores.systems.index(name) for name in scores.ranking]
        doubt = result.doubt()
        notes = (result._note(), *([f"{scores.measure}: {doubt}"] if doubt else ()))
        return result, Table(columns, rows, notes=notes), {"best": best}

    each_measure(source, compute, draws, out)


def power(
    *,
    source: Source = Source(),
    test: options.PairTest = "tukey-hsd",
    alpha: options.Alpha = ALPHA,
    draws: FewerResamples = FewerResamples(),
    out: Drawn = Drawn(),
) -> None:
    """The share of pairs of systems that a measure tells apart by a test of significance.

    Args:
        alpha: the level at which two systems differ significantly
    """

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        result = rc.discriminative_power(scores, test=test, alpha=alpha, **sampling)
        name = f"{result.test}, {'corrected' if result.corrected else 'uncorrected'}"
        tested = constant("named test", name, title="test", machine=False)
        return result, Table((*result._facts(), tested), [result], notes=(result._note(),)), {}

    each_measure(source, compute, draws, out)


def swap(
    *,
    source: Source = Source(),
    max_rate: float = 0.05,
    bins: int | str | None = None,
    of: choices.OtherTopics | None = None,
    topic_set_size: Annotated[int | None, options.Whole] = None,
    topics: options.Topics = None,
    draws: FewerResamples = FewerResamples(),
    out: Drawn = Drawn(),
) -> None:
    """How often a difference of two systems is reversed on other topics.

    The table shows the required difference, from which on other topics reverse at most the share --max-rate of
    comparisons, and the share of comparisons that reach it.

    Args:
        max_rate: the largest acceptable swap rate
        bins: how many classes of differences there are, or "published" (default: 21, with --topics published)
        of: what the other topics are (default: new topics)
        topic_set_size: topics in each set of them (default: all, of halves half)
        topics: show the required difference with these numbers of topics
    """
    for name, value in (("of", of), ("topic-set-size", topic_set_size)):
        if topics and value is not None:
            raise UsageError(f"--{name} is not allowed with --topics.")
    choice = {"bins": bins, "of": of, "topic_set_size": topic_set_size}
    how: dict[str, Any] = {name: value for name, value in choice.items() if value is not None}
    how["max_rate"] = max_rate

    def along_topics(scores: Any, sampling: dict[str, Any]) -> Computed:
        curve = rc.stats.swap_curve(scores, **sampling, **how)
        needed = {f"needed with {number} topics": curve.required_difference(number) for number in topics or ()}
        most = max(curve.n_topics, *(topics or ()))
        return curve, Table(tables.facts(needed), [curve], notes=(curve._note(),)), {"n_topics": most}

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        rates = rc.stats.swap_rates(scores, **sampling, **how)
        share = float(rates.swaps.sum() / rates.counts.sum())
        values = {**rates.to_dict(), "share_swapped": share}
        columns = tuple(constant(name, values[name], tables.NUMBER, title) for name, title in SWAPS.items())
        text = (
            f"Required difference: from it on, other topics reverse at most {rates.max_rate:.0%} of comparisons. "
            "Relative: the same, of the highest mean of any system on any topics."
        )
        return rates, Table(columns, [rates], notes=(text, rates._note())), {}

    each_measure(source, along_topics if topics else compute, draws, out)


def stability(
    *,
    source: Source = Source(),
    fuzziness: list[float] = [0.05],
    of: choices.OtherTopics = "new topics",
    topic_set_size: Annotated[int | None, options.Whole] = None,
    draws: FewerResamples = FewerResamples(),
    out: Drawn = Drawn(),
) -> None:
    """How often a different set of topics would order a pair of systems wrongly, or tie them.

    A measure is better if both its minority rate and its proportion of ties are lower.

    Args:
        fuzziness: relative differences below these are ties
        of: what the other topics are
        topic_set_size: topics in each set of them (default: all, of halves half)
    """

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        how: dict[str, Any] = {"fuzziness": fuzziness, "of": of, "topic_set_size": topic_set_size}
        result = rc.stats.stability(scores, **how, **sampling)
        return result, result.table(), {}

    each_measure(source, compute, draws, out)


def error(
    *,
    source: Source = Source(),
    reference: options.Reference = None,
    coefficient: options.Coefficient = "tau",
    level: Level = LEVEL,
    draws: options.ErrorResamples = options.ErrorResamples(),
    out: Output = Output(),
) -> None:
    """The correlation of each measure with the reference: its interval for as many topics, and its standard error.

    Args:
        coefficient: the rank correlation
    """
    scores = source.read(out, compared_by="error", reference=reference)
    name = options.reference_of(scores, reference)
    measures = [measure for measure in scores if measure != name]
    notes: dict[str, None] = {}
    with draws.seeded(out) as sampling, Results(out.format) as results, out.progress(len(measures)) as bar:
        for measure in measures:
            result = rc.correlation_interval(scores[name], scores[measure], coefficient, level=level, **sampling)
            table = result.table().led_by(constant("reference", name), constant("measure", measure))
            add_result(results, table, result, sampling)
            notes |= dict.fromkeys((result._note(),))
            bar.update()
    for text in notes:
        out.note(text)


def labels(
    *,
    qrels: str,
    against: options.Judges,
    scales: options.Scales = options.Scales(),
    width: options.Width = None,
    level: Level = LEVEL,
    alpha: options.Alpha = ALPHA,
    wide: options.Wide = False,
    download: Flag = False,
    out: Drawn = Drawn(),
) -> None:
    """How far the labels of judges agree with those of a reference: kappa, binary kappa, Krippendorff's alpha.

    It needs no runs. It names labels outside of the scale, fractions, repeated and contradicting labels.

    Args:
        qrels: the TREC qrels file of the reference, or irds: and the id of a dataset of ir-datasets
        width: also show how many documents shorten the interval of kappa to this width
        alpha: the level at which two judges differ significantly in kappa
        download: whether judgments of ir-datasets that are not on this machine may be downloaded
    """
    output.check_plot(out.plot, [qrels, *against])
    how: dict[str, Any] = {"width": width, "level": level, "alpha": alpha, "download": download}
    result = rc.judgments.compare_labels(qrels, against, **scales.arguments(), **how)
    with Results(out.format, wide=wide) as results:
        results.add(result.table(), level=level)
    for text in result.table().notes:
        out.note(text)
    output.draw(out.plot, result)


def alpha(
    *, judges: list[str], metric: choices.LabelMetric = "ordinal", level: Level = LEVEL, out: Output = Output()
) -> None:
    """Krippendorff's alpha of two or more sets of labels.

    Args:
        judges: TREC qrels files, a folder or a pattern of them
        metric: how far two labels are apart
    """
    with Results(out.format) as results:
        results.add(rc.judgments.alpha_of_judges(judges, metric, level=level).table())


def curve(
    *,
    runs: options.Runs = options.Runs(),
    depths: Annotated[list[int] | None, options.Whole] = None,
    shares: list[float] | None = None,
    repetitions: Annotated[int | None, options.Whole] = None,
    how: options.Rows = options.Rows(),
    wide: options.Wide = False,
    draws: ComparisonResamples = ComparisonResamples(),
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
    arguments = {**runs.arguments(out), **vars(how)}
    output.check_plot(out.plot, runs.files)
    points = len(depths or ()) + len(shares or ()) * (repetitions or 10)
    with draws.seeded(out) as sampling, written(out, points * len(runs.measures or ()), wide=wide) as on_row:
        result = rc.judgment_curve(
            qrels=runs.judgments,
            depths=depths,
            shares=shares,
            repetitions=repetitions,
            on_row=on_row,
            **sampling,
            **arguments,
        )
    out.note(f"{result.n_judgments} judgments in all.")
    output.draw(out.plot, result)


def judgments(
    *,
    runs: options.Runs = options.Runs(),
    against: options.Judges,
    scales: options.Scales = options.Scales(),
    how: ComparisonOptions = ComparisonOptions(),
    test: options.PairTest = "tukey-hsd",
    judging: options.Judging = options.Judging(),
    draws: ComparisonResamples = ComparisonResamples(),
    out: Drawn = Drawn(),
) -> None:
    """Whether other judgments, from language models, assessors or shallow pools, rank systems differently.

    Below the rows of two judges or more stands their order: which agree better with the reference, and which may be
    the best.
    """
    arguments = {**comparing(how, wide=judging.wide), **runs.arguments(out), **scales.arguments()}
    compare = partial(rc.compare_judgments, reference_qrels=runs.judgments, others=against, test=test, **arguments)
    total = len(against) * len(runs.measures or ())
    show_judges(compare, judging, [*runs.files, *against], total, draws, out, option="--against")


def leaderboards(
    *,
    reference: list[str],
    judges: list[str],
    reference_measure: list[str] | None = None,
    measures: Annotated[list[str] | None, Parameter(group=options.READING)] = None,
    lower_is_better: Annotated[list[str] | None, Parameter(group=options.READING)] = None,
    missing: Annotated[
        choices.MissingOfJudges | None, Parameter(("--missing", "--on-missing"), group=options.READING)
    ] = None,
    only_shared_topics: Flag = False,
    only_shared_runs: Flag = False,
    same_topics: bool = True,
    input_format: options.FormatName | None = None,
    how: ComparisonOptions = ComparisonOptions(),
    test: options.PairTest = "tukey-hsd",
    judging: options.Judging = options.Judging(),
    draws: ComparisonResamples = ComparisonResamples(),
    out: Drawn = Drawn(),
) -> None:
    """Whether judges, such as language models or crowds, rank runs as a trusted leaderboard does.

    Below the rows of two judges or more stands their order: which agree better with the reference, and which may be
    the best. It reads the formats of autojudge-evaluate.

    Args:
        reference: the trusted leaderboard
        judges: the leaderboards to compare: one file or folder per judge
        reference_measure: measures of the reference (default: measures with equal names)
        measures: measures of the judges, such as AP nDCG@10 (default: all that can be compared)
        lower_is_better: measures that are better when lower
        missing: what to do where leaderboards differ in runs or topics. error: stop; skip or warn: leave out runs and
            topics that not all have; drop-topics, drop-systems: leave out only these; default or zero: a judge gives 0
            where it has no score (default: error)
        only_shared_topics: the same as --missing drop-topics
        only_shared_runs: the same as --missing drop-systems; with both: --missing skip
        same_topics: whether judges have the topics of the reference
        input_format: the format of all files (default: found from their content)
    """
    policies = {(True, True): "skip", (True, False): "drop-topics", (False, True): "drop-systems"}
    of_shared: Any = policies.get((only_shared_topics, only_shared_runs))
    if only_shared_topics and not same_topics:
        raise UsageError("--only-shared-topics is not allowed with --no-same-topics.")
    if missing and of_shared:
        raise UsageError(f"--only-shared-{'topics' if only_shared_topics else 'runs'} is not allowed with --missing.")
    compare = partial(
        rc.compare_leaderboards,
        reference,
        judges,
        reference_measure=reference_measure and options.names_in(reference_measure),
        measures=measures and options.names_in(measures),
        lower_is_better=options.names_in(lower_is_better or []),
        missing=missing or of_shared or "error",
        same_topics=same_topics,
        input_format=input_format,
        verbose=out.verbose,
        test=test,
        **comparing(how, wide=judging.wide),
    )
    show_judges(compare, judging, [*reference, *judges], None, draws, out, option="--judges")


def tau(
    *,
    scores: list[str],
    columns: list[str] | None = None,
    matrix: Flag = False,
    coefficient: options.Coefficient = "tau",
    lower_is_better: list[str] | None = None,
    only_shared_runs: Flag = False,
    level: Level = LEVEL,
    out: Output = Output(),
) -> None:
    """How alike rankings are whose systems have one score each: tau, tau_AP, tau_GAP, Spearman's rho, Pearson's r.

    Without scores of topics it cannot say what other topics would change. For that, compare takes scores of topics.

    Args:
        scores: one file or several with a row for each system and columns of scores: CSV, a page with a table in
            Markdown, or JSON lines; gzipped or not
        columns: the columns to compare: the reference, and one or more others (default: the only two)
        matrix: compare all columns with each other
        coefficient: the rank correlation of --matrix
        lower_is_better: columns that are better when lower, such as ranks
        only_shared_runs: leave out systems that not both columns have
    """
    from pt_rankcorr.cli import tau_columns

    frame = tau_columns.read(scores, columns, lower_is_better or [], out, take_all=matrix)
    frame = tau_columns.shared(frame, out, leave_out=only_shared_runs)
    with Results(out.format) as results:
        if matrix:
            results.add(tau_columns.matrix_of(frame, coefficient), coefficient=coefficient)
        else:
            results.add(tau_columns.coefficients_of(frame, level), level=level)
            out.note(
                f"{confidence(level)} interval of tau: over the sampling of systems, by Kendall. tau_AP and tau_GAP "
                "weigh the top of the reference, the first column."
            )
    out.note("Without scores of topics nothing can be said about the sampling of topics.")


def report(
    *,
    source: Source = Source(),
    path: Annotated[str, Parameter("--output", group=options.WRITING)],
    reference: options.Reference = None,
    against: Annotated[list[str] | None, Parameter("--against")] = None,
    groups: options.Groups = options.Groups(),
    coefficients: list[str] | None = None,
    draws: FewerResamples = FewerResamples(),
    open: Annotated[Flag, Parameter(group=options.WRITING)] = False,
    out: options.Notes = options.Notes(),
) -> None:
    """One page with all results.

    Args:
        path: write FILE.html, FILE.tex or FILE.md; replaces an older one
        against: judges to compare: with --runs qrels files, else leaderboards (one file or folder per judge)
        coefficients: the coefficients that tables show, the first in most detail
        open: open the page in the browser
    """
    from pt_rankcorr.reporting.reports import form_of

    whole_file.refuse_inputs(path, [*source.files, *(against or ())])
    whole_file.check_writable(path)  # before the input is read, which takes time
    form_of(path)
    of_groups = groups.read()
    scores = source.read(out, reference=reference)
    finished: list[Any] = []
    with draws.seeded(out) as sampling:
        judges: Any = against
        if against and source.name == "runs":
            measures = list(scores) if reference is None else [reference]
            how = {**source.arguments(out), **sampling, "measures": measures, "verbose": None}
            judges = rc.compare_judgments(reference_qrels=source.judgments, others=against, **how)
        try:
            with silencing(rc.warnings.FailedJudgesWarning):
                page = rc.report(
                    scores,
                    path,
                    reference=reference,
                    against=judges,
                    groups=of_groups,
                    coefficients=coefficients and options.names_in(coefficients),
                    on_row=finished.append,
                    **sampling,
                )
        except KeyboardInterrupt:
            with Results("table") as results:
                for row in finished:
                    results.add_row(row)
            raise
    out.note(f"wrote the report to {path}")
    if open:
        webbrowser.open(Path(path).absolute().as_uri())
    if page.data.judges:
        refuse_failures(page.data.judges, "--against")


# --- what commands share ------------------------------------------------------------------------------------

Computed = tuple[Any, Table, dict[str, Any]]  # a result, its table, and the arguments of its `plot`


def comparing(how: ComparisonOptions, *, wide: bool) -> dict[str, Any]:
    """The options of a comparison; wide tables have the topic population."""
    return {**vars(how), "population": how.population or (wide and how.intervals)}


def each_measure(
    source: Source, compute: Callable[[Any, dict[str, Any]], Computed], draws: Resampling, out: Drawn
) -> None:
    """Writes the rows of each measure when they are finished, and draws its result."""
    output.check_plot(out.plot, source.files)
    scores = source.read(out)
    pictures = output.pictures_of(out.plot, scores.measures, source.files)
    notes: dict[str, None] = {}
    with draws.seeded(out) as sampling, Results(out.format, wide=False) as results, out.progress(len(scores)) as bar:
        for measure in scores:
            result, table, how = compute(scores[measure], sampling)
            add_result(results, table.led_by(constant("measure", measure, if_varied=True)), result, sampling)
            output.draw(pictures.get(measure), result, title=measure, **how)
            notes |= dict.fromkeys(table.notes)
            bar.update()
    subject = f"{scores.measures[0]}: " if len(scores) == 1 else ""  # whose column is left out
    for text in notes:
        out.note(f"{subject}{text}")


def add_result(results: Results, table: Table, result: Any, sampling: dict[str, Any]) -> None:
    """Adds a table with columns for machines: what else there is to say of the result, and the seed."""
    known = {name for column in table.columns for name in column.names}
    settings = {**result.to_dict(), "seed": sampling["rng"]}
    results.add(table, **{name: value for name, value in settings.items() if name not in known})


def note_of(result: Any, out: Output, *, wide: bool = False) -> None:
    """The note below the table of a comparison; with all settings if `wide`."""
    out.note(result.note if wide else result.table().notes[0])


@contextmanager
def written(
    out: Output, total: int | None, *, wide: bool = True, only: Sequence[str] = (), is_shown: bool = True
) -> Iterator[Callable[[Any], None]]:
    """A function that writes a row of a comparison; with a total there is a progress bar."""
    with Results(out.format, wide=wide) as results, out.progress(total) as bar:

        def on_row(row: Any) -> None:
            if is_shown:
                results.add_row(row, only)
            bar.update()

        yield on_row


def show_judges(
    compare: Callable[..., Any],
    judging: options.Judging,
    files: Sequence[str],
    total: int | None,
    draws: Resampling,
    out: Drawn,
    *,
    option: str,
) -> None:
    """Compares judges with a reference; prints rows and the order of judges, then bias and families if asked for.

    CSV and JSON lines have one table: the rows, or that of groups of runs or of families of judges.
    """
    output.check_plot(out.plot, files)
    groups, factors = judging.read(), judging.factors()
    is_table = out.format in TABLES
    if groups is not None and factors is not None and not is_table:
        raise UsageError(f"--group is not allowed with --families in {out.format}, which has one table.")
    is_shown = is_table or (groups is None and factors is None)
    with silencing(rc.warnings.FailedJudgesWarning), draws.seeded(out) as sampling:  # failures are named at the end
        with written(out, total, wide=judging.wide, is_shown=is_shown) as on_row:
            panels = {"panels": judging.panels(), "combine": judging.combine}
            result = compare(groups=groups, on_row=on_row, **panels, **sampling)
            show_labels(result, judging.wide, out)
        note_of(result, out, wide=judging.wide)
        coefficient = result.settings.shown[0]
        show_order(result, coefficient, judging.margin, draws.n_jobs, files, out)
        if is_table:
            pairs = dict.fromkeys((row.reference, row.measure) for row in result if row.judge in result.members)
            for reference, measure in pairs:
                show_result(result.panels(measure, coefficient, reference=reference, n_jobs=draws.n_jobs), out)
        if groups is not None:
            bias = result.bias(n_jobs=draws.n_jobs)
            if is_table:
                output.emit("")
            with Results(out.format) as results:
                results.add(bias.table(), level=bias.level, seed=bias.seed)
            out.note(bias.note)
        if factors is not None:
            show_families(result, factors, judging.repetition, coefficient, draws.n_jobs, out)
    refuse_failures(result, option)


def show_labels(result: Any, wide: bool, out: Output) -> None:
    """Prints the faults of labels above the results of judges; csv and jsonl have them in columns."""
    if result.hygiene is not None and out.format in TABLES:
        output.emit(TABLES[out.format](replace(result.hygiene.table(), notes=()), wide=wide) + "\n")


def show_result(result: Any, out: Output) -> None:
    """Prints a table below others, and its note."""
    output.emit("")
    with Results(out.format) as results:
        results.add(result.table())
    for text in result.table().notes:
        out.note(text)


def show_order(
    result: Any, coefficient: Any, margin: float | None, n_jobs: int | None, files: Sequence[str], out: Drawn
) -> None:
    """Prints the order of two judges or more by each pair of measures, and draws it; or draws the rows."""
    rows_of: dict[tuple[str, str], int] = {}
    for row in result:
        if row.is_defined:
            rows_of[row.reference, row.measure] = rows_of.get((row.reference, row.measure), 0) + 1
    pairs = [pair for pair, n_judges in rows_of.items() if n_judges > 1]
    if not pairs:
        output.draw(out.plot, result)
        return
    if out.format not in TABLES and out.plot is None:
        return
    named = {"-".join(dict.fromkeys(pair)): pair for pair in pairs}
    pictures = output.pictures_of(out.plot, list(named), files)
    for part, (reference, measure) in named.items():
        ranking = result.judges(measure, coefficient, reference=reference, margin=margin, n_jobs=n_jobs)
        if out.format in TABLES:
            output.emit("")
            with Results(out.format) as results:
                results.add(ranking.table())
            out.note(f"{ranking.sentence()} {ranking.note}")
        output.draw(pictures.get(part), ranking)


def show_families(
    result: Any, factors: Any, repetition: str | None, coefficient: Any, n_jobs: int | None, out: Output
) -> None:
    """Prints how much judges vary between families and by chance, for each pair of measures."""
    if out.format in TABLES:
        output.emit("")
    with Results(out.format) as results:
        for reference, measure in dict.fromkeys((row.reference, row.measure) for row in result):
            of = {"coefficient": coefficient, "reference": reference, "measure": measure}
            families = result.families(factors, repetition=repetition, n_jobs=n_jobs, **of)
            settings = {"coefficient": families.coefficient, "level": families.level, "seed": result.seed}
            results.add(families.table().led_by(constant("measure", measure)), **settings)
            out.note(families.table().notes[0])
            if families.repetitions is not None and out.format in TABLES:
                show_result(families.repetitions, out)


def refuse_failures(result: Any, option: str) -> None:
    """Ends with an error if some judges could not be used."""
    if result.failed:
        raise ValueError(f"{option}: {result.failures}")
