"""The report in a browser: nothing is asked of the network, tables sort, text can be read, nothing overflows."""

import html
import json
import re
import shutil
import subprocess

import pytest

pytest.importorskip("matplotlib")
from matplotlib.image import imread

from pt_rankcorr import report
from tests.reporting.conftest import MEASURES, UNTRUSTED, made_up

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
COMMAND = (CHROMIUM, *"--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --enable-logging=stderr".split())
pytestmark = [pytest.mark.whole, pytest.mark.skipif(not CHROMIUM, reason="needs Chromium")]

FRAME = """<!doctype html>
<body style="margin: 0"><iframe style="border: 0; width: {width}px; height: 900px" {sandbox} srcdoc="{page}"></iframe>
<script>
  const frame = document.querySelector("iframe");
  frame.onload = () => {{
    const {{document: page, getComputedStyle: style, performance: times}} = frame.contentWindow;
    const ask = new Function("document", "getComputedStyle", "performance", {script});
    document.documentElement.dataset.answer = JSON.stringify(ask(page, style, times));
  }};
</script>"""
CONTRASTS = """
const channel = (value) => (value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const paper = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parts(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
    if (colour[3] !== 0) throw new Error("a background that is neither there nor not");
  }
  return [255, 255, 255];
};
const seen = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.data.trim() || element.closest("script, svg") || !element.getClientRects().length) continue;
  const [ink, behind] = [parts(getComputedStyle(element).color), paper(element)].map(luminance);
  const ratio = (Math.max(ink, behind) + 0.05) / (Math.min(ink, behind) + 0.05);
  const kind = element.tagName + "." + element.className;
  seen.set(kind, Math.min(ratio, seen.get(kind) ?? 99));
}
return Object.fromEntries(seen);
"""
OVERFLOWING = """
const width = document.documentElement.clientWidth;
const inside = (element) => element.parentElement.closest(".table, .picture, pre, svg");
return [...document.body.querySelectorAll("*")]
  .filter((element) => !inside(element) && !element.classList.contains("skip"))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    return left < -0.5 || right > width + 0.5;
  })
  .map((element) => element.outerHTML.slice(0, 80));
"""
# as for a printer: rules for print are for all
PRINTED = "for (const sheet of document.styleSheets) for (const rule of sheet.cssRules) if (rule.media?.mediaText === "
PRINTED += "'print') rule.media.mediaText = 'all';"
SYSTEMS = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((row) => row.cells[0].textContent.trim())"
MEANS = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((row) => Number(row.cells[5].textContent))"


def click(table, column):
    return f"document.querySelectorAll('table')[{table}].tHead.rows[0].cells[{column}].querySelector('button').click();"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(made_up(20, 110, (*MEASURES[:2], MEASURES[-1])), path, n_resamples=40, rng=1)
    return path


@pytest.fixture
def ask(tmp_path):
    """What a script returns that runs in the page, and what the browser writes into its console."""

    def ask(page, script, *, width=1400, scheme="light", sandbox=""):
        parts = {"page": html.escape(page.read_text(encoding="utf-8")), "script": json.dumps(script)}
        path = tmp_path / "frame.html"
        path.write_text(FRAME.format(width=width, sandbox=sandbox, **parts), encoding="utf-8")
        flags = [
            f"--blink-settings=preferredColorScheme={int(scheme == 'light')}",
            f"--user-data-dir={tmp_path}/profile",
        ]
        ran = subprocess.run(
            [*COMMAND, *flags, "--dump-dom", path.as_uri()], capture_output=True, check=True, timeout=60
        )
        answer = re.search('<html data-answer="([^"]*)"', ran.stdout.decode())
        console = [line for line in ran.stderr.decode().splitlines() if "CONSOLE" in line]
        assert answer, console
        return json.loads(html.unescape(answer.group(1))), console

    return ask


def test_no_console_message_and_no_request(ask, page):
    assert ask(page, "return performance.getEntriesByType('resource').map((entry) => entry.name)") == ([], [])


def test_tables_sort(ask, page):
    clicks = [click(0, 5), click(0, 5), click(0, 0), click(0, 1)]
    answers = ", ".join(f"(() => {{ {clicked} return [{MEANS}, {SYSTEMS}] }})()" for clicked in ("", *clicks))
    (_, before), (means, _), (backwards, _), (_, by_name), (_, other) = ask(page, f"return [{answers}]")[0]
    assert means == sorted(means) == backwards[::-1]
    assert by_name != before
    assert [name for name in by_name if name.startswith("run")] == [f"run{number}" for number in range(105)]
    assert sorted(other) == sorted(before)
    assert ask(page, f"{click(0, 5)} return document.querySelectorAll('th[aria-sort]').length")[0] == 1


