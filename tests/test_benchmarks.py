"""The benchmarks at tiny sizes: they run, and all values are what they are claimed to be."""

from __future__ import annotations

import inspect
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import pt_rankcorr
from tests.benchmarks import __main__ as benchmarks
from tests.benchmarks import growth
from tests.benchmarks.contests import Claim, Contest, drawn, missing, other, table
from tests.benchmarks.growth import CASES, SMALLEST, Case, Measured
from tests.benchmarks.workload import TINY, generated

# of a coefficient and a number, of three systems
OF_NO_SIZE = {"kendall_interval", "kendall_test", "tau_ap_test", "spearman_test", "rank_geometry"}


@pytest.mark.filterwarnings("ignore")  # that so few topics are too few
@pytest.mark.parametrize("part", benchmarks.CONTESTS)
def test_values_are_as_claimed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trectools", None)  # which takes long to import
    for contest in benchmarks.contests(part, generated(TINY)):
        if not missing(contest.needs):
            holds, verdict = contest.verdict()
            assert holds, f"{contest.subject}, {contest.rival}: {verdict}"
        else:
            assert contest.needs in {"tau_ap", "trectools"}


@pytest.mark.parametrize("name", CASES)
def test_growth_cases_run(name: str) -> None:
    CASES[name].prepare(SMALLEST)()


def test_growth_has_every_public_statistic() -> None:
    offered = [getattr(room, name) for room in (pt_rankcorr, pt_rankcorr.stats) for name in room.__all__]
    public = {
        it.__name__ for it in offered if inspect.isfunction(it) and it.__module__.startswith("pt_rankcorr.stats.")
    }
    assert public - {name.partition(",")[0] for name in CASES} == OF_NO_SIZE


def test_what_one_call_takes() -> None:
    point = growth.measured(lambda: np.ones(2**20).sum())
    assert point.seconds > 0
    assert point.memory >= 2**23


@pytest.mark.parametrize(
    ("claim", "theirs", "holds", "said"),
    [
        (Claim(1e-9), [1.0, math.nan], True, "same"),
        (Claim(1e-9), [1.0 + 1e-10, math.nan], True, "same to 1e-10"),
        (Claim(1e-9), [1.1, math.nan], False, "NOT AS CLAIMED: they differ by 0.1"),
        (Claim(1e-9), [1.0, 1.0], False, "NOT AS CLAIMED: they differ by inf"),
        (drawn(0.2), [1.1, math.nan], True, "same to 1e-01"),
        (other("why"), [1.5, math.nan], True, "differ by 0.5"),
        (other("why"), [1.0, math.nan], False, "NOT AS CLAIMED: they differ by 0"),
    ],
)
def test_claims_are_checked(claim: Claim, theirs: list[float], holds: bool, said: str) -> None:
    assert claim.verdict([1.0, math.nan], theirs) == (holds, said)


def test_rows_and_how_they_are_printed() -> None:
    ours, theirs = (lambda: [1.0, 2.0]), (lambda: sum(range(20_000)) and 1.0)
    slower = Contest("one", "a rival", ours, theirs, drawn(0.1), share=0.5, part=lambda values: values[0])
    assert all(other > mine for mine, other in slower.ratios(0.0))
    faster = Contest("two", "a rival", theirs, lambda: 3.0, other("of another quantity"))
    absent = Contest("two", "another", ours, theirs, needs="absent_rival")
    _, *lines = table("part", [slower, faster, absent], 0.0)
    assert all(holds for holds, _ in lines)
    one, first, two, second, skipped = (line.split("\n") for _, line in lines)
    assert (one, two) == (["one"], ["two"])
    assert first[0].endswith("  same")
    assert [remark.strip() for remark in second[1:]] == ["of another quantity"]
    assert skipped[0].split() == ["another", "skipped:", "absent_rival", "is", "not", "installed"]


def test_what_cannot_be_imported_is_skipped_with_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_rival.py").write_text("import nothing_of_that_name")
    (tmp_path / "old_rival.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert missing("broken_rival") == "broken_rival needs nothing_of_that_name"
    assert missing("old_rival") == "old_rival cannot be imported: ZeroDivisionError"
    assert missing("math") == ""


def test_command_fails_if_a_claim_does(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = Contest("subject", "rival", lambda: 1.0, lambda: 2.0)
    monkeypatch.setattr("tests.benchmarks.accuracy.contests", lambda load: iter([wrong]))
    monkeypatch.setattr(benchmarks, "workload", lambda sizes: generated(TINY))
    assert benchmarks.main(["accuracy", "--quick"]) == 1
    printed = capsys.readouterr()
    assert "NOT AS CLAIMED" in printed.out
    assert printed.out.startswith(("Linux", "Darwin", "Windows"))
    assert "generated scores" in printed.out
    assert "accuracy: subject, rival" in printed.err


def test_command_lists_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert benchmarks.main(["--list"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(benchmarks.PARTS)
    with pytest.raises(SystemExit):
        benchmarks.main(["no such part"])


def test_growth_is_told_as_far_as_time_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is the cube of the size, memory its square."""
    monkeypatch.setattr(growth, "CASES", {"cubic": Case(("m",), lambda size: lambda: size.m)})
    monkeypatch.setattr(growth, "measured", lambda call: Measured(1e-6 * call() ** 3, 100 * call() ** 2))
    (curve,) = growth.curves(30.0, lambda text: None)
    assert list(curve.points) == [10, 30, 100, 300]
    assert curve.power("seconds") == pytest.approx(3)
    assert math.isnan(curve.power("memory", least=2**30))
    *_, line = growth.lines(iter([curve]), 30.0)
    assert line.split() == "cubic 1 ms - 27 ms - 1 s - 27 s 9 MiB 3.0".split()


def test_generated_scores_have_the_properties_that_are_needed() -> None:
    load = generated(TINY)
    assert load.ap.shape == load.p10.shape == (TINY.topics, TINY.systems)
    assert 0 <= load.p10.min() <= load.p10.max() <= 1
    fine, coarse = load.tied()
    assert np.unique(coarse).size > 1
    assert np.unique(fine).size == TINY.systems
