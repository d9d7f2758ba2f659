"""The commands of measures: each calls a function of the package, and writes its result in lines.

The parameters of a command are its options, and have the defaults of that function.
"""

from __future__ import annotations

import math
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

import pt_rankcorr as rc
from pt_rankcorr import atomic_write, choices, tables
from pt_rankcorr.cli import options, output, score_options
from pt_rankcorr.cli.judge_commands import refuse_failures
from pt_rankcorr.cli.options import Drawn, FewerResamples, Flag, Level, Output, Resampling, Seeding
from pt_rankcorr.cli.output import Results, UsageError
from pt_rankcorr.cli.score_options import Input
from pt_rankcorr.defaults import ALPHA, LEVEL, PAIR_TEST, UNNAMED_COLLECTION
from pt_rankcorr.display import progress_bar
from pt_rankcorr.tables import COEFFICIENT, NUMBER, Table, constant, listed
from pt_rankcorr.text import confidence, shown
from pt_rankcorr.warnings import silencing

# the columns that `drank` shows of a comparison
OF_D_RANK = ("d_rank", "d_rank pvalue", "d_rank pvalue standard error")
OF_DISTANCES = ("n_topics", "n_systems", "tau", *OF_D_RANK)
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
        int, options.Whole, Parameter("--topics", validator=Number(gte=2, lte=90))
    ] = 50,
    write: str | None = None,
    messages: options.Notes = options.Notes(),
) -> None:
    """An experiment on a synthetic collection: measures compared, and each with the true ranking.

    Args:
        n_topics: the number of topics, from 2 to 90
        write: do not run the experiment: write its runs and judgments to this folder, to try the
            other commands
    """
    from pt_rankcorr.demo import study

    if write is not None:
        n_runs = study.write(write, n_topics=n_topics)
        written = "ap.csv, reference.qrels, model.qrels and strict.qrels"
        output.emit(f"Wrote runs/ ({n_runs} runs), {written} to {shown(write)}.")
        return
    result = study.run(n_topics=n_topics, verbose=not messages.quiet and sys.stderr.isatty())
    output.emit("A synthetic collection: generated documents, topics and labels.\n")
    # ends of intervals are in the sentences
    ends = [name for name in result.by_measure if str(name).endswith((" low", " high"))]
    for frame in (result.by_system, result.by_measure.drop(columns=ends)):
        output.emit(output.in_terminal(tables.of_frame(frame)) + "\n")
    output.emit("\n".join(result.sentences))


def compare(
    *,
    source: Input = Input(),
    reference: str | None = None,
    rows: options.MeasuresChoice = options.MeasuresChoice(),
    draws: Seeding = Seeding(),
    out: Drawn = Drawn(),
) -> None:
    """How alike measures rank systems, each compared with each, on each collection.

    Intervals are of the mean over topic samples of this size. If one true ranking: what noise of
    topics alone would leave of 1. A small p (same true ranking) says that the two rankings differ
    by more. Each of several --experiment, --qrels or --irds is a collection.

    Args:
        reference: the trusted measure (default: each measure in turn)
    """
    from pt_rankcorr.comparison.compare import compare_measures
    from pt_rankcorr.comparison.engine import Engine

    output.check_plot(out.plot, source.files)
    collections = source.collections(out, reference)
    pictures = output.pictures_of(out.plot, list(collections), source.files)
    with draws.seeded(out) as sampling, Results(out.format, wide=rows.wide) as results:
        settings = rows.settings(sampling["rng"])
        engine = Engine(settings, draws.n_jobs, results.add_row, out.verbose)
        result = compare_measures(collections, None, reference, engine)
    out.note_of(result, wide=rows.wide)
    for name, path in pictures.items():
        title = None if name is UNNAMED_COLLECTION else name
        output.draw(path, result, title=title, collection=name)


