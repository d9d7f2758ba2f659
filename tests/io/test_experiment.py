from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, P, nDCG

import pt_rankcorr as ptr
from pt_rankcorr.io.experiment import scores_from_experiment
from pt_rankcorr.scores import Scores

MEASURES = [AP, nDCG @ 10, P @ 5]


def experiment(collection: Any, qrels: pd.DataFrame | None = None, **arguments: Any) -> Any:
    return pt.Experiment(
        [pt.Transformer.from_df(frame) for frame in collection.runs.values()],
        collection.topics,
        collection.qrels if qrels is None else qrels,
        MEASURES,
        names=list(collection.runs),
        **{"perquery": True, **arguments},
    )


@pytest.fixture
def expected(collection: Any) -> Scores:
    return scores_from_experiment(experiment(collection))


def test_scores_are_those_of_the_frame(collection: Any, expected: Scores) -> None:
    frame = experiment(collection)
    assert set(expected.systems) == set(collection.runs)
    for name, qid, measure, value in frame.itertuples(index=False):
        matrix = expected[measure]
        assert matrix.values[matrix.topics.index(qid), matrix.systems.index(name)] == value


def test_all_that_the_host_returns_and_saves(
    collection: Any, expected: Scores, tmp_path: Path, assert_same: Callable[..., None]
) -> None:
    assert_same(scores_from_experiment(experiment(collection, perquery="both")), expected)
    experiment(collection, save_dir=str(tmp_path))
    for source in (tmp_path, str(tmp_path), tmp_path / "perquery.csv"):
        assert_same(scores_from_experiment(source), expected, 1e-15)


def test_rows_of_an_earlier_experiment_are_not_mixed_in_silently(collection: Any, tmp_path: Path) -> None:
    experiment(collection, save_dir=str(tmp_path))
    path = tmp_path / "perquery.csv"
    path.write_text(path.read_text() + "older,999,AP,0.5\n")
    with pytest.raises(ValueError, match="every system by every measure"):
        scores_from_experiment(path)


@pytest.mark.parametrize("other", [3, None, [], {"AP": 1}])
def test_other_things_are_refused(other: Any) -> None:
    with pytest.raises(TypeError, match=r"`experiment` must be the result of a pt\.Experiment with perquery=True"):
        scores_from_experiment(other)


def test_averages_are_refused(collection: Any) -> None:
    with pytest.raises(ValueError, match="got none named 'measure', 'qid', 'value'"):
        scores_from_experiment(experiment(collection, perquery=False))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"perquery.csv' must be the perquery.csv of a pt.Experiment .* got an empty file"),
        ("name,qid,measure,value\na,1,AP\n", "got 'a,1,AP' in line 2"),
        ("name,qid\na,1\n", "got none named 'measure', 'value'"),
        ("name,qid,measure,value\n", "got no row below its header"),
        ("name,qid,measure,value\na,1,AP,good\n", "got 'good' for system 'a' on topic '1' by AP"),
    ],
)
def test_a_file_that_is_not_what_it_says(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "perquery.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        scores_from_experiment(tmp_path)


def test_data_sets_of_a_suite_are_strata() -> None:
    """Query ids collide between data sets, and each data set counts equally, however many queries it has."""
    rows = [("old", "1", 0.2, 0.4), ("old", "2", 0.4, 0.4), *(("new", qid, 0.9, 0.5) for qid in "123")]
    frame = pd.DataFrame(
        [
            (dataset, name, qid, "AP", value)
            for dataset, qid, *values in rows
            for name, value in zip("ab", values, strict=True)
        ],
        columns=["dataset", "name", "qid", "measure", "value"],
    )
    scores = scores_from_experiment(frame)["AP"]
    assert scores.topics == ("old/1", "old/2", "new/1", "new/2", "new/3")
    np.testing.assert_allclose(scores.means, [(0.3 + 0.9) / 2, (0.4 + 0.5) / 2])
    shown = ptr.by_system(ptr.GeometricMean().transform(frame))
    np.testing.assert_allclose(shown["AP"], scores.means)
    assert "AP geometric mean" in shown
    labelled = scores_from_experiment(frame.assign(stratum=frame["dataset"], qid=frame["dataset"] + frame["qid"]))["AP"]
    np.testing.assert_allclose(labelled.means, scores.means)
