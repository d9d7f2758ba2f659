"""The coefficients by the names that arguments and columns use, as kernels.

A kernel takes two arrays of floats of shape (..., n_systems) that fit together, rounded and in one order of systems. It
checks nothing, warns of nothing, and returns an array of shape (...), nan where a vector ties all systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from pt_rankcorr.stats.coefficients import ap, gap, kendall
from pt_rankcorr.stats.coefficients.counting import Above, count_above, strictly_above
from pt_rankcorr.stats.coefficients.moments import pearson_kernel, spearman_kernel
from pt_rankcorr.stats.coefficients.undefined import clip
from pt_rankcorr.stats.core.types import Floats

Kernel: TypeAlias = Callable[[Floats, Floats], Floats]

COEFFICIENTS: dict[str, Kernel] = {
    "tau": kendall.kernel,
    "tau_ap": ap.kernel,
    "tau_gap": gap.kernel,
    "pearson": pearson_kernel,
    "spearman": spearman_kernel,
}
KERNELS = {**COEFFICIENTS, "tau_b": kendall.kernel_b, "tau_ap_b": ap.kernel_b}  # with both variants of ties

COUNTED: dict[str, Callable[[Above, Floats], Floats]] = {  # those that come of the same counts
    "tau": lambda above, _: kendall.tau_a(above),
    "tau_b": kendall.tau_b,
    "tau_ap": lambda above, _: ap.tau_ap_a(above),
    "tau_ap_b": ap.tau_ap_b,
}


def several(names: Iterable[str], reference: Floats, estimate: Floats) -> dict[str, Floats]:
    """Several kernels of the same arrays, by name: what they count is counted once."""
    wanted = list(names)
    found: dict[str, Floats] = {}
    if counted := [name for name in wanted if name in COUNTED]:
        both_ways = any(name.endswith("_b") for name in counted)
        counts = count_above(reference, estimate), strictly_above(reference) if both_ways else reference
        found = {name: clip(COUNTED[name](*counts), reference, estimate) for name in counted}
    return {name: found[name] if name in found else KERNELS[name](reference, estimate) for name in wanted}
