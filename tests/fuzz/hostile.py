"""Hostile names, numbers and bytes, and ways to damage a valid file, all as strategies."""

from __future__ import annotations

from hypothesis import strategies as st

NAMES = (
    "bm25",
    "a b",
    'say "hi"',
    "it's",
    "two\nlines",
    "carriage\rreturn",
    "tab\tbed",
    "a,b",
    "<script>alert(1)</script>",
    "</td><b onmouseover=alert(1)>&amp;",
    r"\input{/etc/passwd}",
    r"\immediate\write18{id}",
    "^^5cinput",
    "100%_$x$ & #1 {a} ~^",
    "$\\frac{",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "''=1",
    "'",
    "＝1+1",
    '=HYPERLINK("http://x","y")',
    "\x1b[31mred\x1b[0m",
    "\x07bell",
    "\u202eright to left",
    "שלום",
    "مرحبا",
    "运行",
    "\u200bzero width",
    "non\u00a0breaking",
    "line\u2028separator",
    "next\x85line",
    "e\u0301",
    "é",
    "NA",
    "nan",
    "None",
    "all",
    "topic",
    "name",
    "0.5",
    "1e5",
    "1_0",
    "١",
    "-",
    "|",
    "`code`",
    "a" * 10_000,
    "b" * 5_000 + "c" + "b" * 5_000,
)
NUMBERS = (
    *("0", "1", "0.5", "-0.5", "+0.5", ".5", "5.", "-0.0", "1e-310", "5e-324", "1e308", "1.7976931348623157e308"),
    *("1e400", "-1e400", "inf", "-inf", "+Infinity", "nan", "NaN", "-nan", "NA", "", " ", "1_0", "1__0", "_1", "١"),
    *("0x10", "0x1p3", "1e5", "1E5", "1,5", "1.5.2", "--1", "1 ", "٠.٥", "1e", "9" * 400, "0." + "1" * 400, "1" * 5000),
    *("2147483648", "4294967296", "18446744073709551616", "1000001", "-1000001", "1.0", "true", "None", "𝟙", "½"),
)
BLANKS = (" ", "\t", "  ", "\u00a0", "\u3000", "\x0b", "\x0c", "\x1c", "\x1f", "\x85", "\u2028", "\r")
PIECES = (
    *(b"\0", b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\x1f\x8b", b"\r", b"\r\n", b"\n", b'"', b",", b"\t", b" "),
    *(b"\xc2\xa0", b"\xe3\x80\x80", b"\xe2\x80\xae", b"\xed\xa0\x80", b"\x1b[2J", b"\x1a", b"\x1c", b"'", b"=", b"all"),
    *(number.encode() for number in NUMBERS[:40]),
)

names = st.one_of(st.sampled_from(NAMES), st.text(min_size=1, max_size=6))
numbers = st.sampled_from(NUMBERS)
floats = st.one_of(
    st.sampled_from([0.0, -0.0, 5e-324, 1e-101, 1e-100, 0.1, 1 / 3, 1.0, 1e100, -1e101]),
    st.floats(-1e300, 1e300, allow_subnormal=True),
)
places = st.integers(0, 10_000)


@st.composite
def damaged(draw: st.DrawFn, valid: tuple[bytes, ...]) -> bytes:
    """A valid file after a few changes of bytes, of fields or of lines."""
    content = draw(st.sampled_from(valid))
    for _ in range(draw(st.sampled_from((0, 1, 1, 1, 2, 2, 3)))):
        kind = draw(st.sampled_from((_bytes, _fields, _fields, _lines)))
        content = kind(draw, content)
    return content


def _bytes(draw: st.DrawFn, content: bytes) -> bytes:
    at, gone = draw(places) % (len(content) + 1), draw(st.integers(0, 3))
    piece = draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)))
    return content[:at] + piece + content[at + gone :]


def _fields(draw: st.DrawFn, content: bytes) -> bytes:
    """One field becomes another number or name, or what stands beside it another blank."""
    separator = next((mark for mark in (b",", b"\t", b" ") if mark in content), b" ")
    parts = content.split(separator)
    at = draw(places) % len(parts)
    new = draw(st.one_of(numbers, names, st.sampled_from(BLANKS))).encode("utf-8", "replace")
    tail = parts[at][parts[at].find(b"\n") :] if b"\n" in parts[at] else b""
    parts[at] = new + tail
    return separator.join(parts)


def _lines(draw: st.DrawFn, content: bytes) -> bytes:
    """A line is lost, repeated, moved to the end or cut."""
    lines = content.splitlines(keepends=True) or [b""]
    at = draw(places) % len(lines)
    what = draw(st.sampled_from(("lose", "repeat", "move", "cut", "blank")))
    line = lines[at]
    new = {"lose": [], "repeat": [line, line], "move": [], "cut": [line[: len(line) // 2]], "blank": [b"\n", line]}
    lines[at : at + 1] = new[what]
    return b"".join(lines + [line] * (what == "move"))
