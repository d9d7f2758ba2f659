"""Runs and judgments in all their forms: what comes out is what ir_measures evaluates."""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from csv import QUOTE_NONE
from io import BytesIO
from itertools import islice, pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from ir_measures.util import QrelsConverter, RunConverter
from numpy.typing import NDArray

from pt_rankcorr.choices import IRDS
from pt_rankcorr.io import irds, judgment_tables, paths, spreadsheets
from pt_rankcorr.stats.core.arguments import as_text
from pt_rankcorr.stats.core.headings import plain_heading
from pt_rankcorr.stats.core.parsing import as_pandas
from pt_rankcorr.stats.core.types import Indices
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import (
    MissingLabelsWarning,
    RepeatedJudgmentsWarning,
    UnmatchedNamesWarning,
    warn,
)

# topic -> document -> score, in the order of trec_eval
Run: TypeAlias = dict[str, dict[str, float]]

LARGEST_SCORE = 3.4e38  # evaluators keep scores in single precision: what is larger would be tied
# they count documents by label, up to the highest, and lose bits of those beyond 32
LARGEST_LABEL = 1_000_000
DOCUMENT = ["query_id", "doc_id"]
QRELS_COLUMNS = [*DOCUMENT, "relevance", "iteration"]
JUDGED = [*DOCUMENT, "iteration"]
# PyTerrier's names of columns -> those of ir_measures
HOST_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
# subtopics of ir-datasets are iterations
KNOWN_COLUMNS = (*HOST_NAMES, *QRELS_COLUMNS, "score", "subtopic_id")
COMMENT = "#"  # what lines begin with that trec_eval skips
BYTE_ORDER_MARK = BOM_UTF8.decode()  # within a file where files were put together
# names of columns of judgments in BEIR -> those of ir_measures
BEIR = {"queryid": "query_id", "corpusid": "doc_id", "score": "relevance"}
LOOKS_SWAPPED = " Are the runs and the qrels swapped?"
AS_TABLE = "A first line that names its columns, such as qid docno score, makes it a table."
# the number of fields of a line -> what a message says of it
OTHERS_THAN_QRELS = {
    3: " It looks like judgments without iterations, which need a first line such as that of BEIR: "
    "query-id corpus-id score.",
    5: " It has more than one label: keep the first four fields of each line, or those of another.",
    6: f" It looks like a TREC run.{LOOKS_SWAPPED}",
}
OTHERS_THAN_RUNS = {
    3: " It looks like a run of MS MARCO (query, passage, rank). The higher a rank, the worse, so "
    "it is no score: give a table with a first line such as qid docno score, and scores such as "
    "-rank.",
    4: f" It looks like a run of ColBERT (query, passage, rank, score). {AS_TABLE}",
}


class Form(NamedTuple):
    """The forms in which runs, or judgments, come."""

    file: str  # what a file is called in messages
    fields: tuple[str, ...]  # of a line, between blanks; those that begin with "_" are not used
    number: str  # which field is a number
    is_whole: bool  # whether that is a whole one
    others: str  # what the other forms are called in messages
    converter: Any  # the class of ir_measures that makes a frame of those


RUN = Form(
    "a TREC run (topic, Q0, document, rank, score, tag in each line)",
    ("query_id", "_q0", "doc_id", "_rank", "score", "tag"),
    "score",
    False,
    "files, frames, dicts or iterables of ScoredDoc",
    RunConverter,
)
WITH_FRACTIONS = Form(
    "TREC qrels (topic, iteration, document, label in each line)",
    ("query_id", "iteration", "doc_id", "relevance"),
    "relevance",
    False,
    "a file, a frame, a dict or an iterable of Qrel",
    QrelsConverter,
)
QRELS = WITH_FRACTIONS._replace(
    file="TREC qrels (topic, iteration, document, whole-number label in each line)", is_whole=True
)


class ParsedRun(dict[str, dict[str, float]]):
    """A run as `read_run` returns it, topic -> document -> score, which is not read again."""