def drank(
    *,
    source: Input = Input(),
    reference: options.Reference = None,
    ranking: list[str] | None = None,
    only_shared_runs: Flag = False,
    distance: options.DRankChoice = options.DRankChoice(),
    draws: Resampling = Resampling(),
    out: Output = Output(),
) -> None:
    """Whether a ranking may be the true one by the reference: Carterette's d_rank and its p-value.

    It tests the ranking by every other measure, or with --ranking the rankings in files.

    Args:
        ranking: test rankings in files instead of other measures: a system and its score per line,
            or systems, best first
        only_shared_runs: with --ranking: leave out systems that only one side has
    """
    from pt_rankcorr.comparison.compare import compare_measures
    from pt_rankcorr.comparison.engine import Engine
    from pt_rankcorr.comparison.settings import Settings
    from pt_rankcorr.io.measure_names import find_measure
    from pt_rankcorr.stats.core.arguments import listing

    if only_shared_runs and not ranking:
        raise UsageError("--only-shared-runs can only be used with --ranking.")
    rankings = score_options.read_rankings(ranking or ())
    # a ranking in a file needs no second measure
    scores = source.read(out, compared_by="" if ranking else "drank", reference=reference)
    name = scores.measures[0] if reference is None else find_measure(reference, scores, "reference")
    if (n_systems := len(scores.systems)) > 1000:
        # 2000 systems on 50 topics take up to half a minute
        minutes = math.ceil(n_systems**2 / 8e6)
        out.note(f"d_rank of {n_systems} systems may take {minutes} min for each ranking.")
    if not ranking:  # the rows of `compare`, with d_rank alone
        chosen = {"n_resamples": 0, "d_rank": True, **vars(distance)}
        with draws.seeded(out) as sampling, Results(out.format) as results:
            seed, n_resamples = sampling["rng"], draws.n_resamples
            settings = Settings(seed=seed, d_rank_resamples=n_resamples, **chosen)
            on_row = partial(results.add_row, only=OF_DISTANCES)
            engine = Engine(settings, draws.n_jobs, on_row, out.verbose)
            result = compare_measures({UNNAMED_COLLECTION: scores}, None, name, engine)
        out.note_of(result)
        return
    with draws.seeded(out) as sampling, Results(out.format) as results:
        for file, values in rankings.items():
            if (different := {*scores.systems} ^ {*values}) and not only_shared_runs:
                got = f"differences in {listing(different)} in {file!r}"
                rule = f"--ranking must rank the same systems as the scores, got {got}"
                raise ValueError(f"{rule}. --only-shared-runs leaves these out.")
            tested = rc.d_rank(scores[name], values, missing="warn", **sampling, **vars(distance))
            column, *others = tested.table().columns  # d_rank itself, then its p-value and settings
            tau = rc.kendall_tau(scores[name], values, missing="skip")
            names = constant("reference", name), constant("ranking", file)
            columns = (*names, constant("tau", tau, COEFFICIENT), replace(column, name="d_rank"))
            results.add(Table((*columns, *others), [tested]), seed=sampling["rng"])


def expected(
    *,
    source: Input = Input(),
    coefficient: str = "tau_ap",
    estimator: choices.Estimator = "shrunken",
    target: Annotated[float, Parameter(validator=Number(gte=-1, lte=1))] = 0.9,
    topics: options.Topics = None,
    level: Level = LEVEL,
    draws: Resampling = Resampling(),
    out: Drawn = Drawn(),
) -> None:
    """The expected correlation of a measure's ranking with the true one, and the topics needed.

    Args:
        coefficient: the rank correlation, such as tau or spearman; a name that is unknown lists all
        estimator: how the true means and the errors of systems are estimated
        target: show how many topics are needed for this correlation
        topics: also show the expected correlation with these numbers of topics
    """

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        """The value, the topics needed, then the settings of both: all are constants of one row."""
        result = rc.expected_correlation(
            scores, coefficient=coefficient, estimator=estimator, **sampling
        )
        expected = result.table(level=level)
        needed = result.topics_needed(target).table(level=level)
        value, *others = expected.columns
        n_topics, *settings = needed.columns
        with_topics = [
            constant(f"with {number} topics", result.curve(number), COEFFICIENT)
            for number in topics or ()
        ]
        columns = (value, n_topics, *with_topics, *others, *settings)
        table = Table(columns, [result], notes=(*expected.notes, *needed.notes))
        return result, table, {"target": target, "level": level}

    each_measure(source, compute, draws, out)


