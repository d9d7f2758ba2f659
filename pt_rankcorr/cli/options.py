"""The options that several commands share, each once: its name, its values, its help.

Options of one command are the parameters of its function, with their help in its docstring; those
that name scores are in `score_options`. What loads pandas and scipy is imported where it is used,
so that help appears at once.
"""

from __future__ import annotations

import csv
import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import CoercionError, Group, Parameter, Token, convert
from cyclopts.validators import Number

from pt_rankcorr import choices
from pt_rankcorr.cli.output import UsageError, say
from pt_rankcorr.defaults import FEWER_RESAMPLES, LEVEL, PAIR_TEST, RESAMPLES
from pt_rankcorr.text import shown

if TYPE_CHECKING:
    from pt_rankcorr.comparison.settings import Settings

INPUT = Group.create_ordered("INPUT, one of")
WITH_RUNS = Group.create_ordered("with --runs")
READING = Group.create_ordered("how to read the input")
ROWS = Group.create_ordered("what each row has")
LABELLING = Group.create_ordered("labels")
FAVOURED = Group.create_ordered("do judges favour groups of runs?")
FAMILIES = Group.create_ordered("families of judges")
PAIRS = Group.create_ordered("pairs of systems")
D_RANK = Group.create_ordered("d_rank")
RESAMPLING = Group.create_ordered("resampling")
WRITING = Group.create_ordered("output")


def whole(type_: Any, tokens: Sequence[Token]) -> Any:
    """A converter of cyclopts: refuses fractions, of which cyclopts would take the whole part."""
    for token in tokens:
        with suppress(ValueError):  # what is no number at all has a message of its own
            if not float(token.value).is_integer():
                message = f"{token.keyword} must be a whole number, got {token.value}."
                raise CoercionError(msg=message)
    return convert(type_, tokens)


def check_pattern(_: Any, value: str | None) -> None:
    """A validator of cyclopts: a regular expression where a file may stand must be valid."""
    if value is not None and not os.path.isfile(value):
        try:
            re.compile(value)
        except re.error as error:
            got = f"{shown(value)}: {error}"
            raise ValueError(f"It must be a file or a regular expression, got {got}.") from None


def check_picture(_: Any, path: str | None) -> None:
    """A validator of cyclopts: refuses a picture of a kind that `output.draw` cannot write."""
    if path is not None and not path.lower().endswith((".png", ".pdf", ".svg")):
        raise ValueError(f"It must end in .png, .pdf or .svg, got {path}.")


# a difference of two coefficients, which lie in [-1, 1]; a level
is_margin, is_share = Number(gt=0, lte=2), Number(gt=0, lt=1)

# "two-sample" is for rankings of other topics, which no command has
Null = Literal["shrunken", "published"]
ChosenNull = Annotated[Null | None, Parameter(group=D_RANK)]
Whole = Parameter(converter=whole)
Flag = Annotated[bool, Parameter(negative=())]
Resamples = Parameter("--resamples", converter=whole, group=RESAMPLING, validator=Number(gte=2))
_level = "the confidence level of the intervals"
Level = Annotated[float, Parameter(validator=is_share, help=_level)]
Alpha = Annotated[float, Parameter(group=PAIRS, validator=is_share)]
Topics = Annotated[list[int] | None, Whole, Parameter("--topics", validator=Number(gte=1))]
Reference = Annotated[str | None, Parameter(help="the trusted measure (default: the first)")]
_all_columns = "show all columns and settings of tables; csv and jsonl always have them"
Wide = Annotated[Flag, Parameter(group=ROWS, help=_all_columns)]
_qrels = "TREC qrels files to compare, or a folder or a pattern of them"
Judges = Annotated[list[str], Parameter("--against", help=_qrels)]


def names_in(values: Iterable[str]) -> list[str]:
    """Names between commas, in one value of an option or several; [] only without any value."""
    # not at the comma in RBP(p=0.8,rel=2)
    parts = (part for text in values for part in re.split(r",(?![^()]*\))", text))
    names = [name for part in parts if (name := part.strip())]
    if values and not names:
        raise UsageError("Lists of names must have at least one name, got none.")
    return names


