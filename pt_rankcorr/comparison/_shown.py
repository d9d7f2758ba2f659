"""Comparisons as tables for people: few digits, and nothing that the unrounded results do not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pt_rankcorr.stats.results import ConfidenceInterval

if TYPE_CHECKING:
    from pt_rankcorr.comparison.judged import JudgmentAgreement


def shown_rows(rows: Sequence[JudgmentAgreement], level: float) -> pd.DataFrame:
    """A table of agreements between judgments; the level is that of the intervals in brackets."""
    return pd.DataFrame(
        {
            "judgments": row.judgments,
            "measure": row.measure,
            "kappa": decimals(row.labels.kappa, 2),
            f"tau [{level:.0%}]": with_interval(row.ranking.tau, row.intervals["tau"]),
            f"tau_AP [{level:.0%}]": with_interval(row.ranking.tau_ap, row.intervals["tau_ap"]),
            f"tau_GAP [{level:.0%}]": with_interval(row.ranking.tau_gap, row.intervals["tau_gap"]),
            "d_rank": decimals(row.ranking.d_rank, 2),
            "p": pvalue(row.ranking.pvalue),
            "pairs reversed": f"{len(row.active_disagreements)} of {row.n_significant}",
        }
        for row in rows
    )


def with_interval(value: float, interval: ConfidenceInterval) -> str:
    """A coefficient with its interval."""
    return f"{decimals(value, 2)} [{decimals(interval.low, 2)}, {decimals(interval.high, 2)}]"


def decimals(value: float, places: int) -> str:
    """A number without the 0 before its point, as tables have it."""
    text = f"{value:.{places}f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 and text.lstrip("-").startswith("0.") else text


def pvalue(value: float) -> str:
    """A p-value: whoever needs more digits than three has the results."""
    return "<.001" if value < 0.001 else "nan" if np.isnan(value) else decimals(value, 3)
