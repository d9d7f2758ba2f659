"""The page, LaTeX and Markdown: well formed, whatever names systems and measures have."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_rankcorr import report
from pt_rankcorr.reporting.document import Document, Section, html, in_frame, latex, markdown
from pt_rankcorr.tables import NUMBER, WORD, Table, listed
from pt_rankcorr.writers import escape_html, escape_latex, escape_markdown
from tests.fixtures import Page
from tests.reporting.conftest import UNTRUSTED, made_up


@pytest.fixture(scope="module")
def made():
    return report(made_up(20, 8), n_resamples=40, rng=1)


@pytest.fixture(scope="module")
def page(made):
    return Page(made.to_html())


@pytest.mark.whole
def test_elements_are_closed_and_ids_are_distinct(page):
    assert not page.open
    ids = Counter(value for name, value in page.attributes if name == "id")
    assert max(ids.values()) == 1
    inside = {value[1:] for name, value in page.attributes if name == "href" and value.startswith("#")}
    described = {value for name, value in page.attributes if name == "aria-labelledby"}
    assert inside | described <= set(ids)


def test_the_page_needs_nothing_else(page, made):
    assert page.tags["script"] == page.tags["style"] == 1
    assert all(value.startswith(("#", "data:")) for name, value in page.attributes if name in ("href", "src"))
    assert not re.search(r"@import|url\((?!#)", made.to_html())
    assert not any(name.startswith("on") for name, _ in page.attributes)


def test_every_picture_is_described_and_every_table_named(page):
    labels = [value for name, value in page.attributes if name == "aria-label"]
    assert page.tags["figure"] == 7
    assert sum("p-values" in label or "τ_AP" in label or "d_rank" in label for label in labels) >= 4
    assert page.tags["h1"] == 1


def test_names_are_shown_as_they_are(page, made):
    assert set(UNTRUSTED) <= {text.strip() for text in page.text}
    assert "<script>alert" not in made.to_html()
    frame = made._repr_html_()
    assert Page(frame).tags == {"iframe": 1}
    (content,) = [value for name, value in Page(frame).attributes if name == "srcdoc"]
    assert content == made.to_html()


def test_latex_is_balanced(made):
    text = re.sub(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", "", made.to_latex(), flags=re.DOTALL)
    open_ones = []
    for what, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        assert what == "begin" or open_ones.pop() == name
        open_ones += [name] * (what == "begin")
    assert open_ones == []
    assert r"\textless{}script\textgreater{}alert(1)\textless{}/script\textgreater{}" in text
    assert r"100\%\_\$x\$" in text
    assert r"\textbackslash{}input\{x\} \textasciitilde{}\textasciicircum{}\#\{\}" in text


UNSAFE = st.text(alphabet=st.sampled_from("ab\\{}$&#_%^~<>|\"`',[]*-–—!? \n\rτ\u2009APé"), max_size=20)


@given(UNSAFE)
def test_latex_escapes_every_special_character(text):
    escaped = escape_latex(text)
    statistic = r"\$(?:\\\w+|\w|\\mathrm\{\w+\})_\{(?:\w|\\mathrm\{\w+\})\}\$"
    commands = rf"\\(?:text\w+\{{\}}|[{{}}$&#_%,])|{statistic}|\$\\\w+\$|~|\{{[-\[\]*',]\}}|\{{---?\}}"
    assert not re.search(r"[\\{}$&#_%^~<>|\"\n\r]", re.sub(commands, "", escaped))


@pytest.mark.parametrize(
    ("symbol", "source", "page"),
    [
        ("τ\u2009AP b", r"$\tau_{\mathrm{AP}}$ b", "τ<sub>AP</sub> b"),
        ("d\u2009rank", r"$d_{\mathrm{rank}}$", "<i>d</i><sub>rank</sub>"),
        ("RBO\u2009p", r"$\mathrm{RBO}_{p}$", "RBO<sub>p</sub>"),
        ("10\u2009000", r"10\,000", "10\u2009000"),
    ],
)
def test_behind_a_thin_space_stands_a_subscript(symbol, source, page):
    assert escape_latex(symbol) == source
    assert escape_html(symbol) == page


@given(st.lists(UNSAFE, min_size=2, max_size=2), UNSAFE)
def test_no_name_breaks_a_table(names, title):
    columns = (listed(names[0], WORD, names), listed(names[1], NUMBER, names, strong=bool))
    table = Table(columns, range(2), caption=title)
    document = Document(title, title, (Section(title, (table,)),))
    rows = [line for line in markdown(document).splitlines() if line.startswith("| ")]
    assert [len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows] == [3] * 4
    lines = latex(document).splitlines()
    inside = lines[lines.index(r"\toprule") + 1 : lines.index(r"\bottomrule")]
    assert [len(re.findall(r"(?<!\\)&", line)) for line in inside if "&" in line] == [1] * 3
    page = Page(html(document))
    assert not page.open
    assert (page.tags["tr"], page.tags["td"], page.tags["script"]) == (3, 2, 1)
    assert Page(in_frame(html(document))).tags == {"iframe": 1}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.5", "0.5"),
        ("1. first", r"1\. first"),
        ("- item", r"\- item"),
        ("# head", r"\# head"),
        ("a_b*c", r"a\_b\*c"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("x\ny", "x y"),
        ("τ\u2009AP", r"τ\_AP"),
    ],
)
def test_markdown_escapes_what_it_would_read(text, shown):
    assert escape_markdown(text) == shown