def read_run(name: str, run: object, parameter: str = "runs") -> Run:
    """The documents of a run, by topic: from a file, a frame, a dict of dicts or ScoredDocs.

    They are ranked as by trec_eval: by score in single precision, ties by name, both descending.
    """
    if isinstance(run, ParsedRun):
        return run
    frame = _read_lines(run, RUN) if paths.is_path(run) else _frame_of(run, RUN, parameter)
    if not len(frame):
        raise ValueError(f"run {shown(name)} must have documents, got none.")
    scores = frame["score"].to_numpy(np.float64)
    is_finite = np.abs(scores) <= LARGEST_SCORE
    if not is_finite.all():
        qid, docno, score = frame.loc[~is_finite, [*DOCUMENT, "score"]].iloc[0]
        seen = f"{score} for document {shown(docno)} on topic {shown(qid)}"
        rule = "have finite scores (in single precision)"
        raise ValueError(f"run {shown(name)} must {rule}, got {seen}.")
    retrieved = ranked(frame, scores)
    if sum(map(len, retrieved.values())) < len(frame):
        qid, docno = frame.loc[frame.duplicated(DOCUMENT), DOCUMENT].iloc[0]
        seen = f"document {shown(docno)} twice on topic {shown(qid)}"
        raise ValueError(f"run {shown(name)} must have each document once per topic, got {seen}.")
    return ParsedRun(retrieved)


def ranked(frame: pd.DataFrame, scores: NDArray[Any]) -> Run:
    """The documents of a frame in the order of trec_eval, by topic; of repeated ones the last."""
    retrieved: Run = by_topic(frame, scores)
    for qid, documents in retrieved.items():
        singles = np.fromiter(documents.values(), np.float64, len(documents)).astype(np.float32)
        if (singles[1:] >= singles[:-1]).any():
            order = sorted(zip(singles.tolist(), documents, strict=True), reverse=True)
            retrieved[qid] = {document: documents[document] for _, document in order}
    return retrieved


def by_topic(frame: pd.DataFrame, values: NDArray[Any]) -> dict[str, dict[str, Any]]:
    """Topic -> document -> value, (n_rows,), of a frame of documents; of repeated ones the last."""
    topics: dict[str, dict[str, Any]] = {}
    qids, documents = frame["query_id"].to_numpy(object), frame["doc_id"].tolist()
    numbers = values.tolist()
    # where stretches of rows of one topic end
    ends = np.flatnonzero(np.append(qids[1:] != qids[:-1], len(qids) > 0)) + 1
    for begin, end in pairwise([0, *ends.tolist()]):
        pairs = zip(documents[begin:end], numbers[begin:end], strict=True)
        topics.setdefault(qids[begin], {}).update(pairs)
    return topics


def tag_of(path: paths.PathName) -> str:
    """The run tag, the sixth field of every line; an error if lines differ, or have none."""
    tags = _read_lines(path, RUN).get("tag", pd.Series(dtype=object))
    if len(different := tags.unique()) != 1:
        seen = "none"
        if len(different):
            line = tags.index[tags == different[1]][0]
            seen = f"{shown(different[0])}, and {shown(different[1])} in line {line}"
        raise paths.file_error(path, "have one run tag for `names='tag'`", seen)
    return str(different[0])


def first_of(run: Run, depth: int) -> Iterator[tuple[str, str, int]]:
    """The first `depth` documents of each topic of a run: topic, document and rank, from 1."""
    for topic, retrieved in run.items():
        for place, document in enumerate(islice(retrieved, depth), 1):
            yield topic, document, place


def ranks_of(run: Run, row_of: Mapping[str, Mapping[str, int]]) -> tuple[Indices, Indices]:
    """The rows and ranks, from 1, of those documents of a run that have a row in `row_of`.

    Two arrays of one length, a document each. `row_of` is topic -> document -> row.
    """
    ranks = [
        (rows[document], place)
        for topic, rows in row_of.items()
        for place, document in enumerate(run.get(topic, ()), 1)
        if document in rows
    ]
    rows, places = np.array(ranks, dtype=np.intp).reshape(-1, 2).T
    return rows, places


# --- judgments ------------------------------------------------------------------------------------