def ranks(
    *,
    source: Input = Input(),
    method: choices.RankMethod = "shrunken",
    simultaneous: bool = False,
    level: Level = LEVEL,
    draws: Resampling = Resampling(),
    out: Drawn = Drawn(),
) -> None:
    """The rank of each system with an interval of its true rank, and which systems may be the best.

    Tier 1 has the systems that may be the best, tier 2 those that may be the best of the others,
    and so on. The level of the intervals holds on average over systems, and with --method pairwise
    for each system.

    Args:
        method: how the intervals are computed
        simultaneous: whether the intervals hold for all systems together, with --method pairwise
    """
    from pt_rankcorr.present.accuracy import doubt_about_tiers
    from pt_rankcorr.stats.accuracy.ranks import best_of

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        """A row a system, best first, with its mean as measured, not negated."""
        result = rc.rank_intervals(
            scores, method=method, simultaneous=simultaneous, level=level, **sampling
        )
        table = result.table()
        system, *others = table.columns
        means = 0.0 - scores.means if scores.negated else scores.means
        columns = (
            # rows below are indexes of systems, best first
            replace(system, value=scores.systems.__getitem__),
            listed("mean", NUMBER, means.tolist()),
            *others,
        )
        rows = [scores.systems.index(name) for name in scores.ranking]
        doubt = doubt_about_tiers(result)
        notes = (*table.notes, *([f"{scores.measure}: {doubt}"] if doubt else ()))
        return result, Table(columns, rows, notes=notes), {"best": best_of(result)}

    each_measure(source, compute, draws, out)


def power(
    *,
    source: Input = Input(),
    test: Annotated[choices.PairTest, Parameter(group=options.PAIRS)] = PAIR_TEST,
    correction: Annotated[choices.PairCorrection | None, Parameter(group=options.PAIRS)] = None,
    alpha: options.Alpha = ALPHA,
    draws: FewerResamples = FewerResamples(),
    out: Drawn = Drawn(),
) -> None:
    """The share of pairs of systems that a measure tells apart by a test of significance.

    Args:
        test: the test of pairs of systems; max-t and tukey-hsd correct for the number of pairs
        correction: of the other tests: holm bounds the chance of any false alarm, fdr (Benjamini
            and Hochberg) the share of false alarms among the pairs that are significant
        alpha: the level at which two systems differ significantly
    """
    from pt_rankcorr.present import facts_of

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        """One row, the result; the picture takes no arguments."""
        result = rc.discriminative_power(
            scores, test=test, correction=correction, alpha=alpha, **sampling
        )
        name = f"{test}, {correction or ('corrected' if result.corrected else 'uncorrected')}"
        tested = constant("named test", name, title="test", machine=False)
        return result, Table((*facts_of(result), tested), [result], notes=result.table().notes), {}

    each_measure(source, compute, draws, out)


