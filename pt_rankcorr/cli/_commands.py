"""What the commands do: each calls its function in `COMMANDS`, and writes the result line by line.

Modules that are slow to load are imported when a command runs.
"""

from __future__ import annotations

import csv
import os
import sys
import webbrowser
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli import _measures
from pt_rankcorr.cli._input import (
    collections_of,
    design_of,
    given,
    note,
    one_or_several,
    qrels_of,
    scores_of,
    verbosity,
)
from pt_rankcorr.cli._messages import is_seen
from pt_rankcorr.cli._output import TABLES, Output, emit, in_terminal
from pt_rankcorr.cli._pictures import check_picture, draw, inputs, pictures_of
from pt_rankcorr.cli._rankings import rankings
from pt_rankcorr.cli._running import (
    agreements,
    arguments,
    draw_seed,
    line_of,
    of_each_measure,
    progress,
    reference_of,
    tell_seed,
)
from pt_rankcorr.cli._signatures import parameters_of
from pt_rankcorr.tables.kinds import NUMBER
from pt_rankcorr.tables.table import constant, facts, of_frame
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import silencing
from pt_rankcorr.whole_file import check_writable, refuse_inputs

ONLY_IN_ORDER = {"test": None, "intervals": False, "per_topic": False}  # arguments where only the order is shown
OF_DISTANCES = ("n_topics", "n_systems", "d_rank", "pvalue", "pvalue_standard_error")  # columns


def run(options: Namespace) -> None:
    """Runs the command."""
    if compute := getattr(_measures, options.command, None):
        of_each_measure(options, compute)
    else:
        globals()[options.command](options)


def demo(options: Namespace) -> None:
    """Runs the experiment on the embedded collection, or writes its files."""
    from pt_rankcorr.demo import files, study

    if options.write is not None:
        n_runs = files.write(options.write, **arguments(options))
        written = "ap.csv, reference.qrels, model.qrels and strict.qrels"
        emit(f"Wrote runs/ ({n_runs} runs), {written} to {shown(options.write)}.")
        return

    result = study.run(**arguments(options), verbose=not options.quiet and is_seen(sys.stderr))
    emit("A synthetic collection: generated documents, topics and labels.\n")
    for frame in (result.by_system, result.by_measure):
        emit(in_terminal(of_frame(frame)) + "\n")
    emit("\n".join(result.sentences))


def compare(options: Namespace) -> None:
    """Compares measures on each collection: each with each other, or all with that of `--reference`."""
    check_picture(options)
    collections = collections_of(options)
    draw_seed(options)
    several = len(collections) > 1
    pictures = pictures_of(options, list(collections))
    total = sum((1 if "reference" in options else len(each)) * (len(each) - 1) for each in collections.values())
    with agreements(options, total) as written:
        chosen = collections if several else next(iter(collections.values()))
        result = ptr.compare(chosen, **arguments(options), on_row=written)
    note(options, str(result.settings))
    for name, path in pictures.items():
        draw(path, result, **({"title": name, "collection": name} if several else {}))


def drank(options: Namespace) -> None:
    """Tests the distance of rankings, by other measures or in files, from that by the reference."""
    if options.ranking is not None:
        return rankings(options)
    scores = scores_of(options)
    draw_seed(options)
    how = {**arguments(options), "reference": reference_of(options, scores), "intervals": False}
    with agreements(options, len(scores) - 1, OF_DISTANCES) as written:
        result = ptr.compare(scores, **how, on_row=written)
    note(options, str(result.settings))
    return None


def error(options: Namespace) -> None:
    """The correlation of each measure with the reference, its standard error and an interval."""
    scores = scores_of(options)
    seed, reference = draw_seed(options), reference_of(options, scores)
    with Output(options.format) as output:
        for measure in progress(options, scores):
            if measure == reference:
                continue
            found = ptr.correlation_interval(scores[reference], scores[measure], **arguments(options, "reference"))
            table = found.table().led_by(constant("reference", reference), constant("measure", measure))
            error = constant("standard_error", found.standard_error, NUMBER, "standard error")
            known = {**found.to_dict(), "seed": seed}
            more = {name: value for name, value in known.items() if name not in table.records()[0]}
            others = facts(more, shown=False)
            output.add(table.followed_by(error, *others))
    of_bootstrap = "The standard error is the bootstrap's, of the value on these topics: it is too large."
    note(options, f"{found._note()} {of_bootstrap}")


def alpha(options: Namespace) -> None:
    """Krippendorff's alpha of sets of labels."""
    with Output(options.format) as output:
        output.add(ptr.judgments.alpha_of_judges(**arguments(options)).table())


