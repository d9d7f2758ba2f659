"""The commands for what the papers do beside: rankings in files, swaps, stability, errors of correlations, curves."""

from __future__ import annotations

import argparse
import os
from argparse import Namespace
from collections.abc import Callable
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._command import number_of
from pt_rankcorr.cli._commands import agreements, distance, drank, progress, resampling, seed_of, untold_seed
from pt_rankcorr.cli._input import find, note, one_or_several, qrels_of, reading, scores_of
from pt_rankcorr.cli._output import Line, Output
from pt_rankcorr.cli._pictures import check_picture, draw, pictures_of
from pt_rankcorr.text import shown

AGAIN = ("new topics", "resamples", "halves")  # what differences are compared on once more, the default first
CORRELATIONS = ("tau", "tau_b", "tau_ap", "tau_ap_b", "tau_gap", "spearman", "pearson")
FEW = 5  # systems that a message names
SWAPS = {
    "required_difference": "required difference",
    "relative_difference": "relative",
    "sensitivity": "comparisons that reach it",
}
STABILITY = {"minority_rate": "minority rate", "proportion_of_ties": "proportion of ties"}


def drank_or_rankings(options: Namespace) -> None:
    """The distance of other measures' rankings, or of rankings in files, from that by the reference."""
    if options.ranking is None:
        return drank(options)
    rankings = {name: read_ranking(path) for name, path in _names(options.ranking).items()}
    scores, seed = scores_of(options), seed_of(options)
    reference = scores[scores.measures[0] if options.reference is None else find([options.reference], scores)[0]]
    tests: dict[tuple[str, ...], Any] = {}
    with Output(options.format, n_names=2) as output:
        for name, ranking in rankings.items():
            common = _common(options, reference, ranking, name)
            chosen = {system: ranking[system] for system in common}
            if common not in tests:
                tests[common] = _test(options, reference.select(systems=common), seed)
            output.add(_tested(tests[common], reference.select(systems=common), name, chosen, seed))
    return None


def _names(paths: list[str]) -> dict[str, str]:
    """What each file is called: without its folder, unless two are then called the same."""
    short = [os.path.basename(path) for path in paths]
    return dict(zip(short if len(set(short)) == len(paths) else paths, paths, strict=True))


def _common(options: Namespace, reference: Any, ranking: dict[str, float], name: str) -> tuple[str, ...]:
    """The systems to compare, in the order of the reference: all, unless only those of both are asked for."""
    common = tuple(system for system in reference.systems if system in ranking)
    different = sorted(set(reference.systems) ^ set(ranking))
    listing = f"{', '.join(map(shown, different[:FEW]))}{f' and {len(different) - FEW} more' * (len(different) > FEW)}"
    if different and not options.only_shared_runs:
        raise ValueError(
            f"{name!r} must rank the systems of the scores, got differences in {listing}: "
            "--only-shared-runs compares those that both have."
        )
    if len(common) < 2:
        raise ValueError(f"{name!r} must share at least 2 systems with the scores, got {len(common)}.")
    if different:
        note(options, f"{name}: {len(common)} systems; only one side has {listing}.")
    return common


def _tested(test: Any, reference: Any, name: str, ranking: dict[str, float], seed: int) -> Line:
    found = test.test(ranking)
    names = {"reference": str(reference.measure), "ranking": name}
    tau: Any = ptr.kendall_tau(reference, ranking)
    shown = {**names, "tau": tau, "d_rank": found.statistic, "p-value": found.pvalue}
    more = {name: value for name, value in found.to_dict().items() if name != "statistic"}
    values = {"d_rank": found.statistic, **more, "critical_value": found.critical_value(), "seed": seed}
    return Line({**names, "tau": tau, **values}, shown)


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
    name, _, score = line.replace("\t", " ").replace(",", " ").rpartition(" ")
    name = line[: len(name)].strip().removesuffix(",").strip()
    try:
        return (name, float(score)) if name else None
    except ValueError:
        return None


