"""The benchmarks at small sizes: they run, and the values of both sides are the same."""

import numpy as np
import pytest

from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import growth, runs, statistics
from tests.benchmarks.contests import Contest, table


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")  # that so few topics are too few
@pytest.mark.parametrize("part", [statistics, runs], ids=lambda part: part.__name__)
def test_values_are_the_same(part):
    for contest in part.contests(quick=True):
        assert contest.difference() <= contest.margin, f"{contest.subject}, {contest.rival}"


def test_what_one_call_takes():
    seconds, memory = growth.measured(lambda: np.ones(2**20).sum())
    assert seconds > 0
    assert memory >= 8


def test_other_values_are_told_and_nan_equals_nan():
    same = Contest("one", "a rival", lambda: [1.0, np.nan], lambda: [1.0 + 1e-10, np.nan])
    other = Contest("two", "a rival", lambda: [1.0, np.nan], lambda: [1.1, 1.0])
    assert same.difference() < 1e-9
    assert other.difference() == np.inf
    _, (holds, _), (fails, line) = table([same, other], 0.0)
    assert holds
    assert not fails
    assert "NOT THE SAME" in line


def test_a_part_that_is_not_there(capsys):
    with pytest.raises(SystemExit):
        benchmarks.main(["no such part"])
    assert "no such part" in capsys.readouterr().err