def swap(
    *,
    source: Input = Input(),
    max_rate: float = 0.05,
    bins: int | str | None = None,
    of: choices.OtherTopics | None = None,
    topic_set_size: Annotated[int | None, options.Whole] = None,
    topics: options.Topics = None,
    draws: FewerResamples = FewerResamples(),
    out: Drawn = Drawn(),
) -> None:
    """How often a difference of two systems is reversed on other topics.

    The table shows the required difference, from which on other topics reverse at most the share
    --max-rate of comparisons, and the share of comparisons that reach it.

    Args:
        max_rate: the largest acceptable swap rate
        bins: how many classes of differences there are, or "published" (default: 21, with --topics
            published)
        of: what the other topics are (default: new topics)
        topic_set_size: topics in each set of them (default: all, of halves half)
        topics: show the required difference with these numbers of topics
    """
    for name, value in (("of", of), ("topic-set-size", topic_set_size)):
        if topics and value is not None:
            raise UsageError(f"--{name} is not allowed with --topics.")
    choice = {"bins": bins, "of": of, "topic_set_size": topic_set_size}
    settings: dict[str, Any] = {name: value for name, value in choice.items() if value is not None}
    settings["max_rate"] = max_rate

    def along_topics(scores: Any, sampling: dict[str, Any]) -> Computed:
        """With --topics: one row, with what is needed for each; the picture goes to the largest."""
        curve = rc.stats.swap_curve(scores, **sampling, **settings)
        numbers = topics or []
        needed = {f"needed with {each} topics": curve.required_difference(each) for each in numbers}
        table = Table(tables.facts(needed), [curve], notes=curve.table().notes)
        return curve, table, {"n_topics": max(curve.n_topics, *numbers)}

    def compute(scores: Any, sampling: dict[str, Any]) -> Computed:
        """Without --topics: one row with the columns of `SWAPS`."""
        rates = rc.stats.swap_rates(scores, **sampling, **settings)
        # over all bins of differences
        share = float(rates.swaps.sum() / rates.counts.sum())
        values = {**rates.to_dict(), "share_swapped": share}
        columns = [constant(name, values[name], NUMBER, title) for name, title in SWAPS.items()]
        text = (
            "Required difference: from it on, "
            f"other topics reverse at most {rates.max_rate:.0%} of comparisons. "
            "Relative: the same, of the highest mean of any system on any topics."
        )
        notes = (text, *rates.table().notes)
        return rates, Table(tuple(columns), [rates], notes=notes), {}

    each_measure(source, along_topics if topics else compute, draws, out)


