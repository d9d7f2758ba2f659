"""All studies of the table, in its order."""

from __future__ import annotations

from collections.abc import Iterator

from tests.calibration.parts import (
    correlations,
    distance,
    expected,
    families,
    pairs,
    prediction,
    ranks,
    sensitivity,
    simulation,
)
from tests.calibration.studies import Study


def every_study() -> Iterator[Study]:
    for part in (pairs, families, distance, ranks, expected, correlations, prediction, sensitivity, simulation):
        yield from part.studies()
