"""The numbers that components, measures of documents, judgments and pictures take: any argument is used or refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

import pt_rankcorr as ptr
from tests.fuzz.hostile_numbers import JUNK, LEVEL, N_JOBS, RNG, Strategy, mostly
from tests.fuzz.targets_statistics import anything, drawn, plain

QRELS = {"1": {"d1": 1, "d2": 0, "d3": 2}, "2": {"d1": 0, "d4": 1}}
RUNS = {"a": {"1": {"d1": 2.0, "d2": 1.0}}, "b": {"2": {"d4": 2.0, "d1": 1.0}, "1": {"d3": 1.0}}}
TOPICS, SYSTEMS = 6, 4
VALUES = np.random.default_rng(0).random((3, TOPICS, SYSTEMS)).round(2)
SCORES = ptr.Scores([ptr.ScoreMatrix(values, measure=name) for values, name in zip(VALUES, "abc", strict=True)])
FRAME = SCORES.to_frame()

ARGUMENTS: dict[str, Strategy] = {
    "reference": mostly(None, "a", "b"),
    "variant": mostly("a", "b"),
    "symmetric": mostly(True, False),
    "interval": mostly(None, 0.9),
    "rng": RNG,
    "n_jobs": N_JOBS,
    "null": mostly("shrunken", "published"),
    "covariance": mostly("sample", "ledoit-wolf"),
    "ridge": mostly(1e-5),
    "level": LEVEL,
    "alpha": mostly(0.05, 0.5),
    "test": mostly("t", "wilcoxon", "tukey-hsd"),
    "coefficient": mostly("tau", "tau_ap"),
    "estimator": mostly("ml", "msqd", "resampling"),
}
COMPONENTS: dict[Callable[..., Any], str] = {
    ptr.KendallTau: "reference variant interval rng",
    ptr.TauAP: "reference variant symmetric interval rng",
    ptr.TauGAP: "reference interval rng",
    ptr.DRank: "reference null covariance ridge rng n_jobs",
    ptr.RankInterval: "level rng n_jobs",
    ptr.DiscriminativePower: "test alpha rng n_jobs",
    ptr.ExpectedCorrelation: "coefficient estimator interval rng n_jobs",
}


def _component(component: Callable[..., Any]) -> Callable[..., object]:
    def added(**arguments: Any) -> object:
        made = component(**arguments)
        frame = made(FRAME)
        assert len(frame) == len(FRAME)
        assert repr(made)
        return frame

    return added


def _choices(names: str) -> dict[str, Strategy]:
    return {name: ARGUMENTS[name] for name in names.split()}


def _agreement(cutoff: Any, undefined: Any, unranked: Any) -> object:
    return repr(ptr.agreement.TauAP(RUNS["a"], cutoff=cutoff, undefined=undefined, unranked=unranked))


def _compared(scores: ptr.Scores, **settings: Any) -> object:
    return ptr.compare(scores, verbose=False, **settings).to_frame()


PICTURES = ("draw_asl_curves", "draw_stability", "draw_swap_rates")
NO_RESULTS = st.sampled_from([{}, *[junk for junk in JUNK if not isinstance(junk, dict)]])


def _picture(name: str) -> Callable[..., object]:
    def draw(results: object) -> object:
        from pt_rankcorr import plots

        return getattr(__import__(f"{plots.__name__}.sensitivity", fromlist=[name]), name)(results)

    return draw


TARGETS = (
    *(
        drawn(_component(component), to=anything, name=f"component {component.__name__}", **_choices(names))
        for component, names in COMPONENTS.items()
    ),
    plain(_component(ptr.MeanInterval), to=anything, name="component MeanInterval", level=LEVEL),
    drawn(_compared, st.just(SCORES), to=anything, name="compare", **_choices("alpha null covariance rng n_jobs")),
    plain(_agreement, mostly(None, 1, 5), mostly(0.0, np.nan), mostly("drop", "tie"), to=anything, name="documents"),
    plain(ptr.judgments.pool, st.just(RUNS), st.just(QRELS), mostly(0, 1, 5), to=anything),
    plain(
        ptr.judgments.pseudo_judgments,
        st.just(RUNS),
        to=anything,
        depth=mostly(1, 5),
        share=mostly(0.05, 0.5, 1.0),
        rng=RNG,
    ),
    plain(ptr.judgments.sample_judgments, st.just(QRELS), mostly(0.5, 0, 1, [0.1, 0.5]), to=anything, rng=RNG),
    *(plain(_picture(name), NO_RESULTS, to=anything, name=name) for name in PICTURES),
)