def read_qrels(
    qrels: object,
    keep: Callable[[str, str], bool] | None = None,
    parameter: str = "qrels",
    *,
    fractions: bool = False,
    repeated: bool = False,
    download: bool = False,
) -> pd.DataFrame:
    """Judgments as a frame of ir_measures: query_id, doc_id, relevance, iteration.

    They come from a TREC file, a frame, a dict of dicts, an iterable of Qrels, or ir-datasets
    ("irds:" and an id), from which they may be downloaded. `keep` says of a topic and a document
    whether its judgments are read. Labels may be `fractions`, such as means of several passes. An
    iteration may give a document several labels only if they may be `repeated`; the rows of a file
    then keep the numbers of its lines.
    """
    if isinstance(qrels, str) and qrels.startswith(IRDS):
        qrels = irds.items_of(qrels, "qrels", download=download)
    if paths.is_path(qrels):
        paths.check_file(qrels, parameter, LOOKS_SWAPPED)
        frame = _read_lines(qrels, WITH_FRACTIONS if fractions else QRELS)
    else:
        frame = _frame_of(qrels, QRELS, parameter)
        if not len(frame):
            raise ValueError(f"`{parameter}` must hold judgments, got none.")
    if "iteration" not in frame:
        frame = frame.assign(iteration="0")
    if fractions or paths.is_path(qrels):
        frame = _with_labels(frame, qrels, parameter)
    check_labels(frame["relevance"], parameter, fractions=fractions)
    frame = frame[QRELS_COLUMNS].astype(dict.fromkeys(JUDGED, object))
    if (frame["relevance"] % 1 == 0).all():
        frame["relevance"] = frame["relevance"].astype(np.int64)
    if keep is not None:
        frame = frame[[*map(keep, frame["query_id"], frame["doc_id"])]]
    return frame if repeated else one_label_each(frame, qrels, parameter)


def _with_labels(frame: pd.DataFrame, qrels: object, parameter: str) -> pd.DataFrame:
    """The judgments with a label, with a warning of how many have none (nan).

    If none has one, all are returned, for `check_labels` to refuse.
    """
    is_absent = frame["relevance"].isna()
    if not is_absent.any() or is_absent.all():
        return frame
    of, count = f"`{parameter}`", f"{is_absent.sum()} of {len(frame)}"
    if paths.is_path(qrels):
        of = repr(paths.name_of(qrels))
        count += f" (the first in line {frame.index[is_absent][0]})"
    warn(f"Judgments of {of} without a label are left out: {count}.", MissingLabelsWarning)
    return frame[~is_absent]


def one_label_each(frame: pd.DataFrame, qrels: object, parameter: str) -> pd.DataFrame:
    """Judgments, each once; an error that says where if an iteration gives a document two labels.

    `qrels` is what they were read from. The index of those of a file has the numbers of its lines.
    """
    if frame.duplicated(JUDGED).any():
        frame = frame.drop_duplicates()
        twice = frame[frame.duplicated(JUDGED)]
        if len(twice):
            rule = "one label per document and topic"
            qid, docno = twice[DOCUMENT].iloc[0]
            seen = f"two for {shown(docno)} on topic {shown(qid)}"
            if not paths.is_path(qrels):
                raise ValueError(f"`{parameter}` must have {rule}, got {seen}.")
            seen += f", the second in line {twice.index[0]}"
            seen += f" (and {len(twice) - 1} more such lines)" if len(twice) > 1 else ""
            raise paths.file_error(qrels, f"have {rule}", seen)
    return frame.reset_index(drop=True)


def highest_labels(judgments: pd.DataFrame) -> pd.DataFrame:
    """One judgment a topic and document, in the order of the first: of several the highest label.

    There is a warning, with the count, if some differ.
    """
    if not judgments.duplicated(DOCUMENT).any():
        return judgments
    by_document = judgments.groupby(DOCUMENT, sort=False)["relevance"]
    if differ := int((by_document.nunique() > 1).sum()):
        seen = f"{differ} documents have different labels in several iterations of one topic"
        warn(f"{seen}: the highest counts.", RepeatedJudgmentsWarning)
    highest = by_document.transform("max")
    return judgments.assign(relevance=highest).drop_duplicates(DOCUMENT, ignore_index=True)


def check_labels(labels: pd.Series[Any], parameter: str, *, fractions: bool) -> None:
    """An error if a label is no number, no whole one but for `fractions`, or beyond evaluators."""
    broken = labels[labels.isna() | ((labels % 1 != 0) & (not fractions))].tolist()
    if broken:
        numbers = "numbers" if fractions else "whole numbers"
        raise ValueError(f"`{parameter}` must have {numbers} as labels, got {broken[0]}.")
    beyond = labels[labels.abs() > LARGEST_LABEL].tolist()
    if beyond:
        rule = f"have labels from -{LARGEST_LABEL} to {LARGEST_LABEL}"
        raise ValueError(f"`{parameter}` must {rule}, got {beyond[0]}.")


# --- files ----------------------------------------------------------------------------------------


