"""A coefficient of many rankings, each with each."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.stats.coefficients.coefficient import CoefficientLike, finish
from pt_rankcorr.stats.coefficients.registry import as_coefficient
from pt_rankcorr.stats.core.arguments import as_numbers, distinct, listing, one_of
from pt_rankcorr.stats.core.inputs import ADVICE, FEWEST_RANKS, MISSING, prepare_ranking
from pt_rankcorr.stats.core.means import rounded_scores
from pt_rankcorr.stats.core.rankings import Rankings
from pt_rankcorr.stats.core.summary_rows import sure_rows, warn_of_rows
from pt_rankcorr.stats.core.types import Floats, Labels
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import MissingTopicsWarning, UnreliableResultWarning, warn


def coefficient_matrix(
    rankings: pd.DataFrame | Mapping[str, Any] | Rankings,
    coefficient: CoefficientLike = "tau",
    *,
    missing: choices.MissingOfSides = "error",
) -> pd.DataFrame:
    """A coefficient of many rankings of systems, each with each.

    O(k^2 m^2) time for k rankings of m systems; tau and tau_AP are one product of matrices.

    Args:
        rankings: A frame with one row a system and one column a ranking, in which nan says that the
            ranking lacks the system; a mapping from names to scores of systems, as `kendall_tau`
            takes them; or `Rankings` of shape (k, n_systems), which are numbered. Higher is better.
        coefficient: The coefficient: its name, or an object.
        missing: What to do with systems that only one of two rankings has: "error"; "skip" leaves
            them out of this pair; "warn" does so with a warning that names them. Of a frame, pairs
            of rankings then share `frame.notna().T @ frame.notna().astype(int)` systems.

    Returns:
        A frame of shape (k, k), with references in rows and estimates in columns, which tau_AP and
        tau_GAP tell apart. A ranking with itself has less than 1 where it has ties that the
        coefficient counts, as tau does; two rankings that share fewer than two systems have nan.

    Raises:
        TypeError, ValueError: If scores are not finite, names repeat, or systems are missing.

    Warns:
        DegenerateInputWarning: If a ranking ties all systems; its coefficients are nan.
        MissingTopicsWarning: If systems are missing under "warn", or some rankings that lack
            systems share fewer than ten: it has the number of each pair.
        UnreliableResultWarning: If some rankings, and not all, have the numbers from 1 to m as
            scores, as ranks are.

    Example:
        >>> by_judge = {"strict": [3, 2, 1], "lenient": [2, 3, 1]}
        >>> coefficient_matrix(pd.DataFrame(by_judge, index=["a", "b", "c"]), "tau_ap")
                 strict  lenient
        strict      1.0      0.0
        lenient     0.0      1.0
    """
    known = as_coefficient(coefficient)
    one_of("missing", missing, MISSING)
    names, systems, scores = _scores_of_each(rankings)
    # (k, m): whether a ranking lacks a system
    absent = np.isnan(scores)
    lacking = listing({systems[place] for place in np.flatnonzero(absent.any(axis=0))})
    if absent.any() and missing == "error":
        seen = f"differences in {lacking}{ADVICE}"
        raise ValueError(f"`rankings` must rank the same systems, got {seen}.")
    if absent.any() and missing == "warn":
        rule = "Systems that not all of `rankings` have are left out of some pairs"
        warn(f"{rule}: {lacking}.", MissingTopicsWarning)

    # scores 1 ... m look like ranks, of which the largest would be taken for the best
    are_ranks = (np.sort(scores, axis=-1) == np.arange(1, len(systems) + 1)).all(axis=-1)
    if len(systems) >= FEWEST_RANKS and are_ranks.any() and not are_ranks.all():
        of_ranks = listing(names[place] for place in np.flatnonzero(are_ranks))
        seen = f"`rankings` has the ranks 1 to {len(systems)} as scores in {of_ranks}"
        advice = "of which the largest is the best. Negate them if 1 is the best."
        warn(f"{seen}, {advice}", UnreliableResultWarning)
    if not absent.any():
        values = known.matrix(scores, scores)
        finish(values, known.title)
    else:
        values = np.full((len(names), len(names)), np.nan)
        # (k, k): the number of systems that both rankings have
        n_shared = (~absent).astype(np.int64) @ (~absent).T.astype(np.int64)
        for place, other in np.argwhere(n_shared > 1):
            both = ~(absent[place] | absent[other])
            values[place, other] = known.kernel(scores[place][both], scores[other][both])
        finish(values[n_shared > 1], known.title)
        few = np.argwhere(np.triu(n_shared < 10, 1))
        if len(few):
            pairs = [
                f"{shown(names[place])} with {shown(names[other])} {n_shared[place, other]}"
                for place, other in few[:5]
            ]
            more = f", and {len(few) - 5} pairs more" if len(few) > 5 else ""
            seen = "Some pairs of rankings share few systems, which say little"
            warn(f"{seen}: {', '.join(pairs)}{more}.", MissingTopicsWarning)
    # an index takes longer to make than a small matrix: that of the frame serves, if it has texts
    given = rankings.columns if isinstance(rankings, pd.DataFrame) else pd.Index([])
    index = given.rename(None) if given.tolist() == list(names) else pd.Index(names)
    return pd.DataFrame(values, index=index, columns=index)


def _scores_of_each(rankings: Any) -> tuple[Labels, Labels, Floats]:
    """The names of rankings and systems, and scores, (k, m), nan where a ranking lacks a system."""
    if isinstance(rankings, Rankings):
        if len(rankings.shape) != 2:
            rule = "`rankings` must be of shape (n_rankings, n_systems)"
            raise ValueError(f"{rule}, got {rankings.shape}.")
        return tuple(map(str, range(len(rankings)))), rankings.shown_systems, rankings.means
    if isinstance(rankings, pd.DataFrame):
        names = distinct(rankings.columns.tolist(), "rankings", "rankings")
        rows = rankings.index.tolist()
        over_all = sure_rows(rows)
        if over_all.any() and not over_all.all():
            warn_of_rows({*map(str, rankings.index[over_all])}, of="systems")
            rankings, rows = rankings[~over_all], rankings.index[~over_all].tolist()
        systems = distinct(rows, "rankings", "systems")
        _check_shape(rankings)
        return names, systems, _scores_of_columns(rankings, names)
    if not isinstance(rankings, Mapping):
        rule = "`rankings` must be a frame, a mapping from names to scores, or `stats.Rankings`"
        raise TypeError(f"{rule}, got {shown(rankings)}.")
    names = distinct(rankings, "rankings", "rankings")
    prepared = [prepare_ranking(ranking, "rankings") for ranking in rankings.values()]
    sides = zip(names, prepared, strict=True)
    several = [name for name, ranking in sides if ranking.means.ndim != 1]
    if several:
        rule = "`rankings` must have one ranking under each name"
        raise ValueError(f"{rule}, got several under {listing(several)}.")
    # pandas aligns the series by the names of systems, with nan where one lacks a system
    series = [pd.Series(ranking.means, pd.Index(ranking.shown_systems)) for ranking in prepared]
    frame = pd.DataFrame(dict(enumerate(series)))
    _check_shape(frame)
    return names, tuple(frame.index), np.ascontiguousarray(frame.to_numpy().T)


def _check_shape(frame: pd.DataFrame) -> None:
    """Refuses a frame, systems x rankings, without any ranking or with fewer than two systems."""
    if frame.shape[1] < 1 or len(frame) < 2:
        rule = "`rankings` must have at least 1 ranking of at least 2 systems"
        raise ValueError(f"{rule}, got shape {frame.T.shape}.")


def _scores_of_columns(frame: pd.DataFrame, names: Labels) -> Floats:
    """The scores of each column, rounded as those of one ranking are: (k, m), nan where missing."""
    numbers = as_numbers(frame.to_numpy())
    if numbers is None:
        columns = (as_numbers(frame.iloc[:, place]) for place in range(len(names)))
        wrong = next(place for place, column in enumerate(columns) if column is None)
        cells = frame.iloc[:, wrong].dropna()
        odd = next((place for place, value in enumerate(cells) if not isinstance(value, Real)), 0)
        system = shown(str(cells.index[odd]))
        seen = f"{shown(cells.iloc[odd])} for {system} in {shown(names[wrong])}"
        raise TypeError(f"`rankings` must have numbers in each column, got {seen}.")
    scores = np.array(numbers.T, dtype=np.float64, order="C")
    if np.isinf(scores).any():
        infinite = names[int(np.isinf(scores).any(axis=1).argmax())]
        raise ValueError(f"`rankings` must be finite, got an infinite score in {shown(infinite)}.")
    # Scores are rounded by the largest of their ranking: for all at once, but for rankings that
    # lack systems (nan is no largest) or were kept in single precision (they have fewer digits).
    alone = np.isnan(scores).any(axis=1) | (scores.astype(np.float32) == scores).all(axis=1)
    scores[~alone] = rounded_scores(scores[~alone])
    for place in np.flatnonzero(alone):
        ranking = scores[place]
        is_known = ~np.isnan(ranking)
        ranking[is_known] = rounded_scores(ranking[is_known])
    return scores