def test_it_can_be_read_without_a_script(ask, page):
    script = f"return [document.querySelectorAll('button').length, {SYSTEMS}]"
    (n_buttons, systems), _ = ask(page, script, sandbox='sandbox="allow-same-origin"')
    assert n_buttons == 0
    assert set(UNTRUSTED) <= set(systems)


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_text_has_the_contrast_of_wcag_aa(ask, page, scheme, media):
    background = "getComputedStyle(document.body).backgroundColor"
    script = f"const ratios = (() => {{ {CONTRASTS} }})(); return [ratios, {background}]"
    (ratios, paper), _ = ask(page, f"{PRINTED if media == 'print' else ''} {script}", scheme=scheme)
    assert len(ratios) > 10
    assert {kind: ratio for kind, ratio in ratios.items() if ratio < 4.5} == {}
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light" or media == "print")


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_overflows(ask, page, width):
    root = "document.documentElement"
    scrolling = "getComputedStyle(element).overflowX === 'auto' && element.tabIndex === 0"
    boxes = "[...document.querySelectorAll('.table, .picture, pre')]"
    scrolls = f"{boxes}.every((element) => {scrolling} || element.scrollWidth <= element.clientWidth)"
    fits = f"{root}.scrollWidth <= {root}.clientWidth && {scrolls}"
    answer, _ = ask(page, f"return [{fits}, (() => {{ {OVERFLOWING} }})()]", width=width)
    assert answer == [True, []]


def test_the_dark_page_has_no_white_box(ask, page, tmp_path):
    boxes = "[...document.querySelectorAll('figure svg')].map((svg) => svg.getBoundingClientRect())"
    corners = f"{boxes}.map((box) => [box.left + 2, box.bottom - 2].map(Math.round))"
    unscrolled = "document.documentElement.style.overflow = 'hidden'"  # as wide as in the picture
    script = f"{unscrolled}; return [document.documentElement.scrollHeight, {corners}]"
    (height, places), _ = ask(page, script, width=1280)
    shot = ["--hide-scrollbars", f"--window-size=1280,{height}", f"--screenshot={tmp_path}/page.png"]
    dark = "--blink-settings=preferredColorScheme=0"
    subprocess.run([*COMMAND, dark, *shot, page.as_uri()], capture_output=True, check=True, timeout=60)
    picture = imread(tmp_path / "page.png")
    assert len(places) == 7
    assert {picture[y, x, :3].tolist() == picture[2, 2, :3].tolist() for x, y in places} == {True}
    assert picture[2, 2, :3].max() < 0.5


def test_the_table_of_judges_fits_a_laptop(ask, tmp_path):
    scores = made_up(20, 12)
    first = scores.select(measures=scores.measures[:1])
    judges = {f"{name}_4prompts_decomposed": first for name in "ab"}
    report(first, tmp_path / "page.html", against=judges, n_resamples=40, rng=1)
    tables = "[...document.querySelectorAll('.table')].filter((table) => table.textContent.includes('may be best'))"
    fits = f"return {tables}.map((table) => table.scrollWidth <= table.clientWidth)"
    assert ask(tmp_path / "page.html", fits, width=1280)[0] == [True]


def test_pointing_at_a_measure_marks_it_everywhere(ask, page):
    rows = "[...document.querySelectorAll('main tbody tr')].filter((row) => row.cells[0].dataset.key === 'AP')"
    marked = "[document.querySelectorAll('tr.marked').length, document.querySelectorAll('svg > .marker').length]"
    label, point = "document.querySelector('svg [data-name=\"AP\"]')", "dispatchEvent(new PointerEvent('pointer{}'))"
    first, leave = f"{rows}[0].{point.format('enter')}", f"{rows}[0].{point.format('leave')}"
    steps = ["0", first, leave, f"{label}.{point.format('enter')}"]
    script = ", ".join(f"({step}, {marked})" for step in steps)
    (none, on_row, left, on_label, n_rows), _ = ask(page, f"return [{script}, {rows}.length]")
    assert none == left == [0, 0]
    assert on_row == on_label
    assert on_row[0] == n_rows > 1
    assert on_row[1] >= 1
