"""Messages blame the argument that is wrong, and say what to do."""

import numpy as np
import pandas as pd
import pytest
from ir_measures import AP

import pt_rankcorr as rc
from pt_rankcorr.comparison.engine import Engine
from pt_rankcorr.comparison.judgment_curve import compare_subsets
from pt_rankcorr.comparison.settings import Settings
from tests import fixtures

VALUES = np.random.default_rng(0).random((10, 4))
MATRIX = rc.ScoreMatrix(VALUES, measure="AP")
SCORES = rc.Scores([MATRIX, MATRIX.named("RR")])
FRAME = SCORES.to_frame()
RUNS = {name: system(fixtures.topics()) for name, system in fixtures.systems().items()}


QRELS = fixtures.qrels()
ONE_TOPIC = {"t1": {"d1": 1, "d2": 0}}
# function -> what it takes, and what it refuses in its place
REFUSED = {
    rc.compare: (
        {"scores": SCORES, "n_resamples": 20},
        [
            *(
                ({"scores": given}, TypeError, f"`scores` must {message}")
                for given, message in (
                    ({"AP": MATRIX, "one": SCORES}, "hold measures or .* measure 'AP' and Scores under 'one'"),
                    ({"one": FRAME, "x": VALUES}, "hold measures or .* measure 'x' and DataFrame under 'one'"),
                    ([MATRIX, VALUES], "be scores, .* got list"),
                    (3, "be scores, a per-query experiment, or a mapping of measures or collections to them.*, got"),
                    ({"one": 3}, "be scores, .* got int under 'one'"),
                    (
                        {"irds:vaswani": {}},
                        r".*, got dict under 'irds:vaswani'\. .* `scores_from_irds\(dataset, runs",
                    ),
                    ({None: SCORES}, "be named by text or numbers, got None"),
                )
            ),
            ({"scores": "no/such/file"}, FileNotFoundError, "got a path: there is no no/such/file. Runs are read by"),
            (
                {"scores": {"irds:mine": "."}},
                FileNotFoundError,
                r"`scores` must be scores, .*, got the folder '\.' without a perquery.csv. Runs are read by",
            ),
            ({"scores": {}}, ValueError, "at least one collection, got none"),
            ({"scores": {1: SCORES, "1": SCORES}}, ValueError, "must be distinct, got '1' more than"),
            (
                {"scores": {"AP": MATRIX, "RR": MATRIX.to_frame().iloc[:, 1:]}},
                ValueError,
                "`matrices` must share their systems, got differences in",
            ),
            ({"scores": [MATRIX]}, ValueError, r"`measures` must be at least 2 to compare, got 'AP'\.$"),
            (
                {"scores": {"one": rc.Scores([MATRIX])}},
                ValueError,
                r"at least 2 to compare, got 'one'\.",
            ),
            ({"n_resamples": 1}, ValueError, "`n_resamples` must be an integer of at least 2"),
            (
                {"d_rank": rc.DRank("AP", n_jobs=2)},
                ValueError,
                "`d_rank` must not have 'n_jobs', 'reference' of its",
            ),
            ({"test": rc.DiscriminativePower(rng=1)}, ValueError, "`test` must not have 'rng' of its own, got Disc"),
            ({"d_rank": 1}, TypeError, "`d_rank` must be"),
            (
                {"scores": {"AP": MATRIX, "RR": MATRIX.to_frame().mask(VALUES.max() == VALUES)}},
                ValueError,
                r"must be finite, got nan .* In measure 'RR'\.",
            ),
        ],
    ),
    rc.compare_judgments: (
        {"runs": RUNS, "reference": QRELS, "judges": {"same": QRELS}, "measures": [AP], "n_resamples": 20},
        [
            ({"judges": QRELS}, TypeError, "`judges` must name files .*, got an object of type DataFrame"),
            ({"judges": {}}, ValueError, "`judges` must name at least one set of judgments, got none"),
            ({"judges": {1: QRELS, "1": QRELS}}, ValueError, "`judges` must be distinct, got '1' more than once"),
            ({"judges": ["other.qrels"]}, FileNotFoundError, r"other\.qrels"),
            ({"runs": dict([*RUNS.items()][:1])}, ValueError, "`runs` must be at least 2 runs, got 'noise 0'"),
            (
                {"runs": dict.fromkeys("ab", ONE_TOPIC), "reference": ONE_TOPIC, "judges": {"x": ONE_TOPIC}},
                ValueError,
                "`runs` and all judgments must share at least 2 topics, got 't1'",
            ),
            ({"test": "z"}, ValueError, "`test` must"),
        ],
    ),
    rc.compare_leaderboards: (
        {"reference": SCORES, "judges": {"a": SCORES}, "n_resamples": 20},
        [
            ({"top": 5}, ValueError, r"`top` must .*got 5\."),
            ({"measures": ["AP", "AP"]}, ValueError, "`measures` must .*got 'AP' more than once"),
            ({"measures": []}, ValueError, "`measures` must"),
            ({"measures": "AP"}, TypeError, "`measures` must .*got the single name 'AP'"),
            ({"reference_measure": []}, ValueError, "`reference_measure` must"),
            ({"judges": {"a": None}}, TypeError, "`judges` must .*got .* for 'a'"),
            ({"judges": {"a": MATRIX}}, TypeError, "`judges` must"),
            ({"judges": {"a": FRAME}}, TypeError, "`judges` must"),
            ({"reference": MATRIX}, TypeError, "`reference` must"),
        ],
    ),
    rc.judgment_curve: (
        {"runs": RUNS, "qrels": QRELS, "measures": [AP], "n_resamples": 20},
        [
            ({}, ValueError, "`depths` or `shares` must be given, and not both"),
            ({"depths": []}, ValueError, "`depths` must"),
            ({"depths": 3}, TypeError, "`depths` must .*got 3"),
            ({"shares": [2]}, ValueError, "`shares` must .*got 2"),
            ({"shares": [0.5], "repetitions": 0}, ValueError, "`repetitions` must"),
        ],
    ),
    rc.report: (
        {"result_or_scores": SCORES},
        [
            ({"result_or_scores": 3}, TypeError, "`result_or_scores` must"),
            ({"result_or_scores": {}}, ValueError, "at least one collection, got none"),
            ({"result_or_scores": {1: SCORES, "1": SCORES}}, ValueError, "must be distinct, got '1' more than once"),
            ({"result_or_scores": VALUES[:1]}, ValueError, "at least 2 systems and 2 topics, got 4 and 1"),
            ({"n_resamples": 1}, ValueError, "`n_resamples` must"),
            ({"rng": -1}, ValueError, "`rng` must"),
            (
                {"result_or_scores": {"a": SCORES, "b": SCORES}, "against": {"x": SCORES}},
                ValueError,
                "must be one collection where `against` is given, got 2",
            ),
            ({"groups": {"a": ["s1"]}}, ValueError, "`groups` must"),
        ],
    ),
}


