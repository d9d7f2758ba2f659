"""Rows over all topics, checked against the rows of topics."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.io.fields import as_number
from pt_rankcorr.io.long_tables import is_score
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.warnings import AggregateMismatchWarning, level_of_the_caller

EXACT = 1e-9  # by which a mean may differ that nobody rounded


def check_means(by_topic: pd.DataFrame, over_all: pd.DataFrame) -> None:
    """Warns where a row over all topics is not the mean of the rows of topics, however they were rounded."""
    rows = zip(over_all["name"], over_all["measure"], over_all["value"], strict=True)
    told = {(run, measure): value for run, measure, value in rows if isinstance(value, str) and is_score(value)}
    groups = by_topic.groupby(["name", "measure"], observed=True, sort=False)["value"] if told else ()
    values = {key: found for key, found in groups if key in told}
    wrong = [key for key, found in values.items() if not _is_mean(told[key], found.tolist())]
    if wrong:
        warnings.warn(
            f"{len(wrong)} of {len(values)} rows over all topics are not the mean over topics "
            f"({listing(f'{run} by {measure}' for run, measure in wrong)}). They are not used. Were they computed over "
            "other topics?",
            AggregateMismatchWarning,
            stacklevel=level_of_the_caller(),
        )


def _is_mean(mean: str, values: Sequence[Any]) -> bool:
    if not all(isinstance(value, str) for value in values):  # some are missing
        return True
    numbers = np.array([as_number(value) for value in values])
    allowed = _unit(mean) + max(map(_unit, values)) + EXACT * (1 + float(np.abs(numbers).max()))
    is_sum = math.isclose(as_number(mean), numbers.sum(), abs_tol=allowed * numbers.size)  # as counts are
    return is_sum or bool(abs(as_number(mean) - numbers.mean()) <= allowed)


def _unit(text: str) -> float:
    """Half of a unit of the last decimal: by how much a printed number may have been rounded."""
    decimals = len(text.partition(".")[2]) if "e" not in text.lower() else 99
    return 0.5 * 10.0**-decimals if decimals < 8 else 0.0
