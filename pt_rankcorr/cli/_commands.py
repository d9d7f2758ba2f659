"""What the commands do: each reads scores, and writes a statistic of them line by line."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pt_rankcorr.cli._input import among, note, one_or_several, scores_of, verbosity
from pt_rankcorr.cli._output import Line, emit, table, write

if TYPE_CHECKING:
    import pandas as pd

    from pt_rankcorr.comparison.measures import MeasureAgreement
    from pt_rankcorr.scores import Scores
    from pt_rankcorr.stats.rank_distance import DRankTest

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

    _check_several(scores)
    baselines: Sequence[str] = scores.measures if options.reference is None else [_reference(options, scores)]
    undefined = []
    for baseline in _progress(options, baselines):
        for row in _agreements_with(baseline, scores, _test(options, scores, baseline, seed)):
            values = {name: value for name, value in row.to_dict().items() if name != "collection"}
            yield Line({**values, **_settings(options, seed)}, _shown(values, AGREEMENT))
            if math.isnan(row.ranking.tau):
                undefined.append(f"{row.measure} against {row.baseline}")
    warn_of_undefined(undefined)


def _agreements_with(baseline: str, scores: Scores, test: DRankTest) -> Iterator[MeasureAgreement]:
    import numpy as np

    from pt_rankcorr.comparison._rankings import ranking_agreements
    from pt_rankcorr.comparison.measures import MeasureAgreement

    truth, others = scores[baseline], [measure for measure in scores if measure != baseline]
    rankings = ranking_agreements(truth, np.stack([scores[measure].means for measure in others]), test)
    for measure, ranking in zip(others, rankings, strict=True):
        yield MeasureAgreement("", baseline, measure, truth.n_topics, truth.n_systems, ranking)


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
    from pt_rankcorr.adapters.irds import qrels_of
    from pt_rankcorr.comparison._shown import shown_rows
    from pt_rankcorr.comparison.judged import compare_judgments

    seed = _seed(options)
    result = compare_judgments(
        one_or_several(options.runs),
        options.qrels if options.irds is None else qrels_of(options.irds, download=options.download),
        _judges(options.against),
        options.measures,
        test=options.test,
        alpha=options.alpha,
        level=options.level,
        n_resamples=options.resamples,
        null=options.null,
        covariance=options.covariance,
        missing=options.missing,
        lower_is_better=options.lower_is_better,
        rng=seed,
        n_jobs=options.jobs,
        verbose=verbosity(options),
    )
    note(options, result._note())
    shown = _rows(shown_rows(result.rows, result.level))
    made = {**_settings(options, seed), "test": result.test, "alpha": result.alpha, "level": result.level}
    size = {"n_topics": len(result.reference.topics), "n_systems": len(result.reference.systems)}
    lines = (Line({**row.to_dict(), **size, **made}, seen) for row, seen in zip(result.rows, shown, strict=True))
    write(lines, options.format, n_names=2)


def _judges(paths: Sequence[str]) -> dict[str, Any]:
    """Name -> judgments; files are named after whose they are."""
    from pt_rankcorr.adapters.files import named_files

    named = named_files(one_or_several(paths), "others")
    short = {name.removesuffix(".qrels"): path for name, path in named.items()}
    return short if len(short) == len(named) else named


# --- report -------------------------------------------------------------------------------------------------


def report(options: Namespace) -> None:
    """A page of all of it, in a file."""
    from pt_rankcorr.reporting.reports import report as write_report
    from pt_rankcorr.stats._whole_file import check_writable

    check_writable(options.output)  # rather now than when all is read
    scores, seed = scores_of(options), _seed(options)
    reference = None if options.reference is None else _reference(options, scores)
    write_report(
        scores, options.output, reference=reference, n_resamples=options.resamples, rng=seed, n_jobs=options.jobs
    )
    note(options, f"the report is in {options.output}")


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


def _progress(options: Namespace, measures: Iterable[str]) -> Iterable[str]:
    """The measures, with a progress bar if they take their time."""
    import pyterrier as pt

    bar: Iterable[str] = pt.tqdm(measures, desc=options.command, unit="measure", disable=options.quiet, delay=2)
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
