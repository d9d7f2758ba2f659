"""How the shrunken truth, and what one true ranking would give, are shown."""

from __future__ import annotations

import math

from pt_rankcorr.defaults import LEVEL
from pt_rankcorr.present.generic import in_a_line, sentence_of, table_of
from pt_rankcorr.stats.truth.one_true_ranking import OneTrueRanking
from pt_rankcorr.stats.truth.shrunken import ShrunkenTruth
from pt_rankcorr.tables import NUMBER, WORD, Table, listed
from pt_rankcorr.text import ONE_TRUE_RANKING, decimals, p_equals, plain, with_interval


@table_of.register
def shrunken_truth_table(result: ShrunkenTruth, level: float = LEVEL) -> Table:
    """One row per system: measured mean, and shrunken mean with the interval of the true mean."""
    ends = result.confidence_intervals(level)
    columns = (
        listed("system", WORD, result.systems),
        listed("measured", NUMBER, result.measured),
        listed("shrunken", NUMBER, result.means, interval=ends.__getitem__, ends=("low", "high")),
    )
    return Table(columns, range(result.n_systems), notes=(in_a_line(result),))


@sentence_of.register
def one_true_ranking_sentence(result: OneTrueRanking) -> str:
    """As a part of a sentence: one true ranking would give .85 [.76, .91] (p = .54)."""
    if math.isnan(result.pvalue):
        p = "no p: noise is half of how the means of one side vary"
    elif result.pvalue >= 0.1:
        p = f"p = {decimals(result.pvalue)}"  # with the digits that its replicates give
    else:
        p = plain(p_equals(result.pvalue))
    value = with_interval(result.mean, (result.low, result.high))
    return f"{ONE_TRUE_RANKING} would give {value} ({p})"
