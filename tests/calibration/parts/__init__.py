"""All studies of the table, in its order."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from tests.calibration.studies import Study

PARTS = (
    "pairs families distance ranks expected correlations judges two_rankings partiality prediction prediction_powered "
    "sensitivity close simulation designs"
)


def every_study() -> Iterator[Study]:
    for part in PARTS.split():
        yield from import_module(f"{__name__}.{part}").studies()