def distinct_dict(option: str, what: str, pairs: Iterable[tuple[Any, Any]]) -> dict[Any, Any]:
    """(name, value) pairs as a mapping; an error about `what` if a name is there twice."""
    pairs = list(pairs)
    if twice := [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]:
        raise ValueError(f"{option} must have each {what} once, got {shown(min(twice))} twice.")
    return dict(pairs)


def patterns_of(option: str, texts: Sequence[str]) -> dict[str, str]:
    """Name -> pattern, from values of an option of the form NAME=PATTERN."""
    for text in texts:
        if not all(text.partition("=")):
            raise UsageError(f"{option} must be NAME=PATTERN, got {text}.")
    return distinct_dict(option, "name", (text.partition("=")[::2] for text in texts))


def all_last(of_judges: Mapping[str, Any]) -> dict[str, Any] | None:
    """Pattern of judges -> setting, with "*" last, as the first that fits counts; None for none."""
    return dict(sorted(of_judges.items(), key=lambda setting: setting[0] == "*")) or None


@Parameter("*", group=WRITING)
@dataclass
class Notes:
    """What standard error gets.

    Attributes:
        quiet: only errors on standard error: no notes, no warnings
    """

    quiet: Flag = False

    @property
    def verbose(self) -> bool | None:
        """False, for no progress bar, where it is quiet; else None, for the function's default."""
        return False if self.quiet else None

    def note(self, text: str) -> None:
        """Prints a note on standard error, if there is one."""
        if text and not self.quiet:
            say(text)


@Parameter("*", group=WRITING)
@dataclass
class Output(Notes):
    """How results are written.

    Attributes:
        format: csv and jsonl have unrounded numbers and more columns
    """

    format: Literal["table", "csv", "jsonl", "latex"] = "table"

    def note_of(self, result: Any, *, wide: bool = False) -> None:
        """Prints the note below the table of a comparison; with all settings and seed if `wide`."""
        if wide:
            self.note(result.note)
        else:
            self.note(result.table().notes[0].removesuffix(f" Seed {result.seed}."))


@Parameter("*", group=WRITING)
@dataclass
class Drawn(Output):
    """How results are written and drawn.

    Attributes:
        plot: also draw a .png, .pdf or .svg picture (one per measure); replaces an older file
    """

    plot: Annotated[str | None, Parameter(validator=check_picture)] = None


@Parameter("*", group=RESAMPLING)
@dataclass
class Seeding:
    """The seed of resamples of topics, and who computes them.

    Attributes:
        rng: random seed; the same seed gives the same numbers (default: random)
        n_jobs: parallel workers; the results do not depend on their number (default: 1)
    """

    rng: Annotated[int | None, Whole, Parameter("--seed", validator=Number(gte=0))] = None
    n_jobs: Annotated[int | None, Whole, Parameter("--jobs")] = None

    @contextmanager
    def seeded(self, output: Notes) -> Iterator[dict[str, Any]]:
        """The arguments of functions that resample: rng, n_jobs, and n_resamples if it has these.

        At the end, or an interrupt, but not after an error, a note names the seed if it was random.
        """
        sampling = {**vars(self), "rng": secrets.randbits(32) if self.rng is None else self.rng}
        is_named = self.rng is None
        try:
            yield sampling
        except (OSError, ValueError):
            is_named = False
            raise
        finally:
            if is_named:
                output.note(f"--seed {sampling['rng']} gives the same numbers again.")


@Parameter("*", group=RESAMPLING)
@dataclass
class Resampling(Seeding):
    """Resamples of topics, of which comparisons take as many as each of their numbers needs.

    Attributes:
        n_resamples: resamples of topics
    """

    n_resamples: Annotated[int, Resamples] = RESAMPLES


