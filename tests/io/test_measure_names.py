import pytest
from ir_measures import AP, RR, IPrec, NumRet, P, nDCG

from pt_rankcorr.io.measure_names import (
    canonical_name,
    find_measure,
    is_count,
    is_known,
    resolve_measure,
    resolve_measures,
)


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("AP", AP),
        ("map", AP),
        ("nDCG@10", nDCG @ 10),
        ("ndcg_cut_10", nDCG @ 10),
        ("ndcg_cut.10", nDCG @ 10),
        ("P_5", P @ 5),
        ("P(rel=2)@5", P(rel=2) @ 5),
        ("P(rel=2, cutoff=5)", P(rel=2) @ 5),
        ("nDCG(dcg='exp-log2')@5", nDCG(dcg="exp-log2") @ 5),
        ("P(judged_only=True)@5", P(judged_only=True) @ 5),
        ("IPrec@0.5", IPrec @ 0.5),
        ("recip_rank", RR),
        (RR, RR),
    ],
)
def test_a_measure_in_any_notation(name, measure):
    assert resolve_measure(name) == measure
    assert canonical_name(name) == str(measure)


@pytest.mark.parametrize(
    ("old", "new"),
    [("R-prec", "Rprec"), ("P10", "P@10"), ("P1000", "P_1000"), ("ircl_prn.0.10", "iprec_at_recall_0.10")],
)
def test_names_of_old_versions_of_trec_eval(old, new):
    """They are found by those of today, and the other way; a system may be called P10, which is no known measure."""
    assert find_measure(new, ["map", old]) == old
    assert find_measure(old, ["map", new]) == new
    assert canonical_name(old) == canonical_name(new)
    assert resolve_measure(old) == resolve_measure(new)
    assert not is_known(old)
    assert find_measure(old, [new, old]) == old


NO_NAMES = ["", "import os", "a b", *"nap official nDCG@ AP( AP@1@2 () P_x 1 P(5)@5 P(rel=a)@5 P(rel)@5".split()]


@pytest.mark.parametrize("name", NO_NAMES)
def test_names_that_are_of_no_measure(name):
    assert not is_known(name)
    assert canonical_name(name) == name
    with pytest.raises(ValueError, match=r"`measure` must be known to ir_measures or trec_eval, got '"):
        resolve_measure(name)


def test_a_measure_is_an_object_or_a_name():
    with pytest.raises(TypeError, match="`measure` must be an ir_measures measure or a name, got 3"):
        resolve_measure(3)


def test_counts_rank_no_systems():
    names = ["num_ret", "num_rel_ret", "num_q", "NumRet", NumRet, NumRet(rel=2), "runid", "relstring_10"]
    assert all(map(is_count, names))
    assert not any(map(is_count, [AP, "map", "number", "P_10"]))


def test_several_keep_their_names_and_order():
    resolved = resolve_measures([nDCG @ 10, "map", "P@5"])
    assert resolved == {"nDCG@10": nDCG @ 10, "map": AP, "P@5": P @ 5}
    assert list(resolved) == ["nDCG@10", "map", "P@5"]


KNOWN, VALID = "`measures` must be known to ir_measures or trec_eval", "`measures` must have valid parameters"


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ([AP, "nap", "zap"], f"{KNOWN}, got 'nap'. Did you mean 'AP'?"),
        ([AP, "nDCG(x=1)@5"], f"{KNOWN}, got 'nDCG(x=1)@5'. Did you mean 'nDCG@5'?"),
        ([AP, nDCG(x=1) @ 5], "`measures` must have only parameters of nDCG, got 'x'."),
        ([AP, "num_ret", NumRet], "`measures` must rank systems, got counts: 'NumRet', 'num_ret'."),
        ([AP, "P_10", "map"], "`measures` must be distinct, got 'AP' and 'map'."),
        (["P", AP(rel="x"), AP], f"{VALID}, such as the cut-off of P@10, got \"AP(rel='x')\", 'P'."),
        ([], "`measures` must hold at least one measure, got none."),
    ],
)
def test_several_are_refused_with_the_offenders(measures, message):
    with pytest.raises(ValueError, match="measures") as error:
        resolve_measures(measures)
    assert str(error.value) == message


@pytest.mark.parametrize("measures", ["AP", AP, 3, [AP, 3]])
def test_several_are_a_list_of_measures(measures):
    with pytest.raises(TypeError, match="must be"):
        resolve_measures(measures)


def test_a_measure_is_found_under_its_aliases():
    available = ["map", "nDCG@10", "my own"]
    assert find_measure(AP, available) == "map"
    assert find_measure("ndcg_cut_10", available) == "nDCG@10"
    assert find_measure("my own", available) == "my own"
    with pytest.raises(ValueError, match=r"`measure` must be among 'map', 'my own', 'nDCG@10', got 'RR'\."):
        find_measure(RR, available)
    with pytest.raises(ValueError, match="`measure` must have only parameters of nDCG, got 'x'"):
        find_measure(nDCG(x=1) @ 5, available)
    with pytest.raises(TypeError, match="got None"):
        find_measure(None, available)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ndgc@10", "nDCG@10"),
        ("ndCG@7", "nDCG@7"),
        ("nDCG10", "nDCG@10"),
        ("ndcg_cut10", "ndcg_cut_10"),
        ("Bprf", "Bpref"),
        ("recal@5", "Recall@5"),
    ],
)
def test_a_mistyped_measure_is_asked_about(name, meant):
    for wrong in (lambda: resolve_measures([AP, name]), lambda: resolve_measure(name)):
        with pytest.raises(ValueError, match=rf"got {name!r}\. Did you mean {meant!r}\?"):
            wrong()


@pytest.mark.parametrize("name", ["zzzzzz", "", "x" * 100_000, "\ud800", "P@"])
def test_what_is_like_no_measure_is_not_asked_about(name):
    with pytest.raises(ValueError, match=r"got .*\.$"):
        resolve_measure(name)
