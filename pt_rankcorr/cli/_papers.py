"""The commands for what the papers do beside: rankings in files, swaps, stability, errors of correlations, curves."""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._commands import agreements, distance, drank, progress, resampling, seed_of, untold_seed
from pt_rankcorr.cli._input import find, note, one_or_several, qrels_of, reading, scores_of
from pt_rankcorr.cli._output import Line, Output
from pt_rankcorr.cli._pictures import check_picture, draw

AGAIN = ("new topics", "resamples", "halves")  # what differences are compared on once more, the default first
CORRELATIONS = ("tau", "tau_ap", "tau_gap", "pearson", "spearman")
SWAPS = {
    "measure": "measure",
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
}
STABILITY = {"minority_rate": "minority rate", "proportion_of_ties": "proportion of ties"}


def drank_or_rankings(options: Namespace) -> None:
    """The distance of other measures' rankings, or of rankings in files, from that by the reference."""
    if options.ranking is None:
        return drank(options)
    rankings = {os.path.basename(path): read_ranking(path) for path in options.ranking}
    scores, seed = scores_of(options), seed_of(options)
    reference = scores[scores.measures[0] if options.reference is None else find([options.reference], scores)[0]]
    test = _test(options, reference, seed)
    with Output(options.format, n_names=2) as output:
        for name, ranking in rankings.items():
            found = test.test(ranking)
            names = {"reference": str(reference.measure), "ranking": name}
            tau: Any = ptr.kendall_tau(reference, ranking)
            shown = {**names, "tau": tau, "d_rank": found.statistic, "p-value": found.pvalue}
            more = {name: value for name, value in found.to_dict().items() if name != "statistic"}
            values = {"d_rank": found.statistic, **more, "critical_value": found.critical_value(), "seed": seed}
            output.add(Line({**names, "tau": tau, **values}, shown))
    return None


def _test(options: Namespace, reference: Any, seed: int) -> Any:
    """The test of the reference; from a file where there is one, else into it."""
    given = {"n_resamples": options.resamples, "null": options.null, "covariance": options.covariance}
    given = {name: value for name, value in given.items() if value is not None}
    if options.saved is not None and os.path.exists(options.saved):
        test = ptr.DRankTest.load(options.saved, reference, **given)
        note(options, f"the null distribution is that of {options.saved}")
        return test
    test = ptr.DRankTest(reference, **given, rng=seed, n_jobs=options.jobs)
    if options.saved is not None:
        test.save(options.saved)
        note(options, f"the null distribution is in {options.saved}")
    return test


