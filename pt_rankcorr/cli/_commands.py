"""What the commands do: each calls a public function, and writes what it returns line by line.

What takes a moment to load is imported when a command runs.
"""

from __future__ import annotations

import secrets
import sys
import webbrowser
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._input import collections_of, note, one_or_several, qrels_of, reading, scores_of, verbosity
from pt_rankcorr.cli._leaderboards import groups_of
from pt_rankcorr.cli._messages import is_seen
from pt_rankcorr.cli._output import TABLES, Line, Output, emit, table
from pt_rankcorr.cli._pictures import check_picture, draw, inputs, pictures_of
from pt_rankcorr.text import shown
from pt_rankcorr.whole_file import check_writable, refuse_inputs

if TYPE_CHECKING:
    import pandas as pd

ONLY_IN_ORDER = {"test": None, "intervals": False, "per_topic": False}  # of a comparison, all else is left out
OF_RANKINGS = ("tau", "tau b", "tau_ap", "tau_ap b", "tau_gap", "spearman", "pearson")
ALONE = ("collection",)  # a column that one collection does not need
POWER = {  # what people are shown of a line, and under which name
    "measure": "measure",
    "statistic": "power",
    "n_significant": "significant pairs",
    "n_pairs": "of",
    "required_difference": "required difference",
}


def demo(options: Namespace) -> None:
    """The experiment on the embedded collection, or its files."""
    from pt_rankcorr.demo import files, study

    if options.write is not None:
        n_runs = files.write(options.write, n_topics=options.topics)
        emit(f"Wrote runs/ ({n_runs} runs), people.qrels, model.qrels and strict.qrels to {shown(options.write)}.")
        return

    result = study.run(n_topics=options.topics, verbose=not options.quiet and is_seen(sys.stderr))
    for frame in (result.by_system, result.by_measure):
        emit(table(_rows(frame), n_names=1) + "\n")
    emit("\n".join(result.sentences))


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]


def compare(options: Namespace) -> None:
    """Every measure, or the one that `--reference` names, as the reference of every other, on each collection."""
    check_picture(options)
    collections, seed = collections_of(options), seed_of(options)
    several = len(collections) > 1
    pictures = pictures_of(options, list(collections))
    references = len if options.reference is None else lambda _: 1
    total = sum(references(scores) * (len(scores) - 1) for scores in collections.values())
    with agreements(options, total, () if several else ALONE, n_names=2 + several) as written:
        result = ptr.compare(
            collections if several else next(iter(collections.values())),
            reference=options.reference,
            level=options.level,
            **_further(options),
            **distance(options, seed),
            on_row=written,
        )
    for name, path in pictures.items():
        draw(path, result, **({"title": name, "collection": name} if several else {}))


def drank(options: Namespace) -> None:
    """The distance of every other measure's ranking from that by the reference, by default the first measure."""
    scores, seed = scores_of(options), seed_of(options)
    reference = options.reference or scores.measures[0]
    with agreements(options, len(scores) - 1, ALONE + OF_RANKINGS) as written:
        ptr.compare(scores, reference=reference, **distance(options, seed), on_row=written)


def judgments(options: Namespace) -> None:
    """How runs are ranked under other judgments than the reference; or the sets of judgments in order."""
    check_picture(options)
    seed, groups = untold_seed(options), groups_of(options)
    given = (
        one_or_several(options.runs),
        qrels_of(options),
        options.against,
        options.measures,
    )
    how = {
        **distance(options, seed),
        "test": options.test,
        "alpha": options.alpha,
        "level": options.level,
        **_further(options),
        **reading(options),
    }
    if options.rank is not None:
        result = ptr.compare_judgments(*given, **how | ONLY_IN_ORDER)
        tell_seed(options, result.settings.seed)
        return _in_order_and_biases(options, result, groups)
    with agreements(options, len(options.against) * len(options.measures)) as written:
        result = ptr.compare_judgments(*given, **how, on_row=written)
    note(options, result.note)
    draw(options.plot, result)
    return _biases(options, result, groups)


def leaderboards(options: Namespace) -> None:
    """How judges rank runs, against a leaderboard that is trusted; or the judges in order."""
    check_picture(options)
    seed, groups = untold_seed(options), groups_of(options)
    given = {
        "reference_measure": options.reference_measure,
        "measures": options.measures,
        "missing": _policy(options),
        "input_format": options.input_format,
        "lower_is_better": options.lower_is_better,
        "test": options.test,
        "alpha": options.alpha,
        "level": options.level,
        **_further(options),
        **distance(options, seed),
        "resume": options.resume,
        "verbose": verbosity(options),
    }
    if options.rank is not None:
        result = ptr.compare_leaderboards(options.reference, options.judges, **given | ONLY_IN_ORDER)
        tell_seed(options, result.settings.seed)
        return _in_order_and_biases(options, result, groups)
    with agreements(options, n_names=3) as written:
        result = ptr.compare_leaderboards(options.reference, options.judges, **given, on_row=written)
    note(options, result.note)
    draw(options.plot, result)
    return _biases(options, result, groups)


