"""The coefficients that rows have, each with its title for people: the one place where comparisons list them."""

from __future__ import annotations

TITLES = {
    "tau": "tau",
    "tau_b": "tau b",
    "tau_ap": "tau_AP",
    "tau_ap_b": "tau_AP b",
    "tau_gap": "tau_GAP",
    "spearman": "Spearman's rho",
    "pearson": "Pearson's r",
}
SYMBOLS = {
    "tau": "τ",
    "tau_b": "τ b",
    "tau_ap": "τ\u2009AP",
    "tau_ap_b": "τ\u2009AP b",
    "tau_gap": "τ\u2009GAP",
    "spearman": "Spearman's ρ",
    "pearson": "Pearson's r",
}
SHOWN = {"a": ("tau", "tau_ap", "tau_gap"), "b": ("tau_b", "tau_ap_b", "tau_gap")}  # to people, by variant of ties


def column(coefficient: str) -> str:
    """How columns name a coefficient: "tau b@10" for tau_b@10."""
    name, at, top = coefficient.partition("@")
    return f"{name.removesuffix('_b')} b{at}{top}" if name.endswith("_b") else coefficient
