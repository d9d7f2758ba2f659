"""Runs and judgments in all their forms, read once into the forms that ir_measures evaluates fastest."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from math import isfinite, isnan
from typing import Any

import numpy as np
import pandas as pd

from pt_rankcorr.io.columns import Layout, blocks_of
from pt_rankcorr.io.fields import BLANKS, SEPARATORS, as_number, as_whole_number, fields
from pt_rankcorr.io.files import empty_error, in_columns, open_text
from pt_rankcorr.io.paths import PathName, check_there, is_path, is_regular, kind_of, name_of
from pt_rankcorr.io.ranking import LARGEST_SCORE, Run, stretches
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.names import as_text
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import RepeatedJudgmentsWarning, level_of_the_caller

RUN_FORMS = "files, frames, dicts or iterables of ScoredDoc"
QRELS_FORMS = "a file, a frame, a dict or an iterable of Qrel"
LARGEST_LABEL = 1_000_000  # they count documents by label, up to the highest, and lose bits of those beyond 32
QRELS_COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]
JUDGED = ["query_id", "doc_id", "iteration"]
LOOKS_SWAPPED = " Are the runs and the qrels swapped?"
RUN = Layout(
    "a TREC run (topic, Q0, document, rank, score, tag in each line)",
    ("query_id", "", "doc_id", "", "score", ""),
    number="score",
    kinds="iuf",
    largest=LARGEST_SCORE,
    hints={4: f" It looks like TREC qrels.{LOOKS_SWAPPED}"},
)
QRELS = Layout(
    "TREC qrels (topic, iteration, document, whole-number label in each line)",
    ("query_id", "iteration", "doc_id", "relevance"),
    number="relevance",
    kinds="i",
    largest=LARGEST_LABEL,
    hints={6: f" It looks like a TREC run.{LOOKS_SWAPPED}"},
)
WITH_FRACTIONS = QRELS._replace(expected="TREC qrels (topic, iteration, document, label in each line)", kinds="if")
HOST_NAMES = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}  # PyTerrier's -> those of ir_measures


# --- runs -------------------------------------------------------------------------------------------------


def read_run(name: str, run: object, parameter: str = "runs") -> Run:
    """The documents of a run, by topic: from a TREC run file, a frame, a dict of dicts or an iterable of ScoredDocs.

    Args:
        name: The name of the run, for messages.
        run: The run.
        parameter: The caller's argument, for messages.
    """
    wanted = ["query_id", "doc_id", "score"]
    columns: Iterator[Sequence[Any]]
    if is_path(run):
        blocks = (block[wanted].astype({"score": float}) for block in blocks_of(run, RUN, as_number))
        columns = ([block[name].tolist() for name in wanted] for block in blocks)
    else:
        columns = in_columns(_rows(run, RUN_FORMS, wanted, partial(_score, parameter=parameter), parameter))
    retrieved = _by_topic(name, columns)
    if not retrieved and is_path(run):
        raise empty_error(run, RUN.expected)
    if not retrieved:
        raise ValueError(f"run {shown(name)} must have documents, got none.")
    _check_finite(name, retrieved)
    return retrieved


def check_run(path: PathName) -> None:
    """An error if a file does not begin as a run does, before other runs are evaluated."""
    if not is_regular(path) and not os.path.isdir(path):  # a pipe is read only once
        return
    with open_text(path, RUN.expected, never=SEPARATORS) as lines:
        first = next((found for found in enumerate(lines, 1) if found[1].strip(BLANKS)), None)
    if first is None:
        raise empty_error(path, RUN.expected)
    RUN.row(path, *first, as_number)


def tag_of(path: PathName) -> str:
    """The run tag, the last field of every line."""
    if not is_regular(path):
        raise ValueError(
            f"`names` must be 'file' for a pipe, which is read only once, got 'tag' for {name_of(path)!r}."
        )
    found: str | None = None
    with open_text(path, RUN.expected, never=SEPARATORS) as lines:
        for number, line in enumerate(lines, 1):
            tag = fields(line)[-1] if line.strip(BLANKS) else found
            if found is not None and tag != found:
                raise ValueError(
                    f"{name_of(path)!r} must have one run tag for `names='tag'`, "
                    f"got {shown(found)}, and {shown(tag)} in line {number}."
                )
            found = tag
    if found is None:
        raise empty_error(path, RUN.expected)
    return found


def _by_topic(name: str, columns: Iterable[Sequence[Any]]) -> Run:
    """The run whose topics, documents and scores come in columns, some rows at a time."""
    retrieved: Run = {}
    for qids, docnos, scores, *_ in columns:
        for begin, end in stretches(np.array(qids, dtype=object)):
            found = dict(zip(docnos[begin:end], scores[begin:end], strict=True))
            before = retrieved.setdefault(qids[begin], found)
            if len(found) < end - begin or (before is not found and before.keys() & found.keys()):
                all_of_topic = pd.Series([*(() if before is found else before), *docnos[begin:end]], dtype=object)
                again = all_of_topic[all_of_topic.duplicated()].iloc[0]
                raise ValueError(
                    f"run {shown(name)} must have each document once per topic, "
                    f"got document {shown(again)} twice on topic {shown(qids[begin])}."
                )
            before.update(found)
    return retrieved


def _score(value: Any, parameter: str) -> float:
    try:
        return as_number(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"`{parameter}` must have numbers as scores, got {shown(value)}.") from None


def _check_finite(name: str, run: Run) -> None:
    for qid, scores in run.items():
        values = scores.values()
        # nan is in no order, and may hide from the extremes, but from no sum
        if not -LARGEST_SCORE <= min(values) <= max(values) <= LARGEST_SCORE or isnan(sum(values)):
            docno, score = next((docno, score) for docno, score in scores.items() if not abs(score) <= LARGEST_SCORE)
            rule = f"scores from -{LARGEST_SCORE:g} to {LARGEST_SCORE:g}" if isfinite(score) else "finite scores"
            raise ValueError(
                f"run {shown(name)} must have {rule}, got {score} for document {shown(docno)} on topic {shown(qid)}."
            )


# --- judgments --------------------------------------------------------------------------------------------


def read_qrels(
    qrels: object, keep: Callable[[str, str], bool] | None = None, parameter: str = "qrels", *, fractions: bool = False
) -> pd.DataFrame:
    """Judgments as a frame of ir_measures: from a TREC file, a frame, a dict of dicts or an iterable of Qrels.

    Args:
        qrels: The judgments.
        keep: Which to keep, by topic and document, as they are read: the others take no memory, and none may be left.
        parameter: The caller's argument, for messages.
        fractions: Whether labels need not be whole numbers, such as means of several passes.
    """
    return one_label_each(as_found(qrels, keep, parameter, fractions=fractions), qrels, parameter)


def as_found(
    qrels: object, keep: Callable[[str, str], bool] | None = None, parameter: str = "qrels", *, fractions: bool = False
) -> pd.DataFrame:
    """The same, where a document may have a label twice, and another one, too."""
    label = partial(_label, parameter=parameter, fractions=fractions)
    layout = WITH_FRACTIONS if fractions else QRELS
    if is_path(qrels):
        check_not_swapped(qrels, parameter)
        blocks = blocks_of(qrels, layout, label)
    else:
        rows = _rows(qrels, QRELS_FORMS, QRELS_COLUMNS[:3], label, parameter)
        blocks = (pd.DataFrame(dict(zip(QRELS_COLUMNS, columns, strict=True))) for columns in in_columns(rows))
    first = next(blocks, None)
    if first is None and is_path(qrels):
        raise empty_error(qrels, layout.expected)
    if first is None:
        raise ValueError(f"`{parameter}` must hold judgments, got none.")
    blocks = chain([first], blocks)
    if keep is not None:
        blocks = (block[[*map(keep, block["query_id"], block["doc_id"])]] for block in blocks)
    frame = pd.concat(blocks, ignore_index=True)[QRELS_COLUMNS].astype(dict.fromkeys(JUDGED, str))
    labels = frame["relevance"]
    return frame.assign(relevance=labels.astype(np.int64)) if (labels % 1 == 0).all() else frame


def one_label_each(frame: pd.DataFrame, qrels: object, parameter: str) -> pd.DataFrame:
    """Judgments as they were found, each once; an error that says where if a document has two labels."""
    if _are_once(frame) or not frame.duplicated(JUDGED).any():
        return frame
    frame = frame.drop_duplicates(ignore_index=True)
    twice = frame.duplicated(JUDGED).to_numpy()
    if twice.any():
        qid, docno, label, iteration = frame.loc[twice].iloc[0][QRELS_COLUMNS]
        rule, seen = "one label per document and topic", f"two for {shown(docno)} on topic {shown(qid)}"
        if is_path(qrels) and is_regular(qrels):
            at = next(number for number, row in _numbered_rows(qrels) if row == [qid, iteration, docno, label])
            count = f" (and {twice.sum() - 1} more such lines)" if twice.sum() > 1 else ""
            raise ValueError(f"{name_of(qrels)!r} must have {rule}, got {seen}, the second in line {at}{count}.")
        raise ValueError(f"`{parameter}` must have {rule}, got {seen}.")
    return frame


def _are_once(judgments: pd.DataFrame) -> bool:
    """Whether no document is there twice on a topic, as in most files: that is soon seen."""
    documents: dict[str, set[str]] = {}
    qids, docnos = (judgments[name].to_numpy(dtype=object) for name in JUDGED[:2])
    for begin, end in stretches(qids):
        documents.setdefault(qids[begin], set()).update(docnos[begin:end])
    return sum(map(len, documents.values())) == len(judgments)


def check_not_swapped(qrels: PathName, parameter: str = "qrels") -> None:
    """An error if the qrels do not exist, or are a folder."""
    check_there(qrels)
    if os.path.isdir(qrels):
        raise ValueError(f"`{parameter}` must be one file, got the folder {name_of(qrels)!r}.{LOOKS_SWAPPED}")


def highest_labels(judgments: pd.DataFrame) -> pd.DataFrame:
    """One judgment a topic and document, in the order of the first: of those of several iterations the highest label.

    There is a warning, with the count, if some differ.
    """
    highest = judgments.groupby(["query_id", "doc_id"], sort=False)["relevance"].transform("max")
    warn_of_repeated(judgments, ["query_id", "doc_id"], "relevance")
    one_each = judgments.assign(relevance=highest).drop_duplicates(["query_id", "doc_id"])
    return one_each.reset_index(drop=True)


def warn_of_repeated(judgments: pd.DataFrame, document: list[str], label: str) -> None:
    """Warns of documents with several different labels on one topic."""
    n_labels = judgments.groupby(document, sort=False)[label].nunique()
    differ = int((n_labels > 1).sum())
    if differ:
        warnings.warn(
            f"{differ} documents have different labels in several iterations of one topic: the highest counts.",
            RepeatedJudgmentsWarning,
            stacklevel=level_of_the_caller(),
        )


def _numbered_rows(path: PathName) -> Iterator[tuple[int, list[Any]]]:
    with open_text(path, WITH_FRACTIONS.expected, never=SEPARATORS) as lines:
        for number, line in enumerate(lines, 1):
            yield number, WITH_FRACTIONS.row(path, number, line, as_number)


def _label(value: Any, parameter: str, fractions: bool = False) -> float:
    try:
        label = as_number(value) if fractions else as_whole_number(value)
    except (TypeError, ValueError, OverflowError):
        kind = "numbers as labels" if fractions else "whole numbers as labels"
        raise ValueError(f"`{parameter}` must have {kind}, got {shown(value)}.") from None
    if not abs(label) <= LARGEST_LABEL:
        raise _too_large(value, parameter)
    return label


def check_labels(labels: pd.Series[Any], parameter: str = "qrels") -> None:
    """An error if a label is too large for the evaluators."""
    beyond = (labels > LARGEST_LABEL) | (labels < -LARGEST_LABEL)
    if beyond.any():
        raise _too_large(labels[beyond].tolist()[0], parameter)


def _too_large(label: object, parameter: str) -> ValueError:
    return ValueError(f"`{parameter}` must have labels from -{LARGEST_LABEL} to {LARGEST_LABEL}, got {shown(label)}.")


# --- forms that both come in ----------------------------------------------------------------------------------


def _rows(
    given: object, forms: str, columns: list[str], number: Callable[[Any], Any], parameter: str
) -> Iterator[tuple[str, str, Any, str]]:
    """Topic, document, number and iteration, by default "0": of a frame, a dict of dicts, or named tuples."""
    if isinstance(given, pd.DataFrame):
        qids, docnos, numbers = _columns(given, parameter, columns)
        iterations = ["0"] * len(given)
        if "iteration" in given:
            iterations = _texts(_column(given, "iteration", parameter), parameter)
        return zip(_texts(qids, parameter), _texts(docnos, parameter), map(number, numbers), iterations, strict=True)
    if isinstance(given, Mapping):
        return _rows_of_dicts(given, number, parameter)
    if not isinstance(given, Iterable):
        raise TypeError(f"`{parameter}` must be {forms}, got {shown(given)}.")
    return _rows_of_items(given, forms, columns[2], number, parameter)


def _rows_of_dicts(
    given: Mapping[Any, Any], number: Callable[[Any], Any], parameter: str
) -> Iterator[tuple[str, str, Any, str]]:
    for qid, documents in given.items():
        if not isinstance(documents, Mapping):
            raise TypeError(
                f"`{parameter}` must be dicts of topic -> document -> number, "
                f"got {kind_of(documents)} for topic {shown(qid)}."
            )
        for docno, value in documents.items():
            yield _name(qid, parameter), _name(docno, parameter), number(value), "0"


def _rows_of_items(
    given: Iterable[Any], forms: str, name: str, number: Callable[[Any], Any], parameter: str
) -> Iterator[tuple[str, str, Any, str]]:
    """The rows of named tuples of ir_measures; what else there may be is in `forms`, of which they are the last."""
    for item in given:
        try:
            names = _name(item.query_id, parameter), _name(item.doc_id, parameter)
            yield *names, number(getattr(item, name)), str(getattr(item, "iteration", "0"))
        except AttributeError:
            *_, last = forms.split(" or ")
            raise TypeError(f"`{parameter}` must be {last}, got one of {type(item).__name__}.") from None


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
            raise ValueError(f"`{parameter}` must have a topic and a document in each row, got a row without {name!r}.")
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
    if "\0" in name or not (name.isascii() or name.encode(errors="ignore").decode() == name):
        raise ValueError(f"`{parameter}` must have valid text as names of topics and documents, got {shown(name)}.")
    return name
