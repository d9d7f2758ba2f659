"""Good tables of every form, in any order, give the same numbers; with odd headings or cells these, or an error."""

import json
import re
import warnings

import numpy as np
import pandas as pd
from hypothesis import assume, given
from hypothesis import strategies as st

import pt_rankcorr as rc
from pt_rankcorr.io.single_scores import read_columns
from pt_rankcorr.warnings import AggregateMismatchWarning

TOPICS = {
    "numbers": [str(number) for number in range(301, 313)],
    "queries": [f"q{number}" for number in range(1, 13)],
    "turns": [f"{31 + number // 3}_{number % 3 + 1}" for number in range(12)],
    "tasks": "arguana climate dbpedia fever fiqa hotpotqa nfcorpus quora scidocs scifact touche covid".split(),
    "zeros": [f"{number:03}" for number in range(7, 19)],
}
SYSTEMS = {
    "names": ["bm25", "dph", "splade", "colbert"],
    "runs": ["run1", "run2", "run3", "run4"],
    "versions": ["gpt-4", "t5", "llama 3.1", "NA"],
    "words": ["best", "all", "selective", "query"],
    "numbers": ["1", "2", "3", "4"],
}
MEASURES = ["AP", "nDCG@10"]
OF_TOPICS = ["topic", "qid", "Query ID", "question_id", "turn_id", "item", "seg_id"]
OF_SYSTEMS = ["run", "system", "Model", "run_id", "method"]
CELLS = ["0,31", "31%", "0.31*", "0.31 ± 0.02", "1.031,5", "high", "n.a.", "(0.31)", "<0.31", "0.3.1", "O.31", "↑0.31"]
GAPS = ["", "NA", "N/A", "null", "None", "-", "nan", "#N/A", "nUll"]


@st.composite
def cubes(draw):
    """Scores of two measures, topics x systems each, of distinct values, so that no other arrangement has the same."""
    n, m = draw(st.integers(4, 12)), draw(st.integers(3, 4))
    topics = TOPICS[draw(st.sampled_from(sorted(TOPICS)))][:n]
    systems = SYSTEMS[draw(st.sampled_from(sorted(SYSTEMS)))][:m]
    random, digits = np.random.default_rng(draw(st.integers(0, 10**6))), draw(st.sampled_from([4, 9]))
    values = random.permutation(np.arange(1, 2 * n * m + 1) / (2 * n * m + 1)).reshape(2, n, m).round(digits)
    return {name: pd.DataFrame(of, topics, systems) for name, of in zip(MEASURES, values, strict=True)}


def long_of(cube, topic, system):
    parts = [
        frame.rename_axis(topic).reset_index().melt(topic, var_name=system, value_name="score").assign(measure=name)
        for name, frame in cube.items()
    ]
    return pd.concat(parts)[[system, topic, "measure", "score"]]


FORMS = (
    *("wide", "wide without heading", "long", "long of one measure", "long with measures", "long with seeds", "frame"),
    *("no header", "leaderboard", "json lines", "json", "markdown", "a file a system"),
)


def write(cube, form, path, random, names, sep):
    """The files of a form, whose rows and columns are in any order; and how they are read."""
    topic, system = names
    long = long_of(cube, topic, system).sample(frac=1, random_state=random)
    frame = cube["AP"].sample(frac=1, random_state=random)
    frame = frame[[*random.permutation(frame.columns)]]
    if form.startswith("wide"):
        frame.to_csv(path, sep=sep, index_label=topic if form == "wide" else "")
    elif form == "markdown":
        rows = [[topic, *frame.columns], ["---"] * (frame.shape[1] + 1), *frame.reset_index().astype(str).to_numpy()]
        path.write_text("\n".join(f"| {' | '.join(row)} |" for row in rows))
    elif form == "json":
        path.write_text(json.dumps({name: dict(frame[name]) for name in frame}))
    elif form == "json lines":
        path.write_text(long[long["measure"] == "AP"].to_json(orient="records", lines=True))
    elif form == "long of one measure":
        table = long[long["measure"] == "AP"].drop(columns="measure")
        table[[*random.permutation(table.columns)]].to_csv(path, sep=sep, index=False)
    elif form == "long with measures":
        table = long.pivot(index=[topic, system], columns="measure", values="score").reset_index()
        table[[*random.permutation(table.columns)]].to_csv(path, sep=sep, index=False)
    elif form == "long with seeds":
        table = pd.concat([long.assign(seed=seed, score=long["score"] + of) for seed, of in ((1, -0.25), (2, 0.25))])
        table[[*random.permutation(table.columns)]].to_csv(path, sep=sep, index=False)
    elif form in ("no header", "leaderboard"):
        columns = [*random.permutation(long.columns)]
        if form == "leaderboard":
            orders = ([system, topic], [topic, system], [system, "measure", topic])
            columns = orders[random.integers(3)]
            columns = [*columns, *(["measure"] if "measure" not in columns else []), "score"]
        long[columns].to_csv(path, sep="\t", index=False, header=False)
    elif form == "a file a system":
        folder = path.with_suffix("")
        folder.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.unlink()
        for name in frame:
            of_system = pd.DataFrame({measure: of[name] for measure, of in cube.items()})
            of_system.sample(frac=1, random_state=random).to_csv(folder / f"{name}.csv", index_label=topic)
        return [folder / f"{name}.csv" for name in frame]
    else:
        long[[*random.permutation(long.columns)]].to_csv(path, sep=sep, index=False)
    return path


