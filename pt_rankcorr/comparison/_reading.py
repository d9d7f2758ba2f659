"""Runs and judgments as comparisons take them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from pt_rankcorr.adapters.fields import BLANKS, fields
from pt_rankcorr.adapters.files import open_text
from pt_rankcorr.adapters.irds import qrels_of
from pt_rankcorr.adapters.paths import is_path
from pt_rankcorr.adapters.retrieved import RUN, as_found, one_label_each, read_qrels, read_run
from pt_rankcorr.comparison.collections import IRDS


def of_dataset(qrels: object, *, download: bool) -> object:
    """The judgments of ir-datasets where they are named by "irds:" and an id; all else as it is."""
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return qrels_of(qrels.removeprefix(IRDS), download=download)
    return qrels


def read_judgments(runs: Mapping[str, Any], source: object, parameter: str = "qrels") -> pd.DataFrame:
    """Judgments; if they come from a file, those of topics that no run has take no memory."""
    return read_qrels(source, _of_topics(runs, [source]), parameter)


def read_sets(
    runs: Mapping[str, Any], reference: object, others: Mapping[str, object]
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame], dict[str, Exception]]:
    """The reference's judgments; the others by name as they were found; and why some of these cannot be read."""
    keep = _of_topics(runs, [reference, *others.values()])
    trusted = read_qrels(reference, keep, "reference_qrels")
    found: dict[str, pd.DataFrame] = {}
    failed: dict[str, Exception] = {}
    for name, source in others.items():
        try:
            found[name] = as_found(source, keep, "others", fractions=True)
            one_label_each(found[name], source, "others")
        except (ValueError, OSError) as error:
            failed[name] = error
    return trusted, found, failed


def _of_topics(runs: Mapping[str, Any], sources: Sequence[object]) -> Callable[[str, str], bool] | None:
    if not any(map(is_path, sources)):
        return None
    topics = set().union(*(_topics_of(name, run) for name, run in runs.items()))
    return lambda qid, _: qid in topics


def _topics_of(name: str, run: Any) -> set[str]:
    if is_path(run):
        with open_text(run, RUN.expected) as lines:
            return {fields(line, 1)[0] for line in lines if line.strip(BLANKS)}
    return set(map(str, run)) if isinstance(run, dict) else set(read_run(name, run))
