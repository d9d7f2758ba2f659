from __future__ import annotations
from dataclasses import dataclass
from typing import Any
import math
from pt_rankcorr.numbers import decimals, pvalue, with_interval
from pt_rankcorr.tables import table as tables
from pt_rankcorr.tables.grid import symbols
from pt_rankcorr.tables.kinds import COEFFICIENT, COUNT, FLAG, PVALUE, WORD

@dataclass(frozen=True)
class Column:
    name: str
    title: str
    kind: str
    value: Any
    interval: Any = None
    wide: bool = False
    hidden: bool = False

def machine(columns, row):
    found = {}
    for c in columns:
        found[c.name] = c.value(row)
        if c.interval is not None:
            found[f"{c.name.removesuffix(' estimate')} low"], found[f"{c.name.removesuffix(' estimate')} high"] = c.interval(row)
    return found

def text(c, row):
    v = c.value(row)
    if isinstance(v, str): return v
    if v is None or (isinstance(v, float) and math.isnan(v)): return "-"
    if c.kind == "pvalue": return pvalue(v)
    if c.kind == "count": return f"{v:g}"
    if c.kind == "flag": return "yes" if v else ""
    return decimals(v) if c.interval is None else with_interval(v, c.interval(row))

def texts(columns, row, wide=False):
    return {c.title: text(c, row) for c in columns if not c.hidden and (wide or not c.wide)}


def known(c):
    kinds = {"coefficient": COEFFICIENT, "distance": COEFFICIENT, "pvalue": PVALUE, "count": COUNT, "word": WORD, "flag": FLAG}
    stem = c.name.removesuffix(" estimate")
    ends = (f"{stem} low", f"{stem} high")
    strong = (lambda row: row.is_different) if c.name == "pvalue" else None
    how = {"shown": not c.hidden, "ends": ends, "symbol": symbols(c.title), "strong": strong}
    return tables.Column(c.name, c.title, kinds[c.kind], c.value, c.interval, c.wide, **how)
