"""Holm's correction of p-values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pt_rankcorr.stats.core.types import Floats


def holm(pvalues: Sequence[float] | Floats) -> Floats:
    """p-values corrected for all of them that are not nan.

    statsmodels has the same, and takes half a second to import. (Holm, "A simple sequentially rejective multiple test
    procedure", Scandinavian Journal of Statistics 6, 1979.)
    """
    values = np.asarray(pvalues, dtype=np.float64)
    corrected, order = np.full(values.shape, np.nan), np.argsort(values, kind="stable")
    order = order[~np.isnan(values[order])]
    factors = np.arange(order.size, 0, -1)
    corrected[order] = np.minimum(np.maximum.accumulate(values[order] * factors), 1.0)
    return corrected
