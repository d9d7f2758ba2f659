"""The options that several commands share, each once: its name, its values, its help; and the scores that they name.

Options of one command are the parameters of its function in `commands`, with their help in its docstring. Readers and
statistics, which load pandas and scipy, are imported where they are used, so that help appears at once.
"""

from __future__ import annotations

import csv
import os
import re
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, make_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from cyclopts import CoercionError, Group, Parameter, Token, convert

import pt_rankcorr as rc
from pt_rankcorr import choices
from pt_rankcorr.cli.output import OPTIONS, UsageError, say, with_options
from pt_rankcorr.defaults import ALONE, ALPHA, ERROR_RESAMPLES, FEWER_RESAMPLES, LEVEL, RESAMPLES
from pt_rankcorr.io import FORMATS
from pt_rankcorr.text import cut, shown
from pt_rankcorr.warnings import RoundedScoresWarning, silencing

OUTSIDE_BRACKETS = re.compile(r",(?![^()]*\))")  # a comma between names, and not one in RBP(p=0.8,rel=2)

INPUT = Group.create_ordered("INPUT, one of")
WITH_RUNS = Group.create_ordered("with --runs")
READING = Group.create_ordered("how to read the input")
TABLES = Group.create_ordered("coefficients")
LABELLING = Group.create_ordered("labels")
FAVOURED = Group.create_ordered("do judges favour groups of runs?")
FAMILIES = Group.create_ordered("families of judges")
PAIRS = Group.create_ordered("pairs of systems")
D_RANK = Group.create_ordered("d_rank")
RESAMPLING = Group.create_ordered("resampling")
WRITING = Group.create_ordered("output")


def rule(text: str, holds: Callable[[Any], bool]) -> Callable[[Any, Any], None]:
    """Checks the value of an option, or each of several, before any file is read."""

    def check(_: Any, value: Any) -> None:
        for number in value if isinstance(value, list) else [value]:
            if number is not None and not holds(number):
                raise ValueError(f"It must be {text}, got {number}.")

    return check


def whole(type_: Any, tokens: Sequence[Token]) -> Any:
    """Converts whole numbers; of others only the whole part would count."""
    for token in tokens:
        with suppress(ValueError):  # what is no number at all has a message of its own
            if not float(token.value).is_integer():
                raise CoercionError(msg=f"{token.keyword} must be a whole number, got {token.value}.")
    return convert(type_, tokens)


def check_pattern(_: Any, value: str | None) -> None:
    """Checks a regular expression, which stands where a file may stand."""
    if value is not None and not os.path.isfile(value):
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"It must be a file or a regular expression, got {shown(value)}: {error}.") from None


def check_picture(_: Any, path: str | None) -> None:
    if path is not None and not path.lower().endswith((".png", ".pdf", ".svg")):
        raise ValueError(f"It must end in .png, .pdf or .svg, got {path}.")


is_margin = rule("above 0 and at most 2", lambda number: 0 < number <= 2)
is_share = rule("between 0 and 1 (both excluded)", lambda number: 0 < number < 1)
is_counted = rule("1 or more", lambda number: number >= 1)
is_resampled = rule("2 or more", lambda number: number >= 2)
is_seed = rule("0 or more", lambda number: number >= 0)
are_workers = rule("a number of workers, or -1 for as many as there are processors", lambda number: number != 0)

if TYPE_CHECKING:
    FormatName: TypeAlias = str
else:
    FormatName = Literal[tuple(FORMATS)]
