"""What every public function does with every shape of scores: one row a function, one cell a shape.

Each function gets the same scores in many forms. A cell says what comes out, compared with the result for a score
matrix with names. The public names are read from the package, so that a new one fails here until it has a row, or is
listed among those that take no scores of systems.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import pt_rankcorr as ptr
from pt_rankcorr import stats
from pt_rankcorr.warnings import DegenerateInputWarning, UnmatchedNamesWarning

# --- the scores ---------------------------------------------------------------------------------------

SYSTEMS, TOPICS = ["loc", "means", "columns"], [f"q{number}" for number in range(20)]  # names that are attributes
RNG = np.random.default_rng(5)
BASE = np.array([0.3, 0.4, 0.5]) + RNG.random((20, 1)) / 4
VALUES = (BASE + RNG.random((20, 3)) / 4)[:, [1, 0, 2]]
OTHER = ptr.ScoreMatrix(BASE[:, [0, 2, 1]] + RNG.random((20, 3)) / 4, TOPICS, SYSTEMS)
READ_ONLY = VALUES.copy()
READ_ONLY.flags.writeable = False
TOPIC_ORDER, SYSTEM_ORDER = RNG.permutation(20), [2, 0, 1]


def matrix(values: Any) -> ptr.ScoreMatrix:
    return ptr.ScoreMatrix(values, TOPICS, SYSTEMS)


def frame() -> pd.DataFrame:
    return pd.DataFrame(VALUES, TOPICS, SYSTEMS).iloc[TOPIC_ORDER, SYSTEM_ORDER]


UNNAMED: dict[str, Callable[[], Any]] = {
    "2-D": lambda: VALUES,
    "list": VALUES.tolist,
    "tuple": lambda: tuple(map(tuple, VALUES)),
    "big-endian": lambda: VALUES.astype(">f8"),
    "Fortran": lambda: np.asfortranarray(VALUES),
    "strided": lambda: np.repeat(VALUES, 2, axis=-1)[..., ::2],
    "read-only": lambda: READ_ONLY,
    "not masked": lambda: np.ma.masked_array(VALUES),
}
FRAMES: dict[str, Callable[[], Any]] = {
    "frame": frame,
    "frame of columns": lambda: pd.DataFrame(
        {name: column.tolist() for name, column in frame().items()}, frame().index
    ),
    "frame with qid": lambda: frame().reset_index(names="qid"),
    "nullable frame": lambda: frame().astype("Float64"),
    "frame of objects": lambda: frame().astype(object),
}
FORMS: dict[str, Callable[[], Any]] = {
    "1-D": lambda: VALUES.mean(axis=0),
    **UNNAMED,
    **FRAMES,
    "series": lambda: pd.Series(VALUES.mean(axis=0), SYSTEMS)[sorted(SYSTEMS)],
    "mapping": lambda: dict(zip(sorted(SYSTEMS), VALUES.mean(axis=0)[SYSTEM_ORDER].tolist(), strict=True)),
    "all tied": lambda: matrix(np.full((20, 3), 0.5)),
    "permuted": lambda: matrix(VALUES).select(topics=[TOPICS[at] for at in TOPIC_ORDER]),
    "means of permuted": lambda: pd.Series(np.add.reduce(VALUES[TOPIC_ORDER]) / 20, SYSTEMS),
    "x 100": lambda: matrix(VALUES * 100),
    "+ 1": lambda: matrix(VALUES + 1),
}

# --- what may come out --------------------------------------------------------------------------------

SAME = "the same bits"
CLOSE = "the same but for the last digits"
SAID = "the same bits, and a warning that only one side has names"
NAN = "nan, and a warning"
TIMES_100 = "a hundred times as much"
WORKS = "another result: the topics are resampled in another order, or the statistic moves"
ZERO = "zero"
MATRIX_ONLY = r"^`\w+` must be (of shape \(n_topics, n_systems\)( or \(n_systems,\))?|an array of numbers), got "
TIES_NAN = {"all tied": NAN}

# one score a system, beside another input that has names
BESIDE = dict.fromkeys(FORMS, SAME) | dict.fromkeys(["1-D", *UNNAMED], SAID) | TIES_NAN
# one score a system, alone
ALONE = dict.fromkeys(FORMS, SAME) | TIES_NAN
# topics x systems, beside another input that has names, or alone
NO_VECTORS = dict.fromkeys(["1-D", "series", "mapping", "means of permuted"], MATRIX_ONLY)
MATRIX_BESIDE = BESIDE | NO_VECTORS
MATRIX_ALONE = ALONE | NO_VECTORS
LINEAR = {"x 100": CLOSE, "+ 1": CLOSE}


@dataclass(frozen=True, eq=False)
class Row:
    """How a public function is called with the scores, what is compared, and what each form gives."""

    name: str
    call: Callable[[Any], Any]
    cells: dict[str, str]


def by_name(systems: Any, values: Any) -> list[Any]:
    """Values of systems in the order of their names; what has no names is in the order of `SYSTEMS`."""
    names = SYSTEMS if systems is None or systems[0] == "s1" else systems
    return [value for _, value in sorted(zip(names, np.asarray(values).tolist(), strict=True))]


def pair_by_name(systems: Any, values: Any) -> list[Any]:
    return by_name(systems, [by_name(systems, row) for row in np.asarray(values)])


def costs(found: Any) -> list[Any]:
    return [found.statistic, *by_name(found.systems, found.by_system)]


COEFFICIENTS = {
    "kendall_tau": ptr.kendall_tau,
    "tau_ap": ptr.tau_ap,
    "tau_gap": ptr.tau_gap,
    "kendall_distance": ptr.stats.kendall_distance,
    "pearson": ptr.stats.pearson,
    "spearman": ptr.stats.spearman,
}
RESAMPLED = dict.fromkeys(["permuted", *FRAMES], WORKS)
FEW: dict[str, Any] = {"n_resamples": 19, "rng": 1}
D_RANK: dict[str, Any] = {"covariance": "ledoit-wolf", **FEW}
MORE = ptr.ScoreMatrix(
    np.vstack([OTHER.values, OTHER.values + 0.01]), [*TOPICS, *(f"{topic}, too" for topic in TOPICS)], SYSTEMS
)
PREDICTED = pd.Series(np.arange(20.0), TOPICS)


D_RANK_REFERENCE = LINEAR | {"all tied": NAN}
IN_UNIT_RANGE = {"all tied": WORKS} | dict.fromkeys(["x 100", "+ 1"], r"^`scores` must be in \[0, 1\], got ")
TIED = {"all tied": WORKS}
SCALES = {"x 100": TIMES_100, "+ 1": WORKS} | TIED
OF_DIFFERENCES = {"x 100": TIMES_100, "+ 1": CLOSE} | TIED
OTHER_ORDER = dict.fromkeys(RESAMPLED, CLOSE)
COEFFICIENT = dict.fromkeys(COEFFICIENTS, BESIDE) | dict.fromkeys(["pearson", "tau_gap"], BESIDE | LINEAR)

TABLE: dict[str, tuple[Callable[[Any], Any], dict[str, str]]] = {
    **{f"{name}, reference": (lambda s, f=f: f(s, OTHER), COEFFICIENT[name]) for name, f in COEFFICIENTS.items()},
    **{f"{name}, estimate": (lambda s, f=f: f(OTHER, s), COEFFICIENT[name]) for name, f in COEFFICIENTS.items()},
    "contributions, reference": (lambda s: costs(stats.contributions(s, OTHER)), BESIDE),
    "contributions, estimate": (lambda s: costs(stats.contributions(OTHER, s)), BESIDE),
    "swap_weights": (lambda s: stats.swap_weights(s).values[np.triu_indices(3, 1)], ALONE),
    "d_rank, reference": (lambda s: list(ptr.d_rank(s, OTHER, **D_RANK)), MATRIX_BESIDE | D_RANK_REFERENCE),
    "d_rank, ranking": (lambda s: list(ptr.d_rank(OTHER, s, **D_RANK)), BESIDE),
    "DRankTest": (lambda s: ptr.DRankTest(s, **D_RANK).distance(OTHER), MATRIX_BESIDE | D_RANK_REFERENCE),
    "allowed_ranks": (lambda s: stats.allowed_ranks(s, **D_RANK).critical_value, MATRIX_ALONE | LINEAR),
    "rank_geometry": (lambda s: stats.rank_geometry(s, OTHER).statistic, MATRIX_BESIDE | D_RANK_REFERENCE),
    "expected_correlation": (lambda s: ptr.expected_correlation(s, **FEW).value, MATRIX_ALONE | LINEAR | OTHER_ORDER),
    "rank_intervals": (
        lambda s: (found := ptr.rank_intervals(s, **FEW)) and by_name(found.systems, found.rank),
        MATRIX_ALONE | TIED,
    ),
    "best_systems": (lambda s: float(len(ptr.best_systems(s, **FEW).systems)), MATRIX_ALONE | TIED),
    "shrunken_truth": (
        lambda s: (found := stats.shrunken_truth(s, n_draws=19, rng=1)) and by_name(found.systems, found.means),
        MATRIX_ALONE | SCALES,
    ),
    "correlation_interval, reference": (
        lambda s: ptr.correlation_interval(s, OTHER, "pearson", **FEW).statistic,
        MATRIX_BESIDE | LINEAR,
    ),
    "correlation_interval, resamples": (lambda s: ptr.correlation_interval(OTHER, s, **FEW).replicates, MATRIX_BESIDE),
    "bootstrap_standard_error": (
        lambda s: stats.bootstrap_standard_error(lambda a, b: (a @ b.T).max(), OTHER, s, **FEW).statistic,
        MATRIX_BESIDE | SCALES | OTHER_ORDER,
    ),
    "correlation_interval": (lambda s: ptr.correlation_interval(OTHER, s, **FEW).draws, MATRIX_BESIDE | LINEAR),
    "correlation_difference": (lambda s: list(stats.correlation_difference(OTHER, OTHER, s, **FEW)), MATRIX_BESIDE),
    "prediction_powered, human": (
        lambda s: (found := stats.prediction_powered(s, MORE, rng=1)) and by_name(found.systems, found.means),
        MATRIX_BESIDE | SCALES | OTHER_ORDER,
    ),
    "prediction_powered, judge": (
        lambda s: stats.prediction_powered(OTHER.select(topics=TOPICS[:9]), s, rng=1).means,
        MATRIX_BESIDE | LINEAR | TIED | OTHER_ORDER,
    ),
    "prediction_quality": (
        lambda s: (q := stats.prediction_quality(s, PREDICTED, **FEW)) and by_name(q.systems, q.values[:, 0]),
        MATRIX_BESIDE | {"mapping": MATRIX_ONLY},
    ),
    "discriminative_power": (
        lambda s: ptr.discriminative_power(s, test="t").required_difference,
        MATRIX_ALONE | OF_DIFFERENCES | OTHER_ORDER,
    ),
    "randomized_tukey_hsd": (
        lambda s: (t := stats.randomized_tukey_hsd(s, **FEW)) and pair_by_name(t.systems, t.differences),
        MATRIX_ALONE | OF_DIFFERENCES | {"all tied": ZERO} | OTHER_ORDER,
    ),
    "significant_agreement, reference": (
        lambda s: stats.significant_agreement(s, OTHER, test="t").statistic,
        MATRIX_BESIDE,
    ),
    "significant_agreement, ranking": (
        lambda s: stats.significant_agreement(OTHER, s, test="t").statistic,
        BESIDE | TIED,
    ),
    "stability": (lambda s: stats.stability(s, fuzziness=0.0, **FEW).minority_rate, MATRIX_ALONE | {"all tied": ZERO}),
    "swap_rates": (lambda s: stats.swap_rates(s, **FEW).rates, MATRIX_ALONE | LINEAR | TIED),
    "swap_curve": (lambda s: stats.swap_curve(s, bins=[0.0], topic_set_sizes=[1, 3], **FEW).rates, MATRIX_ALONE | TIED),
    "simulate_topics": (lambda s: stats.simulate_topics(s, 5, rng=1), MATRIX_ALONE | RESAMPLED | IN_UNIT_RANGE),
    "TopicSimulator": (lambda s: sorted(stats.TopicSimulator(s).means), MATRIX_ALONE | OTHER_ORDER | IN_UNIT_RANGE),
    "ScoreMatrix": (lambda s: sorted(ptr.ScoreMatrix(s).means), MATRIX_ALONE | SCALES),
}
ROWS = [Row(name, *row) for name, row in TABLE.items()]

NO_SCORES_OF_SYSTEMS = {
    # numbers, vectors of topics, and doors of their own
    "kendall_interval kendall_test tau_ap_test spearman_test random_rankings geometric_mean Rankings Scores",
    "paired_bootstrap_test PairedBootstrap unpaired_bootstrap_test Coefficient",
    # experiments, runs, judgments, files, and what is made of them
    "Experiment by_system by_measure",
    "Correlation KendallTau TauAP TauGAP DRank RankInterval ExpectedCorrelation DiscriminativePower",
    "GeometricMean MeanInterval",
    "scores_from_collections",
    "scores_from_experiment scores_from_runs scores_from_irds scores_from_trec_eval read_scores read_leaderboard",
    "compare compare_judgments compare_leaderboards judgment_curve report",
    "krippendorff_alpha alpha_of_judges compare_labels pair_accuracy",
    "leave_out pool pseudo_judgments sample_judgments single_run_judgments cohen_kappa",
    "prediction_powered_scores",
    # rooms
    "agreement demo judgments measures plots stats warnings",
}


def public_names() -> set[str]:
    return {name for room in (ptr, ptr.stats, ptr.judgments) for name in room.__all__}


def test_every_public_function_has_a_row() -> None:
    known = {row.name.split(",")[0] for row in ROWS} | {*" ".join(NO_SCORES_OF_SYSTEMS).split()}
    assert public_names() - known == set(), "give each a row, or say that it takes no scores of systems"
    assert known - public_names() == set(), "these are no longer public"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_table(row: Row, form: str) -> None:
    cell = row.cells[form]
    if cell.startswith("^"):
        with pytest.raises((TypeError, ValueError), match=cell):
            row.call(FORMS[form]())
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = np.asarray(row.call(FORMS[form]()), dtype=float)
    assert {warning.category for warning in caught} <= {UnmatchedNamesWarning, DegenerateInputWarning}
    said = {warning.category for warning in caught}
    assert (UnmatchedNamesWarning in said) == (cell == SAID)
    if cell == NAN:
        assert DegenerateInputWarning in said
    if cell != WORKS:
        AGREES[cell](found, plain(row))


@cache
def plain(row: Row) -> Any:
    """What comes out for a score matrix with names."""
    return np.asarray(row.call(matrix(VALUES)), dtype=float)


AGREES: dict[str, Callable[[Any, Any], None]] = {
    SAME: np.testing.assert_array_equal,
    SAID: np.testing.assert_array_equal,
    CLOSE: lambda found, plain: np.testing.assert_allclose(found, plain, rtol=1e-6, atol=1e-12),
    TIMES_100: lambda found, plain: np.testing.assert_allclose(found, 100 * plain, rtol=1e-9),
    NAN: lambda found, _: np.testing.assert_array_equal(found, np.nan),
    ZERO: lambda found, _: np.testing.assert_array_equal(found, 0.0),
}
