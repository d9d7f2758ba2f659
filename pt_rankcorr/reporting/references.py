"""The papers that a report cites, from one file of BibTeX."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def entries() -> dict[str, str]:
    """Key -> entry."""
    text = (files("pt_rankcorr.reporting") / "templates" / "references.bib").read_text(encoding="utf-8")
    return {re.findall(r"{(\w+)", entry)[0]: entry for entry in text.strip().split("\n\n")}


def cited(key: str) -> str:
    """As sentences cite it, "Gao and Oard 2015"; "" for what is not among the entries."""
    entry = entries().get(key, "")
    if not entry:
        return ""
    authors, year = (re.findall(rf"{what}\s*= {{(.*)}}", entry)[0] for what in ("author", "year"))
    names = [author.split()[-1] for author in authors.split(" and ")]
    return f"{names[0]} et al. {year}" if len(names) > 2 else f"{' and '.join(names)} {year}"
