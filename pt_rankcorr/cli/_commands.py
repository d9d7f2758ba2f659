"""What the commands do: each reads scores, and writes a statistic of them line by line."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pt_rankcorr.cli._input import among, note, one_or_several, scores_of, verbosity
from pt_rankcorr.cli._output import Line, emit, table, write

if TYPE_CHECKING:
    import pandas as pd

    from pt_rankcorr.scores import Scores
    from pt_rankcorr.stats.rank_distance import DRankTest

Part = TypeVar("Part")

# what people are shown of a line, and under which name
AGREEMENT = {name: name for name in ("baseline", "measure", "tau", "tau_ap", "tau_gap", "d_rank")} | {
    "pvalue": "p-value"
}
DISTANCE = {"baseline": "baseline", "measure": "measure", "statistic": "d_rank", "pvalue": "p-value"}
POWER = {
    "measure": "measure",
    "statistic": "power",
    "n_significant": "significant pairs",
    "n_pairs": "of",
    "required_difference": "required difference",
}


# --- demo ---------------------------------------------------------------------------------------------------


def demo(options: Namespace) -> None:
    """The experiment on the embedded collection."""
    from pt_rankcorr.demo import study

    result = study.run(n_topics=options.topics, verbose=not options.quiet)
    for frame in (result.by_system, result.by_measure):
        emit(table(_rows(frame), n_names=1) + "\n")
    emit("\n".join(result.sentences))


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(column): value for column, value in row.items()} for row in frame.to_dict("records")]


# --- compare ------------------------------------------------------------------------------------------------


def compare(options: Namespace) -> None:
    """Every measure, or the reference, as the baseline of every other."""
    scores, seed = scores_of(options), _seed(options)
    write(_agreements(options, scores, seed), options.format, n_names=2)


def _agreements(options: Namespace, scores: Scores, seed: int) -> Iterator[Line]:
    from pt_rankcorr.comparison._rankings import warn_of_undefined
    from pt_rankcorr.comparison.measures import agreements_with

    _check_several(scores)
    baselines: Sequence[str] = scores.measures if options.reference is None else [_reference(options, scores)]
    size, undefined = {"n_topics": len(scores.topics), "n_systems": len(scores.systems)}, []
    for baseline in _progress(options, baselines):
        test = _test(options, scores, baseline, seed)
        for measure, agreement in agreements_with(baseline, scores, test).items():
            values = {"baseline": baseline, "measure": measure, **size, **agreement.to_dict()}
            yield Line({**values, **_settings(options, seed)}, _shown(values, AGREEMENT))
            if math.isnan(agreement.tau):
                undefined.append(f"{measure} against {baseline}")
    warn_of_undefined(undefined)


# --- drank --------------------------------------------------------------------------------------------------


def drank(options: Namespace) -> None:
    """The distance of every other measure's ranking from that by the reference."""
    scores, seed = scores_of(options), _seed(options)
    write(_distances(options, scores, seed), options.format, n_names=2)


def _distances(options: Namespace, scores: Scores, seed: int) -> Iterator[Line]:
    _check_several(scores)
    baseline = scores.measures[0] if options.reference is None else _reference(options, scores)
    test = _test(options, scores, baseline, seed)
    for measure in _progress(options, [measure for measure in scores if measure != baseline]):
        values = {"baseline": baseline, "measure": measure, **test.test(scores[measure]).to_dict()}
        yield Line({**values, "seed": seed}, _shown(values, DISTANCE))


def _test(options: Namespace, scores: Scores, baseline: str, seed: int) -> DRankTest:
    from pt_rankcorr.comparison._rankings import DistanceSettings

    settings = DistanceSettings.checked(options.resamples, options.null, options.covariance)
    return settings.test(scores[baseline], seed, options.jobs)


# --- expected -----------------------------------------------------------------------------------------------


def expected(options: Namespace) -> None:
    """How well each measure's ranking is expected to agree with the true one."""
    scores, seed = scores_of(options), _seed(options)
    write(_expectations(options, scores, seed), options.format)


def _expectations(options: Namespace, scores: Scores, seed: int) -> Iterator[Line]:
    from pt_rankcorr.stats.expected import expected_correlation

    for measure in _progress(options, scores.measures):
        result = expected_correlation(
            scores[measure],
            coefficient=options.coefficient,
            estimator=options.estimator,
            n_resamples=options.resamples,
            rng=seed,
            n_jobs=options.jobs,
        )
        low, high = result.confidence_interval(options.level)
        curve = {f"with {number} topics": result.curve(number) for number in options.topics}
        needed = {"target": options.target, "topics_needed": result.topics_needed(options.target)}
        values = {"measure": measure, **result.to_dict(), "level": options.level, "low": low, "high": high}
        shown = {"measure": measure, f"E[{options.coefficient}]": result.value, "low": low, "high": high}
        yield Line(
            {**values, **needed, **curve},
            {**shown, f"topics for {options.target:g}": _whole(needed["topics_needed"]), **curve},
        )


def _whole(number: float) -> float | int:
    return int(number) if math.isfinite(number) else number


# --- power --------------------------------------------------------------------------------------------------


def power(options: Namespace) -> None:
    """How many pairs of systems each measure tells apart."""
    scores, seed = scores_of(options), _seed(options)
    write(_powers(options, scores, seed), options.format)


