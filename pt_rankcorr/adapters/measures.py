"""Names of measures: what a user, PyTerrier and trec_eval each write, and which measures rank systems at all."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import ir_measures
from ir_measures import Measure

from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import listing

COUNTS = frozenset(
    {
        "NumQ",
        "NumRel",
        "NumRet",
        "NumRelRet",
        "num_q",
        "num_rel",
        "num_ret",
        "num_rel_ret",
        "num_nonrel_judged_ret",
        "runid",
    }
)
JUDGMENTS_AS_TEXT = "relstring"  # trec_eval prints the labels of the first documents under such a name
MEASURE = re.compile(r"[A-Za-z_][\w.+-]*(\([\w.,=+\-'\" ]{0,200}\))?(@\d{1,9}(\.\d{1,9})?)?", re.ASCII)
FAMILIES = frozenset({"all_trec", "official", "prefs", "qrels_jg", "set"})  # of trec_eval: no one measure
LOWER_IS_BETTER = frozenset({"mrt"})


def resolve_measure(measure: object) -> Measure:
    """A measure given as an object, by its name in ir_measures ("nDCG@10") or in trec_eval ("ndcg_cut_10").

    Raises:
        TypeError: If it is neither a measure nor a string.
        ValueError: If no measure has that name, or several do.
    """
    if isinstance(measure, Measure):
        return measure
    if not isinstance(measure, str):
        raise TypeError(f"`measure` must be an ir_measures measure or a name, got {shown(measure)}.")
    return _parsed(measure)


@lru_cache(maxsize=1024)
def _parsed(name: str) -> Measure:
    if not MEASURE.fullmatch(name):  # the parser, which is that of Python, would say more than no
        raise ValueError(f"`measure` must be known to ir_measures or trec_eval, got {shown(name)}.")
    for parse in (ir_measures.parse_measure, _parse_trec_measure):
        try:
            return parse(name)
        except (NameError, ValueError, SyntaxError, TypeError, AssertionError):
            continue
    raise ValueError(f"`measure` must be known to ir_measures or trec_eval, got {shown(name)}.")


def _parse_trec_measure(name: str) -> Measure:
    if name in FAMILIES:
        raise ValueError("several measures")
    (measure,) = ir_measures.parse_trec_measure(name)
    return measure


def resolve_measures(measures: object) -> dict[str, Measure]:
    """Several measures by the names they were given, in their order; each must rank systems, and be there once.

    Raises:
        TypeError: If they are not a list of measures or names.
        ValueError: If there are none, some are unknown, lack a parameter or are counts, or two are aliases.
    """
    if isinstance(measures, (str, Measure)) or not isinstance(measures, Iterable):
        raise TypeError(f"`measures` must be a list of ir_measures measures or names, got {shown(measures)}.")
    given = list(measures)
    unknown = {str(measure) for measure in given if not is_known(measure)}
    if unknown:
        raise ValueError(f"`measures` must be known to ir_measures or trec_eval, got {listing(unknown)}.")
    invalid = {str(measure) for measure in given if not has_valid_parameters(resolve_measure(measure))}
    if invalid:
        raise ValueError(f"`measures` must have valid parameters, such as the cut-off of P@10, got {listing(invalid)}.")
    counts = {str(measure) for measure in given if is_count(measure)}
    if counts:
        raise ValueError(f"`measures` must rank systems, got counts: {listing(counts)}.")
    if not given:
        raise ValueError("`measures` must hold at least one measure, got none.")
    _check_no_aliases(given)
    return {str(measure): resolve_measure(measure) for measure in given}


def is_known(measure: object) -> bool:
    """Whether a name is that of a measure of ir_measures or trec_eval."""
    try:
        resolve_measure(measure)
    except ValueError:
        return False
    return True


def has_valid_parameters(measure: Measure) -> bool:
    """Whether a measure has all parameters that it needs, as P a cut-off, and none that an evaluator cannot stand."""
    given = [measure.params.get(name, 1) for name in ("cutoff", "rel")]
    if not all(isinstance(value, int) and value >= 1 for value in given):  # a cut-off of 0 ends the whole process
        return False
    try:
        measure.validate_params()
    except AssertionError:
        return False
    return True


def _check_no_aliases(measures: Iterable[object]) -> None:
    first: dict[str, object] = {}
    for measure in measures:
        name = canonical(measure)
        if name in first:
            raise ValueError(f"`measures` must be distinct, got {shown(str(first[name]))} and {shown(str(measure))}.")
        first[name] = measure


def canonical(measure: object) -> str:
    """One name for all aliases of a measure; a name that is not known stays as it is."""
    try:
        return str(resolve_measure(measure))
    except ValueError:
        return str(measure)


def is_count(measure: object) -> bool:
    """Whether a measure counts or lists something (topics, documents) and says nothing of how good a system is."""
    name = canonical(measure)
    return name.startswith(JUDGMENTS_AS_TEXT) or name in COUNTS or name.split("(")[0].split("@")[0] in COUNTS


def find_measure(measure: object, available: Iterable[str]) -> str:
    """The name among those available that means this measure, whatever alias is used.

    Raises:
        TypeError: If the measure is neither a measure nor a string.
        ValueError: If no available name means it.
    """
    names = list(available)
    if not isinstance(measure, (str, Measure)):
        raise TypeError(f"`measure` must be an ir_measures measure or a name, got {shown(measure)}.")
    if str(measure) in names:
        return str(measure)
    wanted = canonical(measure)
    for name in names:
        if canonical(name) == wanted:
            return name
    raise ValueError(f"`measure` must be among {listing(names)}, got {shown(str(measure))}.")
