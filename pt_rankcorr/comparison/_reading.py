"""Runs and judgments as comparisons take them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.adapters.fields import BLANKS, fields
from pt_rankcorr.adapters.files import open_text
from pt_rankcorr.adapters.irds import qrels_of
from pt_rankcorr.adapters.paths import is_path
from pt_rankcorr.adapters.retrieved import RUN_LINE, read_qrels, read_run
from pt_rankcorr.adapters.runs import named_runs
from pt_rankcorr.comparison.collections import IRDS


def keep_readable(runs: object, names: choices.NamedAfter = "file") -> dict[str, Any]:
    """The runs by name, in forms that can be read again and again."""
    return {
        name: read_run(name, run) if isinstance(run, Iterator) else run
        for name, run in named_runs(runs, names=names).items()
    }


def of_dataset(qrels: object, *, download: bool) -> object:
    """The judgments of ir-datasets where they are named by "irds:" and an id; all else as it is."""
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        return qrels_of(qrels.removeprefix(IRDS), download=download)
    return qrels


def read_judgments(runs: Mapping[str, Any], sources: Sequence[object]) -> list[pd.DataFrame]:
    """Sets of judgments; if any comes from a file, those of topics that no run has take no memory."""
    if not any(map(is_path, sources)):
        return [read_qrels(source) for source in sources]
    topics = set().union(*(_topics_of(name, run) for name, run in runs.items()))
    return [read_qrels(source, lambda qid, _: qid in topics) for source in sources]


def _topics_of(name: str, run: Any) -> set[str]:
    if is_path(run):
        with open_text(run, RUN_LINE) as lines:
            return {fields(line, 1)[0] for line in lines if line.strip(BLANKS)}
    return set(map(str, run)) if isinstance(run, dict) else set(read_run(name, run))
