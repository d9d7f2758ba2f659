"""Twenty-nine retrieval systems, from poor to good, on Vaswani."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

from pt_rankcorr.adapters.ranking import Run
from pt_rankcorr.adapters.retrieved import read_run
from pt_rankcorr.judgments.pools import pseudo_judgments
from tests.vaswani import systems, topics

DEPTH = 100  # documents of a topic


class Study(NamedTuple):
    """Runs, and judgments of all they found."""

    runs: dict[str, Run]
    qrels: pd.DataFrame
    relevant: pd.DataFrame


@pytest.fixture(scope="session")
def study(data: Path) -> Study:
    folder = data / "vaswani"
    names = ["qid", "iteration", "docno", "label"]
    relevant = pd.read_csv(folder / "qrels", sep=r"\s+", names=names, dtype=str).astype({"label": int})
    found = {name: system(topics(folder)) for name, system in systems(folder).items()}
    runs = {name: read_run(name, run[run["rank"] < DEPTH]) for name, run in found.items()}
    return Study(runs, with_the_rest_not_relevant(relevant, runs), relevant)


def with_the_rest_not_relevant(relevant: pd.DataFrame, runs: dict[str, Run]) -> pd.DataFrame:
    """Vaswani is judged completely, and its qrels name the relevant documents only."""
    rest = pseudo_judgments(runs, depth=DEPTH, share=0)
    return pd.concat([relevant, rest]).drop_duplicates(["qid", "docno"], ignore_index=True)[["qid", "docno", "label"]]
