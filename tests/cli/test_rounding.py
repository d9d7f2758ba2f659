"""Rounded scores are warned of where they are asked for, with advice that can be followed."""

import numpy as np
import pandas as pd
import pytest

from pt_rankcorr.io.align import align
from pt_rankcorr.warnings import RoundedScoresWarning


def scored(decimals):
    rng = np.random.default_rng(0)
    return {
        (system, topic): value
        for (system, topic), value in zip(
            ((f"s{s}", f"q{t}") for s in range(6) for t in range(40)), rng.random(240).round(decimals), strict=True
        )
    }


def test_only_measures_that_are_asked_for_are_named(cli, tmp_path):
    rows = [
        (system, topic, measure, value)
        for measure, decimals in (("AP", 4), ("RR", 3), ("P@7", 12))
        for (system, topic), value in scored(decimals).items()
    ]
    pd.DataFrame(rows, columns=["name", "qid", "measure", "value"]).to_csv(tmp_path / "perquery.csv", index=False)
    both = cli("power", "--experiment", tmp_path / "perquery.csv", "--test", "t", "--seed", 1).err
    assert "AP (4 decimals), RR (3 decimals)" in both
    one = cli("power", "--experiment", tmp_path / "perquery.csv", "--measures", "AP", "--test", "t", "--seed", 1).err
    assert "AP (4 decimals)" in one
    assert "RR" not in one
    none = cli("power", "--experiment", tmp_path / "perquery.csv", "--measures", "P@7", "--test", "t", "--seed", 1).err
    assert "rounded" not in none


def test_what_an_evaluator_rounds_gets_no_advice_to_evaluate_without():
    cells = pd.DataFrame(
        [(system, topic, "ERR@20", value) for (system, topic), value in scored(5).items()],
        columns=["name", "qid", "measure", "value"],
    )
    with pytest.warns(RoundedScoresWarning, match="Their evaluator prints no more decimals"):
        align(cells, may_be_rounded=["ERR@20"])
