"""All coefficients by name: what arguments, rows, columns, options and pages read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from pt_rankcorr.stats.coefficients.ap import TAU_AP, TAU_AP_B
from pt_rankcorr.stats.coefficients.coefficient import Coefficient, clip
from pt_rankcorr.stats.coefficients.counting import count_above
from pt_rankcorr.stats.coefficients.gap import TAU_GAP
from pt_rankcorr.stats.coefficients.kendall import TAU, TAU_B
from pt_rankcorr.stats.coefficients.moments import PEARSON, SPEARMAN
from pt_rankcorr.stats.core.arguments import list_of, one_of
from pt_rankcorr.stats.core.types import Floats

COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {each.name: each for each in (TAU, TAU_B, TAU_AP, TAU_AP_B, TAU_GAP, SPEARMAN, PEARSON)}
)


def as_coefficient(coefficient: object, parameter: str = "coefficient") -> Coefficient:
    """By its name, or as it is; a function of two vectors is one by the function's name.

    Raises:
        ValueError: If the name is unknown, or one of its own has the name of another.
    """
    if callable(coefficient) and not isinstance(coefficient, Coefficient):
        name = getattr(coefficient, "__name__", type(coefficient).__name__)
        return Coefficient(name, name, coefficient)
    if not isinstance(coefficient, Coefficient):
        return COEFFICIENTS[one_of(parameter, coefficient, COEFFICIENTS)]
    if COEFFICIENTS.get(coefficient.name, coefficient) != coefficient:
        raise ValueError(f"`{parameter}` must have a name of its own, got another {coefficient.name!r}.")
    return coefficient


def as_coefficients(coefficients: object, parameter: str = "coefficients") -> tuple[Coefficient, ...]:
    """One or several.

    Raises:
        TypeError: If they are no list.
        ValueError: As `as_coefficient`, or if there are none, or one name stands for several.
    """
    one = isinstance(coefficients, str) or callable(coefficients)
    given = [coefficients] if one else list_of(parameter, coefficients, "names")
    if not given:
        raise ValueError(f"`{parameter}` must name at least one coefficient, got none.")
    found = tuple(as_coefficient(each, parameter) for each in given)
    for each in found:
        if any(other.name == each.name and other != each for other in found):
            raise ValueError(f"`{parameter}` must have names of their own, got {each.name!r} for several.")
    return found


def with_variant(coefficient: Coefficient, variant: str) -> Coefficient:
    """The variant of its family that treats ties so; itself where there is none."""
    family = (each for each in COEFFICIENTS.values() if each.family == coefficient.family)
    return next((each for each in family if each.variant == variant), coefficient)


def headlines(variant: str = "a") -> tuple[Coefficient, ...]:
    """Those that tables show where nobody asks for others."""
    return tuple(with_variant(each, variant) for each in COEFFICIENTS.values() if each.headline)


def several(coefficients: Iterable[Coefficient], reference: Floats, estimate: Floats) -> dict[str, Floats]:
    """Several of the same arrays, by name: what they count is counted once."""
    wanted = list(coefficients)
    above = count_above(reference, estimate) if any(each.of_counts for each in wanted) else None
    return {
        each.name: clip(each.of_counts(above, reference), reference, estimate)
        if each.of_counts and above
        else each.kernel(reference, estimate)
        for each in wanted
    }
