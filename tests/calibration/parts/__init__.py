"""All studies of the table, in its order."""

from __future__ import annotations

from collections.abc import Iterator

from tests.calibration.parts import (
    close,
    correlations,
    designs,
    distance,
    expected,
    families,
    judges,
    pairs,
    partiality,
    prediction,
    prediction_powered,
    ranks,
    sensitivity,
    simulation,
    two_rankings,
)
from tests.calibration.studies import Study


def every_study() -> Iterator[Study]:
    for part in (
        pairs,
        families,
        distance,
        ranks,
        expected,
        correlations,
        judges,
        two_rankings,
        partiality,
        prediction,
        prediction_powered,
        sensitivity,
        close,
        simulation,
        designs,
    ):
        yield from part.studies()