def curve(options: Namespace) -> None:
    """How rankings under fewer judgments agree with those under all."""
    check_picture(options)
    draw_seed(options, tell=False)
    repetitions = getattr(options, "repetitions", parameters_of("judgment_curve")["repetitions"].shown)
    many = len(getattr(options, "depths", ())) + len(getattr(options, "shares", ())) * repetitions
    with agreements(options, many * len(options.measures)) as written:
        result = ptr.judgment_curve(
            qrels=qrels_of(options), **{**arguments(options), **_reading(options)}, on_row=written
        )
    note(options, f"{result.n_judgments} judgments in all.")
    draw(options.plot, result)


def judgments(options: Namespace) -> None:
    """How runs are ranked under other judgments than the reference; or the sets of judgments in order."""
    more = {**_reading(options), "reference_qrels": qrels_of(options), **_scales(options)}
    _of_judges(options, ptr.compare_judgments, more, len(options.others) * len(options.measures))


def leaderboards(options: Namespace) -> None:
    """How judges rank runs, against a leaderboard that is trusted; or the judges in order."""
    more = {**_shared(options), "verbose": verbosity(options)}
    _of_judges(options, ptr.compare_leaderboards, more)


def _reading(options: Namespace) -> dict[str, Any]:
    """Arguments of functions that read runs themselves."""
    runs = {"runs": one_or_several(options.runs), "verbose": verbosity(options)}
    return {**runs, **design_of(options)}


def _scales(options: Namespace) -> dict[str, Any]:
    """Thresholds and maps of labels, by judge or pattern."""
    mapped = [((name, label), to) for name, (label, to) in getattr(options, "label_map", ())]
    maps: dict[str, dict[float, float]] = {}
    for (name, label), to in _each_once("--label-map", "label of a judge", mapped).items():
        maps.setdefault(name, {})[label] = to
    thresholds = _each_once("--relevance-threshold", "judge", getattr(options, "relevance_threshold", ()))
    return {"relevance_threshold": _all_last(thresholds), "label_map": _all_last(maps)}


def _all_last(of_judges: dict[str, Any]) -> dict[str, Any] | None:
    """The settings of all judges ("*") after those of some, as the first pattern that fits counts; None for none."""
    return dict(sorted(of_judges.items(), key=lambda given: given[0] == "*")) or None


def _each_once(option: str, what: str, given: Collection[tuple[Any, Any]]) -> dict[Any, Any]:
    """Pairs as a mapping; an error if a name is there twice."""
    if twice := [name for name, times in Counter(name for name, _ in given).items() if times > 1]:
        raise ValueError(f"{option} must have each {what} once, got {shown(min(twice))} twice.")
    return dict(given)


def _shared(options: Namespace) -> dict[str, str]:
    """The argument `missing` that --only-shared-topics and --only-shared-runs stand for."""
    words = {(True, True): "skip", (True, False): "drop-topics", (False, True): "drop-systems"}
    shared = options.only_shared_topics, options.only_shared_runs
    return {"missing": words[shared]} if shared in words else {}


def _of_judges(
    options: Namespace, function: Callable[..., Any], more: dict[str, Any], total: int | None = None
) -> None:
    """Compares judges with a reference; prints rows or an order, then bias and families if asked for."""
    check_picture(options)
    draw_seed(options, tell=False)
    groups, factors = groups_of(options), _factors(options.families)
    how = {**arguments(options, "groups"), "groups": groups, **more}
    with silencing(ptr.warnings.FailedJudgesWarning):  # which is said at the end
        if options.rank is not None:
            result = function(**how | ONLY_IN_ORDER)
            tell_seed(options)
            _show_labels(options, result)
            if options.format in TABLES or (groups is None and options.families is None):
                _judges_in_order(options, result)
        else:
            with agreements(options, total) as written:
                result = function(**how, on_row=written)
                _show_labels(options, result)
            note(options, result.note)
            draw(options.plot, result)
    if groups is not None and (options.families is None or options.format in TABLES):
        _biases(options, result)
    if factors is not None:
        _families(options, result, factors)
    _tell_failures(options, result)


def _tell_failures(options: Namespace, result: Any) -> None:
    """Ends with an error if some judges could not be used."""
    if result is not None and result.failed:
        words = options.parser.words
        option = next(words[name] for name in ("others", "judges", "against") if name in words)
        raise ValueError(f"{option}: {result.failures}")