@pytest.mark.parametrize(
    ("function", "changed", "error", "message"),
    [(function, *row) for function, (_, rows) in REFUSED.items() for row in rows],
)
def test_what_is_refused(function, changed, error, message):
    with pytest.raises(error, match=message):
        function(**{**REFUSED[function][0], **changed})


@pytest.mark.parametrize(
    "given",
    [
        [MATRIX, MATRIX.named("RR")],
        {"AP": MATRIX, "RR": MATRIX.to_frame()},
        {"AP": MATRIX.to_frame(), "RR": MATRIX.to_frame().iloc[::-1, ::-1]},
        {"AP": MATRIX, "RR": rc.Scores([MATRIX])},
        FRAME,
        (SCORES.averages(), FRAME),
    ],
)
def test_one_rule_for_what_is_a_measure(given):
    """By `compare` and `report`, as by `discriminative_power`."""
    how = {"n_resamples": 99, "rng": 1}
    expected = rc.compare(SCORES, **how).to_frame()
    pd.testing.assert_frame_equal(rc.compare(given, **how).to_frame(), expected)
    assert list(rc.report(given, **how).to_dict()["collections"]) == ["scores"]


@pytest.mark.parametrize("function", [rc.compare, rc.report])
def test_a_wrong_reference_is_no_measure(function):
    with pytest.raises(ValueError, match=r"`reference` must .*got 'nDCG'"):
        function(SCORES, reference="nDCG", n_resamples=20)
    with pytest.raises(ValueError, match=r"`reference` must .*got 'nDCG'.* In collection 'one'"):
        function({"one": SCORES}, reference="nDCG", n_resamples=20)


def test_every_comparison_is_a_table():
    rows = []
    how = {"shares": None, "repetitions": None, "missing": "error", "lower_is_better": ()}
    engine = Engine(Settings(n_resamples=99, d_rank=True, seed=1), on_row=rows.append)
    curve = compare_subsets(RUNS, QRELS, [AP], engine, depths=[1, 5], **how)
    assert tuple(rows) == curve.rows
    for table in (curve, rc.compare(SCORES, n_resamples=99, rng=1)):
        assert len(table) == len(table.to_frame()) == len(table.to_dict()["rows"])
        assert "Seed 1" in str(table).replace("\n", " ")
    assert curve.to_dict()["null"] == curve.settings.null == "shrunken"
    assert curve.row("5", 0, "AP") == curve.rows[1]
    assert "kappa" not in curve.rows[0].details


def test_a_path_of_runs_names_what_reads_them(tmp_path):
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.0 t\n")
    for path, kind in (
        (tmp_path, FileNotFoundError),
        (tmp_path / "*.run", FileNotFoundError),
        (tmp_path / "a.run", ValueError),
    ):
        with pytest.raises(kind, match=r"Runs are read by `scores_from_runs\(runs, qrels, measures\)`"):
            rc.compare(path)


def test_no_topic_in_common_shows_those_of_both():
    ones, others = ([f"{letter}{n}" for n in range(10)] for letter in "ab")
    judge = rc.Scores([rc.ScoreMatrix(VALUES, others, MATRIX.systems, "AP")])
    reference = rc.Scores([rc.ScoreMatrix(VALUES, ones, MATRIX.systems, "AP")])
    for missing in ("error", "skip"):
        with pytest.raises(ValueError, match=r"'j' lacks topics 'a0', .*'j' has other topics 'b0'"):
            rc.compare_leaderboards(reference, {"j": judge}, missing=missing)
    padded = rc.Scores([rc.ScoreMatrix(VALUES, [f"0{n}" for n in range(1, 11)], MATRIX.systems, "AP")])
    plain = rc.Scores([rc.ScoreMatrix(VALUES, [f"{n}" for n in range(1, 11)], MATRIX.systems, "AP")])
    with pytest.raises(ValueError, match="'01' differs from '1' in leading zeros alone"):
        rc.compare_leaderboards(plain, {"j": padded})


@pytest.mark.parametrize("values", [VALUES[:, :1], VALUES[:1]])
def test_one_system_or_one_topic_is_refused(values):
    matrices = [rc.ScoreMatrix(values, measure=name) for name in ("AP", "RR")]
    for function in (rc.compare, rc.report):
        with pytest.raises(ValueError, match="must have at least 2 systems and 2 topics, got"):
            function(rc.Scores(matrices))
