"""What every public statistic does with every format of scores: the table of `tests/cases.py`, cell by cell.

What comes out is compared with the result for a score matrix with names.
"""

import inspect
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as rc
from pt_rankcorr.warnings import DegenerateInputWarning, UnmatchedNamesWarning
from tests import cases
from tests.cases import CASES, SYSTEM_ORDER, SYSTEMS, TOPIC_ORDER, TOPICS, VALUES, WITH_FORMATS, matrix


def frame():
    return pd.DataFrame(VALUES, TOPICS, SYSTEMS).iloc[TOPIC_ORDER, SYSTEM_ORDER]


def read_only():
    values = VALUES.copy()
    values.flags.writeable = False
    return values


FORMATS = {
    "2-D": lambda: VALUES,
    "list": VALUES.tolist,
    "tuple": lambda: tuple(map(tuple, VALUES)),
    "big-endian": lambda: VALUES.astype(">f8"),
    "Fortran": lambda: np.asfortranarray(VALUES),
    "strided": lambda: np.repeat(VALUES, 2, axis=-1)[..., ::2],
    "read-only": read_only,
    "not masked": lambda: np.ma.masked_array(VALUES),
    "frame": frame,
    "frame of columns": lambda: pd.DataFrame({name: list(frame()[name]) for name in frame()}, frame().index),
    "frame with qid": lambda: frame().reset_index(names="qid"),
    "nullable frame": lambda: frame().astype("Float64"),
    "frame of objects": lambda: frame().astype(object),
    "1-D": lambda: VALUES.mean(axis=0),
    "series": lambda: pd.Series(VALUES.mean(axis=0), SYSTEMS)[sorted(SYSTEMS)],
    "mapping": lambda: dict(zip(sorted(SYSTEMS), VALUES.mean(axis=0)[SYSTEM_ORDER].tolist(), strict=True)),
    "means of permuted": lambda: pd.Series(np.add.reduce(VALUES[TOPIC_ORDER]) / 20, SYSTEMS),
    "all tied": lambda: matrix(np.full((20, 3), 0.5)),
    "permuted": lambda: matrix(VALUES).select(topics=[TOPICS[index] for index in TOPIC_ORDER]),
    "x 100": lambda: matrix(VALUES * 100),
    "+ 1": lambda: matrix(VALUES + 1),
}
AGREES = {
    cases.SAME: np.testing.assert_array_equal,
    cases.UNMATCHED: np.testing.assert_array_equal,
    cases.CLOSE: lambda values, named: np.testing.assert_allclose(values, named, rtol=1e-6, atol=1e-12),
    cases.TIMES_100: lambda values, named: np.testing.assert_allclose(values, 100 * named, rtol=1e-9),
    cases.NAN: lambda values, _: np.testing.assert_array_equal(values, np.nan),
    cases.ZERO: lambda values, _: np.testing.assert_array_equal(values, 0.0),
    cases.WORKS: lambda *_: None,
}


def statistics():
    """The public names that the package `stats` defines."""
    public = {name: getattr(place, name) for place in (rc, rc.stats) for name in place.__all__}
    return {name: it for name, it in public.items() if getattr(it, "__module__", "").startswith("pt_rankcorr.stats.")}


def test_every_statistic_has_a_case():
    """And one with formats, if it takes scores of systems."""
    known = {name.split(",")[0] for name in CASES}
    assert set(statistics()) - known == {"Coefficient", "Rankings"}, "give each a case in tests/cases.py"
    assert {name for name in known if not hasattr(rc, name) and not hasattr(rc.stats, name)} == set()
    of_scores = {
        name
        for name, it in statistics().items()
        if {"scores", "reference", "human"} & set(inspect.signature(it).parameters)
    }
    assert of_scores - {name.split(",")[0] for name in WITH_FORMATS} == set()


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", WITH_FORMATS)
def test_the_table(name, format):
    expected = CASES[name].formats[format]
    if expected.startswith("^"):
        with pytest.raises((TypeError, ValueError), match=expected):
            CASES[name].compared(FORMATS[format]())
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        values = CASES[name].compared(FORMATS[format]())
    categories = {warning.category for warning in caught}
    assert categories <= {UnmatchedNamesWarning, DegenerateInputWarning}
    assert (UnmatchedNamesWarning in categories) == (expected == cases.UNMATCHED)
    assert DegenerateInputWarning in categories or expected != cases.NAN
    AGREES[expected](values, of_a_matrix(name))


@cache
def of_a_matrix(name):
    """What comes out for a score matrix with names."""
    return CASES[name].compared(matrix(VALUES))