Coefficient: TypeAlias = choices.Coefficient
Null = Literal["shrunken", "published"]  # "two-sample" is for rankings of other topics, which no command has
Whole = Parameter(converter=whole)
Flag = Annotated[bool, Parameter(negative=())]
Labels = Annotated[str | None, Parameter(group=READING, validator=check_pattern)]
Paths = Annotated[list[str] | None, Parameter(group=INPUT)]
Resamples = Annotated[int, Whole, Parameter("--resamples", group=RESAMPLING, validator=is_resampled)]
ResamplesIfAny = Annotated[int | None, Whole, Parameter("--resamples", group=RESAMPLING, validator=is_resampled)]
Level = Annotated[float, Parameter(validator=is_share, help="the confidence level of the intervals")]
Width = Annotated[float | None, Parameter(validator=is_margin)]
Alpha = Annotated[float, Parameter(group=PAIRS, validator=is_share)]
Topics = Annotated[list[int] | None, Whole, Parameter("--topics", validator=is_counted)]
Reference = Annotated[str | None, Parameter(help="the trusted measure (default: the first)")]
PairTest = Annotated[
    choices.PairTest,
    Parameter(group=PAIRS, help="the test of pairs of systems; only tukey-hsd corrects for the number of pairs"),
]
OfNull = Annotated[Null, Parameter(group=D_RANK, help="the null hypothesis; published: that of Carterette (2009)")]
OfNullIfAny = Annotated[
    Null | None,
    Parameter(group=D_RANK, help="the null hypothesis: shrunken, the default, or published (Carterette 2009)"),
]
Covariance = Annotated[
    choices.Covariance | None,
    Parameter(group=D_RANK, help="how it is estimated (default: sample with --null published, else ledoit-wolf)"),
]
Wide = Annotated[
    Flag, Parameter(group=TABLES, help="show all columns and settings of tables; csv and jsonl always have them")
]
Judges = Annotated[
    list[str], Parameter("--against", help="TREC qrels files to compare, or a folder or a pattern of them")
]


def as_option(name: str) -> str:
    """The option of a parameter."""
    return f"--{name.replace('_', '-')}"


def names_in(values: Iterable[str]) -> list[str]:
    """Names that stand between blanks or commas."""
    names = [name for text in values for part in OUTSIDE_BRACKETS.split(text) if (name := part.strip())]
    if values and not names:
        raise UsageError("Lists of names must have at least one name, got none.")
    return names


