"""Names of measures, as users, PyTerrier and trec_eval write them, and which rank systems."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import lru_cache
from typing import Any

import ir_measures
from ir_measures import Measure

from pt_rankcorr.stats.core import headings
from pt_rankcorr.stats.core.arguments import closest, list_of, listing
from pt_rankcorr.text import shown

NO_QUALITY = re.compile(  # counts, residuals and coverage, of trec_eval and others
    r"(i|prefs_)?num_\w+|(unj(udged)?|judged)([_@.]\d+)?|(\w+_)?resid(ual)?s?([_@.].*)?",
    re.IGNORECASE,
)
COUNTS = frozenset("NumQ NumRel NumRet NumRelRet runid num_q num_rel num_ret num_rel_ret".split())
COUNTS |= {"num_nonrel_judged_ret"}
# a family, its parameters in brackets, and a cut-off
MEASURE = re.compile(
    r"([A-Za-z_][\w.+-]*)(\([\w.,=+\-'\" ]{0,200}\))?(?:@(\d{1,9}(?:\.\d{1,9})?))?", re.ASCII
)
FAMILIES = frozenset("all_trec official prefs qrels_jg set".split())  # of trec_eval: no one measure
TREC_NAMES = tuple("bpref infAP map ndcg recip_rank set_F set_P set_map set_recall".split())
TREC_NAMES_AT = ("P", "map_cut", "ndcg_cut", "recall", "success")
# of trec_eval up to 8: the family, and its cut-off
OLD_NAMES = re.compile(r"(?P<Rprec>R-prec)|P(?P<P>\d{1,5})|ircl_prn\.(?P<IPrec>[01]\.\d{1,2})")


class UnknownMeasureError(KeyError, ValueError):
    """A name that is of no measure. `pt.Experiment` raises a KeyError for it."""

    __str__ = Exception.__str__  # that of KeyError has quotes around the message


class MeasureTypeError(KeyError, TypeError):
    """Something that is neither a measure nor a name. `pt.Experiment` raises a KeyError for it."""

    __str__ = Exception.__str__


def resolve_measure(measure: object, parameter: str = "measure") -> Measure:
    """A measure given as such, or by its name in ir_measures ("nDCG@10") or trec_eval ("map")."""
    if isinstance(measure, Measure):
        # with other parameters, it cannot be printed
        if strange := measure.params.keys() - measure.SUPPORTED_PARAMS.keys():
            rule = f"have only parameters of {measure.NAME}"
            raise ValueError(f"`{parameter}` must {rule}, got {listing(strange)}.")
        return measure
    if not isinstance(measure, str):
        rule = "be an ir_measures measure or a name"
        raise MeasureTypeError(f"`{parameter}` must {rule}, got {shown(measure)}.")
    parsed = _parse(_renamed(measure))
    if parsed is None:
        rule, hint = "be known to ir_measures or trec_eval", did_you_mean(measure)
        raise UnknownMeasureError(f"`{parameter}` must {rule}, got {shown(measure)}.{hint}")
    return parsed


@lru_cache(maxsize=1024)
def _parse(name: str) -> Measure | None:
    """The measure of a name of ir_measures, or else of trec_eval; None if neither knows it."""
    match = MEASURE.fullmatch(name)
    if match is None:
        return None
    family, parameters, cutoff = match.groups()
    with suppress(KeyError, ValueError, SyntaxError, TypeError, AssertionError):
        # as `ir_measures.parse_measure`, which does not run on Python 3.14
        kind = ir_measures.measures.registry[family]
        call: Any = ast.parse(f"_{parameters or '()'}", mode="eval").body
        values = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        at = {kind.AT_PARAM: ast.literal_eval(cutoff)} if cutoff else {}
        if not call.args and values.keys() <= kind.SUPPORTED_PARAMS.keys():
            return kind(**values, **at)
    with suppress(KeyError, ValueError):
        (measure,) = [] if name in FAMILIES else ir_measures.parse_trec_measure(name)
        return measure
    return None


def _renamed(name: str) -> str:
    """The name in ir_measures of a measure of old versions of trec_eval; others as they are.

    `is_known` does not take these: in files, systems may be called P1, P2, ..., too.
    """
    match = OLD_NAMES.fullmatch(name)
    if match is None:
        return name
    family = str(match.lastgroup)
    return family if family == "Rprec" else f"{family}@{match[family]}"


def resolve_measures(measures: object) -> dict[str, Measure]:
    """Several measures by the names they were given; each must rank systems, and be there once."""
    wanted = _list_of_measures("measures", measures, "ir_measures measures or names")
    if not wanted:
        raise ValueError("`measures` must hold at least one measure, got none.")
    measures_resolved = [resolve_measure(measure, "measures") for measure in wanted]
    resolved = dict(zip(map(str, wanted), measures_resolved, strict=True))
    if invalid := {name for name, of in resolved.items() if not has_valid_parameters(of)}:
        rule = "have valid parameters, such as the cut-off of P@10"
        raise ValueError(f"`measures` must {rule}, got {listing(invalid)}.")
    if counts := {str(measure) for measure in wanted if is_count(measure)}:
        raise ValueError(f"`measures` must rank systems, got counts: {listing(counts)}.")
    names: dict[str, str] = {}  # canonical -> as it was given
    for measure in wanted:
        name = canonical_name(measure)
        if name in names:
            seen = f"{shown(names[name])} and {shown(str(measure))}"
            raise ValueError(f"`measures` must be distinct, got {seen}.")
        names[name] = str(measure)
    return resolved


def is_known(measure: object) -> bool:
    """Whether a name is that of a measure of ir_measures or trec_eval."""
    return isinstance(measure, Measure) or _parse(str(measure)) is not None


def has_valid_parameters(measure: Measure) -> bool:
    """Whether a measure has all parameters that it needs, and none that evaluators cannot stand."""
    values = [measure.params.get(name, 1) for name in ("cutoff", "rel")]
    # evaluators count in 32 bits, and a cut-off of 0 ends the whole process
    if not all(isinstance(value, int) and 1 <= value <= 10**9 for value in values):
        return False
    try:
        measure.validate_params()
    except AssertionError:
        return False
    return True


def canonical_name(measure: object) -> str:
    """One name for all aliases of a measure; a name that is not known stays as it is."""
    parsed = measure if isinstance(measure, Measure) else _parse(_renamed(str(measure)))
    return str(measure if parsed is None else parsed)


def family_of(measure: object) -> str:
    """The name of a measure without parameters and cut-off."""
    return canonical_name(measure).split("@")[0].split("(")[0]


def is_count(measure: object) -> bool:
    """Whether a measure counts or lists topics or documents, which says nothing of quality."""
    # under "relstring" trec_eval prints the labels of the first documents
    return canonical_name(measure).startswith("relstring") or family_of(measure) in COUNTS


def ranks_no_systems(name: str) -> bool:
    """Whether a measure in a file is a count, a residual or a coverage, which is left out."""
    return is_count(name) or headings.is_count(name) or NO_QUALITY.fullmatch(name) is not None


def find_measure(measure: object, available: Iterable[str], parameter: str = "measure") -> str:
    """The name among those available that means this measure, whatever alias is used."""
    names = list(available)
    if not isinstance(measure, str):
        resolve_measure(measure, parameter)  # which refuses what is no measure
    if str(measure) in names:
        return str(measure)
    wanted = canonical_name(measure)
    for name in names:
        if canonical_name(name) == wanted:
            return name
    spellings = (str(measure).lower(), wanted.lower())
    alike = [name for name in names if name.lower() in spellings]
    if len(alike) == 1:
        return alike[0]
    seen = f"{shown(str(measure))}.{did_you_mean(str(measure), names)}"
    raise ValueError(f"`{parameter}` must be among {listing(names)}, got {seen}")


def lower_measures(lower_is_better: object, available: Iterable[str]) -> list[str]:
    """Which measures are better when lower: those named, by any alias, and response times."""
    names = list(available)
    lower = {"mrt"}
    for measure in _list_of_measures("lower_is_better", lower_is_better, "measures"):
        lower.add(canonical_name(find_measure(measure, names, "lower_is_better")))
    return [name for name in names if canonical_name(name) in lower]


def _list_of_measures(parameter: str, measures: object, what: str) -> list[Any]:
    """Those of a list; one alone is refused, also a name, which Python would take for a list."""
    if isinstance(measures, (str, Measure)):
        raise TypeError(f"`{parameter}` must be a list of {what}, got {shown(measures)}.")
    return list_of(parameter, measures, what)


def did_you_mean(name: str, available: Collection[str] = ()) -> str:
    """A question that names the most similar available measure, by default of all; or nothing."""
    meant = closest(name, list(available) or _names_like(name))
    return "" if meant is None else f" Did you mean {meant!r}?"


def _names_like(name: str) -> list[str]:
    """All measures that rank systems, without a cut-off and with the one that ends the name."""
    families = ir_measures.measures.registry
    names = [*families, *TREC_NAMES]
    if number := re.search(r"\d{1,9}$", name, re.ASCII):
        names += [f"{family}@{number[0]}" for family in families]
        names += [f"{family}_{number[0]}" for family in TREC_NAMES_AT]
    parsed = {candidate: _parse(candidate) for candidate in names if not is_count(candidate)}
    return [name for name, of in parsed.items() if of is not None and has_valid_parameters(of)]