def _in_order_and_biases(options: Namespace, result: Any, groups: dict[str, Any] | None) -> None:
    if groups is None or options.format in TABLES:
        _judges_in_order(options, result)
    _biases(options, result, groups)


def _biases(options: Namespace, result: Any, groups: dict[str, Any] | None) -> None:
    """Whether judges favour groups of runs, if there are any."""
    if groups is None:
        return
    found = result.bias(groups, n_jobs=options.jobs)
    if options.format in TABLES:
        emit("")
    lines = zip(_rows(found.to_frame()), _rows(found.texts()), strict=True)
    with Output(options.format, n_names=list(found.texts().columns).index("group") + 1) as output:
        for values, shown in lines:
            output.add(Line({**values, "level": found.level, "seed": found.seed}, shown))
    note(options, found.note)


def _judges_in_order(options: Namespace, result: Any) -> None:
    notes = []
    with Output(options.format, n_names=1) as output:
        for names, path in _pictures_of_judges(options, result):
            ranking = result.judges(coefficient=options.rank, n_jobs=options.jobs, **names)
            lines = zip(ranking.to_frame().to_dict("records"), ranking.texts().to_dict("records"), strict=True)
            for values, shown in lines:
                output.add(Line(_named(values, names), _named(shown, names)))
            notes.append(ranking.note)
            draw(path, ranking)
    note(options, " ".join(notes))


def _pictures_of_judges(options: Namespace, result: Any) -> Iterator[tuple[dict[str, str], str | None]]:
    """What was compared, a measure and perhaps one of the reference; and the file of its picture, if there is one."""
    names = [{name: row.key[name] for name in ("reference", "measure") if name in row.key} for row in result]
    compared = {"-".join(each.values()): each for each in names}
    pictures = pictures_of(options, list(compared))
    return ((each, pictures.get(part)) for part, each in compared.items())


def _named(values: dict[Any, Any], names: dict[str, str]) -> dict[str, Any]:
    """The line of a judge, with what was compared after its name."""
    named = {str(name): value for name, value in values.items()}
    return {"judge": named.pop("judge"), **names, **named}


def _policy(options: Namespace) -> str:
    shared = options.only_shared_topics, options.only_shared_runs
    words = {(True, True): "skip", (True, False): "drop-topics", (False, True): "drop-systems"}
    return words.get(shared, str(options.missing))


def _further(options: Namespace) -> dict[str, Any]:
    return {name: getattr(options, name) for name in ("intervals", "top", "per_topic", "ties")}


def expected(options: Namespace) -> None:
    """How well each measure's ranking is expected to agree with the true one."""
    check_picture(options)
    scores, seed = scores_of(options), seed_of(options)
    pictures = pictures_of(options, scores.measures)
    with Output(options.format) as output:
        for measure in progress(options, scores):
            result = ptr.expected_correlation(
                scores[measure],
                coefficient=options.coefficient,
                estimator=options.estimator,
                **resampling(options, seed),
            )
            output.add(_expectation(options, measure, result))
            draw(pictures.get(measure), result, title=measure, target=options.target)


def _expectation(options: Namespace, measure: str, result: Any) -> Line:
    low, high = result.confidence_interval(options.level)
    curve = {f"with {number} topics": result.curve(number) for number in options.topics}
    needed = result.topics_needed(options.target)
    values = {"measure": measure, **result.to_dict(), "level": options.level, "low": low, "high": high}
    shown = {"measure": measure, f"E[{options.coefficient}]": result.value, "low": low, "high": high}
    ends = dict(
        zip(("topics_needed_low", "topics_needed_high"), needed.confidence_interval(options.level), strict=True)
    )
    return Line(
        {**values, "target": options.target, "topics_needed": float(needed), **ends, **curve},
        {**shown, f"topics for {options.target:g}": str(needed), **curve},
    )


def ranks(options: Namespace) -> None:
    """Where each system ranks, and may truly rank, by each measure."""
    from pt_rankcorr.stats.accuracy.best import best_of

    check_picture(options)
    scores, seed = scores_of(options), seed_of(options)
    pictures = pictures_of(options, scores.measures)
    with Output(options.format, n_names=2) as output:
        for measure in progress(options, scores):
            given = {"level": options.level, **resampling(options, seed)}
            how = {"method": options.method, "simultaneous": options.simultaneous}
            found = ptr.rank_intervals(scores[measure], **how, **given)
            best = best_of(found, scores[measure].systems)
            for line in _ranked(scores[measure], found, best):
                short: dict[str, Any] = {column: f"{line[column]:g}" for column in ("rank", "low", "high")}
                short["best"] = "yes" if line["best"] else "no"
                output.add(Line({**line, **found.to_dict(), "seed": seed}, line | short))
            draw(pictures.get(measure), found, title=measure, best=best)


