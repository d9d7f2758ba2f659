"""One warning of topics that are too few, for all statistics that generalise from them."""

from __future__ import annotations

from pt_rankcorr.warnings import UnreliableResultWarning, warn

FEWEST_TOPICS = 10  # of the simulations of the calibration page


def warn_of_few_topics(n_topics: int, what: str) -> None:
    """Warns, if so few topics say little of others; `what` was checked on more."""
    if n_topics < FEWEST_TOPICS:
        warn(
            f"{n_topics} topics are few: {what} checked from {FEWEST_TOPICS} topics on. With fewer a poor system may "
            "lead by luck.",
            UnreliableResultWarning,
        )
