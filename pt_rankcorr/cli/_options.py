"""What a command line needs of options beside the signatures and docstrings of the functions.

A parameter of a command's function is an option. Its choices, its default and its help come from the function, but for
what an `Option` here says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pt_rankcorr.adapters.formats import FORMATS
from pt_rankcorr.cli._source import coefficients


@dataclass(frozen=True)
class Option:
    """What the parameter does not say, or not for a command line; or an option that is none of the function's."""

    help: str = ""
    metavar: str = ""
    kind: Callable[[str], Any] | None = None
    several: bool = False
    are_names: bool = False  # several, which may stand between commas
    is_flag: bool = False
    is_negatable: bool = False
    choices: Sequence[str] | Callable[[], Iterable[str]] = ()
    default: Any = None
    shown: Any = None  # the default that the function has
    required: bool | None = None
    names: str = ""  # by default one, that of `ALIASES` or the parameter's

    def over(self, other: Option) -> Option:
        """The other, but for what this one says."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said = {name: value for name, value in said.items() if value != getattr(NOTHING, name)}
        as_one = {"are_names": False} if self.kind or self.several else {}
        return replace(other, **as_one | said)


NOTHING = Option()

# --- what is read from a word -------------------------------------------------------------------------------

SHARE = "between 0 and 1 (both excluded)", lambda number: 0 < number < 1
# option -> its rule and whether a number keeps it: said before any file is read
RULES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "alpha": SHARE,
    "level": SHARE,
    "n_jobs": ("a number of workers, or -1 for as many as there are processors", lambda number: number != 0),
    "n_resamples": ("2 or more", lambda number: number >= 2),
    "n_topics": ("from 2 to 90", lambda number: 2 <= number <= 90),
    "rng": ("0 or more", lambda number: number >= 0),
    "target": ("from -1 to 1", lambda number: -1 <= number <= 1),
    "topics": ("1 or more", lambda number: number >= 1),
}


def columns(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def bins(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


def named_pattern(text: str) -> tuple[str, str]:
    name, equals, pattern = text.partition("=")
    if not (name and equals and pattern):
        raise ValueError(f"must be NAME=PATTERN, got {text}")
    return name, pattern


def threshold(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    return name or "*", float(number)


def mapped_label(text: str) -> tuple[str, tuple[float, float]]:
    name, _, pair = text.rpartition(":")
    label, _, stands_for = pair.partition("=")
    return name or "*", (float(label), float(stands_for))


def picture(path: str) -> str:
    if not path.lower().endswith((".png", ".pdf", ".svg")):
        raise ValueError(f"must end in .png, .pdf or .svg, got {path}")
    return path


# --- options ---------------------------------------------------------------------------------------------

# parameters that are called otherwise
ALIASES = {
    "n_jobs": "jobs",
    "n_resamples": "resamples",
    "n_topics": "topics",
    "others": "against",
    "path": "output",
    "rng": "seed",
}
# parameters that a command line cannot give, or that a command gives itself
NO_OPTIONS = frozenset(
    "dataset estimate max_bytes on_row qrels ranking reference_qrels result_or_scores ridge scores "
    "scores_or_collections statistic verbose".split()
)
LABELS = "a file with a topic and its label on each line, or a regular expression for the start of topics"
OPTIONS: Mapping[str, Option] = {
    "bins": Option(metavar="N", kind=bins),
    "clusters": Option(f"the conversation or query that topics are turns or variants of: {LABELS}", "FILE|REGEX"),
    "coefficient": Option("of the two rankings", choices=coefficients),
    "columns": Option(
        "what the columns of --scores hold, as run,measure,topic,value, with _ for others", "NAMES", columns
    ),
    "covariance": Option("default: sample with --null published, else ledoit-wolf"),
    "families": Option(
        "also how much judges vary between models, between prompts, and by luck: a pattern with named groups for the "
        "names of judges, such as '(?P<model>[^-]+)-(?P<prompt>.+)', or a CSV with the column judge; csv and jsonl "
        "then say this alone",
        "FILE|REGEX",
    ),
    "format": Option(
        "csv and jsonl are not rounded, and have more columns",
        choices=("table", "csv", "jsonl", "latex"),
        default="table",
    ),
    "group": Option(
        "also whether judges favour these runs, such as rerankers='rerank-*'; csv and jsonl then say this alone",
        "NAME=PATTERN",
        named_pattern,
        several=True,
    ),
    "groups": Option("as --group; a run and its group on each line", "FILE"),
    "input_format": Option(choices=tuple(FORMATS)),
    "irds": Option("dataset of ir-datasets, such as vaswani", "ID"),
    "judges": Option("others: a file or folder a judge", "PATH", several=True),
    "label_map": Option(
        "labels of judges that stand for others, such as 10=3, or 'gpt*:10=3' for those that the pattern fits",
        "[JUDGE:]LABEL=LABEL",
        mapped_label,
        several=True,
    ),
    "measures": Option("such as AP nDCG@10 (default: all; --runs needs it)"),
    "n_jobs": Option("workers; they change no number (default: 1)"),
    "n_topics": Option("how many topics, 2 to 90"),
    "null": Option("published: that of Carterette (2009)"),
    "only_shared_runs": Option("as --missing drop-systems; with both as skip", is_flag=True),
    "only_shared_topics": Option("as --missing drop-topics", is_flag=True),
    "open": Option("show it in the browser when it is done", is_flag=True),
    "others": Option("TREC qrels files to compare, or a folder or a pattern of them", "FILE", several=True),
    "path": Option("FILE.html, FILE.tex or FILE.md; replaced if there", "FILE", required=True),
    "plot": Option(
        "also a picture, .png, .pdf or .svg, one for each measure; a file there is replaced", "FILE", picture
    ),
    "qrels": Option("TREC qrels file", "FILE"),
    "quiet": Option("nothing on standard error but errors", is_flag=True),
    "rank": Option(
        "print the judges in order of this coefficient, and which cannot be told apart", choices=coefficients
    ),
    "ranking": Option(
        "rankings to test instead of other measures: a system and its score a line, or systems, best first",
        "FILE",
        several=True,
    ),
    "reference_measure": Option("of the reference (default: by equal names)", are_names=True),
    "reference_threshold": Option(
        "the lowest label of the reference that counts as relevant",
        "N",
        float,
    ),
    "relevance_threshold": Option(
        "the lowest label of judges that counts as relevant, or 'gpt*=1' of those that the pattern fits",
        "[JUDGE=]N",
        threshold,
        several=True,
    ),
    "resume": Option(metavar="FILE"),
    "rng": Option("gives the same numbers again (default: random)", kind=int),
    "runs": Option("TREC run files, a folder of them, or 'runs/*.run'", "PATH", several=True),
    "saved": Option("for --ranking: the null distribution, taken from there or kept there", "FILE"),
    "strata": Option(f"the collection of each topic: {LABELS}; means are over collections", "FILE|REGEX"),
    "target": Option("find the topics for this correlation", kind=float, default=0.9),
    "topics": Option("also with so many topics", kind=int, several=True),
    "wide": Option("all columns in tables; csv and jsonl always have them", is_flag=True),
    "write": Option("only write runs and judgments, to try the other commands on", "DIR"),
}
# words that no command has a use for, as all its rankings are of the same topics
WITHOUT = {"null": "two-sample"}

# option -> the function that reads what it names
INPUTS: Mapping[str, tuple[str, Option]] = {
    "experiment": ("scores_from_experiment", Option("perquery.csv of a pt.Experiment, or its save_dir", "FILE")),
    "trec_eval": ("scores_from_trec_eval", Option("output of trec_eval -q or ir_measures -q: a file a run", "PATH")),
    "scores": (
        "read_scores",
        Option(
            "tables: a row a topic and a column a system, a file a measure; or a row a score, with or without a "
            "header (run, measure, topic, value in any order)",
            "CSV",
        ),
    ),
    "leaderboard": ("read_leaderboard", Option("scores in a format of autojudge-evaluate", "PATH")),
    **{name: ("read_leaderboard", Option(each.help, "PATH")) for name, each in FORMATS.items() if each.help},
    "runs": ("scores_from_runs", OPTIONS["runs"]),
}
# parameters of those that are options, and the function that says what they are
READING: Mapping[str, str] = {
    "names": "scores_from_runs",
    "download": "scores_from_irds",
    "measures": "scores_from_runs",
    "columns": "read_scores",
    "missing": "scores_from_experiment",
    "lower_is_better": "scores_from_runs",
}

REFERENCE = Option("the measure that is trusted (default: the first)", "NAME", required=False)

# the titles under which options stand in the help; others stand first
TITLES = {
    "INPUT, one of": " ".join(name for name in INPUTS),
    "--runs: names and judgments": "names qrels irds download",
    "how to read it": "measures columns missing lower_is_better clusters strata",
    "coefficients": "intervals top per_topic wide variant",
    "labels": "relevance_threshold reference_threshold label_map",
    "is a judge partial?": "group groups",
    "families of judges": "families",
    "pairs of systems": "test alpha",
    "d_rank": "null covariance",
    "resampling": "rng n_resamples n_jobs",
    "output": "path plot open format quiet",
}
FILES = ("CSV", "FILE", "FILE|REGEX", "PATH")  # metavars of options that name files
WRITTEN = ("path", "plot")
# an option, and those that are for it only
FOR = {
    "runs": ("qrels", "irds", "names"),
    "irds": ("download",),
    "scores": ("columns",),
    "ranking": ("saved", "only_shared_runs"),
}
