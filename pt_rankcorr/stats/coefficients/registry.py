"""All coefficients by name: what arguments, rows, columns, options and pages read."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pt_rankcorr.stats.coefficients.ap import TAU_AP, TAU_AP_B
from pt_rankcorr.stats.coefficients.coefficient import Coefficient
from pt_rankcorr.stats.coefficients.gap import TAU_GAP
from pt_rankcorr.stats.coefficients.kendall import TAU, TAU_B
from pt_rankcorr.stats.coefficients.moments import PEARSON, SPEARMAN
from pt_rankcorr.stats.core.arguments import list_of, one_of

COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {known.name: known for known in (TAU, TAU_B, TAU_AP, TAU_AP_B, TAU_GAP, SPEARMAN, PEARSON)}
)


def as_coefficient(coefficient: object, parameter: str = "coefficient") -> Coefficient:
    """The coefficient of a name, the object itself, or one made of a function of two vectors.

    A function or object of one's own may be called like one of `COEFFICIENTS`, but for those that
    tables show by default: in results it takes the place of that.
    """
    if callable(coefficient) and not isinstance(coefficient, Coefficient):
        name = getattr(coefficient, "__name__", type(coefficient).__name__)
        # a function of this package, such as `kendall_tau`, stands for the coefficient of its name
        is_ours = str(getattr(coefficient, "__module__", "")).startswith(f"{__package__}.")
        known = COEFFICIENTS.get(name) if is_ours else None
        coefficient = known or Coefficient(name, name, coefficient)
    if not isinstance(coefficient, Coefficient):
        return COEFFICIENTS[one_of(parameter, coefficient, COEFFICIENTS)]
    known = COEFFICIENTS.get(coefficient.name, coefficient)
    if known.headline and known != coefficient:
        rule = f"`{parameter}` must not have the name of a coefficient that tables show by default"
        raise ValueError(f"{rule}, got another {coefficient.name!r}.")
    return coefficient


def as_coefficients(coefficients: object) -> tuple[Coefficient, ...]:
    """One coefficient or several, as `as_coefficient` takes them; their names must differ."""
    is_one = isinstance(coefficients, str) or callable(coefficients)
    names = [coefficients] if is_one else list_of("coefficients", coefficients, "names")
    chosen = [as_coefficient(coefficient, "coefficients") for coefficient in names]
    if not chosen:
        raise ValueError("`coefficients` must name at least one coefficient, got none.")
    # the last of each name; a coefficient that differs from it is another one of that name
    by_name = {coefficient.name: coefficient for coefficient in chosen}
    for coefficient in chosen:
        if coefficient != by_name[coefficient.name]:
            rule = "`coefficients` must have names of their own"
            raise ValueError(f"{rule}, got {coefficient.name!r} for several.")
    return tuple(chosen)


def with_variant(coefficient: Coefficient, variant: str) -> Coefficient:
    """The variant, "a" or "b", of a coefficient's family; itself where there is none."""
    family = (known for known in COEFFICIENTS.values() if known.family == coefficient.family)
    return next((known for known in family if known.variant == variant), coefficient)


def headlines() -> tuple[Coefficient, ...]:
    """The coefficients that tables show by default."""
    return tuple(known for known in COEFFICIENTS.values() if known.headline)