def _read_lines(path: paths.PathName, form: Form) -> pd.DataFrame:
    """The fields of a file of this form, a column each; the index has the numbers of lines.

    pandas parses most files as they are, and others once empty lines and comments are taken out. It
    is fast, but does not tell which line is wrong: what it does not parse is read line by line. A
    file whose first line names columns is a table.
    """
    if spreadsheets.is_workbook(path):
        return judgment_tables.read_documents(path, form.number)
    with paths.open_text(path, form.file) as text:
        content = text.buffer.read().removeprefix(BOM_UTF8)
        frame = None if not content.isascii() and BOM_UTF8 in content else _parse(content, form)
    if frame is not None:
        return frame.set_axis(pd.RangeIndex(1, len(frame) + 1))
    with paths.open_text(path, form.file) as text:
        bare = (line.lstrip(BYTE_ORDER_MARK).strip(" \t\r\n") for line in text)
        # a "#" further on belongs to a name
        lines = {at: line for at, line in enumerate(bare, 1) if line and line[0] != COMMENT}
    for number, line in lines.items():
        if BYTE_ORDER_MARK in line:
            hint = " It has a byte order mark within: were files put together without a line break?"
            raise paths.line_error(path, number, line, form.file, hint)
    if not lines:
        raise paths.file_error(path, f"be {form.file}", "an empty file")
    if judgment_tables.is_first_line(next(iter(lines.values()))):
        return judgment_tables.read_documents(path, form.number)
    frame = _parse("\n".join(lines.values()).encode(), form)
    return _read_one_by_one(path, lines, form) if frame is None else frame.set_axis([*lines])


def _parse(content: bytes, form: Form) -> pd.DataFrame | None:
    """The fields of a text, a column each; None if lines are empty, comments, uneven or wrong.

    Fields between single blanks, or tabs, are parsed faster; some may be empty at ends of lines.
    """
    fields = form.fields
    separator = r"\s+"
    for one, other in ((b" ", b"\t"), (b"\t", b" ")):
        if other not in content and 2 * one not in content:
            separator = one.decode()
    texts = [place for place, name in enumerate(fields) if name != form.number]
    try:
        frame: pd.DataFrame = pd.read_csv(
            BytesIO(content), sep=separator, header=None, dtype=dict.fromkeys(texts, object),
            quoting=QUOTE_NONE, na_filter=False, skip_blank_lines=False, low_memory=False,
            **paths.NEAREST,
        )  # fmt: skip
    except (pd.errors.ParserError, pd.errors.EmptyDataError):
        return None
    width = frame.shape[1]
    if width < len(fields) or (width > len(fields) and form is not RUN):
        return None
    frame = frame.iloc[:, : len(fields)].set_axis([*fields], axis=1)
    numbers = frame[form.number]
    if numbers.dtype.kind not in "iuf" or (form.is_whole and not (numbers % 1 == 0).all()):
        return None
    topics = {*frame["query_id"].tolist()}
    is_empty = "" in topics or "" in {*frame[fields[-1]].tolist()}
    has_comments = any(topic.startswith(COMMENT) for topic in topics)
    is_shifted = form is RUN and _is_shifted(frame, has_more=width > len(fields))
    return None if is_empty or has_comments or is_shifted else frame


def _read_one_by_one(path: paths.PathName, lines: Mapping[int, str], form: Form) -> pd.DataFrame:
    """The fields of lines by their numbers, a column each; an error for the first wrong line."""
    fields = form.fields
    place = fields.index(form.number)
    rows: dict[int, list[Any]] = {}
    for number, line in lines.items():
        row = rows[number] = re.split(r"[ \t]+", line)
        is_full = len(row) == len(fields) or (form is RUN and len(row) > len(fields))
        value = paths.number_of(row[place]) if is_full else None
        if value is None or (form.is_whole and value % 1 != 0):
            hint = _hint_of(line.split(), form)
            raise paths.line_error(path, number, line, form.file, hint)
        row[place] = value
    values = [row[: len(fields)] for row in rows.values()]
    frame = pd.DataFrame(values, index=[*rows], columns=[*fields])
    longer = [number for number, row in rows.items() if len(row) > len(fields)]
    if form is RUN and _is_shifted(frame, has_more=bool(longer)):
        number = (longer or [*rows])[0]
        hint = " Its sixth field must be a tag, after which anything may follow:"
        hint += " do names of documents have blanks?"
        raise paths.line_error(path, number, lines[number], form.file, hint)
    return frame


