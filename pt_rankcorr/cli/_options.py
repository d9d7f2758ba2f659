"""What the command line must know about options beyond the signatures and docstrings of the functions.

A parameter of a command's function is an option. Its choices, its default and its help come from the function, unless
an `Option` here says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pt_rankcorr.cli._source import coefficients
from pt_rankcorr.io import FORMATS


@dataclass(frozen=True)
class Option:
    """An option: what it adds to the function's parameter, or all of it if the function has no such parameter."""

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
        """The other option, changed where this one says something."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said = {name: value for name, value in said.items() if value != getattr(NOTHING, name)}
        as_one = {"are_names": False} if self.kind or self.several else {}
        return replace(other, **as_one | said)


NOTHING = Option()

# --- how a word is read ------------------------------------------------------------------------------------

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

# parameters whose option has another name
ALIASES = {
    "n_jobs": "jobs",
    "n_resamples": "resamples",
    "n_topics": "topics",
    "others": "against",
    "path": "output",
    "rng": "seed",
}
# parameters that a command line cannot set, or that the command itself sets
NO_OPTIONS = frozenset(
    "dataset estimate on_row qrels ranking reference_qrels result_or_scores ridge scores "
    "scores_or_collections statistic verbose".split()
)
LABELS = "a file with a topic and its label per line, or a regular expression that matches the start of topics"
OPTIONS: Mapping[str, Option] = {
    "bins": Option(metavar="N", kind=bins),
    "clusters": Option(f"groups of dependent topics, such as the turns of a conversation: {LABELS}", "FILE|REGEX"),
    "coefficient": Option("the rank correlation", choices=coefficients),
    "coefficients": Option("the coefficients that tables show, the first in most detail"),
    "columns": Option("the columns of --scores, such as run,measure,topic,value; _ skips a column", "NAMES", columns),
    "covariance": Option("how it is estimated (default: sample with --null published, else ledoit-wolf)"),
    "families": Option(
        "also show how much judges vary between models, between prompts, and by chance. Give a regular expression with "
        "named groups that matches the names of judges, such as '(?P<model>[^-]+)-(?P<prompt>.+)', or a CSV file with "
        "a column judge. csv and jsonl then have only this",
        "FILE|REGEX",
    ),
    "format": Option(
        "csv and jsonl have unrounded numbers and more columns",
        choices=("table", "csv", "jsonl", "latex"),
        default="table",
    ),
    "group": Option(
        "also test whether judges favour these runs, such as rerankers='rerank-*'; csv and jsonl then have only this",
        "NAME=PATTERN",
        named_pattern,
        several=True,
    ),
    "groups": Option("the groups of --group in a file: a run and its group per line", "FILE"),
    "input_format": Option("the format of all files (default: found from their content)", choices=tuple(FORMATS)),
    "irds": Option("judgments of a dataset of ir-datasets, such as vaswani", "ID"),
    "judges": Option("the leaderboards to compare: one file or folder per judge", "PATH", several=True),
    "label_map": Option(
        "replace a label of the judges, such as 10=3 (10 becomes 3); 'gpt*:10=3' replaces it for matching judges only",
        "[JUDGE:]LABEL=LABEL",
        mapped_label,
        several=True,
    ),
    "measures": Option("such as AP nDCG@10 (default: all; required with --runs)"),
    "n_jobs": Option("parallel workers; the results do not depend on their number (default: 1)"),
    "n_topics": Option("the number of topics, from 2 to 90"),
    "null": Option("the null hypothesis; published: that of Carterette (2009)"),
    "only_shared_runs": Option("the same as --missing drop-systems; with both: --missing skip", is_flag=True),
    "only_shared_topics": Option("the same as --missing drop-topics", is_flag=True),
    "open": Option("open the page in the browser", is_flag=True),
    "others": Option("TREC qrels files to compare, or a folder or a pattern of them", "FILE", several=True),
    "path": Option("write FILE.html, FILE.tex or FILE.md; replaces an older one", "FILE", required=True),
    "plot": Option("also draw a .png, .pdf or .svg picture (one per measure); replaces an older file", "FILE", picture),
    "qrels": Option("TREC qrels file", "FILE"),
    "quiet": Option("only errors on standard error: no notes, no warnings", is_flag=True),
    "rank": Option("sort the judges by this coefficient, and show which differ significantly", choices=coefficients),
    "ranking": Option(
        "test rankings in files instead of other measures: a system and its score per line, or systems, best first",
        "FILE",
        several=True,
    ),
    "reference_measure": Option("measures of the reference (default: measures with equal names)", are_names=True),
    "reference_threshold": Option(
        "the lowest label of the reference that counts as relevant",
        "N",
        float,
    ),
    "relevance_threshold": Option(
        "the lowest label of the judges that counts as relevant; 'gpt*=1' sets it for matching judges only",
        "[JUDGE=]N",
        threshold,
        several=True,
    ),
    "resume": Option("keep finished rows in this file; continue if it already has some", "FILE"),
    "rng": Option("random seed; the same seed gives the same numbers (default: random)", kind=int),
    "runs": Option("TREC run files, a folder of them, or 'runs/*.run'", "PATH", several=True),
    "strata": Option(f"the collection of each topic, each with equal weight: {LABELS}", "FILE|REGEX"),
    "target": Option("show how many topics are needed for this correlation", kind=float, default=0.9),
    "test": Option("the test of pairs of systems; only tukey-hsd corrects for the number of pairs"),
    "topics": Option("also show the expected correlation with these numbers of topics", kind=int, several=True),
    "wide": Option("show all columns in tables; csv and jsonl always have them", is_flag=True),
    "write": Option("do not run the experiment: write its runs and judgments, to try the other commands", "DIR"),
}
# choices that no command can use, because all its rankings are of the same topics
WITHOUT = {"null": "two-sample"}

# option -> the function that reads what it names
INPUTS: Mapping[str, tuple[str, Option]] = {
    "experiment": ("scores_from_experiment", Option("perquery.csv of a pt.Experiment, or its save_dir", "FILE")),
    "trec_eval": (
        "scores_from_trec_eval",
        Option("output of trec_eval -q or ir_measures -q: one file per run", "PATH"),
    ),
    "scores": (
        "read_scores",
        Option(
            "CSV files, each of one measure, with one row per topic and one column per system; or with one score per "
            "row (columns run, measure, topic, value in any order, with or without a header)",
            "CSV",
        ),
    ),
    "leaderboard": ("read_leaderboard", Option("scores in a format of autojudge-evaluate", "PATH")),
    **{name: ("read_leaderboard", Option(each.help, "PATH")) for name, each in FORMATS.items() if each.help},
    "runs": ("scores_from_runs", OPTIONS["runs"]),
}
# options that are parameters of these readers, and the function whose docstring explains them
READING: Mapping[str, str] = {
    "names": "scores_from_runs",
    "download": "scores_from_irds",
    "measures": "scores_from_runs",
    "columns": "read_scores",
    "missing": "scores_from_experiment",
    "lower_is_better": "scores_from_runs",
}

REFERENCE = Option("the trusted measure (default: the first)", "NAME", required=False)

# the headings of the help, and the options below each; all other options stand first
TITLES = {
    "INPUT, one of": " ".join(name for name in INPUTS),
    "with --runs": "names qrels irds download",
    "how to read the input": "measures columns missing lower_is_better clusters strata",
    "coefficients": "intervals top per_topic wide variant",
    "labels": "relevance_threshold reference_threshold label_map",
    "do judges favour groups of runs?": "group groups",
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
    "ranking": ("only_shared_runs",),
}
