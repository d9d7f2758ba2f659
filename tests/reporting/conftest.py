"""Scores that look like those of a TREC track, with names that nobody should trust."""

import numpy as np
import pytest

from pt_rankcorr import ScoreMatrix, Scores

UNTRUSTED = ("<script>alert(1)</script>", "100%_$x$", 'a "quoted" & <b>bold</b> | name', r"\input{x} ~^#{}", "运行 ü")
MEASURES = ("AP", "nDCG@10", "P@10", "RR", "ERR@20", "<i>m_$2$</i>")


def made_up(n_topics, n_systems, measures=MEASURES, seed=1):
    """Easy and hard topics, good and bad systems, and noise for every measure."""
    random = np.random.default_rng(seed)
    skill, ease = random.normal(0, 0.05, n_systems), random.beta(1, 2.5, (n_topics, 1))
    names = [*UNTRUSTED, *(f"run{number}" for number in range(n_systems))][:n_systems]
    return Scores(
        [
            ScoreMatrix(
                np.clip(ease + skill + random.normal(0, 0.1, (n_topics, n_systems)), 0, 1), systems=names, measure=name
            )
            for name in measures
        ]
    )


@pytest.fixture(scope="session")
def scores():
    return made_up(30, 12, MEASURES[:3])
