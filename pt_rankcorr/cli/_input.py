"""Scores from whatever the options name."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pt_rankcorr.cli._messages import say

if TYPE_CHECKING:
    from pt_rankcorr.scores import Scores


def scores_of(options: Namespace) -> Scores:
    """The scores that the options name, of the measures they name, with a note of what was used."""
    given = {"missing": options.missing, "lower_is_better": options.lower_is_better}
    scores = _evaluated(options, given) if options.runs else _chosen(_read(options, given), options.measures)
    note(options, str(replace(scores.alignment, rounded={})))  # of which there was a warning
    return scores


def one_or_several(paths: Sequence[str]) -> Any:
    """What readers take: a folder or file alone, or a list; all must be there."""
    for path in paths:
        os.stat(path)
    return paths[0] if len(paths) == 1 else list(paths)


def among(option: str, wanted: Sequence[str], scores: Scores) -> list[str]:
    """The names that the scores have for the measures of an option, whatever alias is used."""
    from pt_rankcorr.adapters.measures import find_measure

    try:
        return [find_measure(measure, scores.measures) for measure in wanted]
    except ValueError as error:
        raise ValueError(str(error).replace("`measure`", option, 1)) from None


def note(options: Namespace, text: str) -> None:
    """Says what was done, unless all is to be quiet."""
    if not options.quiet:
        say(text)


def verbosity(options: Namespace) -> bool | None:
    """No progress bar if all is to be quiet; else as usual."""
    return False if options.quiet else None


def _evaluated(options: Namespace, given: dict[str, Any]) -> Scores:
    from pt_rankcorr.adapters.runs import scores_from_irds, scores_from_runs

    runs = one_or_several(options.runs)
    given = {**given, "verbose": verbosity(options)}
    if options.irds is not None:
        return scores_from_irds(options.irds, runs, options.measures, download=options.download, **given)
    return scores_from_runs(runs, options.qrels, options.measures, **given)


def _read(options: Namespace, given: dict[str, Any]) -> Scores:
    from pt_rankcorr.adapters.experiment import scores_from_experiment
    from pt_rankcorr.adapters.text import read_scores, scores_from_trec_eval

    if options.experiment is not None:
        return scores_from_experiment(options.experiment, **given)
    if options.trec_eval is not None:
        return scores_from_trec_eval(one_or_several(options.trec_eval), **given)
    return read_scores(options.scores, columns=options.columns, **given)


def _chosen(scores: Scores, measures: Sequence[str] | None) -> Scores:
    return scores if measures is None else scores.select(measures=among("--measures", measures, scores))