def swap(options: Namespace) -> None:
    """How often other topics reverse a difference, by each measure; or along the number of topics."""
    check_picture(options)
    scores, seed = scores_of(options), seed_of(options)
    pictures = pictures_of(options, scores.measures)
    line = _swaps if options.topics is None else _swaps_along_topics
    with Output(options.format) as output:
        for measure in progress(options, scores):
            given = {"max_rate": options.max_rate, **_bins(options.bins), **resampling(options, seed)}
            found, values, shown = line(options, scores[measure], given)
            output.add(Line({"measure": measure, **values, "seed": seed}, {"measure": measure, **shown}))
            along = {} if options.topics is None else {"n_topics": max(found.n_topics, *options.topics)}
            draw(pictures.get(measure), found, title=measure, **along)


def _swaps(options: Namespace, scores: Any, given: dict[str, Any]) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    found = ptr.stats.swap_rates(scores, **_again(options), **given)
    share = float(found.swaps.sum() / found.counts.sum())
    values = found.to_dict()
    shown = {name: values[column] for column, name in SWAPS.items()} | {"all swaps": share}
    return found, {**values, "share_swapped": share}, shown


def _swaps_along_topics(
    options: Namespace, scores: Any, given: dict[str, Any]
) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """The difference that is needed with each number of topics."""
    found = ptr.stats.swap_curve(scores, **given)
    needed = {f"needed with {number} topics": found.required_difference(number) for number in options.topics}
    return found, {**found.to_dict(), **needed}, needed


def stability(options: Namespace) -> None:
    """How often other topics are wrong about two systems, and how often they tie them, by each measure."""
    check_picture(options)
    scores, seed = scores_of(options), seed_of(options)
    pictures = pictures_of(options, scores.measures)
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
            draw(pictures.get(measure), found, title=measure)


def _again(options: Namespace) -> dict[str, Any]:
    return {"of": options.of, "topic_set_size": options.topic_set_size}


def _bins(text: str | None) -> dict[str, Any]:
    return {} if text is None else {"bins": int(text) if text.isdecimal() else text}


def error(options: Namespace) -> None:
    """The correlation of each measure with the reference, its standard error and an interval."""
    scores, seed = scores_of(options), seed_of(options)
    reference = scores.measures[0] if options.reference is None else find([options.reference], scores)[0]
    with Output(options.format, n_names=2) as output:
        for measure in progress(options, scores):
            if measure == reference:
                continue
            found = ptr.correlation_interval(
                scores[reference],
                scores[measure],
                options.coefficient,
                level=options.level,
                **resampling(options, seed),
            )
            names, error = {"reference": reference, "measure": measure}, found.standard_error
            shown = {found.coefficient: found.statistic, "standard error": error, "estimate": found.estimate}
            shown |= {"low": found.low, "high": found.high, "p-value": found.pvalue}
            output.add(Line({**names, **found.to_dict(), "standard_error": error, "seed": seed}, {**names, **shown}))


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


def check(options: Namespace, wrong: Callable[[str], Any]) -> None:
    """Stops where options of these commands do not fit together."""
    if options.command == "drank" and options.ranking is None and (options.saved or options.only_shared_runs):
        wrong(f"{'--saved' if options.saved else '--only-shared-runs'} is for --ranking only")
    is_given = options.command == "swap" and options.topics is not None
    if is_given and (options.topic_set_size is not None or options.of != AGAIN[0]):
        wrong("--topics takes disjoint sets of all sizes, and neither --of nor --topic-set-size")


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
    parser.add_argument(
        "--only-shared-runs", action="store_true", help="for --ranking: compare the systems that both have"
    )


def of_again(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--of", choices=AGAIN, default=AGAIN[0], help="other topics: new ones, resamples, or disjoint sets"
    )
    parser.add_argument("--topic-set-size", type=int, metavar="N", help="topics of each set of --of halves")


def of_swap(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--max-rate", type=float, default=0.05, metavar="RATE", help="the swap rate that is accepted")
    parser.add_argument(
        "--bins", metavar="N", help="how many bins of differences, or published (default: 21; with --topics published)"
    )
    parser.add_argument(
        "--topics",
        type=number_of(int, "1 or more", lambda number: number >= 1),
        metavar="N",
        nargs="+",
        help="the difference needed with so many topics, from a curve through disjoint sets of all sizes",
    )


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
