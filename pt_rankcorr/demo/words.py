"""The vocabulary of the demonstration collection: function words, everyday words, themes and invented names."""

from __future__ import annotations

from importlib.resources import files
from itertools import product
from typing import NamedTuple

STOPWORDS: tuple[str, ...] = tuple(
    "the of and to in a for that is on was by with as at from it be were an are which this has had have its not or but "
    "their they been who will more than one other into some when there after would about up out over also most".split()
)

EVERYDAY: tuple[str, ...] = tuple(
    """
    year people new time report government work country week group state number company world public plan month day
    official president part city home problem change system case area market study program service law power money
    member question point policy national local community small large early effect result decision meeting research
    issue process water office control level action need order support increase cost method party right history life
    hall school team interest land evidence field development region project trade industry union rule leader
    condition value price review release figure course line agency event paper record response family road rate share
    agreement statement view cause form measure source table practice term example concern future production role test
    letter press loss growth demand staff risk pressure benefit center experience attempt material approach outcome
    director charge security crisis opinion survey committee opportunity account minister capital network season visit
    northern southern eastern western recent final possible major former common annual modern private foreign central
    general original average similar significant serious traditional popular strong difficult successful announced
    expected reported suggested continued published increased described returned decided remained followed offered
    """.split()
)


class Theme(NamedTuple):
    """A subject: words of the whole subject, and the words of each of its aspects, frequent ones first."""

    core: tuple[str, ...]
    aspects: tuple[tuple[str, ...], ...]


_ONSETS = "b br d dr f g gr h k kr l m n p r s st t v z".split()
_MIDDLES = "al an ar el en er il in or ul".split()
_ENDINGS = "ado ang ari bury ek eth ian ova sen vik".split()


def _theme(block: str) -> Theme:
    """A theme from its lines in themes.txt: the first has the core, each other one an aspect."""
    core, *aspects = (tuple(line.split()) for line in block.splitlines())
    return Theme(core, tuple(aspects))


_BLOCKS = (files("pt_rankcorr.demo") / "themes.txt").read_text(encoding="utf-8")
THEMES: tuple[Theme, ...] = tuple(map(_theme, _BLOCKS.strip().split("\n\n")))

# Names of people and places: the long tail of the vocabulary, which no word list can have.
NAMES: tuple[str, ...] = tuple("".join(parts) for parts in product(_ONSETS, _MIDDLES, _ENDINGS))