@Parameter("*", group=RESAMPLING)
@dataclass
class FewerResamples(Resampling):
    """Resamples of topics for tests of pairs of systems and swap rates, which need fewer."""

    n_resamples: Annotated[int, Resamples] = FEWER_RESAMPLES


@Parameter("*")
@dataclass(frozen=True, kw_only=True)
class DRankChoice:
    """How d_rank is tested.

    Attributes:
        null: the null hypothesis of d_rank: shrunken, the default, or published (Carterette 2009)
        covariance: how the covariance of systems is estimated for d_rank (default: sample with
            --null published, else ledoit-wolf)
    """

    null: ChosenNull = "shrunken"
    covariance: Annotated[choices.Covariance | None, Parameter(group=D_RANK)] = None


@Parameter("*")
@dataclass(frozen=True, kw_only=True)
class CurveChoice(DRankChoice):
    """The options of all comparisons, also of those with fewer judgments.

    Attributes:
        n_resamples: resamples of topics (default: 2000 for standard errors, 10 000 for d_rank)
        coefficients: the coefficients that tables show, the first in most detail
    """

    null: ChosenNull = None
    n_resamples: Annotated[int | None, Resamples] = None
    level: Level = LEVEL
    coefficients: list[str] | None = None

    def settings(self, seed: int, **more: Any) -> Settings:
        """The settings of a comparison with this seed; `more` are settings that no option has."""
        from pt_rankcorr.comparison.settings import Settings

        # fields have the names of settings, but for two, which not all comparisons have: `wide` is
        # of tables, and without `intervals` what is resampled is d_rank alone
        chosen = dict(vars(self))
        chosen.pop("wide", None)
        intervals = chosen.pop("intervals", True)
        chosen["coefficients"] = None if self.coefficients is None else names_in(self.coefficients)
        if not intervals:
            chosen |= {"n_resamples": 0, "d_rank_resamples": self.n_resamples}
        return Settings(**chosen, **more, seed=seed)


@Parameter("*", group=ROWS)
@dataclass(frozen=True, kw_only=True)
class ComparisonChoice(CurveChoice):
    """The options of comparisons of measures and of judges.

    Attributes:
        intervals: whether to add standard errors, intervals and p (same true ranking)
        d_rank: also show d_rank and its p-value
        test: the test of pairs of systems; max-t and tukey-hsd correct for the number of pairs
        correction: of the other tests: holm bounds the chance of any false alarm, fdr (Benjamini
            and Hochberg) the share of false alarms among the pairs that are significant
        test_alpha: the level at which two systems differ significantly (default: 1 - level)
        top: how many of the reference's best systems get coefficients of their own, too
        per_topic: whether to add the means of the coefficients of single topics, and of the
            accuracy of pairs of systems on these
    """

    intervals: bool = True
    d_rank: bool = False
    test: choices.PairTest | None = PAIR_TEST
    correction: choices.PairCorrection | None = None
    test_alpha: Annotated[float | None, Parameter("--alpha", validator=is_share)] = None
    top: Annotated[int | None, Whole] = None
    per_topic: bool = False
    wide: Wide = False


@Parameter("*", group=ROWS)
@dataclass(frozen=True, kw_only=True)
class MeasuresChoice(ComparisonChoice):
    """How measures are compared.

    Attributes:
        test: the test of pairs of systems; max-t and tukey-hsd correct for the number of pairs
            (default: pairs are not tested)
    """

    test: choices.PairTest | None = None


@Parameter("*")
@dataclass
class Groups:
    """Groups of runs.

    Attributes:
        group: also test whether judges favour these runs, such as `rerankers='rerank-*'`; csv and
            jsonl then have only this (NAME=PATTERN)
        groups: the groups of --group in a file: a run and its group per line
    """

    group: Annotated[list[str] | None, Parameter(group=FAVOURED)] = None
    groups: Annotated[str | None, Parameter(group=FAVOURED)] = None

    def __post_init__(self) -> None:
        if self.group and self.groups:
            raise UsageError("--groups is not allowed with --group.")

    def read(self) -> dict[str, Any] | None:
        """Group -> a pattern or a list of runs; None where there are none."""
        from pt_rankcorr.io.score_tables import read_labels

        if self.group:
            return patterns_of("--group", self.group)
        if self.groups is None:
            return None
        runs_of: dict[str, Any] = {}
        for run, group in read_labels(self.groups, "run").items():
            runs_of.setdefault(group, []).append(run)
        return runs_of


