"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli import _commands, _papers
from pt_rankcorr.cli._command import Command, Help, Names, Parser, number_of
from pt_rankcorr.cli._leaderboards import against, input_of_leaderboards, of_groups, of_leaderboards, of_order, of_rows
from pt_rankcorr.cli._output import FORMATS
from pt_rankcorr.cli._pictures import of_picture
from pt_rankcorr.defaults import ALPHA, FEWER_RESAMPLES, LEVEL, RESAMPLES

# what options may say, the default first; the functions know, too, but take a moment to load
MISSING = ("error", "drop-topics", "drop-systems", "zero")
NULLS = ("shrunken", "published")  # no command has rankings from other topics
COVARIANCES = ("sample", "ledoit-wolf")
METHODS = ("shrunken", "percentile", "guaranteed")
TESTS = ("tukey-hsd", "paired-bootstrap", "unpaired-bootstrap", "t", "wilcoxon")
ESTIMATORS = ("shrunken", "msqd", "ml", "resampling", "kde", "split-half", "split-half-replace")
COEFFICIENTS = ("tau", "tau_ap", "tau_gap")
OF_A_REPORT = "how many; fewer than compare and ranks take, as a page has it all, so that third digits differ"
OF_JUDGES = "how many; fewer than compare takes, as judges may be many"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options of one command; stops with status 2 where they do not fit together."""
    options = _parser().parse_args(arguments)
    if "runs" in options:
        _check(options)
    return options


def _check(options: argparse.Namespace) -> None:
    wrong: Callable[[str], Any] = options.parser.error
    judged = [name for name in ("--qrels", "--irds") if getattr(options, name[2:]) is not None]
    if options.runs is not None and len(judged) != 1:
        wrong(f"--runs needs either --qrels FILE or --irds ID, got {' and '.join(judged) or 'neither'}")
    if options.runs is not None and not options.measures:
        wrong("--runs needs --measures")
    if options.runs is None and (judged or options.names != "file"):
        wrong(f"{judged[0] if judged else '--names'} is for --runs only")
    if options.download and options.irds is None:
        wrong("--download is for --irds only")
    if getattr(options, "columns", None) is not None and options.scores is None:
        wrong("--columns is for --scores only")
    _papers.check(options, wrong)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="pt-rankcorr",
        description="Do measures or judgments rank retrieval systems differently, and does the choice of\n"
        "topics explain the difference?",
        epilog="pt-rankcorr COMMAND --help says more, with an example. Results go to standard\n"
        "output, all else to standard error. Exit status: 0 done, 1 bad input or an\n"
        "output that cannot be written, 2 wrong usage, 130 interrupted.",
        formatter_class=Help,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {ptr.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for command in COMMANDS:
        command.add_to(commands)
    return parser


# --- numbers and names --------------------------------------------------------------------------------------


_share = number_of(float, "between 0 and 1 (both excluded)", lambda number: 0 < number < 1)
_correlation = number_of(float, "from -1 to 1", lambda number: -1 <= number <= 1)
_seed = number_of(int, "0 or more", lambda number: number >= 0)
_resamples = number_of(int, "2 or more", lambda number: number >= 2)
_positive = number_of(int, "1 or more", lambda number: number >= 1)
_jobs = number_of(int, "a number of workers, or -1 for as many as there are processors", lambda number: number != 0)
_demo_topics = number_of(int, "from 2 to 90", lambda number: 2 <= number <= 90)


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


# --- options ------------------------------------------------------------------------------------------------


def _of_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--topics", type=_demo_topics, default=50, help="how many topics, 2 to 90")
    parser.add_argument("--write", metavar="DIR", help="only write runs and judgments, to try the other commands on")
    _quiet(parser)


def _input(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("INPUT, one of")
    one = group.add_mutually_exclusive_group(required=True)
    one.add_argument("--experiment", metavar="FILE", nargs="+", help="perquery.csv of a pt.Experiment, or its save_dir")
    one.add_argument(
        "--trec-eval", metavar="PATH", nargs="+", help="output of trec_eval -q or ir_measures -q: a file a run"
    )
    one.add_argument(
        "--scores",
        metavar="CSV",
        nargs="+",
        help="tables: a row a topic and a column a system, a file a measure; or a row a score, with or without a "
        "header (run, measure, topic, value in any order)",
    )
    one.add_argument("--leaderboard", metavar="PATH", nargs="+", help="scores in a format of autojudge-evaluate")
    one.add_argument("--runs", metavar="PATH", nargs="+", help="TREC run files, a folder of them, or 'runs/*.run'")
    _judgments(parser.add_argument_group("--runs: names and judgments"))
    more = parser.add_argument_group("how to read it")
    more.add_argument(
        "--measures",
        metavar="NAME",
        nargs="+",
        action=Names,
        help="such as AP nDCG@10 (default: all; --runs needs it)",
    )
    more.add_argument(
        "--columns",
        type=_columns,
        metavar="NAMES",
        help="what the columns of --scores hold, as run,measure,topic,value, with _ for others",
    )
    _alignment(more)


def _input_of_judgments(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("input")
    group.add_argument(
        "--runs", metavar="PATH", nargs="+", required=True, help="TREC run files, a folder, or 'runs/*.run'"
    )
    _judgments(group)
    group.add_argument("--measures", metavar="NAME", nargs="+", action=Names, required=True, help="such as AP nDCG@10")
    _alignment(group)


def _against(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--against", metavar="FILE", nargs="+", required=True, help="TREC qrels files to compare")


def _judgments(group: Any) -> None:
    group.add_argument("--names", choices=("file", "tag"), default="file", help="name --runs by file or run tag")
    group.add_argument("--qrels", metavar="FILE", help="TREC qrels file")
    group.add_argument("--irds", metavar="ID", help="dataset of ir-datasets, such as vaswani")
    group.add_argument("--download", action="store_true", help="let ir-datasets fetch what is not on this machine")


def _alignment(group: Any) -> None:
    group.add_argument("--missing", choices=MISSING, default=MISSING[0], help="what to do where a system lacks a topic")
    group.add_argument(
        "--lower-is-better", metavar="NAME", nargs="+", action=Names, default=[], help="measures better when lower"
    )
    labels = "the %s: a file with a topic and its label on each line, or a regular expression for the start of topics"
    group.add_argument(
        "--clusters", metavar="FILE|REGEX", help=labels % "conversation or query that topics are turns or variants of"
    )
    group.add_argument(
        "--strata", metavar="FILE|REGEX", help=f"{labels % 'collection of each topic'}; means are over collections"
    )


def _output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format", choices=FORMATS, default=FORMATS[0], help="csv and jsonl are not rounded, and have more columns"
    )
    _quiet(group)


def _file(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--output", metavar="FILE", required=True, help="FILE.html, FILE.tex or FILE.md; replaced if there"
    )
    group.add_argument("--open", action="store_true", help="show it in the browser when it is done")
    _quiet(group)


def _quiet(group: Any) -> None:
    group.add_argument("--quiet", action="store_true", help="nothing on standard error but errors")


def _resampling(default: int = RESAMPLES, how_many: str = "how many") -> Callable[[argparse.ArgumentParser], None]:
    def add(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("resampling")
        group.add_argument("--seed", type=_seed, metavar="N", help="gives the same numbers again (default: random)")
        group.add_argument("--resamples", type=_resamples, metavar="N", default=default, help=how_many)
        group.add_argument("--jobs", type=_jobs, metavar="N", help="workers; they change no number (default: 1)")

    return add


def _reference(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reference", metavar="NAME", help="the measure that is trusted, and compared with the others")


def _distance(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("d_rank")
    group.add_argument("--null", choices=NULLS, default=NULLS[0], help="published: that of Carterette (2009)")
    group.add_argument(
        "--covariance", choices=COVARIANCES, help="default: sample with --null published, else ledoit-wolf"
    )


def _of_expected(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coefficient", choices=COEFFICIENTS, default="tau_ap", help="of the two rankings")
    parser.add_argument("--estimator", choices=ESTIMATORS, default=ESTIMATORS[0], help="how it is estimated")
    parser.add_argument("--target", type=_correlation, default=0.9, help="find the topics for this correlation")
    parser.add_argument("--topics", type=_positive, metavar="N", nargs="+", default=[], help="also with so many topics")
    _level(parser)


def _level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", type=_share, default=LEVEL, help="of intervals")


def _of_ranks(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--method", choices=METHODS, default=METHODS[0], help="how intervals are found")
    parser.add_argument("--simultaneous", action="store_true", help="the level is that of all intervals together")
    _level(parser)


def _pairs(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("pairs of systems")
    group.add_argument("--test", choices=TESTS, default=TESTS[0], help="tukey-hsd is corrected for all pairs")
    group.add_argument("--alpha", type=_share, default=ALPHA, help="level of the test")


# --- commands -----------------------------------------------------------------------------------------------

ANY_INPUT = "INPUT [options]"

COMMANDS = (
    Command(
        "demo",
        "[--topics N] [--write DIR]",
        "an experiment on an embedded test collection",
        "Runs 29 retrieval systems on an embedded test collection and compares how\nmeasures rank them.",
        "--topics 25",
        _commands.demo,
        [_of_demo],
    ),
    Command(
        "compare",
        ANY_INPUT,
        "how measures rank systems, each against each",
        "tau, tau_AP, tau_GAP and d_rank of every measure against every other as\n"
        "reference. A small p-value says that the two rank the systems differently, and\n"
        "that the choice of topics does not explain it. Several --experiment are as many\n"
        "collections.",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP nDCG@10 --seed 1",
        _commands.compare,
        [_reference, _input, of_rows(intervals=False), _level, _distance, _resampling(), of_picture, _output],
    ),
    Command(
        "drank",
        ANY_INPUT,
        "d_rank and its test against a reference measure",
        "The distance of every measure's ranking of systems from that by the reference\n"
        "(by default the first measure), and its p-value: small if the choice of topics\n"
        "does not explain it. --ranking tests rankings in files.",
        "--experiment perquery.csv --reference AP --seed 1",
        _papers.drank_or_rankings,
        [_reference, _papers.of_rankings, _input, _distance, _resampling(), _output],
    ),
    Command(
        "expected",
        ANY_INPUT,
        "how well rankings agree with the true ones, and how many topics are needed",
        "The expected correlation of each measure's ranking of systems with the one over\n"
        "all topics there could be, an interval for the actual one, and the number of\n"
        "topics for a target.",
        "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
        _commands.expected,
        [_of_expected, _input, _resampling(FEWER_RESAMPLES), of_picture, _output],
    ),
    Command(
        "ranks",
        ANY_INPUT,
        "where systems may truly rank, and which may be the best",
        "The rank of every system by each measure, an interval for its true one, how\n"
        "often it is first in draws of the means, its tier (1: no other system is surely\n"
        "better, all pairs tested at once) and whether it may be the best (tested for\n"
        "this alone, so not all of tier 1 need be). Tiers and the best ones hold for each\n"
        "system; intervals hold on average, and --method guaranteed for each.",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP --plot ranks.png --seed 1",
        _commands.ranks,
        [_input, _of_ranks, _resampling(), of_picture, _output],
    ),
    Command(
        "power",
        ANY_INPUT,
        "how many pairs of systems measures tell apart",
        "The discriminative power of each measure: the share of all pairs of systems\n"
        "that differ significantly, and the difference that suffices for every pair.",
        "--trec-eval evaluated/ --seed 1",
        _commands.power,
        [_input, _pairs, _resampling(FEWER_RESAMPLES), of_picture, _output],
    ),
    Command(
        "swap",
        ANY_INPUT,
        "how often other topics reverse a difference of two systems",
        "The swap method: the difference from which on at most 5% of comparisons are\n"
        "reversed on other topics, and how many comparisons reach it, by each measure.",
        "--scores AP.csv nDCG.csv --seed 1",
        _papers.swap,
        [_papers.of_again, _papers.of_swap, _input, _resampling(FEWER_RESAMPLES), of_picture, _output],
    ),
    Command(
        "stability",
        ANY_INPUT,
        "how often other topics are wrong about two systems, or tie them",
        "The minority rate and the proportion of ties of each measure: the lower both\nare, the better the measure.",
        "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
        _papers.stability,
        [_papers.of_again, _papers.of_stability, _input, _resampling(FEWER_RESAMPLES), of_picture, _output],
    ),
    Command(
        "error",
        ANY_INPUT,
        "how accurate a correlation of two measures is",
        "The correlation of each measure with the reference (by default the first), its\n"
        "bootstrap standard error, and an interval for that over all topics.",
        "--scores AP.csv nDCG.csv --coefficient tau_ap --seed 1",
        _papers.error,
        [_reference, _papers.of_error, _level, _input, _resampling(FEWER_RESAMPLES), _output],
    ),
    Command(
        "judgments",
        "--runs PATH ... (--qrels FILE | --irds ID) \\\n    --against FILE ... --measures NAME ... [options]",
        "whether other judgments rank systems differently from the reference",
        "Compares sets of judgments, of other assessors or of language models, with a\n"
        "reference: kappa of the labels, correlations and d_rank of the rankings of\n"
        "runs, and pairs of systems that are significantly reversed. --rank says which\n"
        "judge is better.",
        "--runs runs/ --qrels nist.qrels \\\n    --against gpt.qrels llama.qrels --measures nDCG@10 --seed 1",
        _commands.judgments,
        [
            _input_of_judgments,
            _against,
            of_order,
            of_rows(intervals=True),
            of_groups,
            _level,
            _pairs,
            _distance,
            _resampling(),
            of_picture,
            _output,
        ],
    ),
    Command(
        "curve",
        "--runs PATH ... (--qrels FILE | --irds ID) \\\n"
        "    (--depths N ... | --shares SHARE ...) --measures NAME ... [options]",
        "how well fewer judgments rank systems",
        "Rankings under pools of some depths, or under random shares of the judgments,\nagainst those under all.",
        "--runs runs/ --qrels nist.qrels \\\n    --depths 1 5 10 50 --measures AP --seed 1",
        _papers.curve,
        [_papers.of_curve, _input_of_judgments, _level, _distance, _resampling(), of_picture, _output],
    ),
    Command(
        "leaderboards",
        "--reference PATH --judges PATH ... [options]",
        "whether judges rank runs as a trusted leaderboard does, and which is best",
        "Compares leaderboards of judges, such as language models, with one that is\n"
        "trusted: correlations with intervals, beside the ceiling that a perfect judge\n"
        "can be expected to reach, d_rank, and significant pairs of runs. --rank says\n"
        "which judge is better. Reads the formats of autojudge-evaluate.",
        "--reference people.jsonl --judges judges/* \\\n    --reference-measure nDCG@10 --seed 1",
        _commands.leaderboards,
        [
            of_leaderboards,
            input_of_leaderboards,
            of_rows(intervals=True),
            of_groups,
            _level,
            _pairs,
            _distance,
            _resampling(FEWER_RESAMPLES, OF_JUDGES),
            of_picture,
            _output,
        ],
    ),
    Command(
        "report",
        "INPUT --output FILE [options]",
        "one page with all results",
        "Writes one page: the systems with intervals of their ranks, how well\n"
        "each measure tells them apart, which measures rank them differently, and how\n"
        "many topics are needed. With --against, also which judges rank the systems as\n"
        "the reference does.",
        "--experiment perquery.csv --output page.html",
        _commands.report,
        [_reference, _input, against, of_groups, _resampling(FEWER_RESAMPLES, OF_A_REPORT), _file],
    ),
)