def read(cube, form, path, how=()):
    """Scores by measure, or the message of a refusal; and the warnings of rows and columns over others."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if form == "frame":
                result = {"AP": rc.ScoreMatrix(cube["AP"])}
            else:
                result = rc.read_leaderboard(path) if form == "leaderboard" else rc.read_scores(path, **dict(how))
        except (TypeError, ValueError) as error:
            return None, str(error)
    return result, [str(each.message) for each in caught if each.category is AggregateMismatchWarning]


def check_same(scores, cube, topics=None):
    """Every score is that of its system, topic and measure."""
    for name, matrix in scores.items():
        expected = cube["AP" if name not in cube else name]
        expected = expected if topics is None else expected.loc[topics]
        assert set(matrix.systems) == set(expected.columns)
        assert set(matrix.topics) == set(expected.index)
        chosen = matrix.select(topics=list(expected.index), systems=list(expected.columns))
        np.testing.assert_allclose(chosen.values, expected.to_numpy(), rtol=0, atol=1e-12)


tables = st.tuples(
    cubes(),
    st.sampled_from(FORMS),
    st.integers(0, 10**6),
    st.tuples(st.sampled_from(OF_TOPICS), st.sampled_from(OF_SYSTEMS)),
    st.sampled_from([",", "\t", ";"]),
)
# forms whose headings say what all columns hold: these are read, never refused
HEADED = {
    "wide",
    "long",
    "long of one measure",
    "long with measures",
    "long with seeds",
    "frame",
    "markdown",
    "json lines",
}


@given(tables)
def test_shuffled_tables_give_the_same_numbers_or_are_refused(tmp_path_factory, table):
    cube, form, seed, names, sep = table
    path = tmp_path_factory.getbasetemp() / ("AP.csv" if form != "json" else "AP.json")
    scores, messages = read(cube, form, write(cube, form, path, np.random.default_rng(seed), names, sep))
    if scores is None:
        assert form not in HEADED or {"1", "query"} & {*cube["AP"]}, messages
        return
    if messages and "all" in cube["AP"] and form in ("no header", "leaderboard"):
        return  # "all" was taken for rows over all topics, and they are not the means
    assert messages == []
    check_same(scores, cube)


@given(
    tables,
    st.one_of(st.just(["repeat"]), st.lists(st.sampled_from(["scramble", "drop", "quote"]), min_size=1, max_size=2)),
)
def test_other_headings_never_give_other_numbers_in_silence(tmp_path_factory, table, changes):
    """A heading is changed, dropped or repeated: what is read then has each score where it belongs, or is refused."""
    cube, form, seed, names, sep = table
    path = tmp_path_factory.getbasetemp() / "AP.csv"
    random = np.random.default_rng(seed)
    if form in ("frame", "json", "json lines", "leaderboard", "no header", "a file a system", "markdown"):
        form = "long"
    first, _, body = write(cube, form, path, random, names, sep).read_text().partition("\n")
    header = first.split(sep)
    for change in changes:
        place = random.integers(len(header))
        header[place] = {"scramble": "x1", "drop": "", "repeat": header[place - 1], "quote": f'"{header[place]}"'}[
            change
        ]
    path.write_text(f"{sep.join(header)}\n{body}")
    scores, messages = read(cube, form, path)
    if scores is None or messages:
        return
    values = {value for frame in cube.values() for value in frame.to_numpy().ravel().tolist()}
    cells = {
        frame.loc[topic, name]: (topic, name) for frame in cube.values() for topic in frame.index for name in frame
    }
    for matrix in scores.values():  # a system may have lost its name, but no topic another's scores
        for row, topic in enumerate(matrix.topics):
            for column, name in enumerate(matrix.systems):
                value = matrix.values[row, column]
                if value in values and not re.fullmatch(r"t\d+", topic) and name in cube["AP"].columns:
                    assert cells[value] == (topic, name)


ACCIDENTS = (
    *("drop a cell", "empty a cell", "swap two kinds", "repeat a row", "change a heading", "shift a row"),
    *("stray quote", "stray separator", "join two lines", "cut"),
)
OF_FORM = {"markdown": "|", "leaderboard": "\t", "no header": "\t", "json lines": ","}


def damaged(text, sep, accident, random):
    """The text after an accident, or "" where it is as before, or cut inside of its last number."""
    lines = text.splitlines()
    row = int(random.integers(accident == "shift a row", len(lines)))  # names under shifted headings are good names
    cells = lines[row].split(sep)
    first, second = map(int, random.choice(len(cells), 2, replace=False))
    place = int(random.integers(len(lines[row]) + 1))
    if accident == "cut":
        end = int(random.integers(1, len(text)))
        return "" if (text[end - 1].isdigit() and text[end] in "0123456789.") or text[end - 1] == "." else text[:end]
    if accident == "swap two kinds":
        is_score = [re.fullmatch(r" *\d*\.\d+ *", cells[at]) is not None for at in (first, second)]
        cells[first], cells[second] = cells[second], cells[first]
        lines[row] = sep.join(cells) if is_score[0] != is_score[1] else lines[row]
    elif accident == "change a heading":
        header = lines[0].split(sep)
        header[first] = str(
            random.choice(["", "x1", "note", "value", "run", "topic", "0.5", "mean", "AP", "7", "seed"])
        )
        lines[0] = sep.join(header)
    elif accident == "repeat a row":
        lines.insert(int(random.integers(len(lines))), lines[row])
    elif accident == "join two lines":
        lines[row : row + 2] = [sep.join(lines[row : row + 2])]
    elif accident.startswith("stray"):
        lines[row] = lines[row][:place] + ('"' if accident == "stray quote" else sep) + lines[row][place:]
    else:
        dropped = [*cells[:first], *cells[first + 1 :]]
        empty = [*cells[:first], "", *cells[first + 1 :]]
        lines[row] = sep.join({"drop a cell": dropped, "empty a cell": empty}.get(accident, [*cells[1:], cells[0]]))
    return "\n".join([*lines, ""]) if lines != text.splitlines() else ""


@given(tables, st.sampled_from(ACCIDENTS))
def test_accidents_never_give_other_numbers_in_silence(tmp_path_factory, table, accident):
    """What is read then has each score where it belongs; a label may have changed."""
    cube, form, seed, names, sep = table
    has_no_header = form in ("leaderboard", "no header", "json lines")
    if form in ("frame", "json", "a file a system", "long with seeds") or (has_no_header and "heading" in accident):
        form = "wide"
    random = np.random.default_rng(seed)
    path = write(cube, form, tmp_path_factory.getbasetemp() / "AP.csv", random, names, sep)
    text = damaged(path.read_text(), OF_FORM.get(form, sep), accident, random)
    path.write_text(text)
    scores, messages = read(cube, form, path)
    if not text or scores is None or messages:
        return
    values = {value for frame in cube.values() for value in frame.to_numpy().ravel().round(9).tolist()}
    for measure, matrix in scores.items():
        for topic, name in np.ndindex(matrix.shape):
            value = matrix.values[topic, name].round(9)
            labels = matrix.topics[topic], matrix.systems[name]
            frame = cube.get(measure, pd.DataFrame())
            is_known = labels[0] in frame.index and labels[1] in frame
            assert value == frame.loc[labels].round(9) if is_known else value in values


@given(cubes(), st.sampled_from(CELLS), st.integers(0, 3), st.integers(0, 2), st.sampled_from(["wide", "long"]))
def test_cells_that_are_no_numbers_are_named(tmp_path_factory, cube, cell, row, column, form):
    assume("1" not in cube["AP"])  # numbered systems may be topics, which is asked first
    path = tmp_path_factory.getbasetemp() / "AP.csv"
    changed = {name: frame.astype(object) for name, frame in cube.items()}
    changed["AP"].iloc[row, column] = cell
    write(changed, form, path, np.random.default_rng(row), ("topic", "run"), ",")
    scores, message = read(changed, form, path)
    assert scores is None
    assert cell in message
    assert re.search(r"in line \d+, column '", message)


@given(cubes(), st.sampled_from(GAPS), st.integers(0, 3), st.integers(0, 2))
def test_gaps_are_missing_scores(tmp_path_factory, cube, gap, row, column):
    assume("1" not in cube["AP"])
    path = tmp_path_factory.getbasetemp() / "AP.csv"
    changed = cube["AP"].astype(object)
    changed.iloc[row, column] = gap
    changed.to_csv(path, index_label="topic")
    assert read(cube, "wide", path)[0] is None
    scores, _ = read(cube, "wide", path, [("missing", "drop-topics")])
    check_same(scores, cube, topics=[topic for place, topic in enumerate(cube["AP"].index) if place != row])


@given(cubes(), st.integers(0, 10**6), st.sampled_from(OF_SYSTEMS), st.sampled_from([",", "\t", ";"]), st.booleans())
def test_one_score_a_system_in_any_order(tmp_path_factory, cube, seed, heading, sep, has_summary):
    random, path = np.random.default_rng(seed), tmp_path_factory.getbasetemp() / "board.csv"
    scores = pd.DataFrame({name: frame.iloc[0] for name, frame in cube.items()}).rename_axis(heading)
    rows = pd.concat([scores, scores.mean().rename("Average").to_frame().T]) if has_summary else scores
    table = rows.rename_axis(heading).reset_index().sample(frac=1, random_state=random)
    table[[*random.permutation(table.columns)]].to_csv(path, sep=sep, index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if has_summary else "error", AggregateMismatchWarning)
        columns = read_columns([path], keep=["all"])
    for name, frame in scores.items():
        assert columns[name].scores == {str(system): value for system, value in frame.items()}