@Parameter("*", group=FAMILIES)
@dataclass
class Judging(Groups):
    """What else is shown of judges.

    Attributes:
        families: also show how much judges vary between models, between prompts, and by chance.
            Give a regular expression with named groups that matches the names of judges, such as
            `(?P<model>[^-]+)-(?P<prompt>.+)`, or a CSV file with a column judge. csv and jsonl then
            have only this
        repetition: the group of --families that numbers the runs of one judge: also show how much
            they vary
        panel: join the labels or scores of judges to those of one more judge, such as `all='*'`,
            and compare it with its members (NAME=PATTERN)
        combine: how a panel joins them; majority is for labels alone
        margin: also test that judges agree with the reference within this of the first
    """

    families: Annotated[str | None, Parameter(validator=check_pattern)] = None
    repetition: str | None = None
    panel: list[str] | None = None
    combine: choices.Combine = "mean"
    margin: Annotated[float | None, Parameter(validator=is_margin)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.repetition is not None and self.families is None:
            raise UsageError("--repetition can only be used with --families.")

    def panels(self) -> dict[str, Any]:
        """The panels of judges, and how these are joined, as `judgments.Judges` takes them."""
        return {"panels": patterns_of("--panel", self.panel or ()), "combine": self.combine}

    def factors(self) -> Any:
        """Judge -> factor -> value from a file, else the pattern of names; None for neither."""
        if self.families is None or not os.path.isfile(self.families):
            return self.families
        with open(self.families, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.DictReader(file))
        if any("judge" not in row for row in rows):
            got = shown(self.families)
            raise ValueError(f"--families must be a CSV file with a column judge, got {got}.")
        return distinct_dict("--families", "judge", [(row.pop("judge"), row) for row in rows])


@Parameter("*", group=LABELLING)
@dataclass
class Scales:
    """How labels are read.

    Attributes:
        relevance_threshold: the lowest label of the judges that counts as relevant; `gpt*=1` sets
            it for matching judges only (`[JUDGE=]N`)
        reference_threshold: the lowest label of the reference that counts as relevant
        label_map: replace a label of the judges, such as 10=3 (10 becomes 3); `gpt*:10=3` replaces
            it for matching judges only (`[JUDGE:]LABEL=LABEL`)
    """

    relevance_threshold: list[str] | None = None
    reference_threshold: float | None = None
    label_map: list[str] | None = None

    def arguments(self) -> dict[str, Any]:
        """Arguments of `compare_labels`: pattern of judges -> threshold, or a map of labels."""
        thresholds, labels = [], []
        for text in self.relevance_threshold or ():
            # at the last one: names of judges may have more
            judge, _, threshold = text.rpartition("=")
            thresholds.append((judge or "*", label_of(threshold)))
        for text in self.label_map or ():
            judge, _, pair = text.rpartition(":")
            label, _, becomes = pair.partition("=")
            labels.append(((judge or "*", label_of(label)), label_of(becomes)))
        new_labels = distinct_dict("--label-map", "label of a judge", labels)
        maps: dict[str, dict[float, float]] = {}
        for (judge, label), becomes in new_labels.items():
            maps.setdefault(judge, {})[label] = becomes
        threshold_of = distinct_dict("--relevance-threshold", "judge", thresholds)
        return {
            "relevance_threshold": all_last(threshold_of),
            "reference_threshold": self.reference_threshold,
            "label_map": all_last(maps),
        }


def label_of(text: str) -> float:
    """A label on the command line, which may be a fraction."""
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"Labels must be numbers, got {text}.") from None