def _show_labels(options: Namespace, result: Any) -> None:
    """Prints the faults of labels above the results of judges; csv and jsonl have them in columns."""
    if result.hygiene is not None and options.format in TABLES:
        emit(TABLES[options.format](replace(result.hygiene.table(), notes=())) + "\n")


def groups_of(options: Namespace) -> dict[str, Any] | None:
    """Group -> a pattern or a list of runs; None where there are none."""
    from pt_rankcorr.io.tables import read_labels

    if options.group is not None:
        return _each_once("--group", "name", options.group)
    if getattr(options, "groups", None) is None:
        return None
    found: dict[str, Any] = {}
    for run, group in read_labels(options.groups, "run").items():
        found.setdefault(group, []).append(run)
    return found


def _biases(options: Namespace, result: Any) -> None:
    """Prints whether judges favour groups of runs."""
    found = result.bias(**given(options, "n_jobs"))
    if options.format in TABLES:
        emit("")
    with Output(options.format) as output:
        settings = facts({"level": found.level, "seed": found.seed}, shown=False)
        output.add(found.table().followed_by(*settings))
    note(options, found.note)


def _factors(families: str | None) -> Any:
    """A pattern, or judge -> its factors, from a file."""
    if families is None or not os.path.isfile(families):
        return families
    with open(families, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if any("judge" not in row for row in rows):
        raise ValueError(f"--families must be a CSV file with a column judge, got {shown(families)}.")
    return _each_once("--families", "judge", [(row.pop("judge"), row) for row in rows])


def _families(options: Namespace, result: Any, factors: Any) -> None:
    """Prints how much judges vary between families and by sampling error, for each pair of measures."""
    if options.format in TABLES:
        emit("")
    keys = dict.fromkeys((row.reference, row.measure) for row in result)
    with Output(options.format) as output:
        for reference, measure in keys:
            how = {"reference": reference, "measure": measure, **given(options, "n_jobs")}
            found = result.families(factors, coefficient=options.rank or "tau", **how)
            settings = {"coefficient": found.coefficient, "level": found.level, "seed": result.seed}
            output.add(found.table().led_by(constant("measure", measure)).followed_by(*facts(settings, shown=False)))
            note(options, found.table().notes[0])


def _judges_in_order(options: Namespace, result: Any) -> None:
    """Prints the order of the judges by each pair of measures."""
    keys = [{name: row.key[name] for name in ("reference", "measure")} for row in result]
    compared = {"-".join(dict.fromkeys(names.values())): names for names in keys}
    pictures, notes = pictures_of(options, list(compared)), []
    with Output(options.format) as output:
        for part, names in compared.items():
            ranking = result.judges(coefficient=options.rank, **names, **given(options, "n_jobs"))
            judge, *others = ranking.table().columns
            settings = facts({"level": ranking.level, "seed": result.seed}, shown=False)
            columns = (judge, *(constant(*name) for name in names.items()), *others, *settings)
            output.add(replace(ranking.table(), columns=columns))
            notes.append(ranking.note)
            draw(pictures.get(part), ranking)
    note(options, " ".join(notes))


def report(options: Namespace) -> None:
    """Writes a page with all results."""
    from pt_rankcorr.reporting.reports import form_of

    refuse_inputs(options.path, inputs(options))
    check_writable(options.path)  # before the input is read, which takes time
    form_of(options.path)
    groups, scores = groups_of(options), scores_of(options)
    draw_seed(options, tell=False)
    finished: list[Any] = []
    how = {**arguments(options), "groups": groups, "against": _against(options, scores), "on_row": finished.append}
    try:
        with silencing(ptr.warnings.FailedJudgesWarning):
            judges = ptr.report(scores, **how).findings.judges
    except KeyboardInterrupt:
        tell_seed(options)
        with Output("table") as output:
            for row in finished:
                output.add(line_of(row))
        raise
    tell_seed(options)
    note(options, f"wrote the report to {options.path}")
    if options.open:
        webbrowser.open(Path(options.path).absolute().as_uri())
    _tell_failures(options, judges and judges.comparison)


def _against(options: Namespace, scores: ptr.Scores) -> Any:
    """The judges of a report: leaderboards, or with --runs the comparison of judgments."""
    if "runs" not in options or "against" not in options:
        return getattr(options, "against", None)
    return ptr.compare_judgments(
        one_or_several(options.runs),
        qrels_of(options),
        options.against,
        [options.reference] if "reference" in options else list(scores),
        **given(options, "names", "missing", "lower_is_better", "download", "n_resamples", "rng", "n_jobs"),
        **design_of(options),
        verbose=verbosity(options),
    )
