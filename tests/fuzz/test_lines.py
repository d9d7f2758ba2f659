"""Lines as people have them, in good TREC files: what is plain is read, all else is refused, and nothing in silence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pt_rankcorr as rc
from pt_rankcorr.io.trec import read_qrels, read_run

TOPICS, DOCUMENTS = ("501", "502", "q-3"), ("d1", "CR#93E-1", "7157715", "d4")
RUN = [f"{qid} Q0 {doc} {rank} {9.5 - rank} tag" for qid in TOPICS for rank, doc in enumerate(DOCUMENTS, 1)]
QRELS = [f"{qid} 0 {doc} {(place * 7) % 3 - 1}" for qid in TOPICS for place, doc in enumerate(DOCUMENTS)]
EVAL = [
    f"{measure}\t{topic}\t0.{number}{place}"
    for number, topic in enumerate(TOPICS)
    for place, measure in enumerate(("map", "P10", "R-prec", "myMeasure"))
]

COMMENTS = (
    "# by hand",
    "#",
    "#501 Q0 d9 1 99.5 tag",
    "#501 0 d9 1",
    "# map\t501\t0.9",
    "",
    " \t ",
    "  # indented",
    "#\t#",
)
# of which none is a line of a run; none may be read, nor change another line
NO_RUN = (
    *("501 d9 1", "501\td9\t1\t14.5", "501 d9 14.5", "501 0 d9 1", "501 Q0 d 9 5 1.5 tag", "501 Q0 d9 5 tag", "a,b,c"),
    *("501 Q0 d9 5 1,5 tag", "501 Q0 d9 5 high tag", "501 Q0 d9 5 1.5", "qid Q0 docno rank score tag", "501 Q0 d9"),
    *("501 Q0 d9 5 5 4.5 tag2", "query-id corpus-id score", "501 Q0 d9 5 1_5 tag", "501 Q0 a b 5 1.5"),
)
NO_JUDGMENT = (
    *("501 0 d9", "501 d9 1", "501 0 d9 0.5", "501 0 d9 1,0", "501 0 d9 yes", "501 0 d9 nan", "501 0 d9 1 1"),
    *("501 Q0 d9 1 1.5 tag", "query-id corpus-id score", "query_id iteration doc_id relevance", "501,0,d9,1"),
    *("501 0 d 9 1", "501 0 d9 1 # sure", "501 0 d9 inf", "501 0 d9 1_0"),
)
NO_JUDGMENT_OF_BEIR = (
    "501 0 d9 1",
    "501 d9",
    "501 d9 0.5",
    "501 d9 yes",
    "501 Q0 d9 1 1.5 tag",
    "query-id corpus-id score",
)
NO_EVALUATION = (
    *(
        "map 501",
        "map\t501\t0.5\t0.5",
        "map\t501\thigh",
        "map\t501\t0,5",
        "run map 501 0.5",
        "map",
        "501 Q0 d9 1 1.5 tag",
    ),
    *("map\t\t0.5", "map,501,0.5", "501 0 d9 1"),
)


def respelt(draw, line):
    """The same fields between other blanks."""
    fields = line.split()
    marks = [draw(st.sampled_from((" ", "\t", "  ", " \t", "\t\t", "\t   "))) for _ in fields[1:]]
    around = [draw(st.sampled_from(("", "", " ", "\t"))) for _ in range(2)]
    return around[0] + fields[0] + "".join(map("".join, zip(marks, fields[1:], strict=True))) + around[1]


@st.composite
def files(draw, good, odd, *, more=False):
    """A good file with comments and other blanks, and the same with odd lines in it: texts, of the second or None."""
    lines = list(good)
    if draw(st.booleans()):
        lines = [respelt(draw, line) for line in lines]
    if more:
        lines = [line + draw(st.sampled_from(("", "", " text", " 3 x # y"))) for line in lines]
    for comment in draw(st.lists(st.sampled_from(COMMENTS), max_size=3)):
        lines.insert(draw(st.integers(0, len(lines))), comment)
    wrong = draw(st.lists(st.sampled_from(odd), max_size=2))
    with_wrong = list(lines)
    for line in wrong:
        with_wrong.insert(draw(st.integers(0, len(with_wrong))), line)
    end = draw(st.sampled_from(("", "\n", "\r\n", "\n\n")))
    mark = "\r\n" if end == "\r\n" else "\n"
    return mark.join(lines) + end, mark.join(with_wrong) + end if wrong else None


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("lines") / "file"


def check(read, expected, texts, path):
    good, with_wrong = texts
    path.write_bytes(good.encode())
    assert read(path) == expected
    if with_wrong is not None:
        path.write_bytes(with_wrong.encode())
        with pytest.raises(ValueError, match=r"file' must .*got .*(line \d|on topic)"):
            read(path)


@given(files(RUN, NO_RUN, more=True))
def test_lines_of_runs(path, texts):
    expected = {qid: {doc: 9.5 - rank for rank, doc in enumerate(DOCUMENTS, 1)} for qid in TOPICS}
    check(lambda file: read_run("a", file), expected, texts, path)


@given(files([line + end for line, end in zip(QRELS, ["", ".0", ".00"] * 4, strict=True)], NO_JUDGMENT))
def test_lines_of_judgments(path, texts):
    expected = [[qid, doc, (place * 7) % 3 - 1, "0"] for qid in TOPICS for place, doc in enumerate(DOCUMENTS)]
    check(lambda file: read_qrels(file).to_numpy().tolist(), expected, texts, path)


@given(files(["query-id\tcorpus-id\tscore", *(line.replace(" 0 ", " ", 1) for line in QRELS)], NO_JUDGMENT_OF_BEIR))
def test_lines_of_judgments_with_a_header(path, texts):
    expected = [[qid, doc, (place * 7) % 3 - 1, "0"] for qid in TOPICS for place, doc in enumerate(DOCUMENTS)]
    check(lambda file: read_qrels(file).to_numpy().tolist(), expected, texts, path)


@given(files([*EVAL, "unj_5\t501\t0.9", "rbp_resid\t502\t0.9", "num_ret\tq-3\t9"], NO_EVALUATION))
def test_lines_of_evaluation_output(path, texts):
    def read(file):
        scores = rc.scores_from_trec_eval({"a": file, "b": file}, missing="drop-topics")
        return {
            name: dict(zip(matrix.topics, matrix.values[:, 0].tolist(), strict=True)) for name, matrix in scores.items()
        }

    names = ("map", "P10", "R-prec", "myMeasure")
    expected = {
        name: {topic: float(f"0.{number}{place}") for number, topic in enumerate(TOPICS)}
        for place, name in enumerate(names)
    }
    check(read, expected, texts, path)
