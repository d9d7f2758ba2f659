"""The commands: each is a function, with an example and the few options that are not its parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pt_rankcorr.cli._options import OPTIONS, REFERENCE, Option
from pt_rankcorr.defaults import LEVEL


@dataclass(frozen=True)
class Command:
    """What `pt-rankcorr NAME` does, and what it says of itself."""

    name: str
    help: str
    function: str  # in pt_rankcorr
    example: str
    note: str = ""  # what the help says after the first sentence of the function's
    reads: bool = True  # scores, by the options of `INPUTS`, where the function takes these
    only: tuple[str, ...] = ()  # the parameters that are options, if not all are
    own: str = "plot format quiet"  # options that are no parameters
    options: Mapping[str, Option] = field(default_factory=dict)  # what these or parameters are here alone
    either: tuple[tuple[str, ...], ...] = ()  # options of which one at most can be given
    one_of: tuple[str, ...] = ()  # options of which one must be given


GROUPS = ("group", "groups")
COMMANDS = (
    Command(
        "demo",
        "an experiment on an embedded test collection",
        "demo.study:run",
        "--topics 25",
        reads=False,
        own="write quiet",
    ),
    Command(
        "compare",
        "how measures rank systems, each against each",
        "compare",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP nDCG@10 --seed 1",
        "A small p of one ranking says that the choice of topics does not explain how the two differ; a small p of "
        "d_rank, that the order by the measure could not be the true one by the reference. Several --experiment are as "
        "many collections.",
        own="wide plot format quiet",
        options={"reference": Option("the measure that is trusted, and compared with the others", "NAME")},
    ),
    Command(
        "drank",
        "could a ranking be the true one by the reference?",
        "d_rank",
        "--experiment perquery.csv --reference AP --seed 1",
        "Of every measure's ranking from that by the reference; --ranking tests rankings in files.",
        only=("null", "covariance", "n_resamples", "rng", "n_jobs"),
        own="reference ranking saved only_shared_runs format quiet",
        options={
            "reference": REFERENCE,
            "only_shared_runs": Option("for --ranking: compare the systems that both have", is_flag=True),
        },
    ),
    Command(
        "expected",
        "how well rankings agree with the true ones, and how many topics are needed",
        "expected_correlation",
        "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
        own="target topics level plot format quiet",
        options={"level": Option("of intervals", kind=float, default=LEVEL)},
    ),
    Command(
        "ranks",
        "where systems may truly rank, and which may be the best",
        "rank_intervals",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP --plot ranks.png --seed 1",
        "Beside: how often each is first in draws of the means, its tier (1: no other system is surely better, all "
        "pairs tested at once) and whether it may be the best (tested for this alone, so not all of tier 1 need be). "
        "Tiers and the best ones hold for each system; intervals hold on average, and --method pairwise for each.",
    ),
    Command(
        "power",
        "how many pairs of systems measures tell apart",
        "discriminative_power",
        "--trec-eval evaluated/ --seed 1",
    ),
    Command(
        "swap",
        "how often other topics reverse a difference of two systems",
        "stats.swap_rates",
        "--scores AP.csv nDCG.csv --seed 1",
        "Shown are the difference from which on at most --max-rate of comparisons are reversed on other topics, and "
        "how many comparisons reach it.",
        own="topics plot format quiet",
        options={"topics": replace(OPTIONS["topics"], help="the difference that it takes with so many topics")},
        either=(("topics", "of"), ("topics", "topic_set_size")),
    ),
    Command(
        "stability",
        "how often other topics are wrong about two systems, or tie them",
        "stats.stability",
        "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
        "The lower the minority rate and the proportion of ties are, the better the measure.",
        options={"fuzziness": Option("relative differences that are ties", "F", float, several=True, default=[0.05])},
    ),
    Command(
        "error",
        "how alike two measures rank, on these topics and over all",
        "correlation_interval",
        "--scores AP.csv nDCG.csv --coefficient tau_ap --seed 1",
        own="format quiet",
        options={"reference": REFERENCE},
    ),
    Command(
        "judgments",
        "whether other judgments rank systems differently from the reference",
        "compare_judgments",
        "--runs runs/ --qrels nist.qrels \\\n    --against gpt.qrels llama.qrels --measures nDCG@10 --seed 1",
        "--rank says which judge is better.",
        reads=False,
        own="qrels irds rank wide group groups families plot format quiet",
        either=(GROUPS,),
    ),
    Command(
        "alpha",
        "how far any number of sets of labels agree",
        "judgments.alpha_of_judges",
        "--judges people.qrels judges/ --metric ordinal",
        reads=False,
        own="format quiet",
        options={"judges": Option("TREC qrels files, a folder or a pattern of them", "FILE", several=True)},
    ),
    Command(
        "curve",
        "how well fewer judgments rank systems",
        "judgment_curve",
        "--runs runs/ --qrels nist.qrels \\\n    --depths 1 5 10 50 --measures AP --seed 1",
        reads=False,
        own="qrels irds plot format quiet",
        one_of=("depths", "shares"),
    ),
    Command(
        "leaderboards",
        "whether judges rank runs as a trusted leaderboard does, and which is best",
        "compare_leaderboards",
        "--reference people.jsonl --judges judges/* \\\n    --reference-measure nDCG@10 --seed 1",
        "--rank says which judge is better. Reads the formats of autojudge-evaluate.",
        reads=False,
        own="only_shared_topics only_shared_runs rank wide group groups families plot format quiet",
        options={
            "reference": Option("the leaderboard that is trusted", "PATH", several=True),
            "missing": Option(
                "where runs or topics differ: error; skip or warn: leave out what not all have; default or zero: a "
                "judge scores 0; drop-topics; drop-systems",
                "WORD",
                names="missing on-missing",
            ),
        },
        either=(GROUPS, ("missing", "only_shared_topics"), ("missing", "only_shared_runs")),
    ),
    Command(
        "report",
        "one page with all results",
        "report",
        "--experiment perquery.csv --output page.html",
        own="group open quiet",
        options={
            "reference": REFERENCE,
            "against": Option(
                "judges: qrels files for --runs, else leaderboards, a file or a folder a judge", "PATH", several=True
            ),
        },
        either=(GROUPS,),
    ),
)