def read_ranking(path: str) -> dict[str, float]:
    """A ranking in a file: a system and its score on each line, or systems alone, the best first."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip()]
    scored = [_score_of(line) for line in lines]
    if not lines:
        raise ValueError(f"{path!r} must hold a system on each line, got an empty file.")
    pairs = [(line, -float(place)) for place, line in enumerate(lines)] if None in scored else scored
    ranking = dict(pair for pair in pairs if pair is not None)
    if len(ranking) < len(pairs):
        names = [name for name, _ in filter(None, pairs)]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{path!r} must hold every system once, got {twice!r} twice.")
    return ranking


def _score_of(line: str) -> tuple[str, float] | None:
    name, _, score = line.replace("\t", " ").rpartition(" ")
    try:
        return (name.strip(), float(score)) if name.strip() else None
    except ValueError:
        return None


def swap(options: Namespace) -> None:
    """How often other topics reverse a difference, by each measure."""
    scores, seed = scores_of(options), seed_of(options)
    with Output(options.format) as output:
        for measure in progress(options, scores):
            found = ptr.stats.swap_rates(
                scores[measure],
                max_rate=options.max_rate,
                bins=_bins(options.bins),
                **_again(options),
                **resampling(options, seed),
            )
            values = {"measure": measure, **found.to_dict(), "seed": seed}
            share = float(found.swaps.sum() / found.counts.sum())
            shown = {name: values[column] for column, name in SWAPS.items()} | {"all swaps": share}
            output.add(Line({**values, "share_swapped": share}, shown))


def stability(options: Namespace) -> None:
    """How often other topics are wrong about two systems, and how often they tie them, by each measure."""
    scores, seed = scores_of(options), seed_of(options)
    with Output(options.format) as output:
        for measure in progress(options, scores):
            found = ptr.stats.stability(
                scores[measure], fuzziness=options.fuzziness, **_again(options), **resampling(options, seed)
            )
            for fuzziness, *rates in zip(found.fuzziness, found.minority_rate, found.proportion_of_ties, strict=True):
                at = {"measure": measure, "fuzziness": float(fuzziness)}
                values = dict(zip(STABILITY, map(float, rates), strict=True))
                shown = {STABILITY[name]: value for name, value in values.items()}
                output.add(Line({**at, **values, **found.to_dict(), "seed": seed}, {**at, **shown}))


def _again(options: Namespace) -> dict[str, Any]:
    return {"of": options.of, "topic_set_size": options.topic_set_size}


def _bins(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def error(options: Namespace) -> None:
    """The correlation of each measure with the reference, its standard error and an interval."""
    scores, seed = scores_of(options), seed_of(options)
    reference = scores.measures[0] if options.reference is None else find([options.reference], scores)[0]
    with Output(options.format, n_names=2) as output:
        for measure in progress(options, scores):
            if measure == reference:
                continue
            found = ptr.stats.correlation_standard_error(
                scores[reference], scores[measure], options.coefficient, **resampling(options, seed)
            )
            low, high = found.confidence_interval(options.level)
            names = {"reference": reference, "measure": measure}
            ends = {"level": options.level, "low": low, "high": high}
            shown = {found.coefficient: found.statistic, "standard error": found.standard_error}
            output.add(
                Line({**names, **found.to_dict(), **ends, "seed": seed}, {**names, **shown, "low": low, "high": high})
            )


def curve(options: Namespace) -> None:
    """How rankings under fewer judgments agree with those under all."""
    check_picture(options)
    seed, many = untold_seed(options), len(options.depths or ()) + len(options.shares or ()) * options.repetitions
    with agreements(options, many * len(options.measures)) as written:
        result = ptr.judgment_curve(
            one_or_several(options.runs),
            qrels_of(options),
            options.measures,
            depths=options.depths,
            shares=options.shares,
            repetitions=options.repetitions,
            level=options.level,
            **distance(options, seed),
            **reading(options),
            on_row=written,
        )
    note(options, f"{result.n_judgments} judgments in all.")
    draw(options.plot, result)


# --- options ------------------------------------------------------------------------------------------------


def of_rankings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--ranking",
        metavar="FILE",
        nargs="+",
        help="rankings to test instead of other measures: a system and its score a line, or systems, best first",
    )
    parser.add_argument(
        "--saved", metavar="FILE", help="for --ranking: the null distribution, taken from there or kept there"
    )


def of_again(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--of", choices=AGAIN, default=AGAIN[0], help="other topics: new ones, resamples, or disjoint sets"
    )
    parser.add_argument("--topic-set-size", type=int, metavar="N", help="topics of each set of --of halves")


def of_swap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-rate", type=float, default=0.05, metavar="RATE", help="the swap rate that is accepted")
    parser.add_argument("--bins", default="21", metavar="N", help="how many bins of differences, or published")


def of_stability(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fuzziness", type=float, nargs="+", default=[0.05], metavar="F", help="relative differences that are ties"
    )


def of_error(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coefficient", choices=CORRELATIONS, default="tau", help="of two measures")


def of_curve(parser: argparse.ArgumentParser) -> None:
    one = parser.add_mutually_exclusive_group(required=True)
    one.add_argument("--depths", type=int, nargs="+", metavar="N", help="depths of pools")
    one.add_argument("--shares", type=float, nargs="+", metavar="SHARE", help="shares of the judgments, from 0 to 1")
    parser.add_argument("--repetitions", type=int, default=10, metavar="N", help="random samples of each share")
