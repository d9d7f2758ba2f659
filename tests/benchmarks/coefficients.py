"""Speed of the coefficients, of systems and of documents: python -m tests.benchmarks.coefficients"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pandas as pd

from pt_rankcorr.agreement import TauAP
from pt_rankcorr.stats.coefficients import tau_ap
from pt_rankcorr.stats.gap import tau_gap
from pt_rankcorr.stats.rankings import random_rankings
from pt_rankcorr.stats.weights import swap_weights
from tests.benchmarks.timing import ratio, seconds, timed
from tests.stats import oracles

N_QUERIES, N_DOCUMENTS = 1000, 1000


def vectors(items: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    truth = rng.random(items)
    return truth, truth + rng.random(items) / 2


def peak_of(action: Callable[[], object]) -> float:
    """The most memory that numpy held at once, in MiB."""
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def of_systems(n_systems: int, calls: int) -> None:
    truth, estimate = vectors(n_systems)
    plain_truth, plain_estimate = truth.tolist(), estimate.tolist()
    definitions = {tau_ap: oracles.tau_ap_untied, tau_gap: oracles.tau_gap_untied}
    for coefficient, definition in definitions.items():

        def ours(coefficient: Callable[..., object] = coefficient) -> object:
            return coefficient(truth, estimate)

        def by_definition(definition: Callable[..., object] = definition) -> object:
            return definition(plain_truth, plain_estimate)

        print(ratio(f"{coefficient.__name__} of {n_systems} systems, against loops", ours, by_definition, calls=calls))


def of_many_items(items: int) -> None:
    truth, estimate = vectors(items)
    tied = np.round(estimate * items / 5)  # ties of about five
    for coefficient in (tau_ap, tau_gap):
        for label, scores in (("no ties", estimate), ("ties of five", tied)):

            def action(coefficient: Callable[..., object] = coefficient, scores: np.ndarray = scores) -> object:
                return coefficient(truth, scores)

            name = f"{coefficient.__name__} of {items} items, {label}"
            print(f"{name:<66} {seconds(timed(action))}, {peak_of(action):6.1f} MiB at most")


def of_documents() -> None:
    queries = [f"q{number}" for number in range(N_QUERIES)]
    rng = np.random.default_rng(0)
    scores, others = rng.random((2, N_QUERIES, N_DOCUMENTS))
    run = frame_of(queries, scores)
    measure = TauAP(frame_of(queries, scores + others))
    qrels = pd.DataFrame({"query_id": queries, "doc_id": "d0", "relevance": 1})
    print(f"{'reading the other run, 1000 documents by 1000 queries':<66} {seconds(timed(lambda: TauAP(run)))}")
    whole = timed(lambda: measure.calc_aggregate(qrels, run))
    print(f"{'TauAP of these by ir_measures, which sorts and groups them first':<66} {seconds(whole)}")
    sampled = 20  # of the queries: the loops take a while
    truth, estimate = (scores + others)[:sampled], scores[:sampled]
    plain = list(zip(truth.tolist(), estimate.tolist(), strict=True))
    print(
        ratio(
            f"tau_ap of 1000 documents by {sampled} queries, against loops",
            lambda: tau_ap(truth, estimate),
            lambda: [oracles.tau_ap_untied(*query) for query in plain],
        )
    )


def frame_of(queries: list[str], scores: np.ndarray) -> pd.DataFrame:
    documents = [f"d{number}" for number in range(scores.shape[1])]
    return pd.DataFrame(
        {
            "query_id": np.repeat(queries, len(documents)),
            "doc_id": np.tile(documents, len(queries)),
            "score": scores.ravel(),
        }
    )


if __name__ == "__main__":
    of_systems(110, calls=20)
    of_many_items(100_000)
    of_documents()
    weights = {name: timed(lambda name=name: swap_weights(vectors(110)[0], name)) for name in ("tau_ap", "tau_gap")}
    for name, taken in weights.items():
        print(f"{'swap weights of 110 systems, ' + name:<66} {seconds(taken)}")
    print(f"{'1000 random rankings of 200 systems, tau 0.9':<66} {seconds(timed(lambda: random_rankings(200, 1000)))}")
