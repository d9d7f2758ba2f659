"""What commands read: scores from whatever the options name, the labels of topics, rankings in files."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli.options import Notes, Runs, Source
from pt_rankcorr.cli.output import OPTIONS, note, with_options
from pt_rankcorr.io.measure_names import find_measure
from pt_rankcorr.io.tables import read_labels
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.text import cut, shown

READERS = {  # option -> the function that reads what it names, and that function's parameter
    "experiment": ("scores_from_experiment", "experiment"),
    "trec_eval": ("scores_from_trec_eval", "path"),
    "scores": ("read_scores", "path"),
}


def scores_of(source: Source, output: Notes, *, compared_by: str = "", reference: str | None = None) -> ptr.Scores:
    """The scores and measures that the options name; a command that compares measures (`compared_by`) needs two."""

    def check_enough(measures: Collection[str]) -> None:
        if compared_by and len(measures) < 2:
            raise ValueError(
                f"{compared_by} must have at least 2 measures to compare, got {cut(', '.join(measures))}. With one "
                "measure use expected, ranks, power, swap, stability, or drank --ranking FILE."
            )

    if source.name == "runs":  # before any run is evaluated
        if reference is not None:
            find_measure(reference, source.measures or [], "reference")
        check_enough(source.measures or [])
    scores = _read(source, output)
    if source.measures is not None:
        written = source.measures_as_written or []
        wanted = written if {*written} <= {*scores} else source.measures
        scores = scores.select(measures=[find_measure(name, scores, "measures") for name in wanted])
    check_enough(scores.measures)
    scores = scores.with_design(**design_of(source))
    note(output, str(replace(scores.alignment, rounded={})))  # of which there was a warning
    if design := next(iter(scores.values())).in_design:
        note(output, f"The {len(scores.topics)} topics are{design}.")
    return scores


def collections_of(source: Source, output: Notes, reference: str | None) -> dict[str, ptr.Scores]:
    """Collection -> scores: of several experiments one collection each, named after its folder or file; else one."""
    if len(source.experiment or []) < 2:
        return {"": scores_of(source, output, compared_by="compare", reference=reference)}
    paths: dict[str, str] = {}
    for path in source.experiment or []:
        file = Path(path).absolute()
        name = file.parent.name if file.name == "perquery.csv" else file.stem  # PyTerrier's file says nothing
        if name in paths:
            raise ValueError(f"--experiment must have folders or files of distinct names, got {shown(name)} twice.")
        paths[name] = path
    collections = {}
    for name, path in paths.items():
        experiment = replace(source, experiment=[path], measures=source.measures_as_written)
        collections[name] = scores_of(experiment, output, compared_by="compare", reference=reference)
    return collections


def reference_of(scores: ptr.Scores, reference: str | None) -> str:
    """The trusted measure, by default the first."""
    return scores.measures[0] if reference is None else find_measure(reference, scores, "reference")


def design_of(source: Runs) -> dict[str, Any]:
    """The clusters and strata of topics: labels from a file, if there is one of that name, else a pattern."""
    labels = {"clusters": source.clusters, "strata": source.strata}
    return {
        name: read_labels(text) if os.path.isfile(text) else text for name, text in labels.items() if text is not None
    }


def runs_of(source: Runs, output: Notes) -> dict[str, Any]:
    """The arguments of functions that read runs themselves."""
    return {
        "runs": one_or_several(source.runs or []),
        "measures": source.measures,
        "names": source.names,
        "missing": source.missing,
        "lower_is_better": source.lower_is_better,
        "download": source.download,
        "verbose": output.verbose,
        **design_of(source),
    }


def one_or_several(paths: Sequence[str]) -> Any:
    """A path alone as it is, several as a list, as readers take them."""
    return paths[0] if len(paths) == 1 else list(paths)


def _read(source: Source, output: Notes) -> ptr.Scores:
    name = source.name
    paths: list[str] = getattr(source, name)
    how: dict[str, Any] = {"missing": source.missing, "lower_is_better": source.lower_is_better}
    if name == "runs":
        how |= {"names": source.names, "verbose": output.verbose}
        runs, measures = one_or_several(paths), source.measures or []
        if source.irds is not None:
            return ptr.scores_from_irds(source.irds, runs, measures, download=source.download, **how)
        return ptr.scores_from_runs(runs, source.judgments, measures, **how)
    function, parameter = READERS.get(name, ("read_leaderboard", "path"))
    if function == "read_leaderboard" and name != "leaderboard":
        how["format"] = name
    if name == "scores" and source.columns is not None:
        how["columns"] = [column.strip() for column in source.columns.split(",")]
    if name == "experiment" and len(paths) > 1:
        raise ValueError(f"--experiment must be one file or folder, got {len(paths)}; only compare takes several.")
    try:
        scores: ptr.Scores = getattr(ptr, function)(paths if name == "scores" else one_or_several(paths), **how)
    except ValueError as error:  # its message names the parameter, which is another option for each reader
        raise ValueError(with_options(str(error), {**OPTIONS, parameter: OPTIONS[name]})) from None
    return scores


# --- rankings in files --------------------------------------------------------------------------------------


def read_rankings(paths: Sequence[str]) -> dict[str, dict[str, float]]:
    """Name -> ranking: names without folders, unless two files would then have one name."""
    short = [os.path.basename(path) for path in paths]
    names = short if len(set(short)) == len(paths) else paths
    return {name: read_ranking(path) for name, path in zip(names, paths, strict=True)}


def read_ranking(path: str) -> dict[str, float]:
    """A ranking from a file: a system and its score per line, or systems alone, best first."""
    with open(path, encoding="utf-8-sig") as file:
        lines = [line.strip() for line in file if line.strip()]
    if not lines:
        raise ValueError(f"--ranking must have a system on each line, got the empty file {path!r}.")
    pairs = []
    for line in lines:
        name, _, score = line.replace("\t", " ").replace(",", " ").rpartition(" ")
        name = line[: len(name)].strip().removesuffix(",").strip()
        try:
            pairs.append((name, float(score)))
        except ValueError:
            name = ""
        if not name:
            pairs = [(line, -float(place)) for place, line in enumerate(lines)]
            break
    ranking = dict(pairs)
    if len(ranking) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"--ranking must have every system once, got {twice!r} twice in {path!r}.")
    return ranking


def shared_systems(
    output: Notes, reference: Any, ranking: dict[str, float], name: str, *, leave_out: bool
) -> tuple[str, ...]:
    """The systems to compare, in the order of the reference: all, or with `leave_out` those of both sides."""
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
        note(output, f"{name}: {len(shared)} systems; left out, since only one side has them: {different}.")
    return shared
