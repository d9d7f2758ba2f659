"""The forms in which judgments go out, and checks that their functions share."""

from __future__ import annotations

import pandas as pd

from pt_rankcorr.adapters.retrieved import HOST_NAMES
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import real_number


def as_given(judgments: pd.DataFrame, given: object) -> pd.DataFrame:
    """Under the names of ir_measures if a frame with those was given, else in PyTerrier's form."""
    is_other_form = isinstance(given, pd.DataFrame) and "query_id" in given
    return judgments if is_other_form else in_host_form(judgments)


def in_host_form(judgments: pd.DataFrame) -> pd.DataFrame:
    """With the names of PyTerrier: qid, docno, label, iteration."""
    return judgments.rename(columns={ours: host for host, ours in HOST_NAMES.items()})


def checked_share(parameter: str, value: object) -> float:
    """The value as a float, if it lies between 0 and 1, both included."""
    number = real_number(parameter, value)
    if not 0.0 <= number <= 1.0:
        raise ValueError(f"`{parameter}` must be from 0 to 1, got {shown(value)}.")
    return number
