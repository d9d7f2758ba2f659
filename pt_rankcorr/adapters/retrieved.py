"""Runs and judgments in all their forms, read once into the forms that ir_measures evaluates fastest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from math import isfinite, isnan
from typing import Any, TypeAlias

import pandas as pd

from pt_rankcorr.adapters.fields import BLANKS, SEPARATORS, as_number, as_whole_number, fields
from pt_rankcorr.adapters.files import (
    PathName,
    empty,
    is_path,
    not_as_expected,
    open_text,
)
from pt_rankcorr.labels import as_text
from pt_rankcorr.stats._text import shown
from pt_rankcorr.stats.checks import listing

Run: TypeAlias = dict[str, dict[str, float]]  # topic -> document -> score

RUN_LINE = "a TREC run (topic, Q0, document, rank, score, tag in each line)"
QRELS_LINE = "TREC qrels (topic, iteration, document, whole-number label in each line)"
LARGEST_SCORE = 3.4e38  # evaluators keep scores in single precision: what is larger would be tied
LARGEST_LABEL = 1_000_000  # they count documents by label, up to the highest, and lose bits of those beyond 32
QRELS_COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]
HOST_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}  # PyTerrier's -> those of ir_measures


# --- runs -------------------------------------------------------------------------------------------------


def read_run(name: str, run: object) -> Run:
    """The documents of a run, by topic: from a TREC run file, a frame, a dict of dicts or an iterable of ScoredDocs.

    Raises:
        TypeError: If it is none of these.
        ValueError: If it has no documents, repeats one for a topic, or a score is not finite.
    """
    retrieved = _collected(name, _scored_documents(run))
    if not retrieved:
        raise empty(run, RUN_LINE) if is_path(run) else ValueError(f"run {shown(name)} must have documents, got none.")
    _check_finite(name, retrieved)
    return retrieved


def _collected(name: str, documents: Iterable[tuple[str, str, float]]) -> Run:
    retrieved: Run = {}
    current, scores = None, {}
    for qid, docno, score in documents:
        if qid != current:
            current, scores = qid, retrieved.setdefault(qid, {})
        if docno in scores:
            raise ValueError(
                f"run {shown(name)} must have each document once a topic, "
                f"got document {shown(docno)} on topic {shown(qid)} again."
            )
        scores[docno] = score
    return retrieved


def _scored_documents(run: object) -> Iterable[tuple[str, str, float]]:
    if is_path(run):
        return _lines_of_run(run)
    if isinstance(run, pd.DataFrame):
        columns = _columns(run, "runs", ["query_id", "doc_id", "score"])
        return zip(*(_texts(column, "runs") for column in columns[:2]), map(_score, columns[2]), strict=True)
    if isinstance(run, Mapping):
        return _nested(run, "runs", _score)
    return _of_namedtuples(run)


def _lines_of_run(path: PathName) -> Iterator[tuple[str, str, float]]:
    with open_text(path, RUN_LINE, never=SEPARATORS) as lines:
        for number, line in enumerate(lines, 1):
            try:
                qid, _, docno, _, score, _ = line.split() if line.isascii() else fields(line)
                yield qid, docno, as_number(score)
            except ValueError:
                if line.strip(BLANKS):
                    raise not_as_expected(path, number, line, RUN_LINE) from None


def _of_namedtuples(run: object) -> Iterator[tuple[str, str, float]]:
    if not isinstance(run, Iterable):
        raise TypeError(f"`runs` must be files, frames, dicts or iterables of ScoredDoc, got {shown(run)}.")
    for item in run:
        try:
            yield _name(item.query_id, "runs"), _name(item.doc_id, "runs"), _score(item.score)
        except AttributeError:
            raise TypeError(f"`runs` must be iterables of ScoredDoc, got one of {type(item).__name__}.") from None


def _score(value: Any) -> float:
    try:
        return as_number(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`runs` must have numbers as scores, got {shown(value)}.") from None


def _check_finite(name: str, run: Run) -> None:
    for qid, scores in run.items():
        values = scores.values()
        # nan is in no order, and may hide from the extremes, but from no sum
        if not -LARGEST_SCORE <= min(values) <= max(values) <= LARGEST_SCORE or isnan(sum(values)):
            docno, score = next((docno, score) for docno, score in scores.items() if not abs(score) <= LARGEST_SCORE)
            rule = f"scores of at most {LARGEST_SCORE:g} in size" if isfinite(score) else "finite scores"
            raise ValueError(
                f"run {shown(name)} must have {rule}, got {score} for document {shown(docno)} on topic {shown(qid)}."
            )


# --- judgments --------------------------------------------------------------------------------------------


def read_qrels(qrels: object, keep: Callable[[str, str], bool] | None = None) -> pd.DataFrame:
    """Judgments as a frame of ir_measures: from a TREC file, a frame, a dict of dicts or an iterable of Qrels.

    Args:
        qrels: The judgments.
        keep: Which to keep, by topic and document, as they are read: the others take no memory, and none may be left.

    Raises:
        TypeError: If it is none of these.
        ValueError: If there are none, a label is no whole number, or a document has two labels on one topic.
    """
    frame = _judgments(qrels, keep).drop_duplicates(ignore_index=True)
    twice = frame.duplicated(["query_id", "doc_id", "iteration"]).to_numpy()
    if twice.any():
        qid, docno = frame.loc[twice, ["query_id", "doc_id"]].iloc[0]
        raise ValueError(f"`qrels` must have one label a document, got two for {shown(docno)} on topic {shown(qid)}.")
    return frame


def _judgments(qrels: object, keep: Callable[[str, str], bool] | None) -> pd.DataFrame:
    if isinstance(qrels, pd.DataFrame):
        rows: Iterable[tuple[str, str, int, str]] = _judgments_of_frame(qrels)
    elif is_path(qrels):
        rows = _lines_of_qrels(qrels)
    elif isinstance(qrels, Mapping):
        rows = ((*row, "0") for row in _nested(qrels, "qrels", _label))
    else:
        rows = _of_qrels(qrels)
    rows = iter(rows)
    first = next(rows, None)
    if first is None:
        raise empty(qrels, QRELS_LINE) if is_path(qrels) else ValueError("`qrels` must hold judgments, got none.")
    rows = chain([first], rows)
    if keep is not None:
        rows = (row for row in rows if keep(row[0], row[1]))
    return pd.DataFrame(rows, columns=QRELS_COLUMNS)


def _lines_of_qrels(path: PathName) -> Iterator[tuple[str, str, int, str]]:
    with open_text(path, QRELS_LINE, never=SEPARATORS) as lines:
        for number, line in enumerate(lines, 1):
            try:
                qid, iteration, docno, label = fields(line)
                yield qid, docno, _label(label), iteration
            except ValueError:
                if line.strip(BLANKS):
                    raise not_as_expected(path, number, line, QRELS_LINE) from None


def _judgments_of_frame(frame: pd.DataFrame) -> Iterator[tuple[str, str, int, str]]:
    qids, docnos, labels = _columns(frame, "qrels", QRELS_COLUMNS[:3])
    iterations = _texts(_column(frame, "iteration", "qrels"), "qrels") if "iteration" in frame else ["0"] * len(frame)
    return zip(_texts(qids, "qrels"), _texts(docnos, "qrels"), map(_label, labels), iterations, strict=True)


def _of_qrels(qrels: object) -> Iterator[tuple[str, str, int, str]]:
    if not isinstance(qrels, Iterable):
        raise TypeError(f"`qrels` must be a file, a frame, a dict or an iterable of Qrel, got {shown(qrels)}.")
    for item in qrels:
        try:
            qid, docno = _name(item.query_id, "qrels"), _name(item.doc_id, "qrels")
            yield qid, docno, _label(item.relevance), str(getattr(item, "iteration", "0"))
        except AttributeError:
            raise TypeError(f"`qrels` must be an iterable of Qrel, got one of {type(item).__name__}.") from None


def _label(value: Any) -> int:
    try:
        label = as_whole_number(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`qrels` must have whole-number labels, got {shown(value)}.") from None
    if abs(label) > LARGEST_LABEL:
        raise ValueError(f"`qrels` must have labels of at most {LARGEST_LABEL} in size, got {shown(value)}.")
    return label


# --- forms that both come in ----------------------------------------------------------------------------------


def _columns(frame: pd.DataFrame, parameter: str, wanted: list[str]) -> list[pd.Series[Any]]:
    found = frame.rename(columns={host: name for host, name in HOST_NAMES.items() if name not in frame})
    absent = [column for column in wanted if column not in found]
    if absent:
        names = {name: host for host, name in HOST_NAMES.items()}
        raise ValueError(
            f"`{parameter}` must have the columns {', '.join(names.get(name, name) for name in wanted)} "
            f"(or {', '.join(wanted)}), got {listing(frame.columns)}."
        )
    columns = [_column(found, column, parameter) for column in wanted]
    for name, column in zip(wanted[:2], columns, strict=False):
        if column.isna().any():
            raise ValueError(f"`{parameter}` must name every topic and document, got none in a row of {name!r}.")
    return columns


def _column(frame: pd.DataFrame, name: str, parameter: str) -> pd.Series[Any]:
    column = frame[name]
    if isinstance(column, pd.DataFrame):
        raise ValueError(f"`{parameter}` must have each column once, got {column.shape[1]} named {name!r}.")
    return column


def _texts(column: pd.Series[Any], parameter: str) -> list[str]:
    return [_name(value, parameter) for value in column.tolist()]


def _name(value: object, parameter: str) -> str:
    """A topic or document as text that evaluators in C take whole: they end it at a NUL, and know no surrogates."""
    name = as_text(value, parameter)
    if "\0" in name or not (name.isascii() or _is_unicode(name)):
        raise ValueError(f"`{parameter}` must have topics and documents named by text, got {shown(name)}.")
    return name


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _nested(mapping: Mapping[Any, Any], parameter: str, number: Callable[[Any], Any]) -> Iterator[tuple[str, str, Any]]:
    for qid, documents in mapping.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"`{parameter}` must be dicts of topic -> document -> number, "
                f"got an object of type {type(documents).__name__} for topic {shown(qid)}."
            )
        for docno, value in documents.items():
            yield _name(qid, parameter), _name(docno, parameter), number(value)
