"""Rank correlation between systems, measures and judgments, for PyTerrier."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# public name -> where it lives; each is imported when it is first asked for, so that the statistics need neither
# pandas nor PyTerrier, and importing the package costs next to nothing
_HOMES = {
    "Alignment": "alignment",
    "DRank": "components.rank_distance",
    "DRankTest": "stats.rank_distance",
    "DegenerateInputWarning": "stats.checks",
    "DiscriminativePower": "components.sensitivity",
    "ExpectedCorrelation": "components.expected",
    "Experiment": "experiment",
    "KendallTau": "components.coefficients",
    "PairedBootstrap": "stats.hypothesis",
    "RankInterval": "components.rank_distance",
    "Report": "reporting.reports",
    "RoundedScoresWarning": "alignment",
    "ScoreMatrix": "scores",
    "Scores": "scores",
    "TauAP": "components.coefficients",
    "TauGAP": "components.coefficients",
    "TopicSimulator": "stats.simulation",
    "UnjudgedTopicsWarning": "experiment",
    "UnreliableResultWarning": "stats.checks",
    "WorkersLostWarning": "stats.checks",
    "allowed_ranks": "stats.rank_intervals",
    "by_measure": "components.frames",
    "by_system": "components.frames",
    "cohen_kappa": "judgments.labels",
    "compare": "comparison.measures",
    "compare_judgments": "comparison.judged",
    "contributions": "stats.weights",
    "correlation_difference": "stats.correlation_error",
    "correlation_interval": "stats.correlation_error",
    "correlation_standard_error": "stats.correlation_error",
    "d_rank": "stats.rank_distance",
    "discriminative_power": "stats.sensitivity",
    "expected_correlation": "stats.expected",
    "geometric_mean": "stats.summaries",
    "judgment_curve": "comparison.curve",
    "kendall_distance": "stats.coefficients",
    "kendall_interval": "stats.coefficients",
    "kendall_tau": "stats.coefficients",
    "kendall_test": "stats.coefficients",
    "label_agreement": "judgments.labels",
    "paired_bootstrap_test": "stats.hypothesis",
    "pearson": "stats.coefficients",
    "pool": "judgments.pools",
    "prediction_quality": "stats.prediction",
    "pseudo_judgments": "judgments.pools",
    "random_rankings": "stats.rankings",
    "randomized_tukey_hsd": "stats.tukey",
    "rank_intervals": "stats.rank_intervals",
    "read_scores": "adapters.text",
    "report": "reporting.reports",
    "sample_judgments": "judgments.samples",
    "scores_from_experiment": "adapters.experiment",
    "scores_from_irds": "adapters.runs",
    "scores_from_runs": "adapters.runs",
    "scores_from_trec_eval": "adapters.text",
    "significant_agreement": "stats.significant_agreement",
    "simulate_topics": "stats.simulation",
    "single_run_judgments": "judgments.pools",
    "spearman": "stats.coefficients",
    "stability": "stats.stability",
    "swap_rates": "stats.swap",
    "swap_weights": "stats.weights",
    "tau_ap": "stats.coefficients",
    "tau_gap": "stats.gap",
    "unpaired_bootstrap_test": "stats.hypothesis",
}
_ROOMS = ("agreement", "demo", "measures", "plots", "stats")

__all__ = [*_HOMES, *_ROOMS]

if TYPE_CHECKING:
    from pt_rankcorr.adapters.experiment import scores_from_experiment as scores_from_experiment
    from pt_rankcorr.adapters.runs import scores_from_irds as scores_from_irds
    from pt_rankcorr.adapters.runs import scores_from_runs as scores_from_runs
    from pt_rankcorr.adapters.text import read_scores as read_scores
    from pt_rankcorr.adapters.text import scores_from_trec_eval as scores_from_trec_eval
    from pt_rankcorr.alignment import Alignment as Alignment
    from pt_rankcorr.alignment import RoundedScoresWarning as RoundedScoresWarning
    from pt_rankcorr.comparison.curve import judgment_curve as judgment_curve
    from pt_rankcorr.comparison.judged import compare_judgments as compare_judgments
    from pt_rankcorr.comparison.measures import compare as compare
    from pt_rankcorr.components.coefficients import KendallTau as KendallTau
    from pt_rankcorr.components.coefficients import TauAP as TauAP
    from pt_rankcorr.components.coefficients import TauGAP as TauGAP
    from pt_rankcorr.components.expected import ExpectedCorrelation as ExpectedCorrelation
    from pt_rankcorr.components.frames import by_measure as by_measure
    from pt_rankcorr.components.frames import by_system as by_system
    from pt_rankcorr.components.rank_distance import DRank as DRank
    from pt_rankcorr.components.rank_distance import RankInterval as RankInterval
    from pt_rankcorr.components.sensitivity import DiscriminativePower as DiscriminativePower
    from pt_rankcorr.experiment import Experiment as Experiment
    from pt_rankcorr.experiment import UnjudgedTopicsWarning as UnjudgedTopicsWarning
    from pt_rankcorr.judgments.labels import cohen_kappa as cohen_kappa
    from pt_rankcorr.judgments.labels import label_agreement as label_agreement
    from pt_rankcorr.judgments.pools import pool as pool
    from pt_rankcorr.judgments.pools import pseudo_judgments as pseudo_judgments
    from pt_rankcorr.judgments.pools import single_run_judgments as single_run_judgments
    from pt_rankcorr.judgments.samples import sample_judgments as sample_judgments
    from pt_rankcorr.reporting.reports import Report as Report
    from pt_rankcorr.reporting.reports import report as report
    from pt_rankcorr.scores import ScoreMatrix as ScoreMatrix
    from pt_rankcorr.scores import Scores as Scores
    from pt_rankcorr.stats.checks import DegenerateInputWarning as DegenerateInputWarning
    from pt_rankcorr.stats.checks import UnreliableResultWarning as UnreliableResultWarning
    from pt_rankcorr.stats.checks import WorkersLostWarning as WorkersLostWarning
    from pt_rankcorr.stats.coefficients import kendall_distance as kendall_distance
    from pt_rankcorr.stats.coefficients import kendall_interval as kendall_interval
    from pt_rankcorr.stats.coefficients import kendall_tau as kendall_tau
    from pt_rankcorr.stats.coefficients import kendall_test as kendall_test
    from pt_rankcorr.stats.coefficients import pearson as pearson
    from pt_rankcorr.stats.coefficients import spearman as spearman
    from pt_rankcorr.stats.coefficients import tau_ap as tau_ap
    from pt_rankcorr.stats.correlation_error import correlation_difference as correlation_difference
    from pt_rankcorr.stats.correlation_error import correlation_interval as correlation_interval
    from pt_rankcorr.stats.correlation_error import correlation_standard_error as correlation_standard_error
    from pt_rankcorr.stats.expected import expected_correlation as expected_correlation
    from pt_rankcorr.stats.gap import tau_gap as tau_gap
    from pt_rankcorr.stats.hypothesis import PairedBootstrap as PairedBootstrap
    from pt_rankcorr.stats.hypothesis import paired_bootstrap_test as paired_bootstrap_test
    from pt_rankcorr.stats.hypothesis import unpaired_bootstrap_test as unpaired_bootstrap_test
    from pt_rankcorr.stats.prediction import prediction_quality as prediction_quality
    from pt_rankcorr.stats.rank_distance import DRankTest as DRankTest
    from pt_rankcorr.stats.rank_distance import d_rank as d_rank
    from pt_rankcorr.stats.rank_intervals import allowed_ranks as allowed_ranks
    from pt_rankcorr.stats.rank_intervals import rank_intervals as rank_intervals
    from pt_rankcorr.stats.rankings import random_rankings as random_rankings
    from pt_rankcorr.stats.sensitivity import discriminative_power as discriminative_power
    from pt_rankcorr.stats.significant_agreement import significant_agreement as significant_agreement
    from pt_rankcorr.stats.simulation import TopicSimulator as TopicSimulator
    from pt_rankcorr.stats.simulation import simulate_topics as simulate_topics
    from pt_rankcorr.stats.stability import stability as stability
    from pt_rankcorr.stats.summaries import geometric_mean as geometric_mean
    from pt_rankcorr.stats.swap import swap_rates as swap_rates
    from pt_rankcorr.stats.tukey import randomized_tukey_hsd as randomized_tukey_hsd
    from pt_rankcorr.stats.weights import contributions as contributions
    from pt_rankcorr.stats.weights import swap_weights as swap_weights


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