def stability(
    *,
    source: Input = Input(),
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
        """A row for each fuzziness."""
        result = rc.stats.stability(
            scores, fuzziness=fuzziness, of=of, topic_set_size=topic_set_size, **sampling
        )
        return result, result.table(), {}

    each_measure(source, compute, draws, out)


def tau(
    *,
    scores: list[str],
    columns: list[str] | None = None,
    matrix: Flag = False,
    coefficient: str = "tau",
    lower_is_better: list[str] | None = None,
    missing: choices.MissingOfSides = "error",
    groups: str | None = None,
    keep: list[str] | None = None,
    drop: list[str] | None = None,
    table: str | None = None,
    level: Level = LEVEL,
    out: Output = Output(),
) -> None:
    """How alike rankings by single scores are: tau, tau_AP, tau_GAP, Spearman's rho, Pearson's r.

    Without scores of topics it cannot say what other topics would change. For that, compare takes
    scores of topics.

    Args:
        scores: one file or several with a row for each system and columns of scores: CSV, a page
            with a table in Markdown, or JSON lines; gzipped or not
        columns: the columns to compare: the reference, and one or more others (default: the only
            two)
        matrix: compare all columns with each other
        coefficient: the rank correlation of --matrix, such as tau_ap; a name that is unknown lists
            all
        lower_is_better: columns that are better when lower, such as ranks
        missing: what to do where not all columns have a system: skip and warn leave it out; with
            --matrix, of the pairs of columns of which one lacks it
        groups: the column that tells several rows of a system apart, such as a snapshot or a data
            set
        keep: systems with names like mean or Total, which are else left out
        drop: systems to leave out, such as copies of a run
        table: which table of a page or workbook: its number, or the heading above it
    """
    from pt_rankcorr.cli import tau_columns
    from pt_rankcorr.stats.coefficients.registry import as_coefficient

    as_coefficient(coefficient)  # an error at once if there is none of this name
    frame = tau_columns.read(
        scores, columns, lower_is_better or [], out,
        take_all=matrix, groups=groups, keep=keep or [], drop=drop or [], table=table,
    )  # fmt: skip
    frame = tau_columns.shared(frame, out, missing=missing, in_pairs=matrix)
    with Results(out.format) as results:
        if matrix:
            results.add(tau_columns.matrix_of(frame, coefficient, out), coefficient=coefficient)
        else:
            results.add(tau_columns.coefficients_of(frame, level, out), level=level)
            out.note(
                f"{confidence(level)} interval of tau: Kendall's bound, over the sampling of "
                "independent systems, which runs of one team are not. "
                "tau_AP and tau_GAP weigh the top of the reference, the first column."
            )
    out.note("Without scores of topics nothing can be said about the sampling of topics.")


def report(
    *,
    source: Input = Input(),
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
        against: judges to compare: with --runs qrels files, else leaderboards (one file or folder
            per judge)
        coefficients: the coefficients that tables show, the first in most detail
        open: open the page in the browser
    """
    from pt_rankcorr.reporting.reports import form_of

    atomic_write.refuse_inputs(path, [*source.files, *(against or ())])
    atomic_write.check_writable(path)  # before the input is read, which takes time
    form_of(path)
    of_groups = groups.read()
    scores = source.read(out, reference=reference)
    with draws.seeded(out) as sampling:
        judges: Any = against
        if against and source.name == "runs":  # leaderboards `report` reads itself; qrels need runs
            measures = list(scores) if reference is None else [reference]
            arguments = source.arguments() | {"measures": measures, **sampling}
            judges = rc.compare_judgments(reference=source.reference(), judges=against, **arguments)
        with silencing(rc.warnings.FailedJudgesWarning):
            page = rc.report(
                scores,
                path,
                reference=reference,
                against=judges,
                groups=of_groups,
                coefficients=coefficients and options.names_in(coefficients),
                verbose=out.verbose,
                **sampling,
            )
    out.note(f"wrote the report to {path}")
    if open:
        webbrowser.open(Path(path).absolute().as_uri())
    # last: the page without these judges is written, and the exit status tells of them
    if page.data.judges:
        refuse_failures(page.data.judges, "--against")


# --- of each measure alone ------------------------------------------------------------------------

Computed = tuple[Any, Table, dict[str, Any]]  # a result, its table, and the arguments of its `plot`


def each_measure(
    source: Input, compute: Callable[[Any, dict[str, Any]], Computed], draws: Resampling, out: Drawn
) -> None:
    """Writes the rows of each measure when they are finished, and draws its result.

    `compute` takes the ScoreMatrix of a measure, and the arguments of resampling: n_resamples, rng,
    n_jobs.
    """
    output.check_plot(out.plot, source.files)
    scores = source.read(out)
    pictures = output.pictures_of(out.plot, scores.measures, source.files)
    notes: dict[str, None] = {}
    with (
        draws.seeded(out) as sampling,
        Results(out.format, wide=False) as results,
        progress_bar(total=len(scores), disable=out.quiet or None, delay=2, leave=False) as bar,
    ):
        for measure in scores:
            result, table, drawing = compute(scores[measure], sampling)
            name = constant("measure", measure, hide_if_constant=True)
            with_measure = table.with_leading_columns(name)
            # for machines, what else the result has; not again what is a column of the table
            known = {name for column in with_measure.columns for name in column.names}
            more = {**result.to_dict(), "seed": sampling["rng"]}
            results.add(with_measure, **{key: more[key] for key in more if key not in known})
            output.draw(pictures.get(measure), result, title=measure, **drawing)
            notes |= dict.fromkeys(table.notes)
            bar.update()
    subject = f"{scores.measures[0]}: " if len(scores) == 1 else ""  # whose column is left out
    for text in notes:
        out.note(f"{subject}{text.removeprefix(subject)}")
