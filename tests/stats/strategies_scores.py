"""Score matrices of all kinds: continuous, discrete with ties, with equal systems, with constant differences."""

import numpy as np
from hypothesis import strategies as st


@st.composite
def score_matrices(draw, min_topics=2, max_topics=9, min_systems=2, max_systems=5):
    """Shape (n_topics, n_systems), scores in [0, 1]."""
    n_topics, n_systems = draw(st.integers(min_topics, max_topics)), draw(st.integers(min_systems, max_systems))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    kind = draw(st.sampled_from(["continuous", "tenths", "reciprocal", "equal", "constant difference", "zeros"]))
    scores = rng.random((n_topics, n_systems))
    if kind == "tenths":
        return np.round(scores, 1)
    if kind == "reciprocal":
        return 1 / rng.integers(1, 8, size=scores.shape)
    if kind == "equal":
        scores[:, 1] = scores[:, 0]
    if kind == "constant difference":
        scores[:, 1] = scores[:, 0] + 0.1
    return np.zeros_like(scores) if kind == "zeros" else scores
