"""The main job on a real test collection: the same numbers, by whichever way the scores come in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, RR, P, nDCG
from scipy.stats import kendalltau

import pt_rankcorr as ptr
from tests.vaswani import documents, topics

pytestmark = pytest.mark.whole

MEASURES = [AP, nDCG @ 10, P @ 10, RR]
DEPTH = 200  # documents of a topic


@dataclass(frozen=True)
class Collection:
    topics: pd.DataFrame
    qrels: pd.DataFrame
    systems: dict[str, pt.Transformer]


@pytest.fixture(scope="module")
def vaswani(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """Vaswani, indexed with PISA, and 21 retrieval systems over it."""
    pisa = pytest.importorskip("pyterrier_pisa", reason="pyterrier-pisa has no wheel for this platform")
    folder = data / "vaswani"
    index = pisa.PisaIndex(str(tmp_path_factory.mktemp("vaswani") / "index"), text_field="text")
    index.index(documents(folder))
    systems = {
        f"BM25 k1={k1} b={b}": index.bm25(k1=k1, b=b, num_results=DEPTH)
        for k1 in (0.5, 0.9, 1.2, 2.0)
        for b in (0.1, 0.4, 0.75)
    }
    systems |= {f"QLD mu={mu}": index.qld(mu=mu, num_results=DEPTH) for mu in (100, 500, 1000, 2500)}
    systems |= {f"PL2 c={c}": index.pl2(c=c, num_results=DEPTH) for c in (0.5, 1, 2, 5)}
    systems["DPH"] = index.dph(num_results=DEPTH)
    runs = {name: system(topics(folder)) for name, system in systems.items()}  # retrieved once, for all tests
    return Collection(topics(folder), pt.io.read_qrels(str(folder / "qrels")), runs)


@pytest.fixture(scope="module")
def result(vaswani: Collection) -> tuple[pd.DataFrame, pd.DataFrame]:
    return ptr.Experiment(
        vaswani.systems,
        vaswani.topics,
        vaswani.qrels,
        MEASURES,
        meta=[ptr.KendallTau(), ptr.TauAP()],
        reference=AP,
        perquery="both",
    )


def test_experiment(vaswani: Collection, result: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    averages, frame = result
    assert len(averages) == 21
    host = pt.Experiment(
        list(vaswani.systems.values()), vaswani.topics, vaswani.qrels, MEASURES, names=list(averages["name"])
    )
    pd.testing.assert_frame_equal(averages[host.columns], host, check_exact=True)
    table = ptr.by_measure(frame).set_index("measure")
    for measure in ("nDCG@10", "P@10", "RR"):
        tau_b = kendalltau(np.round(averages["AP"], 12), np.round(averages[measure], 12)).statistic
        assert ptr.kendall_tau(averages["AP"], averages[measure].round(12), variant="b") == pytest.approx(tau_b)
        assert 0.3 < table.loc[measure, "tau_ap"] < 1.0
        assert (averages[f"{measure} tau_ap"] == table.loc[measure, "tau_ap"]).all()
    assert table["tau"].idxmax() == "nDCG@10"


def test_run_files_and_qrels(
    vaswani: Collection, result: tuple[pd.DataFrame, pd.DataFrame], data: Path, tmp_path: Path
) -> None:
    for number, run in enumerate(vaswani.systems.values()):
        pt.io.write_results(run, str(tmp_path / f"run{number:02}.res.gz"))
    scores = ptr.scores_from_runs(tmp_path, data / "vaswani" / "qrels", MEASURES)
    expected = ptr.scores_from_experiment(result[1])
    assert len(scores.systems) == 21
    for measure in scores:
        np.testing.assert_allclose(sorted(scores[measure].means), sorted(expected[measure].means), rtol=0, atol=1e-15)
        if measure != "AP":
            tau = ptr.tau_ap(expected["AP"], expected[measure])
            assert ptr.tau_ap(scores["AP"], scores[measure]) == pytest.approx(tau, abs=1e-12)


def test_perquery_csv_of_save_dir(
    vaswani: Collection, result: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path
) -> None:
    inputs = (vaswani.systems, vaswani.topics, vaswani.qrels, MEASURES)
    ptr.Experiment(*inputs, save_dir=str(tmp_path))
    assert ptr.scores_from_experiment(tmp_path / "perquery.csv") == ptr.scores_from_experiment(result[1])


def test_trec_eval_text(result: tuple[pd.DataFrame, pd.DataFrame], tmp_path: Path) -> None:
    names = {"AP": "map", "nDCG@10": "ndcg_cut_10", "P@10": "P_10", "RR": "recip_rank"}
    expected = ptr.scores_from_experiment(result[1])
    for system in expected.systems:
        lines = [
            f"{names[row.measure]:<22}\t{row.qid}\t{row.value:.4f}"
            for row in result[1][result[1]["name"] == system].itertuples()
        ]
        everywhere = [f"{name:<22}\tall\t{expected[m].mean_of(system):.4f}" for m, name in names.items()]
        (tmp_path / f"{system}.eval").write_text("\n".join([*lines, f"{'runid':<22}\tall\t{system}", *everywhere]))
    with pytest.warns(ptr.warnings.RoundedScoresWarning, match="4 decimals"):
        scores = ptr.scores_from_trec_eval(tmp_path)
    for measure, name in names.items():
        found = scores[name].select(systems=expected.systems, topics=expected.topics)
        np.testing.assert_allclose(found.values, expected[measure].values, atol=5.1e-5)
        # four decimals may turn near ties of the means round
        itself = ptr.tau_ap(expected[measure].means, expected[measure].means)  # below 1 where means are tied
        assert ptr.tau_ap(expected[measure].means, found.means) > itself - 0.05


def test_paired_bootstrap_as_the_test_of_an_experiment(vaswani: Collection) -> None:
    inputs = (vaswani.systems, vaswani.topics, vaswani.qrels, [AP, P @ 10])
    test = ptr.stats.PairedBootstrap(n_resamples=1000, rng=1)
    table = pt.Experiment(*inputs, baseline=0, test=test, correction="holm")
    student = pt.Experiment(*inputs, baseline=0, correction="holm")
    pvalues = table["AP p-value"].iloc[1:]
    assert pvalues.between(1 / 1001, 1).all()
    np.testing.assert_allclose(pvalues, student["AP p-value"].iloc[1:], atol=0.1)
    assert (table["AP p-value corrected"].iloc[1:] >= pvalues).all()
    assert (
        ptr.Experiment(*inputs, baseline=0, test=ptr.stats.paired_bootstrap_test, correction="holm").shape
        == table.shape
    )


def test_distances_and_rank_intervals(result: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    settings = {"n_resamples": 2000, "rng": 1}
    frame = (ptr.DRank(AP, **settings) >> ptr.RankInterval(n_resamples=2000, rng=1))(result[1])
    by_measure = ptr.by_measure(frame).set_index("measure")
    scores = ptr.scores_from_experiment(result[1])
    for measure in ("nDCG@10", "P@10", "RR"):
        found = by_measure.loc[measure, "d_rank"]
        assert found == ptr.d_rank(scores["AP"], scores[measure], **settings | {"n_resamples": 1}).statistic
    assert by_measure["d_rank p-value"].dropna().between(1 / 2001, 1).all()
    by_system = ptr.by_system(frame)
    assert (by_system["AP rank low"] <= by_system["AP rank"]).all()
    assert (by_system["AP rank"] <= by_system["AP rank high"]).all()
    worst = by_system.loc[by_system["AP rank"].idxmax()]
    assert worst["AP rank low"] > 10  # some systems are clearly worse than half of the others


def test_document_rankings_compared_in_an_experiment(vaswani: Collection) -> None:
    reference = vaswani.systems["BM25 k1=0.9 b=0.4"]
    others = {name: vaswani.systems[name] for name in ("BM25 k1=1.2 b=0.4", "QLD mu=1000", "DPH")}
    agreement = ptr.agreement.TauAP(reference)
    table = pt.Experiment(others, vaswani.topics, vaswani.qrels, [AP, agreement])
    values = table.set_index("name")[str(agreement)]
    assert values["BM25 k1=1.2 b=0.4"] > values["DPH"] > values["QLD mu=1000"]
    itself = pt.Experiment([reference], vaswani.topics, vaswani.qrels, [agreement])
    assert itself[str(agreement)].iloc[0] > 0.99  # below 1 where a run ties documents
