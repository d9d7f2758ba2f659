"""The power of the test of two judges against their true difference: python -m tests.calibration.power_of_judges."""

from __future__ import annotations

from tests.calibration.parts.judges import TOPICS, power

if __name__ == "__main__":
    for n_topics in TOPICS:
        for noise in (0.4, 0.8, 1.2, 1.6, 2.4):
            print(n_topics, *(f"{value:.3f}" for value in power(n_topics, noise)), flush=True)
