"""Names of measures, as users, PyTerrier and trec_eval write them, and which measures rank systems at all."""

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
    r"i?num_\w+|unj(udged)?([_@.]\d+)?|prefs_num_\w+|(\w+_)?resid(ual)?s?([_@.].*)?|judged([_@.]\d+)?", re.IGNORECASE
)
COUNTS = frozenset("NumQ NumRel NumRet NumRelRet num_q num_rel num_ret num_rel_ret num_nonrel_judged_ret runid".split())
MEASURE = re.compile(r"([A-Za-z_][\w.+-]*)(\([\w.,=+\-'\" ]{0,200}\))?(?:@(\d{1,9}(?:\.\d{1,9})?))?", re.ASCII)
FAMILIES = frozenset({"all_trec", "official", "prefs", "qrels_jg", "set"})  # of trec_eval: no one measure
TREC_NAMES = ("bpref", "infAP", "map", "ndcg", "recip_rank", "set_F", "set_P", "set_map", "set_recall")
OLD_NAMES = re.compile(r"(?P<Rprec>R-prec)|P(?P<P>\d{1,5})|ircl_prn\.(?P<IPrec>[01]\.\d{1,2})")  # of trec_eval up to 8
TREC_NAMES_AT = ("P", "map_cut", "ndcg_cut", "recall", "success")


class UnknownMeasureError(KeyError, ValueError):
    """A name that is of no measure. `pt.Experiment` raises a KeyError for it."""

    __str__ = Exception.__str__  # that of KeyError has quotes around the message


class MeasureTypeError(KeyError, TypeError):
    """Something that is neither a measure nor a name. `pt.Experiment` raises a KeyError for it."""

    __str__ = Exception.__str__


def resolve_measure(measure: object, parameter: str = "measure") -> Measure:
    """A measure given as an object, by its name in ir_measures ("nDCG@10") or in trec_eval ("ndcg_cut_10")."""
    if isinstance(measure, Measure):
        if strange := measure.params.keys() - measure.SUPPORTED_PARAMS.keys():  # by which it cannot be printed
            raise ValueError(f"`{parameter}` must have only parameters of {measure.NAME}, got {listing(strange)}.")
        return measure
    if not isinstance(measure, str):
        raise MeasureTypeError(f"`{parameter}` must be an ir_measures measure or a name, got {shown(measure)}.")
    parsed = _parse(_renamed(measure))
    if parsed is None:
        raise UnknownMeasureError(
            f"`{parameter}` must be known to ir_measures or trec_eval, got {shown(measure)}.{did_you_mean(measure)}"
        )
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
        if not call.args and values.keys() <= kind.SUPPORTED_PARAMS.keys():
            return kind(**values, **({kind.AT_PARAM: ast.literal_eval(cutoff)} if cutoff else {}))
    with suppress(KeyError, ValueError):
        (measure,) = [] if name in FAMILIES else ir_measures.parse_trec_measure(name)
        return measure
    return None


def _renamed(name: str) -> str:
    """The name in ir_measures of a measure of old versions of trec_eval; others as they are.

    `is_known` does not take these: in files, systems may be called P1, P2, ..., too.
    """
    match = OLD_NAMES.fullmatch(name)
    if match is None or match.lastgroup is None:
        return name
    return match.lastgroup if match.lastgroup == "Rprec" else f"{match.lastgroup}@{match[match.lastgroup]}"


def resolve_measures(measures: object) -> dict[str, Measure]:
    """Several measures by the names they were given, in their order; each must rank systems, and be there once."""
    wanted = _list_of_measures("measures", measures, "ir_measures measures or names")
    if not wanted:
        raise ValueError("`measures` must hold at least one measure, got none.")
    resolved = [resolve_measure(measure, "measures") for measure in wanted]
    if invalid := {str(name) for name, of in zip(wanted, resolved, strict=True) if not has_valid_parameters(of)}:
        raise ValueError(f"`measures` must have valid parameters, such as the cut-off of P@10, got {listing(invalid)}.")
    if counts := {str(measure) for measure in wanted if is_count(measure)}:
        raise ValueError(f"`measures` must rank systems, got counts: {listing(counts)}.")
    names: dict[str, str] = {}  # canonical -> as it was given
    for measure in wanted:
        name = canonical_name(measure)
        if name in names:
            raise ValueError(f"`measures` must be distinct, got {shown(names[name])} and {shown(str(measure))}.")
        names[name] = str(measure)
    return dict(zip(map(str, wanted), resolved, strict=True))