def _is_shifted(run: pd.DataFrame, *, has_more: bool) -> bool:
    """Whether fields of a run stand further on than they should, as after a document with blanks.

    Ranks are then no numbers, or tags are scores; both where no line has more than six fields (not
    `has_more`), as of a run without tags whose documents have one blank.
    """
    if not has_more:
        run = run.iloc[:1]  # as then all lines are so
    tags = run["tag"].unique()
    has_ranks = all(map(paths.is_number, run["_rank"].unique()))
    scores = [tag for tag in tags if paths.is_number(tag)]
    has_tags = not scores or (len(tags) == 1 and scores[0].isdigit())
    return not (has_ranks and has_tags) if has_more else not (has_ranks or has_tags)


def _hint_of(row: Sequence[str], form: Form) -> str:
    """What a line that is not of the form looks like by its fields, and a remedy; "" if unknown."""
    count = len(row)
    if count == 1 and "," in row[0]:
        names = f"qid,docno,{'score' if form is RUN else 'label'}"
        needed = "a first line that names its columns"
        return f" It looks like CSV, which needs {needed}, such as {names}."
    if form is WITH_FRACTIONS and count == len(form.fields):
        remedy = "write nan: such judgments are left out, and counted"
        return f" If it says that a judge gave no label, {remedy}."
    if form is not RUN:
        return OTHERS_THAN_QRELS.get(count, "")
    if count == 4 and row[-1].lstrip("-").isdigit():
        return f" It looks like TREC qrels.{LOOKS_SWAPPED}"
    if count == 3 and paths.is_number(row[-1]) and not row[-1].isdigit():
        return f" It looks like a query, a document and its score. {AS_TABLE}"
    return OTHERS_THAN_RUNS.get(count, "")


# --- other forms ----------------------------------------------------------------------------------


def _frame_of(source: Any, form: Form, parameter: str) -> pd.DataFrame:
    """A frame of ir_measures or PyTerrier, a dict of dicts, or named tuples as a frame.

    Its columns are query_id, doc_id and perhaps iteration, as text, and the number of the form.
    """
    wanted = [*DOCUMENT, form.number]
    if not isinstance(source, (list, tuple, Mapping)):
        source = as_pandas(source, parameter)
    if isinstance(source, pd.DataFrame):
        # none of them twice
        paths.check_columns(source, {*KNOWN_COLUMNS} & {*source}, parameter, "")
        renamed: dict[str, str] = {}
        for host, name in HOST_NAMES.items():
            if name not in source:
                renamed[host] = name
            elif host in source and name in wanted and not source[host].equals(source[name]):
                message = f"`{parameter}` has both {host!r} and {name!r}: the latter is read."
                warn(message, UnmatchedNamesWarning)
        frame = source.rename(columns=renamed)
        plain = {plain_heading(column): column for column in frame}
        if form is not RUN and BEIR.keys() <= plain.keys() and not {*wanted} <= {*frame}:
            frame = frame.rename(columns={plain[name]: field for name, field in BEIR.items()})
    else:
        converted = form.converter(dict(source) if isinstance(source, Mapping) else source)
        try:
            if converted.predict_type()[0] == "UNKNOWN":
                raise TypeError
            frame = converted.as_pd_dataframe()
        except (AttributeError, TypeError):
            raise TypeError(f"`{parameter}` must be {form.others}, got {shown(source)}.") from None
    if "iteration" not in frame:
        frame = frame.rename(columns={"subtopic_id": "iteration"})
    hosts = {name: host for host, name in HOST_NAMES.items()}
    described = f"{', '.join(hosts.get(name, name) for name in wanted)} (or {', '.join(wanted)})"
    paths.check_columns(frame, wanted, parameter, described)
    names = [*DOCUMENT, *({"iteration"} & {*frame.columns})]
    frame = frame[[*names, form.number]].reset_index(drop=True)
    for name in names:
        if pd.api.types.infer_dtype(frame[name], skipna=False) != "string":
            frame[name] = [as_text(text, parameter) for text in frame[name].tolist()]
    kind = frame[form.number].dtype
    if kind.kind in "iufb" and not isinstance(kind, np.dtype):  # of Arrow, or nullable
        frame[form.number] = frame[form.number].to_numpy(np.float64, na_value=np.nan)
    elif kind.kind not in "iufb":
        numbers = np.empty(len(frame))
        for row, value in enumerate(frame[form.number].tolist()):
            if (number := paths.number_of(value)) is None:
                rule = f"have numbers as {'scores' if form is RUN else 'labels'}"
                raise ValueError(f"`{parameter}` must {rule}, got {shown(value)}.")
            numbers[row] = number
        frame[form.number] = numbers
    return frame
