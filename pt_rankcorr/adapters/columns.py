"""Text as columns: where the fields of all lines begin and end, their keys and their numbers, and no object a field.

All is computed on whole arrays, eight bytes at a time. What is not as plain as files mostly are is `Irregular`: it is
read line by line elsewhere, where errors are told, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from sys import intern
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_rankcorr.adapters.fields import as_number
from pt_rankcorr.stats.core.types import Floats

Bytes: TypeAlias = NDArray[np.uint8]
Keys: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

WORD = 8  # bytes
MOST_WORDS = 64  # of names that are sorted
PADDING = 8 * WORD  # after the last byte of a text: words may be looked at there
BLOCK = 1 << 19  # bytes that are taken apart at a time: they stay in the cache
LAST_OF_LINE, END_OF_LINE = re.compile(b"[\r\n]"), re.compile(b"\n")
KEPT = np.array([(1 << 8 * n) - 1 for n in range(WORD + 1)], dtype=np.uint64)  # of a word of which n bytes count
ODD, HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)  # the first is 2^64 over the golden ratio
EXACT = 1 << 53  # up to which whole numbers are floats
TENS = 10 ** np.arange(20, dtype=np.uint64)
MOST_DECIMALS = 3 * WORD
DIVISORS = np.array([float(f"1e{n}") for n in range(MOST_DECIMALS + 1)])
EXACT_DIVISORS = 22  # powers of ten up to it are floats
ONES = np.uint64(0x0101010101010101)  # a byte each
# digits are joined with their neighbours, then pairs, then fours: their bits, the factor of the first, their places
JOINS = [
    (np.uint64(bits), np.uint64(power), np.uint64(mask))
    for bits, power, mask in (
        (8, 10 * 2**8 + 1, 0x0F0F0F0F0F0F0F0F),
        (16, 100 * 2**16 + 1, 0x00FF00FF00FF00FF),
        (32, 10_000 * 2**32 + 1, 0x0000FFFF0000FFFF),
    )
]


class Irregular(Exception):
    """A text that is not plain enough to be read as columns."""


class Texts:
    """Pieces of one array of bytes.

    Args:
        data: The bytes, and `PADDING` more.
        start, length: Where each begins, and how many bytes it has.
    """

    def __init__(self, data: Bytes, start: Places, length: Places) -> None:
        self.data, self.start, self.length = data, start, length
        self._words: Keys = np.ndarray((len(data) - WORD + 1,), "<u8", data, strides=(1,))

    @classmethod
    def of(cls, texts: list[str]) -> Texts:
        """The pieces that are those texts."""
        joined = "".join(texts)
        lengths: Any = map(len, texts) if joined.isascii() else (len(text.encode()) for text in texts)
        length = np.fromiter(lengths, np.int64, len(texts))
        return cls(padded(joined.encode()), np.cumsum(length) - length, length)

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, at: Any) -> Texts:
        return Texts(self.data, self.start[at], self.length[at])

    def word(self, number: int = 0) -> Keys:
        """Eight bytes of each, the first lowest, and zeros after the last."""
        if number:
            return Texts(self.data, self.start + WORD * number, self.length - WORD * number).word()
        word = self._words[self.start]
        word &= KEPT[np.clip(self.length, 0, WORD)]
        return word

    @property
    def n_words(self) -> int:
        """How many words the longest has."""
        return -(-int(self.length.max(initial=0)) // WORD)

    def has_blanks_around(self) -> bool:
        """Whether any piece begins or ends with a blank, or another control."""
        held = self[self.length > 0]
        outer = self.data[held.start], self.data[held.start + held.length - 1]
        return any(bool((byte <= ord(" ")).any()) for byte in outer)

    def keys(self) -> Keys:
        """One number a piece, the same for the same bytes, and hardly ever for others."""
        keys = _mixed(self.word())
        shortest = self.length.min() if len(self) else 0
        for number in range(1, self.n_words):
            if shortest > WORD * number:
                keys = _mixed(keys ^ self.word(number))
            else:
                longer = np.flatnonzero(self.length > WORD * number)
                keys[longer] = _mixed(keys[longer] ^ self[longer].word(number))
        return keys

    def same(self, others: Texts) -> Mask:
        """Which of the pieces hold what the piece of others at that place holds."""
        same = self.length == others.length
        for number in range(self.n_words):
            at = np.flatnonzero(same & (self.length > WORD * number))
            same[at] = self[at].word(number) == others[at].word(number)
        return np.asarray(same)

    def equal(self, text: str) -> Mask:
        """Which of the pieces hold that text."""
        other = Texts.of([text])
        return self.same(other[np.zeros(len(self), dtype=np.int64)])

    def distinct(self) -> tuple[Places, Texts]:
        """Which of the distinct pieces each is, and those, by first appearance."""
        codes, keys = pd.factorize(self.keys())
        first = np.empty(len(keys), dtype=np.int64)
        first[codes[::-1]] = np.arange(len(codes))[::-1]
        heads = self[first]
        if not self.same(heads[codes]).all():
            raise Irregular
        return codes, heads

    def order(self) -> tuple[Keys, ...]:
        """Words as numbers that sort as the pieces do, for `np.lexsort`; `Irregular` if that takes many."""
        if self.n_words > MOST_WORDS:
            raise Irregular
        return tuple(self.word(number).byteswap() for number in reversed(range(max(self.n_words, 1))))

    def strings(self) -> list[str]:
        """The pieces as text."""
        if not len(self):
            return []
        first, ends = int(self.start.min()), self.start + self.length
        raw = self.data[first : int(ends.max())].tobytes()
        places = zip((self.start - first).tolist(), (ends - first).tolist(), strict=True)
        if raw.isascii():
            text = raw.decode()
            return [text[start:end] for start, end in places]
        return [raw[start:end].decode() for start, end in places]

    def floats(self) -> tuple[Floats, Mask, Mask]:
        """The decimal number that each is; which are plain, and which of these are sure to be the nearest float.

        Plain ones are digits, at most 19 that count, with at most a point and a minus. They are off by two units in the
        last place at most. The others may be anything.
        """
        negative = (self.data[self.start] == ord("-")) & (self.length > 0)
        length = self.length - negative
        digits = Texts(self.data, self.start + negative, length)
        word = digits.word()
        n_whole = _before_point(digits, word)
        n_decimals = np.maximum(length - n_whole - 1, 0)
        plain = (n_whole <= WORD) & (n_decimals <= MOST_DECIMALS) & (n_whole + n_decimals > 0)
        n_decimals[~plain] = 0
        number, of_digits = _whole_numbers(word, np.minimum(n_whole, WORD))
        plain &= of_digits
        for skipped in range(0, int(n_decimals.max(initial=0)), WORD):
            size = np.clip(n_decimals - skipped, 0, WORD)
            part, of_digits = _whole_numbers(digits._words[digits.start + n_whole + (1 + skipped)], size)
            plain &= of_digits & (number < TENS[len(TENS) - 1 - size])
            number *= TENS[size]
            number += part
        values = number / DIVISORS[n_decimals]
        np.negative(values, out=values, where=negative)
        return values, plain, plain & (number <= EXACT) & (n_decimals <= EXACT_DIVISORS)

    def nearest_floats(self) -> Floats:
        """The float nearest to the number that each piece is; ValueError if one is none."""
        values, _, exact = self.floats()
        inexact = np.flatnonzero(~exact)
        values[inexact] = [as_number(text) for text in self[inexact].strings()]
        return values


def padded(*blocks: bytes) -> Bytes:
    """The bytes as an array, with `PADDING`."""
    return np.frombuffer(b"".join((*blocks, b"\n" * PADDING)), dtype=np.uint8)


def fields(data: Bytes, n_fields: int, wanted: Sequence[int]) -> Iterator[list[Texts]]:
    """The wanted ones of the fields between blanks of a padded text, a column each, some lines at a time.

    Raises:
        Irregular: If a line has another number of fields; empty lines are left out.
    """
    begin, size = 0, len(data) - PADDING
    while begin < size:
        found = LAST_OF_LINE.search(data.data, min(begin + BLOCK, size))
        end = found.end() if found else size
        start, length = _places(data[begin:end], n_fields)
        if len(start):
            yield [Texts(data, start[at::n_fields] + begin, length[at::n_fields].copy()) for at in wanted]
        begin = end


def _places(block: Bytes, n_fields: int) -> tuple[Places, Places]:
    """Where the fields of all lines begin, and how many bytes they have."""
    blank = np.flatnonzero(block <= ord(" "))
    kind = block[blank]
    is_blank = (kind - np.uint8(ord("\t")) < len("\t\n\v\f\r")) | (kind == ord(" "))  # below a tab is far above
    if not is_blank.all():  # other controls
        raise Irregular
    ends = (kind == ord("\n")) | (kind == ord("\r"))
    length = blank.copy()
    length[1:] -= blank[:-1] + 1
    if length.all() and len(length) % n_fields == 0 and _is_last(ends, n_fields):  # as most files are
        return blank - length, length
    line = np.cumsum(ends) - ends
    held = np.flatnonzero(length)
    is_last = np.diff(line[held], append=-1) != 0
    if len(held) % n_fields or not _is_last(is_last, n_fields):
        raise Irregular
    return blank[held] - length[held], length[held]


def separated(data: Bytes, begin: int, separator: int, n_fields: int, wanted: Sequence[int]) -> Iterator[list[Texts]]:
    """The wanted ones of the fields of a padded text, from a byte on, that stand between separators; as `fields`.

    Raises:
        Irregular: If a line has another number of fields, or a wanted one has blanks around it.
    """
    size = len(data) - PADDING
    size += size > 0 and data[size - 1] != ord("\n")  # the padding ends the last line
    while begin < size:
        found = END_OF_LINE.search(data.data, min(begin + BLOCK, size - 1))
        end = found.end() if found else size
        start, length = _between(data[begin:end], separator, n_fields)
        start += begin
        columns = [Texts(data, start[at::n_fields], length[at::n_fields]) for at in wanted]
        if any(column.has_blanks_around() for column in columns):
            raise Irregular
        yield columns
        begin = end


def _between(block: Bytes, separator: int, n_fields: int) -> tuple[Places, Places]:
    """Where the fields of all lines begin, and how many bytes they have, without the carriage return of the last."""
    is_end = block == ord("\n")
    ends = np.flatnonzero(is_end | (block == separator))
    if len(ends) % n_fields or not _is_last(is_end[ends], n_fields):
        raise Irregular
    start = np.append(0, ends[:-1] + 1)
    length = ends - start
    returns = block[ends[n_fields - 1 :: n_fields] - 1] == ord("\r")
    if np.count_nonzero(block == ord("\r")) != np.count_nonzero(returns):
        raise Irregular
    length[n_fields - 1 :: n_fields] -= returns
    return start, length


def _is_last(ends: Mask, n_fields: int) -> bool:
    """Whether a line ends after each so many fields, and nowhere else."""
    by_line = ends.reshape(-1, n_fields)
    return bool(by_line[:, -1].all()) and np.count_nonzero(by_line) == len(by_line)


def _mixed(keys: Keys) -> Keys:
    keys = keys * ODD
    keys ^= keys >> HALF
    keys *= ODD
    keys ^= keys >> HALF
    return keys


def _before_point(digits: Texts, word: Keys) -> Places:
    """How many bytes are before the first point; more than a word if none is in the first nine bytes."""
    unlike = word ^ (ONES * np.uint64(ord(".")))
    found = (unlike - ONES) & ~unlike
    found &= ONES << np.uint64(7)  # a bit where a byte is a point, from the first on
    found &= ~found + np.uint64(1)
    place = (found.astype(np.float64).view(np.int64) >> 52) - 1023 >> 3
    without = np.flatnonzero(found == 0)
    if len(without):
        length = digits.length[without]
        ninth = digits.data[digits.start[without] + WORD] == ord(".")
        place[without] = np.where((length > WORD) & ~ninth, WORD + 1, np.minimum(length, WORD))
    return place


def _whole_numbers(word: Keys, size: Places) -> tuple[Keys, Mask]:
    """What the first digits of words say, and whether they are digits."""
    absent = WORD - size
    word = word << (absent << 3).view(np.uint64)
    word |= (ONES * np.uint64(ord("0"))) & KEPT[absent]
    unlike = word + np.uint64(0x46) * ONES  # the highest bit of a byte above 9
    unlike |= word - np.uint64(ord("0")) * ONES  # or below 0
    unlike &= np.uint64(0x80) * ONES
    for bits, factor, mask in JOINS:
        word &= mask
        word *= factor
        word >>= bits
    return word, unlike == 0


def named(texts: Texts, value_of: Callable[[str], Any] = str) -> NDArray[np.object_]:
    """What each of few distinct texts stands for; `Irregular` if one stands for nothing."""
    codes, heads = texts.distinct()
    try:
        values = [value_of(head) for head in heads.strings()]
    except ValueError:
        raise Irregular from None
    return as_objects(values)[codes]


class Names:
    """Names and their numbers, by first appearance, of texts that come one block after the other."""

    def __init__(self) -> None:
        self._at: dict[str, int] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self._at)

    def numbers(self, texts: Texts) -> NDArray[np.int32]:
        """The number of each text's name."""
        codes, heads = texts.distinct()
        at = self._at
        numbers = [at.setdefault(intern(name), len(at)) for name in heads.strings()]  # files share the memory of names
        return np.array(numbers, dtype=np.int32)[codes]


def as_objects(values: list[Any]) -> NDArray[np.object_]:
    """An array of these objects."""
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def are_distinct(keys: Keys) -> bool:
    """Whether all keys differ."""
    in_order = np.sort(keys)
    return not bool((in_order[1:] == in_order[:-1]).any())