def each_once(option: str, what: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """Pairs as a mapping; an error if a name is there twice."""
    pairs = list(pairs)
    if twice := [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]:
        raise ValueError(f"{option} must have each {what} once, got {shown(min(twice))} twice.")
    return dict(pairs)


def reference_of(scores: rc.Scores, reference: str | None) -> str:
    """The trusted measure, by default the first."""
    from pt_rankcorr.io.measure_names import find_measure

    return scores.measures[0] if reference is None else find_measure(reference, scores, "reference")


def all_last(of_judges: Mapping[str, Any]) -> dict[str, Any] | None:
    """The settings of all judges ("*") after those of some, as the first pattern that fits counts; None for none."""
    return dict(sorted(of_judges.items(), key=lambda setting: setting[0] == "*")) or None


@Parameter("*")
@dataclass
class Notes:
    """What standard error gets.

    Attributes:
        quiet: only errors on standard error: no notes, no warnings
    """

    quiet: Annotated[Flag, Parameter(group=WRITING)] = False

    @property
    def verbose(self) -> bool | None:
        """False, for no progress bar, where it is quiet; else None, for the function's default."""
        return False if self.quiet else None

    def note(self, text: str) -> None:
        """Prints a note on standard error."""
        if not self.quiet:
            say(text)

    def progress(self, total: int | None) -> Any:
        """A progress bar on a terminal; none without a total."""
        import pyterrier as pt

        disable = self.quiet or total is None or None  # None: where standard error is no terminal
        return pt.tqdm(total=total, disable=disable, delay=2, leave=False)


@Parameter("*")
@dataclass
class Output(Notes):
    """How results are written.

    Attributes:
        format: csv and jsonl have unrounded numbers and more columns
    """

    format: Annotated[Literal["table", "csv", "jsonl", "latex"], Parameter(group=WRITING)] = "table"


@Parameter("*")
@dataclass
class Drawn(Output):
    """How results are written and drawn.

    Attributes:
        plot: also draw a .png, .pdf or .svg picture (one per measure); replaces an older file
    """

    plot: Annotated[str | None, Parameter(group=WRITING, validator=check_picture)] = None


@Parameter("*")
@dataclass
class Resampling:
    """Resamples of topics, their seed, and who computes them.

    Attributes:
        n_resamples: resamples of topics
        rng: random seed; the same seed gives the same numbers (default: random)
        n_jobs: parallel workers; the results do not depend on their number (default: 1)
    """

    n_resamples: Resamples = RESAMPLES
    rng: Annotated[int | None, Whole, Parameter("--seed", group=RESAMPLING, validator=is_seed)] = None
    n_jobs: Annotated[int | None, Whole, Parameter("--jobs", group=RESAMPLING, validator=are_workers)] = None

    @contextmanager
    def seeded(self, output: Notes) -> Iterator[dict[str, Any]]:
        """The arguments of functions that resample; in the end a note names a random seed."""
        sampling = {**vars(self), "rng": secrets.randbits(32) if self.rng is None else self.rng}
        is_of_use = self.rng is None
        try:
            yield sampling
        except (OSError, ValueError):
            is_of_use = False
            raise
        finally:
            if is_of_use:
                output.note(f"--seed {sampling['rng']} gives the same numbers again.")


@Parameter("*")
@dataclass
class ErrorResamples(Resampling):
    """The same where standard errors are computed."""

    n_resamples: Resamples = ERROR_RESAMPLES


@Parameter("*")
@dataclass
class ComparisonResamples(Resampling):
    """The same of comparisons.

    Attributes:
        n_resamples: resamples of topics (default: 2000 for standard errors, 10 000 for d_rank)
    """

    n_resamples: ResamplesIfAny = None  # type: ignore[assignment]


@Parameter("*")
@dataclass
class FewerResamples(Resampling):
    """The same where the default is fewer."""

    n_resamples: Resamples = FEWER_RESAMPLES


@Parameter("*")
@dataclass
class Runs:
    """Runs and judgments, and how they are read.

    Attributes:
        runs: TREC run files, a folder of them, or `runs/*.run`
        qrels: TREC qrels file; of several collections, for compare: one file each, and in --runs one folder each
        irds: judgments of a dataset of ir-datasets, such as vaswani; or of several, as --qrels
        names: what runs from files are named after
        download: whether judgments that are not on this machine may be downloaded
        measures: such as AP nDCG@10 (required with --runs; else the default is all)
        missing: what to do where a system has no score for a topic that others have
        lower_is_better: measures that are better when lower
        clusters: groups of dependent topics, such as the turns of a conversation: a file with a topic and its label per
            line, or a regular expression that matches the start of topics
        strata: the collection of each topic, each with equal weight: a file with a topic and its label per line, or a
            regular expression that matches the start of topics
    """

    runs: Paths = None
    qrels: Annotated[list[str] | None, Parameter(group=WITH_RUNS)] = None
    irds: Annotated[list[str] | None, Parameter(group=WITH_RUNS)] = None
    names: Annotated[choices.NamedAfter, Parameter(group=WITH_RUNS)] = "file"
    download: Annotated[bool, Parameter(group=WITH_RUNS)] = False
    measures: Annotated[list[str] | None, Parameter(group=READING)] = None
    missing: Annotated[choices.Missing, Parameter(group=READING)] = "error"
    lower_is_better: Annotated[list[str] | None, Parameter(group=READING)] = None
    clusters: Labels = None
    strata: Labels = None

    def __post_init__(self) -> None:
        judged = [f"--{name}" for name in ("qrels", "irds") if getattr(self, name)]
        if self.runs and len(judged) != 1:
            raise UsageError(f"--runs needs either --qrels FILE or --irds ID, got {' and '.join(judged) or 'neither'}.")
        if self.runs and not self.measures:
            raise UsageError("--runs needs --measures.")
        if not self.runs and (judged or self.names != "file"):
            raise UsageError(f"{(*judged, '--names')[0]} can only be used with --runs.")
        if self.download and not any(name.startswith(choices.IRDS) for name in self.judged):
            raise UsageError("--download can only be used with --irds.")
        self.measures_as_written = self.measures  # the name of a table may have a comma
        self.measures = None if self.measures is None else names_in(self.measures)
        self.lower_is_better = names_in(self.lower_is_better or [])

    @property
    def judged(self) -> list[str]:
        """The trusted judgments of each collection: a file, or "irds:" and the id of a dataset."""
        of_datasets = (choices.IRDS + dataset.removeprefix(choices.IRDS) for dataset in self.irds or ())
        return [*(self.qrels or ()), *of_datasets]

    @property
    def judgments(self) -> str:
        """The trusted judgments of the only collection."""
        if len(self.judged) > 1:
            option = "--qrels" if self.qrels else "--irds"
            raise ValueError(f"{option} must be one, got {len(self.judged)}; only compare takes several.")
        return self.judged[0]

    @property
    def files(self) -> list[str]:
        """The files, folders and patterns that are read."""
        more = [*(self.qrels or ()), self.clusters, self.strata]
        return [*(self.runs or ()), *filter(None, more)]

    def design(self) -> dict[str, Any]:
        """The clusters and strata of topics: labels from a file, if there is one of that name, else a pattern."""
        from pt_rankcorr.io.score_tables import read_labels

        labels = {"clusters": self.clusters, "strata": self.strata}
        return {
            name: read_labels(text) if os.path.isfile(text) else text
            for name, text in labels.items()
            if text is not None
        }

    def arguments(self, output: Notes) -> dict[str, Any]:
        """The arguments of functions that read runs themselves."""
        if not self.runs:
            raise UsageError("--runs is required.")
        how = {name: getattr(self, name) for name in ("measures", "names", "missing", "lower_is_better", "download")}
        return {"runs": self.runs, "verbose": output.verbose, **how, **self.design()}


@Parameter("*")
@dataclass
class Input(Runs):
    """Scores, from runs or from files.

    Attributes:
        experiment: perquery.csv of a pt.Experiment, or its save_dir
        trec_eval: output of trec_eval -q or ir_measures -q: one file per run
        scores: CSV files, each of one measure, with one row per topic and one column per system; or with one score per
            row (columns run, measure, topic, value in any order, with or without a header); - is standard input
        leaderboard: scores in a format of autojudge-evaluate
        columns: the columns of --scores, such as run,measure,topic,value; _ skips a column
        sep: what separates the cells of --scores: comma, tab, semicolon, pipe, blank or the character (default: what
            the header shows)
        decimal: the decimal mark of --scores (default: a point, or a comma where semicolons separate cells)
    """

    experiment: Paths = None
    trec_eval: Paths = None
    scores: Paths = None
    leaderboard: Paths = None
    columns: Annotated[str | None, Parameter(group=READING)] = None
    sep: Annotated[str | None, Parameter(group=READING)] = None
    decimal: Annotated[choices.Decimal | None, Parameter(group=READING)] = None

    def __post_init__(self) -> None:
        names = [as_option(name) for name in INPUTS if getattr(self, name)]
        if len(names) > 1:
            raise UsageError(f"{names[1]} is not allowed with {names[0]}.")
        for option in ("columns", "sep", "decimal"):
            if getattr(self, option) and not self.scores:
                raise UsageError(f"--{option} can only be used with --scores.")
        super().__post_init__()

    @property
    def name(self) -> str:
        """The option that names the scores."""
        for name in INPUTS:
            if getattr(self, name):
                return name
        raise UsageError(f"One of the options {' '.join(map(as_option, INPUTS))} is required.")

    @property
    def files(self) -> list[str]:
        """The files, folders and patterns that are read."""
        return [*super().files, *(getattr(self, self.name) if self.name != "runs" else ())]

    def read(self, output: Notes, *, compared_by: str = "", reference: str | None = None) -> rc.Scores:
        """The scores and measures that are named; a command that compares measures (`compared_by`) needs two."""
        from pt_rankcorr.io.align import warn_of_rounding
        from pt_rankcorr.io.measure_names import find_measure

        def check_enough(measures: Collection[str]) -> None:
            if compared_by and len(measures) < 2:
                raise ValueError(
                    f"{compared_by} must have at least 2 measures to compare, got {cut(', '.join(measures))}. With one "
                    "measure use expected, ranks, power, swap, stability, or drank --ranking FILE."
                )

        if self.name == "runs":  # before any run is evaluated
            if reference is not None:
                find_measure(reference, self.measures or [], "reference")
            check_enough(self.measures or [])
        is_part = self.measures is not None and self.name != "runs"
        with silencing(RoundedScoresWarning) if is_part else nullcontext():
            scores = self._scores(output)
        if self.measures is not None:
            written = self.measures_as_written or []
            wanted = written if {*written} <= {*scores} else self.measures
            scores = scores.select(measures=[find_measure(name, scores, "measures") for name in wanted])
        if is_part:  # of those that were asked for
            warn_of_rounding({name: n for name, n in scores.alignment.rounded.items() if name in scores})
        check_enough(scores.measures)
        scores = scores.with_design(**self.design())
        output.note(str(replace(scores.alignment, rounded={})))  # of which there was a warning
        if design := next(iter(scores.values())).in_design:
            output.note(f"The {len(scores.topics)} topics are{design}.")
        return scores

    def _scores(self, output: Notes) -> rc.Scores:
        name, source = self.name, getattr(self, self.name)
        how: dict[str, Any] = {"missing": self.missing, "lower_is_better": self.lower_is_better}
        if name == "runs":
            how |= {"measures": self.measures, "names": self.names, "verbose": output.verbose}
            return rc.scores_from_runs(source, self.judgments, download=self.download, **how)
        function, parameter = READERS.get(name, ("read_leaderboard", "path"))
        if function == "read_leaderboard" and name != "leaderboard":
            how["format"] = name
        if name == "scores":
            how |= {"sep": self.sep, "decimal": self.decimal}
            if self.columns is not None:
                how["columns"] = [column.strip() for column in self.columns.split(",")]
        if name == "experiment":
            if len(source) > 1:
                raise ValueError(
                    f"--experiment must be one file or folder, got {len(source)}; only compare takes several."
                )
            source = source[0]
        try:
            scores: rc.Scores = getattr(rc, function)(source, **how)
        except ValueError as error:  # its message names the parameter, which is another option for each reader
            raise ValueError(with_options(str(error), {**OPTIONS, parameter: OPTIONS[name]})) from None
        return scores

    def collections(self, output: Notes, reference: str | None) -> dict[str, rc.Scores]:
        """Collection -> scores: one for each of several experiments, files of judgments or datasets, and its name."""
        experiments, judged = [Path(path).absolute() for path in self.experiment or ()], self.judged
        if max(len(experiments), len(judged)) < 2:
            return {ALONE: self.read(output, compared_by="compare", reference=reference)}
        if judged:
            option, runs = "--qrels" if self.qrels else "--irds", self.runs or []
            if len(runs) != len(judged):
                raise UsageError(
                    f"--runs must name a folder or a pattern in quotes for each of {len(judged)} {option}, in the same "
                    f"order, got {len(runs)}."
                )
            from pt_rankcorr.io.paths import stem

            names = [path if path.startswith(choices.IRDS) else stem(path) for path in judged]
            parts = [{"runs": [folder], option[2:]: [path]} for folder, path in zip(runs, judged, strict=True)]
        else:
            # PyTerrier's name of the file says nothing
            option = "--experiment"
            names = [path.parent.name if path.name == "perquery.csv" else path.stem for path in experiments]
            parts = [{"experiment": [str(path)]} for path in experiments]
        named = each_once(option, "name of a folder or file", zip(names, parts, strict=True))
        collections = {}
        for name, part in named.items():
            collection = replace(self, **part, measures=self.measures_as_written)
            collections[name] = collection.read(output, compared_by="compare", reference=reference)
        return collections


READERS = {  # option -> the function that reads what it names, and that function's parameter
    "experiment": ("scores_from_experiment", "experiment"),
    "trec_eval": ("scores_from_trec_eval", "path"),
    "scores": ("read_scores", "path"),
}
OF_FORMATS = {name: file_format.help for name, file_format in FORMATS.items() if file_format.help}
INPUTS = ("experiment", "trec_eval", "scores", "leaderboard", *OF_FORMATS, "runs")
if TYPE_CHECKING:
    Source = Input
else:  # with an option for each format of leaderboards that has a help of its own
    fields = [(name, Annotated[Paths, Parameter(help=text)], None) for name, text in OF_FORMATS.items()]
    Source = Parameter("*")(make_dataclass("Source", fields, bases=(Input,), namespace={"__module__": __name__}))


@Parameter("*")
@dataclass
class Rows:
    """How rankings are compared.

    Attributes:
        coefficients: the coefficients that tables show, the first in most detail
    """

    level: Level = LEVEL
    coefficients: list[str] | None = None
    null: OfNullIfAny = None
    covariance: Covariance = None

    def __post_init__(self) -> None:
        self.coefficients = None if self.coefficients is None else names_in(self.coefficients)


@Parameter("*")
@dataclass
class ComparisonOptions(Rows):
    """How rankings of the same systems are compared.

    Attributes:
        intervals: whether to add standard errors, intervals and p (same true ranking)
        population: also show the coefficients in the topic population, as --wide does
        d_rank: also show d_rank and its p-value
        top: how many of the reference's best systems get coefficients of their own, too
        per_topic: whether to add the means of the coefficients of single topics, and of the accuracy of pairs of
            systems on these
        variant: which variant of tau and tau_AP tables show
        alpha: the level at which two rankings, or two systems, differ significantly
    """

    intervals: Annotated[bool, Parameter(group=TABLES)] = True
    population: Annotated[Flag, Parameter(group=TABLES)] = False
    d_rank: Annotated[Flag, Parameter(group=D_RANK)] = False
    top: Annotated[int | None, Whole, Parameter(group=TABLES)] = None
    per_topic: Annotated[bool, Parameter(group=TABLES)] = False
    variant: Annotated[choices.Variant, Parameter(group=TABLES)] = "a"
    alpha: Alpha = ALPHA


@Parameter("*")
@dataclass
class Groups:
    """Groups of runs.

    Attributes:
        group: also test whether judges favour these runs, such as `rerankers='rerank-*'`; csv and jsonl then have only
            this (NAME=PATTERN)
        groups: the groups of --group in a file: a run and its group per line
    """

    group: Annotated[list[str] | None, Parameter(group=FAVOURED)] = None
    groups: Annotated[str | None, Parameter(group=FAVOURED)] = None

    def __post_init__(self) -> None:
        if self.group and self.groups:
            raise UsageError("--groups is not allowed with --group.")
        for text in self.group or ():
            if not all(text.partition("=")):
                raise UsageError(f"--group must be NAME=PATTERN, got {text}.")

    def read(self) -> dict[str, Any] | None:
        """Group -> a pattern or a list of runs; None where there are none."""
        from pt_rankcorr.io.score_tables import read_labels

        if self.group:
            return each_once("--group", "name", (text.partition("=")[::2] for text in self.group))
        if self.groups is None:
            return None
        runs_of: dict[str, Any] = {}
        for run, group in read_labels(self.groups, "run").items():
            runs_of.setdefault(group, []).append(run)
        return runs_of


@Parameter("*")
@dataclass
class Judging(Groups):
    """What else is shown of judges.

    Attributes:
        families: also show how much judges vary between models, between prompts, and by chance. Give a regular
            expression with named groups that matches the names of judges, such as `(?P<model>[^-]+)-(?P<prompt>.+)`, or
            a CSV file with a column judge. csv and jsonl then have only this
        repetition: the group of --families that numbers the runs of one judge: also show how much they vary
        panel: join the labels or scores of judges to those of one more judge, such as `all='*'`, and compare it with
            its members (NAME=PATTERN)
        combine: how a panel joins them; majority is for labels alone
        margin: also test that judges agree with the reference within this of the first
    """

    families: Annotated[str | None, Parameter(group=FAMILIES, validator=check_pattern)] = None
    repetition: Annotated[str | None, Parameter(group=FAMILIES)] = None
    panel: Annotated[list[str] | None, Parameter(group=FAMILIES)] = None
    combine: Annotated[choices.Combine, Parameter(group=FAMILIES)] = "mean"
    margin: Annotated[float | None, Parameter(group=FAMILIES, validator=is_margin)] = None
    wide: Wide = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.repetition is not None and self.families is None:
            raise UsageError("--repetition can only be used with --families.")
        for text in self.panel or ():
            if not all(text.partition("=")):
                raise UsageError(f"--panel must be NAME=PATTERN, got {text}.")

    def panels(self) -> dict[str, str]:
        """Panel -> a pattern of judges."""
        return each_once("--panel", "name", (text.partition("=")[::2] for text in self.panel or ()))

    def factors(self) -> Any:
        """A pattern of the names of judges, or judge -> its factors, from a file."""
        if self.families is None or not os.path.isfile(self.families):
            return self.families
        with open(self.families, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        if any("judge" not in row for row in rows):
            raise ValueError(f"--families must be a CSV file with a column judge, got {shown(self.families)}.")
        return each_once("--families", "judge", [(row.pop("judge"), row) for row in rows])


@Parameter("*")
@dataclass
class Scales:
    """How labels are read.

    Attributes:
        relevance_threshold: the lowest label of the judges that counts as relevant; `gpt*=1` sets it for matching
            judges only (`[JUDGE=]N`)
        reference_threshold: the lowest label of the reference that counts as relevant
        label_map: replace a label of the judges, such as 10=3 (10 becomes 3); `gpt*:10=3` replaces it for matching
            judges only (`[JUDGE:]LABEL=LABEL`)
    """

    relevance_threshold: Annotated[list[str] | None, Parameter(group=LABELLING)] = None
    reference_threshold: Annotated[float | None, Parameter(group=LABELLING)] = None
    label_map: Annotated[list[str] | None, Parameter(group=LABELLING)] = None

    def __post_init__(self) -> None:
        self.thresholds: list[tuple[str, float]] = []
        for text in self.relevance_threshold or ():
            judge, _, threshold = text.rpartition("=")
            self.thresholds.append((judge or "*", label_of(threshold)))
        self.labels: list[tuple[tuple[str, float], float]] = []
        for text in self.label_map or ():
            judge, _, pair = text.rpartition(":")
            label, _, becomes = pair.partition("=")
            self.labels.append(((judge or "*", label_of(label)), label_of(becomes)))

    def arguments(self) -> dict[str, Any]:
        """The arguments of `compare_judgments`."""
        maps: dict[str, dict[float, float]] = {}
        for (judge, label), becomes in each_once("--label-map", "label of a judge", self.labels).items():
            maps.setdefault(judge, {})[label] = becomes
        thresholds = each_once("--relevance-threshold", "judge", self.thresholds)
        return {
            "relevance_threshold": all_last(thresholds),
            "reference_threshold": self.reference_threshold,
            "label_map": all_last(maps),
        }


def label_of(text: str) -> float:
    """A label on the command line."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"Labels must be numbers, got {text}.") from None


# --- rankings in files --------------------------------------------------------------------------------------


def read_rankings(paths: Sequence[str]) -> dict[str, dict[str, float]]:
    """Name -> ranking: names without folders, unless two files would then have one name."""
    short = [os.path.basename(path) for path in paths]
    names = short if len(set(short)) == len(paths) else paths
    return {name: read_ranking(path) for name, path in zip(names, paths, strict=True)}


def read_ranking(path: str) -> dict[str, float]:
    """A ranking from a file: system -> score, or the negative of its place if the file has no scores."""
    from pt_rankcorr.io import ranking_files

    return each_once(f"--ranking {path}", "system", ranking_files.read_ranking(path))


def shared_systems(
    output: Notes, reference: Any, ranking: dict[str, float], name: str, *, leave_out: bool
) -> tuple[str, ...]:
    """The systems to compare, in the order of the reference: all, or with `leave_out` those of both sides."""
    from pt_rankcorr.stats.core.arguments import listing

    shared = tuple(system for system in reference.systems if system in ranking)
    different = listing(set(reference.systems) ^ set(ranking))
    if different and not leave_out:
        raise ValueError(
            f"--ranking must rank the same systems as the scores, got differences in {different} in {name!r}. "
            "--only-shared-runs leaves these out."
        )
    if len(shared) < 2:
        raise ValueError(f"--ranking must share at least 2 systems with the scores, got {len(shared)} in {name!r}.")
    if different:
        output.note(f"{name}: {len(shared)} systems; left out, since only one side has them: {different}.")
    return shared
