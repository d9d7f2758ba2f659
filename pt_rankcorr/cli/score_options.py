"""The options that name scores, runs and judgments, and how these are read."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import pt_rankcorr as rc
from pt_rankcorr import choices
from pt_rankcorr.cli import options
from pt_rankcorr.cli.options import INPUT, READING, WITH_RUNS, Notes, distinct_dict, names_in
from pt_rankcorr.cli.output import UsageError
from pt_rankcorr.defaults import UNNAMED_COLLECTION
from pt_rankcorr.text import cut
from pt_rankcorr.warnings import RoundedScoresWarning, silencing

READERS = {  # option -> the function that reads what it names, and that function's parameter
    "experiment": ("scores_from_experiment", "experiment"),
    "trec_eval": ("scores_from_trec_eval", "path"),
    "scores": ("read_scores", "path"),
    "leaderboard": ("read_leaderboard", "path"),
}
INPUTS = (*READERS, "runs")

Paths = Annotated[list[str] | None, Parameter(group=INPUT)]
Labels = Annotated[str | None, Parameter(validator=options.check_pattern)]


def as_option(name: str) -> str:
    """The option of a field of the input: "trec_eval" -> "--trec-eval"."""
    return f"--{name.replace('_', '-')}"


@Parameter("*", group=READING)
@dataclass
class Runs:
    """Runs and judgments, and how they are read.

    Attributes:
        runs: TREC run files, a folder of them, or `runs/*.run`
        qrels: TREC qrels file; of several collections, for compare: one file each, and in --runs
            one folder each
        irds: judgments of a dataset of ir-datasets, such as vaswani; or of several, as --qrels
        names: what runs from files are named after
        download: whether judgments that are not on this machine may be downloaded
        measures: such as AP nDCG@10 (required with --runs; else the default is all)
        missing: what to do where a system has no score for a topic that others have
        lower_is_better: measures that are better when lower
        clusters: groups of dependent topics, such as the turns of a conversation: a file with a
            topic and its label per line, or a regular expression that matches the start of topics
        strata: the collection of each topic, each with equal weight: a file with a topic and its
            label per line, or a regular expression that matches the start of topics
    """

    runs: Paths = None
    qrels: Annotated[list[str] | None, Parameter(group=WITH_RUNS)] = None
    irds: Annotated[list[str] | None, Parameter(group=WITH_RUNS)] = None
    names: Annotated[choices.NamedAfter, Parameter(group=WITH_RUNS)] = "file"
    download: Annotated[bool, Parameter(group=WITH_RUNS)] = False
    measures: list[str] | None = None
    missing: choices.Missing = "error"
    lower_is_better: list[str] | None = None
    clusters: Labels = None
    strata: Labels = None

    def __post_init__(self) -> None:
        judged = [f"--{name}" for name in ("qrels", "irds") if getattr(self, name)]
        if self.runs and len(judged) != 1:
            got = " and ".join(judged) or "neither"
            raise UsageError(f"--runs needs either --qrels FILE or --irds ID, got {got}.")
        if self.runs and not self.measures:
            raise UsageError("--runs needs --measures.")
        if not self.runs and (judged or self.names != "file"):
            raise UsageError(f"{(*judged, '--names')[0]} can only be used with --runs.")
        if self.download and not any(name.startswith(choices.IRDS) for name in self.judged):
            raise UsageError("--download can only be used with --irds.")
        # before commas split them: a name in a table may have one
        self.measures_as_written = self.measures
        self.measures = None if self.measures is None else names_in(self.measures)
        self.lower_is_better = names_in(self.lower_is_better or [])

    @property
    def judged(self) -> list[str]:
        """The trusted judgments of each collection: a file, or "irds:" and the id of a dataset."""
        datasets = [choices.IRDS + name.removeprefix(choices.IRDS) for name in self.irds or ()]
        return [*(self.qrels or ()), *datasets]

    @property
    def judgments(self) -> str:
        """The trusted judgments of the only collection."""
        n_judged = len(self.judged)
        if n_judged > 1:
            option = "--qrels" if self.qrels else "--irds"
            raise ValueError(f"{option} must be one, got {n_judged}; only compare takes several.")
        return self.judged[0]

    @property
    def files(self) -> list[str]:
        """The files, folders and patterns that are read."""
        more = [*(self.qrels or ()), self.clusters, self.strata]
        return [*(self.runs or ()), *filter(None, more)]

    def design(self) -> dict[str, Any]:
        """The clusters and strata that were given: topic -> label from a file, else a pattern."""
        from pt_rankcorr.io.score_tables import read_labels

        labels: dict[str, Any] = {}
        for name, text in (("clusters", self.clusters), ("strata", self.strata)):
            if text is not None:
                labels[name] = read_labels(text) if os.path.isfile(text) else text
        return labels

    def arguments(self) -> dict[str, Any]:
        """For functions that read runs: `runs`, `measures`, `missing` and `lower_is_better`."""
        from pt_rankcorr.io.runs import named_runs

        if not self.runs:
            raise UsageError("--runs is required.")
        # paths and patterns, whose runs are named after files where they are read; or tag -> path
        runs = self.runs if self.names == "file" else named_runs(self.runs, names=self.names)
        reading = {name: getattr(self, name) for name in ("measures", "missing", "lower_is_better")}
        return {"runs": runs, **reading}

    def reference(self, threshold: float | None = None) -> rc.judgments.Qrels:
        """The judgments of the only collection; labels from `threshold` on are relevant."""
        return rc.judgments.Qrels(
            self.judgments, relevance_threshold=threshold, download=self.download, **self.design()
        )


@Parameter("*", group=READING)
@dataclass
class Input(Runs):
    """Scores, from runs or from files.

    Attributes:
        experiment: perquery.csv of a pt.Experiment, or its save_dir
        trec_eval: output of trec_eval -q or ir_measures -q: one file per run
        scores: CSV files, each of one measure, with one row per topic and one column per system; or
            with one score per row (columns run, measure, topic, value, in any order under a header,
            or without one as tools write them); - is standard input
        leaderboard: scores in a format of autojudge-evaluate
        columns: the columns of --scores, such as run,measure,topic,value; _ skips a column
        sep: what separates the cells of --scores: comma, tab, semicolon, pipe, blank or the
            character (default: what the header shows)
        decimal: the decimal mark of --scores (default: a point, or a comma where semicolons
            separate cells)
        table: which table of a page or workbook in --scores: its number, or the heading above it
        repeats: "mean" averages several scores of one system, topic and measure
        keep: topics and systems with names like mean or Total, which are else left out
        drop: topics and systems to leave out
    """

    experiment: Paths = None
    trec_eval: Paths = None
    scores: Paths = None
    leaderboard: Paths = None
    columns: str | None = None
    sep: str | None = None
    decimal: choices.Decimal | None = None
    table: str | None = None
    repeats: choices.Repeats = "error"
    keep: list[str] | None = None
    drop: list[str] | None = None

    def __post_init__(self) -> None:
        names = [as_option(name) for name in INPUTS if getattr(self, name)]
        if len(names) > 1:
            raise UsageError(f"{names[1]} is not allowed with {names[0]}.")
        for option in ("columns", "sep", "decimal", "table", "repeats"):
            if getattr(self, option) not in (None, "error") and not self.scores:
                raise UsageError(f"--{option} can only be used with --scores.")
        if self.keep and self.runs:
            raise UsageError("--keep cannot be used with --runs.")
        super().__post_init__()

    @property
    def name(self) -> str:
        """The field of the one option that names the scores, such as "trec_eval"."""
        for name in INPUTS:
            if getattr(self, name):
                return name
        raise UsageError(f"One of the options {' '.join(map(as_option, INPUTS))} is required.")

    @property
    def files(self) -> list[str]:
        """The files, folders and patterns that are read."""
        return [*super().files, *(getattr(self, self.name) if self.name != "runs" else ())]

    def read(
        self, output: Notes, *, compared_by: str = "", reference: str | None = None
    ) -> rc.Scores:
        """The scores and measures that are named, without the topics and systems to drop.

        `compared_by` is the name, for messages, of a command that compares measures, and so needs
        two. `reference` is only checked, before runs are evaluated, which takes time.
        """
        from pt_rankcorr.io.align import warn_of_rounding
        from pt_rankcorr.io.measure_names import find_measure
        from pt_rankcorr.stats.core.arguments import positions

        def check_enough(measures: Collection[str]) -> None:  # to compare, where the command does
            if compared_by and len(measures) < 2:
                got = cut(", ".join(measures))
                raise ValueError(
                    f"{compared_by} must have at least 2 measures to compare, got {got}. "
                    "With one measure use expected, ranks, power, swap, stability, "
                    "or drank --ranking FILE."
                )

        if self.name == "runs":  # before any run is evaluated
            if reference is not None:
                find_measure(reference, self.measures or [], "reference")
            check_enough(self.measures or [])
        # files are read whole, then measures chosen
        is_part = self.measures is not None and self.name != "runs"
        with silencing(RoundedScoresWarning) if is_part else nullcontext():
            scores = self._scores(output)
        if self.measures is not None:
            written = self.measures_as_written or []
            # as they were written if the scores have all of these names, else split at commas
            wanted = written if {*written} <= {*scores} else self.measures
            found = [find_measure(name, scores, "measures") for name in wanted]
            scores = scores.select(measures=found)
        if is_part:  # of those that were asked for
            rounded = scores.alignment.rounded
            warn_of_rounding({name: rounded[name] for name in rounded if name in scores})
        check_enough(scores.measures)
        if self.drop:
            # only for its error of unknown names
            positions(self.drop, (*scores.systems, *scores.topics), "drop")
            topics = {*self.drop} & {*scores.topics}
            systems = [name for name in self.drop if name not in topics]
            scores = scores.drop(topics=sorted(topics), systems=systems)
        n_topics = len(scores.topics)
        if n_topics < 2:
            raise ValueError(f"{as_option(self.name)} must have at least 2 topics, got {n_topics}.")
        scores = scores.with_design(**self.design())
        output.note(str(replace(scores.alignment, rounded={})))  # of which there was a warning
        if design := next(iter(scores.values())).in_design:
            output.note(f"The {n_topics} topics are{design}.")
        return scores

    def _scores(self, output: Notes) -> rc.Scores:
        """All measures of the input, by the reader of its option; of runs only those named."""
        name, source = self.name, getattr(self, self.name)
        reading: dict[str, Any] = {"missing": self.missing, "lower_is_better": self.lower_is_better}
        if name == "runs":
            reading |= {"measures": self.measures, "names": self.names, "verbose": output.verbose}
            return rc.scores_from_runs(source, self.judgments, download=self.download, **reading)
        function, parameter = READERS[name]
        if name == "scores":
            fields = ("sep", "decimal", "table", "repeats")
            reading |= {field: getattr(self, field) for field in fields}
            if self.columns is not None:
                reading["columns"] = [column.strip() for column in self.columns.split(",")]
        reading["keep"] = self.keep or ()
        if name == "experiment":
            if len(source) > 1:
                got = f"got {len(source)}; only compare takes several"
                raise ValueError(f"--experiment must be one file or folder, {got}.")
            source = source[0]
        try:
            scores: rc.Scores = getattr(rc, function)(source, **reading)
        except ValueError as error:
            # the message names the parameter, which is another option for each reader
            raise ValueError(str(error).replace(f"`{parameter}`", as_option(name))) from None
        return scores

    def collections(self, output: Notes, reference: str | None) -> dict[str, rc.Scores]:
        """Name of a collection -> scores: of each experiment, file of judgments or dataset."""
        experiments, judged = [Path(path).absolute() for path in self.experiment or ()], self.judged
        if max(len(experiments), len(judged)) < 2:
            scores = self.read(output, compared_by="compare", reference=reference)
            return {UNNAMED_COLLECTION: scores}
        if judged:
            option, runs = "--qrels" if self.qrels else "--irds", self.runs or []
            if len(runs) != len(judged):
                raise UsageError(
                    "--runs must name a folder or a pattern in quotes for each of "
                    f"{len(judged)} {option}, in the same order, got {len(runs)}."
                )
            from pt_rankcorr.io.paths import stem

            names = [path if path.startswith(choices.IRDS) else stem(path) for path in judged]
            pairs = zip(runs, judged, strict=True)
            parts = [{"runs": [folder], option[2:]: [path]} for folder, path in pairs]
        else:
            option = "--experiment"
            # perquery.csv is PyTerrier's name for each: the folder tells them apart
            names = [
                path.parent.name if path.name == "perquery.csv" else path.stem
                for path in experiments
            ]
            parts = [{"experiment": [str(path)]} for path in experiments]
        named = distinct_dict(option, "name of a folder or file", zip(names, parts, strict=True))
        collections = {}
        for name, part in named.items():
            # a new input is checked anew: one source each, and measures split as they were written
            collection = replace(self, **part, measures=self.measures_as_written)
            collections[name] = collection.read(output, compared_by="compare", reference=reference)
        return collections


# --- rankings in files ----------------------------------------------------------------------------


def read_rankings(paths: Sequence[str]) -> dict[str, dict[str, float]]:
    """Name -> ranking, system -> score, or the negative of its place if the file has no scores.

    Names are those of files without folders, unless two files would then have one name.
    """
    from pt_rankcorr.io import single_scores

    short = [os.path.basename(path) for path in paths]
    names = short if len(set(short)) == len(paths) else paths
    return {
        name: distinct_dict(f"--ranking {path}", "system", single_scores.read_ranking(path))
        for name, path in zip(names, paths, strict=True)
    }
