"""The commands: each calls a public function, and has an example and a few options that are not parameters of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pt_rankcorr.cli._options import OPTIONS, REFERENCE, Option
from pt_rankcorr.defaults import LEVEL


@dataclass(frozen=True)
class Command:
    """A command `pt-rankcorr NAME`: what it calls, and its help."""

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
        "how alike measures rank systems, each compared with each other",
        "compare",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP nDCG@10 --seed 1",
        "A small p (same true ranking): the choice of topics does not explain how the two rankings differ. A small p "
        "of d_rank: the order by the measure could not be the true one by the reference. Each of several --experiment "
        "is a collection.",
        own="wide plot format quiet",
        options={
            "reference": Option("the trusted measure (default: each measure in turn)", "NAME"),
            "test": Option(f"{OPTIONS['test'].help} (default: pairs are not tested)"),
        },
    ),
    Command(
        "drank",
        "could the order of a ranking be the true one by the reference?",
        "d_rank",
        "--experiment perquery.csv --reference AP --seed 1",
        "It tests the ranking by every other measure, or with --ranking the rankings in files.",
        only=("null", "covariance", "n_resamples", "rng", "n_jobs"),
        own="reference ranking only_shared_runs format quiet",
        options={
            "reference": REFERENCE,
            "only_shared_runs": Option("with --ranking: leave out systems that only one side has", is_flag=True),
        },
    ),
    Command(
        "expected",
        "how well rankings agree with the true ones, and how many topics are needed",
        "expected_correlation",
        "--scores AP.csv nDCG.csv --topics 25 100 --seed 1",
        own="target topics level plot format quiet",
        options={"level": Option("the confidence level of the intervals", kind=float, default=LEVEL)},
    ),
    Command(
        "ranks",
        "where systems may truly rank, and which may be the best",
        "rank_intervals",
        "--runs runs/ --qrels qrels.txt \\\n    --measures AP --plot ranks.png --seed 1",
        "The table also shows how often each system is first in draws of the means, its tier, and whether "
        "it may be the best. Tier 1 has the systems that may be the best, tier 2 those that may be the best of the "
        "others, and so on. The level of the intervals holds on average over systems, and with --method pairwise for "
        "each.",
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
        "The table shows the required difference, from which on other topics reverse at most the share --max-rate of "
        "comparisons, and the share of comparisons that reach it.",
        own="topics plot format quiet",
        options={
            "topics": replace(OPTIONS["topics"], help="show the required difference with these numbers of topics")
        },
        either=(("topics", "of"), ("topics", "topic_set_size")),
    ),
    Command(
        "stability",
        "how often other topics are wrong about two systems, or tie them",
        "stats.stability",
        "--scores AP.csv nDCG.csv --fuzziness 0.05 --seed 1",
        "A measure is better if both its minority rate and its proportion of ties are lower.",
        options={
            "fuzziness": Option("relative differences below F are ties", "F", float, several=True, default=[0.05])
        },
    ),
    Command(
        "error",
        "how alike two measures rank systems, on these topics and in the topic population",
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
        "--rank shows which judge is better.",
        reads=False,
        own="qrels irds rank wide group groups families plot format quiet",
        options={"measures": Option("such as AP nDCG@10")},
        either=(GROUPS,),
    ),
    Command(
        "alpha",
        "how far two or more sets of labels agree",
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
        options={"measures": Option("such as AP nDCG@10")},
        one_of=("depths", "shares"),
    ),
    Command(
        "leaderboards",
        "whether judges rank runs as a trusted leaderboard does, and which is best",
        "compare_leaderboards",
        "--reference people.jsonl --judges judges/* \\\n    --reference-measure nDCG@10 --seed 1",
        "--rank shows which judge is better. It reads the formats of autojudge-evaluate.",
        reads=False,
        own="only_shared_topics only_shared_runs rank wide group groups families plot format quiet",
        options={
            "reference": Option("the trusted leaderboard", "PATH", several=True),
            "measures": Option("measures of the judges, such as AP nDCG@10 (default: all that can be compared)"),
            "missing": Option(
                "what to do where leaderboards differ in runs or topics. error: stop; skip or warn: leave out runs and "
                "topics that not all have; drop-topics, drop-systems: leave out only these; default or zero: a judge "
                "gives 0 where it has no score",
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
                "judges to compare: with --runs qrels files, else leaderboards (one file or folder per judge)",
                "PATH",
                several=True,
            ),
        },
        either=(GROUPS,),
    ),
)
