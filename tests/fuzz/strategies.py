"""Hostile names, numbers and bytes, and ways to damage a valid file."""

import gzip

from hypothesis import strategies as st

NAMES = (
    *("bm25", "a b", 'say "hi"', "it's", "two\nlines", "carriage\rreturn", "tab\tbed", "a,b", "'", "-", "|", "`code`"),
    *("<script>alert(1)</script>", "</td><b onmouseover=alert(1)>&amp;", r"\input{/etc/passwd}", "^^5cinput"),
    *(r"\immediate\write18{id}", "100%_$x$ & #1 {a} ~^", "$\\frac{", "\x1b[31mred\x1b[0m", "\x07bell"),
    *("=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "'=1", "''=1", "＝1+1", '=HYPERLINK("http://x","y")'),
    *("\u202eright to left", "שלום", "مرحبا", "运行", "\u200bzero width", "non\u00a0breaking", "line\u2028separator"),
    *("next\x85line", "e\u0301", "é", "NA", "nan", "None", "all", "topic", "name", "0.5", "1e5", "1_0", "١"),
    *("a" * 10_000, "b" * 5_000 + "c" + "b" * 5_000),
)
NUMBERS = (
    *("0", "1", "0.5", "-0.5", "+0.5", ".5", "5.", "-0.0", "5e-324", "1e308", "1e400", "inf", "-inf", "+Infinity"),
    *("nan", "NaN", "-nan", "NA", "", " ", "1_0", "1__0", "_1", "١", "0x10", "0x1p3", "1e5", "1E5", "1,5", "1.5.2"),
    *("--1", "1 ", "٠.٥", "1e", "9" * 400, "0." + "1" * 400, "2147483648", "18446744073709551616", "true", "½"),
)
BLANKS = (" ", "\t", "  ", "\u00a0", "\u3000", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\u2028", "\r")
PIECES = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1f\x8b", b"\r", b"\r\n", b"\n", b'"', b",", b"\t", b" "),
    *(b"\xc2\xa0", b"\xe2\x80\xae", b"\xed\xa0\x80", b"\x1b[2J", b"\x1a", b"\x1c", b"'", b"=", b"all"),
    *(number.encode() for number in NUMBERS),
)

names = st.one_of(st.sampled_from(NAMES), st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
numbers = st.sampled_from(NUMBERS)
places = st.integers(0, 10_000)


def files(*valid):
    """Valid files after a few changes, also in other encodings; and any bytes."""
    first = valid[0]
    encoded = (gzip.compress(first, mtime=0), first.decode().encode("utf-16"), b"\xef\xbb\xbf" + first)
    return st.one_of(damaged(valid), damaged(encoded), st.binary(max_size=80))


@st.composite
def damaged(draw, valid):
    """A valid file after a few changes of bytes, of fields or of lines."""
    content = draw(st.sampled_from(valid))
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 2, 3)))):
        change = draw(st.sampled_from((_bytes, _fields, _fields, _lines)))
        content = change(draw, content)
    return content


def _bytes(draw, content):
    start, removed = draw(places) % (len(content) + 1), draw(st.integers(0, 3))
    piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
    return content[:start] + piece + content[start + removed :]


def _fields(draw, content):
    """One field becomes another number or name, or what stands beside it another blank."""
    separator = next((mark for mark in (b",", b"\t", b" ") if mark in content), b" ")
    parts = content.split(separator)
    index = draw(places) % len(parts)
    new = draw(st.one_of(numbers, names, st.sampled_from(BLANKS))).encode()
    tail = parts[index][parts[index].find(b"\n") :] if b"\n" in parts[index] else b""
    parts[index] = new + tail
    return separator.join(parts)


def _lines(draw, content):
    """A line is lost, repeated, moved to the end, cut, or stands below an empty one."""
    lines = content.splitlines(keepends=True) or [b""]
    index = draw(places) % len(lines)
    line = lines[index]
    lines[index : index + 1] = draw(st.sampled_from(([], [line, line], [line[: len(line) // 2]], [b"\n", line])))
    return b"".join(lines + [line] * draw(st.booleans()))
