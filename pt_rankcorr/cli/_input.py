"""Scores from whatever the options name."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._messages import in_words_of_the_command_line, say
from pt_rankcorr.cli._options import INPUTS
from pt_rankcorr.cli._signatures import parameters_of, public
from pt_rankcorr.text import cut, shown

COMPARING = ("compare", "drank", "error")  # commands that compare measures with each other


def scores_of(options: Namespace) -> ptr.Scores:
    """The scores and measures that the options name; a note says what was used."""
    scores = _read(options)
    if "measures" in options:
        names = options.measures_as_written if {*options.measures_as_written} <= {*scores} else options.measures
        scores = scores.select(measures=find(names, scores, "measures"))
    _check_enough(options, scores.measures)
    scores = scores.with_design(**design_of(options))
    note(options, str(replace(scores.alignment, rounded={})))  # of which there was a warning
    if design := next(iter(scores.values())).in_design:
        note(options, f"The {len(scores.topics)} topics are{design}.")
    return scores


def collections_of(options: Namespace) -> dict[str, ptr.Scores]:
    """Collection -> scores: of several experiments one collection each, named after its folder or file; else one."""
    if len(getattr(options, "experiment", ())) < 2:
        return {"": scores_of(options)}
    names = [name_of(path) for path in options.experiment]
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        twice = ", ".join(map(shown, sorted(repeated)))
        raise ValueError(f"--experiment must have folders or files of distinct names, got {twice} twice.")
    one_each = (Namespace(**{**vars(options), "experiment": [path]}) for path in options.experiment)
    return dict(zip(names, map(scores_of, one_each), strict=True))


def name_of(path: str) -> str:
    """The name of an experiment: that of its file, or of its folder if the file is PyTerrier's `perquery.csv`."""
    absolute = Path(path).absolute()
    return absolute.parent.name if absolute.name == "perquery.csv" else absolute.stem


def design_of(options: Namespace) -> dict[str, Any]:
    """The clusters and strata of topics: labels from a file, if there is one of that name, else a pattern."""
    from pt_rankcorr.io.tables import read_labels

    found = {name: value for name, value in given(options, "clusters", "strata").items() if value is not None}
    return {name: read_labels(value) if os.path.isfile(value) else value for name, value in found.items()}


def qrels_of(options: Namespace) -> Any:
    """The trusted judgments: a file, or those of a dataset."""
    return options.qrels if options.irds is None else f"irds:{options.irds}"


def given(options: Namespace, *names: str) -> dict[str, Any]:
    """The arguments among these that the user gave: for the others, functions have their own defaults."""
    return {name: getattr(options, name) for name in names if name in options}


def one_or_several(paths: Sequence[str]) -> Any:
    """A path alone as it is, several as a list, as readers take them."""
    return paths[0] if len(paths) == 1 else list(paths)


def note(options: Namespace, text: str) -> None:
    """Prints a note on standard error, unless --quiet is given."""
    if not options.quiet:
        say(text)


def verbosity(options: Namespace) -> bool | None:
    """False, for no progress bar, with --quiet; else None, for the function's default."""
    return False if options.quiet else None


def _check_measures(options: Namespace) -> None:
    """An error before any run is evaluated if the measures do not suffice."""
    if getattr(options, "reference", None) is not None:
        find([options.reference], options.measures, "reference")
    _check_enough(options, options.measures)


def _check_enough(options: Namespace, measures: Sequence[str]) -> None:
    """An error if a command that compares measures has fewer than two."""
    if options.command in COMPARING and not getattr(options, "ranking", None) and len(measures) < 2:
        raise ValueError(
            f"{options.command} must have at least 2 measures to compare, got {cut(', '.join(measures))}. With one "
            "measure use expected, ranks, power, swap, stability, or drank --ranking FILE."
        )


def find(wanted: Sequence[str], available: Collection[str], parameter: str = "reference") -> list[str]:
    """The available names of the wanted measures."""
    from pt_rankcorr.io.measure_names import find_measure

    return [find_measure(measure, available, parameter) for measure in wanted]


def _read(options: Namespace) -> ptr.Scores:
    """The scores from the option of `INPUTS` that the user gave."""
    name = next(name for name in INPUTS if name in options)
    function, paths = public(INPUTS[name][0]), getattr(options, name)
    if name == "experiment" and len(paths) > 1:
        raise ValueError(f"--experiment must be one file or folder for {options.command}, got {len(paths)}.")
    source = paths if name == "scores" else one_or_several(paths)
    more = given(options, "missing", "lower_is_better")
    if name != "leaderboard" and INPUTS[name][0] == "read_leaderboard":
        more["format"] = name
    if name == "runs":
        return _evaluate(options, source, more)
    try:
        scores: ptr.Scores = function(source, **more, **given(options, "columns"))
    except ValueError as error:  # its message names the parameter, which is another option for each reader
        words = {**options.parser.words, next(iter(parameters_of(INPUTS[name][0]))): options.parser.words[name]}
        raise ValueError(in_words_of_the_command_line(str(error), words)) from None
    return scores


def _evaluate(options: Namespace, runs: Any, more: dict[str, Any]) -> ptr.Scores:
    _check_measures(options)
    how = {**more, **given(options, "names"), "verbose": verbosity(options)}
    if options.irds is not None:
        return ptr.scores_from_irds(options.irds, runs, options.measures, **given(options, "download"), **how)
    return ptr.scores_from_runs(runs, options.qrels, options.measures, **how)
