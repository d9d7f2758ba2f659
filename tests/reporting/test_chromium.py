"""The report in a browser: nothing is asked of the network, tables sort, text can be read, nothing overflows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from matplotlib.image import imread

from pt_rankcorr.reporting.reports import report
from tests.reporting.browser import CHROMIUM, DRIVER, Browser, browser
from tests.reporting.conftest import UNTRUSTED, made_up

pytestmark = [
    pytest.mark.whole,
    pytest.mark.skipif(
        not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver (Debian: chromium, chromium-driver)"
    ),
]

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
SYSTEMS = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((row) => row.cells[0].textContent.trim())"
MEANS = "[...document.querySelectorAll('table')[0].tBodies[0].rows].map((row) => Number(row.cells[5].textContent))"


def click(table: int, column: int) -> str:
    return f"document.querySelectorAll('table')[{table}].tHead.rows[0].cells[{column}].querySelector('button').click();"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    report(made_up(20, 110), path, n_resamples=40, rng=1)
    return path


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as session:
        yield session


def test_no_console_message_and_no_request(chromium: Browser, page: Path) -> None:
    chromium.go("about:blank")
    chromium.log("performance")  # of the browser's own first page
    chromium.open(page)
    assert chromium.log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in chromium.log("performance")]
    requested = {
        event["params"]["request"]["url"] for event in events if event["method"] == "Network.requestWillBeSent"
    }
    assert page.as_uri() in requested
    assert all(url == page.as_uri() or url.startswith("data:") for url in requested)
    assert chromium.run("return performance.getEntriesByType('resource').map((entry) => entry.name)") == []


def test_tables_sort(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    before = chromium.run(f"return {SYSTEMS}")
    means = chromium.run(f"{click(0, 5)} return {MEANS}")
    assert means == sorted(means)
    assert chromium.run("return document.querySelectorAll('th[aria-sort]').length") == 1
    assert chromium.run(f"{click(0, 5)} return {MEANS}") == means[::-1]
    by_name = chromium.run(f"{click(0, 0)} return {SYSTEMS}")
    assert by_name != before
    assert [name for name in by_name if name.startswith("run")] == [f"run{number}" for number in range(105)]
    assert sorted(chromium.run(f"{click(0, 1)} return {SYSTEMS}")) == sorted(before)


def test_columns_sort_from_the_keyboard(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    chromium.run("document.querySelectorAll('table')[0].tHead.rows[0].cells[5].querySelector('button').focus()")
    for kind in ("keyDown", "keyUp"):
        chromium.devtools("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r")
    means = chromium.run(f"return {MEANS}")
    assert means == sorted(means)


def test_it_can_be_read_without_a_script(chromium: Browser, page: Path) -> None:
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=True)
    chromium.open(page)
    chromium.devtools("Emulation.setScriptExecutionDisabled", value=False)
    assert chromium.run("return document.querySelectorAll('button').length") == 0
    assert set(UNTRUSTED) <= set(chromium.run(f"return {SYSTEMS}"))


@pytest.mark.parametrize(("scheme", "media"), [("light", "screen"), ("dark", "screen"), ("dark", "print")])
def test_text_has_the_contrast_of_wcag_aa(chromium: Browser, page: Path, scheme: str, media: str) -> None:
    chromium.open(page)
    chromium.look(width=1400, scheme=scheme, media=media)
    ratios = chromium.run(CONTRASTS)
    assert len(ratios) > 10
    assert {kind: ratio for kind, ratio in ratios.items() if ratio < 4.5} == {}
    background = chromium.run("return getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") == (scheme == "light" or media == "print")


@pytest.mark.parametrize("width", [400, 1400])
def test_nothing_overflows(chromium: Browser, page: Path, width: int) -> None:
    chromium.open(page)
    chromium.look(width=width)
    root = "document.documentElement"
    assert chromium.run(f"return {root}.scrollWidth <= {root}.clientWidth")
    assert chromium.run(OVERFLOWING) == []
    scrolling = "getComputedStyle(element).overflowX === 'auto' && element.tabIndex === 0"
    wide = "element.scrollWidth > element.clientWidth"
    assert chromium.run(
        f"return [...document.querySelectorAll('.table, .picture, pre')].every((element) => {scrolling} || !({wide}))"
    )


def test_the_dark_page_has_no_white_box(chromium: Browser, page: Path, tmp_path: Path) -> None:
    chromium.look(width=1280, scheme="dark")
    chromium.open(page)
    corners = chromium.run(
        "return [...document.querySelectorAll('figure svg')].map((svg) => svg.getBoundingClientRect())"
        ".map((box) => [box.left + 2 + scrollX, box.bottom - 2 + scrollY].map(Math.round))"
    )
    chromium.screenshot(tmp_path / "page.png")
    shot = imread(tmp_path / "page.png")
    assert len(corners) == 5
    assert {shot[y, x, :3].tolist() == shot[2, 2, :3].tolist() for x, y in corners} == {True}


def test_the_table_of_judges_fits_a_laptop(chromium: Browser, tmp_path: Path) -> None:
    scores = made_up(20, 12)
    first = scores.select(measures=scores.measures[:1])
    judges = {f"{name}_4prompts_decomposed": first for name in "ab"}
    report(first, tmp_path / "page.html", against=judges, n_resamples=40, rng=1)
    chromium.open(tmp_path / "page.html")
    chromium.look(width=1280)
    tables = "[...document.querySelectorAll('.table')]"
    judges = f"{tables}.filter((table) => table.textContent.includes('cluster'))"
    assert chromium.run(f"return {judges}.map((table) => table.scrollWidth <= table.clientWidth)") == [True]


def test_pointing_at_a_measure_marks_it_everywhere(chromium: Browser, page: Path) -> None:
    chromium.open(page)
    chromium.look(width=1400)
    rows = "[...document.querySelectorAll('main tbody tr')].filter((row) => row.cells[0].dataset.key === 'AP')"
    marked = "[document.querySelectorAll('tr.marked').length, document.querySelectorAll('svg > .marker').length]"
    point = "dispatchEvent(new PointerEvent('{}'))"
    assert chromium.run(f"return {marked}") == [0, 0]
    n_rows, n_names = chromium.run(f"{rows}[0].{point.format('pointerenter')}; return {marked}")
    assert n_rows == chromium.run(f"return {rows}.length") > 1
    assert n_names >= 1
    assert chromium.run(f"{rows}[0].{point.format('pointerleave')}; return {marked}") == [0, 0]
    label = "document.querySelector('svg [data-name=\"AP\"]')"
    assert chromium.run(f"{label}.{point.format('pointerenter')}; return {marked}") == [n_rows, n_names]
