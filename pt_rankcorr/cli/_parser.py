"""The commands and their options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pt_rankcorr import __version__
from pt_rankcorr.cli import _commands
from pt_rankcorr.cli._output import FORMATS
from pt_rankcorr.stats._drank_baseline import COVARIANCES, RECOMMENDED
from pt_rankcorr.stats._drank_null import NULLS
from pt_rankcorr.stats._pair_weights import WEIGHTS
from pt_rankcorr.stats._pairwise import TESTS
from pt_rankcorr.stats.expected import ESTIMATORS

MISSING = ("error", "drop-topics", "drop-systems", "zero")  # settle.MISSING, which would load pandas for --help
OTHER_TOPICS = "two-sample"  # the null for rankings from other topics than the baseline's, which no command has


Number = TypeVar("Number", int, float)


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
    if options.runs is None and judged:
        wrong(f"{judged[0]} is for --runs only")
    if options.download and options.irds is None:
        wrong("--download is for --irds only")
    if getattr(options, "columns", None) is not None and options.scores is None:
        wrong("--columns is for --scores only")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pt-rankcorr",
        description="Do two rankings of retrieval systems agree, and by more than luck?",
        epilog="pt-rankcorr COMMAND --help says more, with an example. Results go to standard\n"
        "output, all else to standard error. Exit status: 0 done, 1 bad input or an\n"
        "output that cannot be written, 2 wrong usage, 130 interrupted.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND", dest="command")
    for command in COMMANDS:
        command.add_to(commands)
    return parser


@dataclass(frozen=True)
class _Command:
    name: str
    usage: str
    help: str
    description: str
    example: str
    run: Callable[[argparse.Namespace], None]
    options: Sequence[Callable[[argparse.ArgumentParser], None]]

    def add_to(self, commands: Any) -> None:
        parser: argparse.ArgumentParser = commands.add_parser(
            self.name,
            usage=f"%(prog)s {self.usage}",
            help=self.help,
            description=self.description,
            epilog=f"example: pt-rankcorr {self.name} {self.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for add in self.options:
            add(parser)
        parser.set_defaults(run=self.run, parser=parser)


# --- numbers and names --------------------------------------------------------------------------------------


def _number(kind: type[Number], rule: str, holds: Callable[[Number], bool]) -> Callable[[str], Number]:
    """A reader of numbers that follow a rule."""

    def read(text: str) -> Number:
        try:
            number = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"invalid {kind.__name__} value: {text!r}") from None
        if not holds(number):
            raise argparse.ArgumentTypeError(f"must be {rule}, got {text}")
        return number

    return read


_share = _number(float, "between 0 and 1 (both excluded)", lambda number: 0 < number < 1)
_correlation = _number(float, "from -1 to 1", lambda number: -1 <= number <= 1)
_seed = _number(int, "0 or more", lambda number: number >= 0)
_resamples = _number(int, "2 or more", lambda number: number >= 2)
_positive = _number(int, "1 or more", lambda number: number >= 1)
_jobs = _number(int, "a number of workers, or -1 for as many as there are processors", lambda number: number != 0)
_demo_topics = _number(int, "from 2 to 90", lambda number: 2 <= number <= 90)


def _columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


# --- options ------------------------------------------------------------------------------------------------


def _of_demo(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--topics", type=_demo_topics, default=50, help="how many topics, 2 to 90 (default: %(default)s)"
    )
    _quiet(parser)


def _input(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("INPUT, one of")
    one = group.add_mutually_exclusive_group(required=True)
    one.add_argument("--experiment", metavar="FILE", help="perquery.csv of a pt.Experiment, or its save_dir")
    one.add_argument(
        "--trec-eval", metavar="PATH", nargs="+", help="what trec_eval -q or ir_measures -q printed: a file a run"
    )
    one.add_argument(
        "--scores",
        metavar="CSV",
        nargs="+",
        help="tables: a row a topic and a column a system, a file a measure; or a row a score, with or without a "
        "header (run, measure, topic, value in any order)",
    )
    one.add_argument("--runs", metavar="PATH", nargs="+", help="TREC run files, or a folder of them")
    _judged(parser.add_argument_group("judgments of --runs"))
    more = parser.add_argument_group("how to read it")
    more.add_argument(
        "--measures", metavar="NAME", nargs="+", help="such as AP nDCG@10 P_10; needed for --runs, else all by default"
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
    group.add_argument("--runs", metavar="PATH", nargs="+", required=True, help="TREC run files, or a folder of them")
    _judged(group)
    group.add_argument(
        "--against", metavar="FILE", nargs="+", required=True, help="TREC qrels files to be held against the reference"
    )
    group.add_argument("--measures", metavar="NAME", nargs="+", required=True, help="such as AP nDCG@10 P_10")
    _alignment(group)


def _judged(group: Any) -> None:
    group.add_argument("--qrels", metavar="FILE", help="TREC qrels file")
    group.add_argument("--irds", metavar="ID", help="dataset of ir-datasets, such as vaswani")
    group.add_argument("--download", action="store_true", help="let ir-datasets fetch what is not on this machine")


def _alignment(group: Any) -> None:
    group.add_argument(
        "--missing",
        choices=MISSING,
        default=MISSING[0],
        help="what to do where a system has no score for a topic that others have (default: %(default)s)",
    )
    group.add_argument(
        "--lower-is-better", metavar="NAME", nargs="+", default=[], help="measures that are better when lower"
    )


def _output(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        choices=FORMATS,
        default=FORMATS[0],
        help="table and latex are rounded, csv and jsonl are not and tell more (default: %(default)s)",
    )
    _quiet(group)


def _file(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("output")
    group.add_argument("--output", metavar="FILE", required=True, help="where to write it; a file there is replaced")
    _quiet(group)


def _quiet(group: Any) -> None:
    group.add_argument("--quiet", action="store_true", help="nothing on standard error but errors")


def _resampling(default: int) -> Callable[[argparse.ArgumentParser], None]:
    def add(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("resampling")
        group.add_argument("--seed", type=_seed, metavar="N", help="for the same numbers again (default: random)")
        group.add_argument(
            "--resamples", type=_resamples, metavar="N", default=default, help="how many (default: %(default)s)"
        )
        group.add_argument("--jobs", type=_jobs, metavar="N", help="workers; they change no number (default: 1)")

    return add


def _reference(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reference", metavar="NAME", help="the measure that is trusted, and compared with the others")


def _distance(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("d_rank")
    group.add_argument(
        "--null",
        choices=[null for null in NULLS if null != OTHER_TOPICS],
        default=RECOMMENDED["null"],
        help="baseline: as published (default: %(default)s)",
    )
    group.add_argument(
        "--covariance",
        choices=COVARIANCES,
        default=RECOMMENDED["covariance"],
        help="sample: as published (default: %(default)s)",
    )


def _of_expected(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--coefficient", choices=tuple(WEIGHTS), default="tau_ap", help="default: %(default)s")
    parser.add_argument("--estimator", choices=ESTIMATORS, default="msqd", help="default: %(default)s")
    parser.add_argument(
        "--target", type=_correlation, default=0.9, help="how many topics for this? (default: %(default)s)"
    )
    parser.add_argument(
        "--topics", type=_positive, metavar="N", nargs="+", default=[], help="show it with so many topics as well"
    )
    _level(parser)


def _level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", type=_share, default=0.95, help="of intervals (default: %(default)s)")


def _pairs(test: str) -> Callable[[argparse.ArgumentParser], None]:
    def add(parser: argparse.ArgumentParser) -> None:
        group = parser.add_argument_group("pairs of systems")
        group.add_argument("--test", choices=tuple(TESTS), default=test, help="default: %(default)s")
        group.add_argument("--alpha", type=_share, default=0.05, help="level of the test (default: %(default)s)")

    return add


# --- commands -----------------------------------------------------------------------------------------------

ANY_INPUT = "INPUT [options]"

COMMANDS = (
    _Command(
        "demo",
        "[--topics N] [--quiet]",
        "an experiment on an embedded test collection",
        "Runs 29 retrieval systems on an embedded test collection and compares how\nmeasures rank them.",
        "--topics 25",
        _commands.demo,
        [_of_demo],
    ),
    _Command(
        "compare",
        ANY_INPUT,
        "how measures rank systems, each against each",
        "tau, tau_AP, tau_GAP and d_rank of every measure against every other as\n"
        "baseline. A small p-value says that the two rank the systems differently, by\n"
        "more than the luck of the topics.",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP nDCG@10 --seed 1",
        _commands.compare,
        [_reference, _input, _distance, _resampling(10_000), _output],
    ),
    _Command(
        "drank",
        ANY_INPUT,
        "d_rank and its test against a reference measure",
        "The distance of every measure's ranking of systems from that by the reference\n"
        "(by default the first measure), and the p-value: small if it is more than the\n"
        "luck of the topics.",
        "--experiment perquery.csv --reference AP --seed 1",
        _commands.drank,
        [_reference, _input, _distance, _resampling(10_000), _output],
    ),
    _Command(
        "expected",
        ANY_INPUT,
        "how well rankings agree with the true ones, and how many topics that takes",
        "The expected correlation of each measure's ranking of systems with the one over\n"
        "all topics there could be, an interval for the actual one, and the number of\n"
        "topics for a target.",
        "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
        _commands.expected,
        [_of_expected, _input, _resampling(1000), _output],
    ),
    _Command(
        "power",
        ANY_INPUT,
        "how many pairs of systems measures tell apart",
        "The discriminative power of each measure: the share of all pairs of systems\n"
        "that differ significantly, and the difference that suffices for every pair.",
        "--trec-eval evaluated/ --test tukey-hsd --seed 1",
        _commands.power,
        [_input, _pairs("paired-bootstrap"), _resampling(1000), _output],
    ),
    _Command(
        "judgments",
        "--runs PATH ... (--qrels FILE | --irds ID) \\\n    --against FILE ... --measures NAME ... [options]",
        "whether other judgments rank systems as the reference does",
        "Holds sets of judgments, of other assessors or of language models, against a\n"
        "reference: kappa of the labels, correlations and d_rank of the rankings of\n"
        "runs, and pairs of systems that are significantly reversed.",
        "--runs runs/ --qrels nist.qrels \\\n    --against gpt.qrels llama.qrels --measures nDCG@10 --seed 1",
        _commands.judgments,
        [_input_of_judgments, _level, _pairs("tukey-hsd"), _distance, _resampling(10_000), _output],
    ),
    _Command(
        "report",
        "INPUT --output FILE [options]",
        "all of it on one page, to read and to send",
        "Writes one page of HTML: the systems with intervals of their ranks, how well\n"
        "each measure tells them apart, how the measures agree, and how many topics are\n"
        "needed.",
        "--experiment perquery.csv --output page.html",
        _commands.report,
        [_reference, _input, _resampling(1000), _file],
    ),
)