def _powers(options: Namespace, scores: Scores, seed: int) -> Iterator[Line]:
    from pt_rankcorr.stats.sensitivity import discriminative_power

    for measure in _progress(options, scores.measures):
        result = discriminative_power(
            scores[measure],
            test=options.test,
            alpha=options.alpha,
            n_resamples=options.resamples,
            rng=seed,
            n_jobs=options.jobs,
        )
        values = {"measure": measure, **result.to_dict()}
        yield Line({**values, "seed": seed}, _shown(values, POWER))


# --- judgments ----------------------------------------------------------------------------------------------


def judgments(options: Namespace) -> None:
    """How runs are ranked under other judgments than the reference."""
    write(_judged(options, _seed(options)), options.format, n_names=2)


def _judged(options: Namespace, seed: int) -> Iterator[Line]:
    from pt_rankcorr.adapters.irds import qrels_of
    from pt_rankcorr.comparison._checkpoint import Checkpoint
    from pt_rankcorr.comparison._rankings import DistanceSettings, warn_of_undefined
    from pt_rankcorr.comparison._shown import shown_rows
    from pt_rankcorr.comparison.judged import HowJudged, begun

    distance = DistanceSettings.checked(options.resamples, options.null, options.covariance)
    compared, rows = begun(
        one_or_several(options.runs),
        options.qrels if options.irds is None else qrels_of(options.irds, download=options.download),
        _judges(options.against),
        options.measures,
        HowJudged(distance, options.test, options.alpha, options.level, seed, options.jobs),
        {"missing": options.missing, "lower_is_better": options.lower_is_better, "verbose": verbosity(options)},
        Checkpoint(None, options.command),
    )
    note(options, compared._note())
    made = {**_settings(options, seed), "test": options.test, "alpha": options.alpha, "level": options.level}
    size = {"n_topics": len(compared.reference.topics), "n_systems": len(compared.reference.systems)}
    undefined = []
    for row in _progress(options, rows, "comparison", len(compared.others) * len(compared.reference)):
        (shown,) = _rows(shown_rows([row], options.level))
        yield Line({**row.to_dict(), **size, **made}, shown)
        if math.isnan(row.ranking.tau):
            undefined.append(f"{row.judgments} by {row.measure}")
    warn_of_undefined(undefined)


def _judges(paths: Sequence[str]) -> dict[str, Any]:
    """Name -> judgments; files are named after whose they are."""
    from pt_rankcorr.adapters.files import named_files

    named = named_files(one_or_several(paths), "others")
    short = {name.removesuffix(".qrels"): path for name, path in named.items()}
    return short if len(short) == len(named) else named


# --- report -------------------------------------------------------------------------------------------------


def report(options: Namespace) -> None:
    """A page of all of it, in a file."""
    from pt_rankcorr.comparison._checkpoint import Checkpoint
    from pt_rankcorr.reporting.findings import found
    from pt_rankcorr.reporting.reports import Report
    from pt_rankcorr.stats._whole_file import check_writable, write_whole

    check_writable(options.output)  # rather now than when all is read
    scores, seed = scores_of(options), _seed(options)
    reference = None if options.reference is None else _reference(options, scores)
    settings = {"n_resamples": options.resamples, "rng": seed, "n_jobs": options.jobs}
    finished = Checkpoint(None, options.command)
    try:
        made = found(scores, reference, finished=finished, **settings)
    except KeyboardInterrupt:
        write(_finished(finished.parts), "table", n_names=2)
        raise
    write_whole(options.output, Report(made).to_html().encode())
    note(options, f"the report is in {options.output}")


def _finished(parts: Mapping[tuple[Any, ...], Any]) -> Iterator[Line]:
    """What a report that was stopped would have said of measures against measures."""
    for (_, baseline), others in parts.items():
        for measure, agreement in others.items():
            values = {"baseline": baseline, "measure": measure, **agreement}
            yield Line(values, _shown(values, AGREEMENT))


# --- what several commands need -----------------------------------------------------------------------------


def _seed(options: Namespace) -> int:
    """The seed that was given, or one drawn and told."""
    from pt_rankcorr.comparison._rankings import seed_of

    seed = seed_of(options.seed)
    if options.seed is None:
        note(options, f"--seed {seed} gives the same numbers again.")
    return seed


def _reference(options: Namespace, scores: Scores) -> str:
    return among("--reference", [options.reference], scores)[0]


def _check_several(scores: Scores) -> None:
    if len(scores) < 2:
        raise ValueError(f"there must be at least 2 measures, to be compared, got {', '.join(scores.measures)}.")


def _progress(options: Namespace, parts: Iterable[Part], unit: str = "measure", total: Any = None) -> Iterable[Part]:
    """The parts of the work, with a progress bar if they take their time."""
    import pyterrier as pt

    bar: Iterable[Part] = pt.tqdm(
        parts, desc=options.command, unit=unit, total=total, disable=options.quiet, delay=2, leave=False
    )
    return bar


def _settings(options: Namespace, seed: int) -> dict[str, Any]:
    return {
        "n_resamples": options.resamples,
        "null": options.null,
        "covariance": options.covariance,
        "seed": seed,
    }


def _shown(values: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {name: values[column] for column, name in names.items()}
