"""Judgments in, other judgments out: shallower, fewer, random, or of one run; and how far two sets of labels agree."""

from pt_rankcorr.judgments.agreement import cohen_kappa, krippendorff_alpha, label_agreement
from pt_rankcorr.judgments.pools import pool, pseudo_judgments, single_run_judgments
from pt_rankcorr.judgments.reuse import leave_out
from pt_rankcorr.judgments.samples import sample_judgments
from pt_rankcorr.offered import naming_rng

__all__ = [
    "cohen_kappa",
    "krippendorff_alpha",
    "label_agreement",
    "leave_out",
    "pool",
    "pseudo_judgments",
    "sample_judgments",
    "single_run_judgments",
]

globals().update({name: naming_rng(globals()[name], __name__) for name in __all__})