def _ranked(matrix: Any, found: Any, best: Any) -> Iterator[dict[str, Any]]:
    """A line a system, the best first."""
    for name in matrix.ranking:
        at = matrix.systems.index(name)
        mean = float(-matrix.means[at] + 0.0 if matrix.negated else matrix.means[at])
        values = {"rank": found.rank, "low": found.low, "high": found.high, "first": found.share_first}
        of_system = {column: float(numbers[at]) for column, numbers in values.items()}
        of_all = {"tier": int(found.tier[at]), "best": at in best.positions}
        yield {"measure": matrix.measure, "system": name, "mean": mean, **of_system, **of_all}


def power(options: Namespace) -> None:
    """How many pairs of systems each measure tells apart."""
    check_picture(options)
    scores, seed = scores_of(options), seed_of(options)
    pictures = pictures_of(options, scores.measures)
    with Output(options.format) as output:
        for measure in progress(options, scores):
            result = ptr.discriminative_power(
                scores[measure], test=options.test, alpha=options.alpha, **resampling(options, seed)
            )
            values = {"measure": measure, **result.to_dict(), "seed": seed}
            test = f"{result.test}, {'corrected' if result.corrected else 'uncorrected'}"
            output.add(Line(values, {**{name: values[column] for column, name in POWER.items()}, "test": test}))
            draw(pictures.get(measure), result, title=measure)


def report(options: Namespace) -> None:
    """A page of all of it, in a file."""
    from pt_rankcorr.reporting.reports import form_of

    refuse_inputs(options.output, inputs(options))
    check_writable(options.output)  # rather now than when all is read
    form_of(options.output)
    groups = groups_of(options)
    scores, seed = scores_of(options), untold_seed(options)
    finished: list[Any] = []
    given = {"reference": options.reference, "on_row": finished.append, **resampling(options, seed)}
    given |= {"groups": groups, "against": _against(options, scores, seed)}
    try:
        ptr.report(scores, options.output, **given)
    except KeyboardInterrupt:
        tell_seed(options, seed)
        with Output("table", n_names=2) as output:
            for row in finished:
                output.add(_line(row))
        raise
    tell_seed(options, seed)
    note(options, f"the report is in {options.output}")
    if options.open:
        webbrowser.open(Path(options.output).absolute().as_uri())


def _against(options: Namespace, scores: ptr.Scores, seed: int) -> Any:
    """Judges of a report: leaderboards, or the comparison with other judgments of the same runs."""
    if options.against is None or options.runs is None:
        return options.against
    return ptr.compare_judgments(
        one_or_several(options.runs),
        qrels_of(options),
        options.against,
        list(scores) if options.reference is None else [options.reference],
        **reading(options),
        **resampling(options, seed),
    )


# --- what several commands need -----------------------------------------------------------------------------


@contextmanager
def agreements(
    options: Namespace, total: int | None = None, leave_out: Sequence[str] = ALONE, n_names: int = 2
) -> Iterator[Callable[[Any], None]]:
    """A function that writes the row of a comparison; with a progress bar if a total is given and they take their time.

    CSV and JSON lines hold one table, and where groups of runs are given, it is theirs.
    """
    is_shown = options.format in TABLES or not (getattr(options, "group", None) or getattr(options, "groups", None))
    wide = getattr(options, "wide", True)
    with Output(options.format, n_names=n_names) as output, _bar(options, total) as bar:

        def write(row: Any) -> None:
            tell_seed(options, row.settings.seed)
            if is_shown:
                output.add(_line(row, leave_out, wide=wide))
            bar.update()

        yield write


def _line(row: Any, leave_out: Sequence[str] = ALONE, *, wide: bool = True) -> Line:
    """A row of a comparison."""
    values = {name: value for name, value in row.to_dict().items() if name not in leave_out}
    shown = {name: text for name, text in row.texts(wide=wide).items() if name.lower() not in leave_out}
    return Line({**values, **row.settings.to_dict()}, shown)


def seed_of(options: Namespace) -> int:
    seed = untold_seed(options)
    tell_seed(options, seed)
    return seed


def untold_seed(options: Namespace) -> int:
    """The seed, for commands that read their files later; `tell_seed` tells it when these have proved to be right."""
    return secrets.randbits(32) if options.seed is None else int(options.seed)


def tell_seed(options: Namespace, seed: int) -> None:
    """Says the seed, once, if nobody gave it."""
    if options.seed is None:
        note(options, f"--seed {seed} gives the same numbers again.")
        options.seed = seed


def resampling(options: Namespace, seed: int) -> dict[str, Any]:
    return {"n_resamples": options.resamples, "rng": seed, "n_jobs": options.jobs}


def distance(options: Namespace, seed: int) -> dict[str, Any]:
    return {**resampling(options, seed), "null": options.null, "covariance": options.covariance}


def progress(options: Namespace, scores: ptr.Scores) -> Iterator[str]:
    with _bar(options, len(scores)) as bar:
        for measure in scores:
            yield measure
            bar.update()


def _bar(options: Namespace, total: int | None) -> Any:
    import pyterrier as pt

    disable = options.quiet or total is None or None  # None: where standard error is no terminal
    return pt.tqdm(total=total, desc=options.command, disable=disable, delay=2, leave=False)
