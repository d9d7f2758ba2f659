"""Types of the user's input: runs, judgments, measures, files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import TypeAlias

import pandas as pd
from ir_measures import Measure, Qrel, ScoredDoc

MeasureLike: TypeAlias = str | Measure  # a name in the notation of ir_measures or trec_eval
PathOrPattern: TypeAlias = str | PathLike[str]
PathsLike: TypeAlias = PathOrPattern | Iterable[PathOrPattern]
RunLike: TypeAlias = PathOrPattern | pd.DataFrame | Mapping[str, Mapping[str, float]] | Iterable[ScoredDoc]
RunsLike: TypeAlias = PathsLike | Mapping[str, RunLike]
QrelsLike: TypeAlias = PathOrPattern | pd.DataFrame | Mapping[str, Mapping[str, int]] | Iterable[Qrel]
LabelsLike: TypeAlias = pd.Series | Mapping[str, str] | Iterable[str] | None  # a cluster or a stratum of each topic
