"""Panels of judges: is one better than its best member, and do its members err alike?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.comparison.judges import ScoresOfJudges, sample_of_judges
from pt_rankcorr.comparison.settings import Settings
from pt_rankcorr.display import Quotable
from pt_rankcorr.stats.accuracy import correlation_interval, difference
from pt_rankcorr.stats.accuracy.replicates import replicate, standard_errors
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.inputs import samples_by_topic_name
from pt_rankcorr.stats.core.means import system_means
from pt_rankcorr.stats.core.types import TOLERANCE, Floats, Labels, Result


@dataclass(frozen=True, eq=False)
class PanelComparison(Result, Quotable):
    """Panels of judges beside their members.

    Attributes:
        panels: A frame with one row a panel: its name, `panel`, and its `members`; its
            `correlation` with the reference on these topics; the member with the highest one,
            `best`, and that, `best_correlation`; how much the panel is above it, `difference`, with
            `pvalue`, Student's t test of 0; the mean correlation of what two members err about
            pairs of systems, given the reference, `error_correlation`, nan with fewer than six
            systems or where members do not err; and `effective_judges`, for how many with
            independent errors they stand. Ends of intervals have names such as `difference_low`; in
            `to_frame()`, `difference low`.
        reference: What sentences call the reference.
        settings, n_topics: How it was compared, and on how many topics.
    """

    panels: pd.DataFrame = field(repr=False, compare=False)
    reference: str
    settings: Settings = field(repr=False)
    n_topics: int
    of: Coefficient = field(repr=False, compare=False)

    def sentences(self) -> list[str]:
        """The outcome for each panel, as a paper may print it."""
        return self.sentence().split("\n")


def effective_number(n_judges: int, error_correlation: float) -> float:
    """k / (1 + (k - 1) r): k judges whose errors correlate by r stand for so many; at most k."""
    r = float(np.maximum(error_correlation, 0.0))  # nan stays nan
    return n_judges / (1.0 + (n_judges - 1) * r)


def compare_panels(
    sides: ScoresOfJudges,
    panels: Mapping[str, Labels],  # panel -> its members
    coefficient: Coefficient,
    settings: Settings,
    n_jobs: int | None,
    reference_name: str,
) -> PanelComparison:
    """The result of `JudgeComparison.panels`: each beside its best member, and how members err."""
    trusted, judges = sides
    n_strata = trusted.design.n_strata if trusted.design else 1
    level, rows = settings.level, []
    for name, members in panels.items():
        # the coefficients of the panel, at 0, and its members
        compared = {judge: judges[judge] for judge in (name, *members)}
        sample, results = sample_of_judges((trusted, compared), coefficient, settings, n_jobs)
        if np.isnan(sample.values).any():
            rule = "`judges` of a panel must not tie all systems"
            raise ValueError(f"{rule}, but some of {listing(compared)} do.")
        tests = difference.compare_pairs([sample], settings.alpha)
        best = 1 + int(tests.values[1:].argmax())
        apart = float(tests.values[0] - tests.values[best])
        apart_error, apart_df = float(tests.pair_errors[0, best]), float(tests.pair_df[0, best])
        ends = difference.difference_interval(apart, apart_error, apart_df, level)

        # the errors of members side by side, as one estimate: all have the same resamples
        reference, *of_members = samples_by_topic_name(trusted, [judges[one] for one in members])
        joined = np.hstack(of_members)  # (n_topics, n_members * n_systems)
        k = len(members)
        alike = partial(errors_alike, n_judges=k)
        r = float(alike(system_means(reference), system_means(joined))[0])
        drawn = replicate(alike, reference, [joined], **settings.resampled_by(), n_jobs=n_jobs)
        error = float(standard_errors(drawn[..., 0, 0], len(reference)))  # of shape (3, B)
        error = error if error > TOLERANCE else math.nan  # no interval where no resample changes it
        df = float(len(reference) - n_strata)
        r_low, r_high = correlation_interval.students_interval(r, error, df, level)
        numbers = {
            "correlation": (float(tests.values[0]), results[0].low, results[0].high),
            "difference": (apart, *ends),
            "error_correlation": (r, r_low, r_high),
            "effective_judges": [effective_number(k, value) for value in (r, r_high, r_low)],
        }
        row: dict[str, Any] = {"panel": name, "members": members, "best": members[best - 1]}
        for column, (value, low, high) in numbers.items():
            row |= {column: value, f"{column}_low": low, f"{column}_high": high}
        row["best_correlation"] = float(tests.values[best])
        row["pvalue"] = float(tests.pvalues[0, best])
        rows.append(row)
    table = pd.DataFrame(rows)
    return PanelComparison(table, reference_name, settings, trusted.n_topics, coefficient)


def errors_alike(reference: Floats, judges: Floats, n_judges: int) -> Floats:
    """The mean correlation of errors of two judges, given a reference, of pairs that err; (..., 1).

    Takes means of shape (..., n_systems), and those of judges one after the other,
    (..., n_judges * n_systems). Errors are beside a parabola through the reference's means, so that
    neither unit nor bend of a scale counts; about pairs of systems they correlate as about single
    ones. nan with fewer than six systems, or two judges that err.
    """
    size = reference.shape[-1]
    if size < 6:  # errors beside a parabola then say nothing
        return np.full((*reference.shape[:-1], 1), np.nan)
    line = _unit(_centred(reference[..., np.newaxis, :]))
    curve = _unit(_without(_centred(line**2), line))
    # (..., n_judges, n_systems)
    means = _centred(judges.reshape(*judges.shape[:-1], n_judges, size))
    errors = _without(_without(means, line), curve)
    # less is rounding
    errs = np.linalg.norm(errors, axis=-1) > 1e-9 * np.linalg.norm(means, axis=-1)
    # |sum of k unit vectors|^2 - k is the sum of their k (k - 1) correlations, each pair both ways
    k, total = errs.sum(axis=-1), (_unit(errors) * errs[..., np.newaxis]).sum(axis=-2)
    n_ordered_pairs = np.where(k > 1, k * (k - 1.0), np.nan)
    correlation = ((total**2).sum(axis=-1) - k) / n_ordered_pairs
    return np.asarray(correlation[..., np.newaxis])


def _centred(values: Floats) -> Floats:
    """Values less their mean, along the last axis."""
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def _unit(values: Floats) -> Floats:
    """Values of length 1 along the last axis; 0 stays 0."""
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    return np.asarray(np.divide(values, length, out=np.zeros_like(values), where=length > 0.0))


def _without(values: Floats, direction: Floats) -> Floats:
    """Values less their projection on a direction of length 1, along the last axis."""
    return np.asarray(values - (values * direction).sum(axis=-1, keepdims=True) * direction)
