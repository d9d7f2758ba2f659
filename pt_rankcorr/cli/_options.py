"""What a command line needs of options beside the signatures and docstrings of the functions.

A parameter of a command's function is an option. Its choices, its default and its help come from the function, but for
what an `Option` here says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from pt_rankcorr.defaults import LEVEL


@dataclass(frozen=True)
class Option:
    """What the parameter does not say, or not for a command line; or an option that is none of the function's."""

    help: str = ""
    name: str = ""  # by default that of the parameter
    metavar: str = ""
    kind: Callable[[str], Any] | None = None
    several: bool = False
    are_names: bool = False  # several, which may stand between commas
    is_flag: bool = False
    is_negatable: bool = False
    choices: Sequence[str] | Callable[[], Iterable[str]] = ()
    without: tuple[str, ...] = ()  # choices of the function that make no sense here
    default: Any = None
    shown: Any = None  # the default that the function has
    required: bool | None = None

    @classmethod
    def paths(cls, help: str, metavar: str = "PATH", **more: Any) -> Option:
        """One that names files and folders."""
        return cls(help, metavar=metavar, several=True, **more)

    def over(self, other: Option) -> Option:
        """The other, but for what this one says."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        said = {name: value for name, value in said.items() if value != getattr(NOTHING, name)}
        as_one = {"are_names": False} if self.kind or self.several else {}
        return replace(other, **as_one | said)


NOTHING = Option()


# --- numbers and names --------------------------------------------------------------------------------------

SHARE = "between 0 and 1 (both excluded)", lambda number: 0 < number < 1
POSITIVE = "1 or more", lambda number: number >= 1
# parameter -> its rule and whether a number keeps it: said before any file is read
RULES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "alpha": SHARE,
    "level": SHARE,
    "n_jobs": ("a number of workers, or -1 for as many as there are processors", lambda number: number != 0),
    "n_resamples": ("2 or more", lambda number: number >= 2),
    "n_topics": ("from 2 to 90", lambda number: 2 <= number <= 90),
    "rng": ("0 or more", lambda number: number >= 0),
    "target": ("from -1 to 1", lambda number: -1 <= number <= 1),
    "topics": POSITIVE,
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


def picture(path: str) -> str:
    if not path.lower().endswith((".png", ".pdf", ".svg")):
        raise ValueError(f"must end in .png, .pdf or .svg, got {path}")
    return path


def forms() -> Iterable[str]:
    from pt_rankcorr.cli._output import FORMATS

    return FORMATS


def ranks() -> Iterable[str]:
    from pt_rankcorr.stats.coefficients.table import KERNELS

    return KERNELS


def correlations() -> Iterable[str]:
    from pt_rankcorr.stats.coefficients.table import COEFFICIENTS

    return COEFFICIENTS


def expectations() -> Iterable[str]:
    from pt_rankcorr.stats.expected.pair_weights import WEIGHTS

    return WEIGHTS


# --- options ------------------------------------------------------------------------------------------------

# parameters that a command line cannot give, or that a command gives itself
NO_OPTIONS = frozenset(
    "dataset estimate max_bytes on_row qrels ranking reference_qrels result_or_scores ridge scores "
    "scores_or_collections statistic verbose".split()
)
LABELS = "a file with a topic and its label on each line, or a regular expression for the start of topics"
# parameter -> what a command line says otherwise, whatever the function
PARAMETERS: Mapping[str, Option] = {
    "bins": Option(kind=bins, metavar="N"),
    "clusters": Option(
        f"the conversation or query that topics are turns or variants of: {LABELS}", metavar="FILE|REGEX"
    ),
    "columns": Option(
        "what the columns of --scores hold, as run,measure,topic,value, with _ for others",
        kind=columns,
        metavar="NAMES",
    ),
    "covariance": Option("default: sample with --null published, else ledoit-wolf"),
    "groups": Option("as --group; a run and its group on each line", metavar="FILE"),
    "judges": Option.paths("others: a file or folder a judge"),
    "lower_is_better": Option("measures better when lower", metavar="NAME"),
    "measures": Option("such as AP nDCG@10 (default: all; --runs needs it)", metavar="NAME"),
    "n_jobs": Option("workers; they change no number (default: 1)", name="jobs"),
    "n_resamples": Option(name="resamples"),
    "n_topics": Option("how many topics, 2 to 90", name="topics"),
    "null": Option("published: that of Carterette (2009)", without=("two-sample",)),  # no rankings of other topics here
    "others": Option.paths("TREC qrels files to compare", "FILE", name="against"),
    "path": Option("FILE.html, FILE.tex or FILE.md; replaced if there", name="output", metavar="FILE", required=True),
    "reference_measure": Option("of the reference (default: by equal names)", metavar="NAME", are_names=True),
    "resume": Option("keeps finished rows, so that a stopped command goes on", metavar="FILE"),
    "rng": Option("gives the same numbers again (default: random)", name="seed", kind=int),
    "runs": Option.paths("TREC run files, a folder of them, or 'runs/*.run'"),
    "strata": Option(f"the collection of each topic: {LABELS}; means are over collections", metavar="FILE|REGEX"),
}

# option -> the function that reads what it names
INPUTS: Mapping[str, tuple[str, Option]] = {
    "experiment": (
        "scores_from_experiment",
        Option.paths("perquery.csv of a pt.Experiment, or its save_dir", "FILE"),
    ),
    "trec_eval": (
        "scores_from_trec_eval",
        Option.paths("output of trec_eval -q or ir_measures -q: a file a run"),
    ),
    "scores": (
        "read_scores",
        Option.paths(
            "tables: a row a topic and a column a system, a file a measure; or a row a score, with or without a "
            "header (run, measure, topic, value in any order)",
            "CSV",
        ),
    ),
    "leaderboard": ("read_leaderboard", Option.paths("scores in a format of autojudge-evaluate")),
    "runs": ("scores_from_runs", PARAMETERS["runs"]),
}
# parameters of the functions that read which are options, and the one whose docstring says what they are
READING: Mapping[str, str] = {
    "names": "scores_from_runs",
    "download": "scores_from_irds",
    "measures": "scores_from_runs",
    "columns": "read_scores",
    "missing": "scores_from_runs",
    "lower_is_better": "scores_from_runs",
    "clusters": "judgment_curve",
    "strata": "judgment_curve",
}

QRELS = {
    "qrels": Option("TREC qrels file", metavar="FILE"),
    "irds": Option("dataset of ir-datasets, such as vaswani", metavar="ID"),
}
REFERENCE = {
    "reference": Option("the measure that is trusted (default: the first)", metavar="NAME", required=False),
}
GROUPS = {
    "group": Option(
        "also whether judges favour these runs, such as rerankers='rerank-*'; csv and jsonl then say this alone",
        kind=named_pattern,
        metavar="NAME=PATTERN",
        several=True,
    ),
    "groups": PARAMETERS["groups"],
}
WIDE = {"wide": Option("all columns in tables; csv and jsonl always have them", is_flag=True)}
RANK = {"rank": Option("print the judges in order of this coefficient, and which cannot be told apart", choices=ranks)}
LEVELS = {"level": Option("of intervals", kind=float, default=LEVEL)}
PLOT = {
    "plot": Option(
        "also a picture, .png, .pdf or .svg, one for each measure; a file there is replaced",
        kind=picture,
        metavar="FILE",
    )
}
QUIET = {"quiet": Option("nothing on standard error but errors", is_flag=True)}
PRINTED = {
    "format": Option("csv and jsonl are not rounded, and have more columns", choices=forms, default="table"),
    **QUIET,
}
SHARED_RUNS = Option("for --ranking: compare the systems that both have", is_flag=True)
TOPICS = Option(kind=int, metavar="N", several=True)

# the titles under which options stand in the help; others stand first
TITLES = {
    "--runs: names and judgments": "names qrels irds download",
    "how to read it": "measures columns missing lower_is_better clusters strata",
    "coefficients": "intervals top per_topic wide ties",
    "is a judge partial?": "group groups",
    "pairs of systems": "test alpha",
    "d_rank": "null covariance",
    "resampling": "rng n_resamples n_jobs",
    "output": "path plot open format quiet",
}
INPUT_TITLE = "INPUT, one of"

FILES = ("CSV", "FILE", "FILE|REGEX", "PATH")  # metavars of options that name files
WRITTEN = ("path", "plot")

# --- which options fit together -----------------------------------------------------------------------------

# an option, and those that are for it only
FOR = (
    ("runs", ("qrels", "irds", "names")),
    ("irds", ("download",)),
    ("scores", ("columns",)),
    ("ranking", ("saved", "only_shared_runs")),
)