def is_known(measure: object) -> bool:
    """Whether a name is that of a measure of ir_measures or trec_eval."""
    return isinstance(measure, Measure) or _parse(str(measure)) is not None


def has_valid_parameters(measure: Measure) -> bool:
    """Whether a measure has all parameters that it needs, as P a cut-off, and none that an evaluator cannot stand."""
    values = [measure.params.get(name, 1) for name in ("cutoff", "rel")]
    # a cut-off of 0 ends the whole process
    if not all(isinstance(value, int) and 1 <= value <= 10**9 for value in values):  # which evaluators count in 32 bits
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
    """Whether a measure counts or lists something (topics, documents) and says nothing of how good a system is."""
    # under "relstring" trec_eval prints the labels of the first documents
    return canonical_name(measure).startswith("relstring") or family_of(measure) in COUNTS


def ranks_no_systems(name: str) -> bool:
    """Whether a measure in a file is a count, a residual or a coverage: left out unless somebody evaluates it."""
    return is_count(name) or headings.is_count(name) or NO_QUALITY.fullmatch(name) is not None


def find_measure(measure: object, available: Iterable[str], parameter: str = "measure") -> str:
    """The name among those available that means this measure, whatever alias is used."""
    names = list(available)
    if not isinstance(measure, (str, Measure)):
        raise TypeError(f"`{parameter}` must be an ir_measures measure or a name, got {shown(measure)}.")
    if isinstance(measure, Measure):
        resolve_measure(measure, parameter)
    if str(measure) in names:
        return str(measure)
    wanted = canonical_name(measure)
    for name in names:
        if canonical_name(name) == wanted:
            return name
    if len(alike := [name for name in names if name.lower() in (str(measure).lower(), wanted.lower())]) == 1:
        return alike[0]
    hint = did_you_mean(str(measure), names)
    raise ValueError(f"`{parameter}` must be among {listing(names)}, got {shown(str(measure))}.{hint}")


def lower_measures(lower_is_better: object, available: Iterable[str]) -> list[str]:
    """Which available measures are better when lower: those named, under any alias, and response times."""
    names, measures = list(available), _list_of_measures("lower_is_better", lower_is_better, "measures")
    lower = {canonical_name(find_measure(measure, names, "lower_is_better")) for measure in measures}
    return [name for name in names if canonical_name(name) in lower | {"mrt"}]


def _list_of_measures(parameter: str, measures: object, what: str) -> list[Any]:
    """Those of a list; one alone, also a name, whose letters Python would take for a list, is refused."""
    if isinstance(measures, (str, Measure)):
        raise TypeError(f"`{parameter}` must be a list of {what}, got {shown(measures)}.")
    return list_of(parameter, measures, what)


# --- names that are not quite right -----------------------------------------------------------------------


def did_you_mean(name: str, available: Collection[str] = ()) -> str:
    """A question that names the most similar one of the available measures, or else of all; or nothing."""
    meant = closest(name, list(available) or _names_like(name))
    return "" if meant is None else f" Did you mean {meant!r}?"


def _names_like(name: str) -> list[str]:
    """All measures that rank systems, without a cut-off, and with the one that the name ends with."""
    families = ir_measures.measures.registry
    names = [*families, *TREC_NAMES]
    if number := re.search(r"\d{1,9}$", name, re.ASCII):
        names += [f"{family}@{number[0]}" for family in families]
        names += [f"{family}_{number[0]}" for family in TREC_NAMES_AT]
    parsed = {candidate: _parse(candidate) for candidate in names if not is_count(candidate)}
    return [candidate for candidate, measure in parsed.items() if measure is not None and has_valid_parameters(measure)]
