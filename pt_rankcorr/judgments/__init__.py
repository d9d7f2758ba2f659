"""Other judgments from given ones: shallower, fewer, random, or of one run; and how far two sets of labels agree."""

from pt_rankcorr.judgments.agreement import alpha_of_judges, cohen_kappa, krippendorff_alpha, pair_accuracy
from pt_rankcorr.judgments.labels import compare_labels
from pt_rankcorr.judgments.pools import pool, pseudo_judgments, sample_judgments, single_run_judgments
from pt_rankcorr.judgments.reuse import leave_out
from pt_rankcorr.judgments.some_documents import prediction_powered_scores

__all__ = [
    "alpha_of_judges",
    "cohen_kappa",
    "compare_labels",
    "krippendorff_alpha",
    "leave_out",
    "pair_accuracy",
    "pool",
    "prediction_powered_scores",
    "pseudo_judgments",
    "sample_judgments",
    "single_run_judgments",
]
