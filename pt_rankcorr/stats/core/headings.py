"""What topics, systems, measures and scores are called: one list for columns of files and frames, and for indexes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.stats.core.types import Labels

# all as `plain_heading` gives them
COUNTERS = frozenset({"id", "q", "num", "number", "no", "nr", "index"})  # of topics, or of rows
TOPICS = COUNTERS | frozenset(
    "topic topicid topicno topicnum topicnumber topicname qid query queryid queryno querynum querynumber queryname "
    "question questionid".split()
)
SYSTEMS = frozenset(
    "name run runid runname runtag tag system systemid systemname sys sysid model modelid modelname method methodname "
    "approach algorithm technique submission submissionid team teamid participant retriever ranker reranker engine "
    "pipeline".split()
)
MEASURES = frozenset({"measure", "measurename", "metric", "metricname"})
SCORES = frozenset({"value", "score"})
DATASETS = frozenset({"dataset", "datasetid", "datasetname", "collection", "corpus"})
DESIGN = frozenset({"cluster", "stratum"})
OF_ROWS = frozenset("rank position iteration iter seed fold repeat replicate".split())  # numbers that are no scores
UNNAMED = frozenset({"", "unnamed:0"})  # of an index as CSV, and as pandas reads it again
IGNORED = str.maketrans("", "", " _-.")
NUMBERED_TOPIC = re.compile(r"(topic|query|question|qid|q|t)?[ _.-]?\d[\d_.-]*", re.IGNORECASE)
# the families of ir_measures, trec_eval and other tools, in any case; a system may be called "p", "r2" or "f"
MEASURE = re.compile(
    r"(n?dcg|ndcg[_ ]cut|alpha[_-]n?dcg|m?ap|map[_ ]cut|gm[_ ]?(m?ap)|infap|m?rr|recip[_ ]rank|prec|precision|recall|"
    r"r-?prec|b-?pref|n?err|err[_-]ia|rbp|success|hit|hits|hit[_ ]?rate|set[_ ](p|f|map|recall)|iprec|"
    r"iprec[_ ]at[_ ]recall|f1|accuracy)([@_. ]?\d{1,5}(\.\d+)?)?|[prf]1?@\d{1,5}",
    re.IGNORECASE,
)
MEASURE_OF_TREC = re.compile(r"P_(5|10|15|20|30|50|100|200|500|1000)")
PERHAPS_MEASURE = re.compile(r"[prf]([_.]?\d{1,5})?", re.IGNORECASE)
COUNT = re.compile(r"(n|num|nb|number|count)[_. ](of[_. ])?[a-z][\w. ]*|[a-z][\w. ]*[_. ](count|counts)", re.IGNORECASE)

MEANS_ONLY = "Mean scores only are not enough: topics are needed. `pt-rankcorr tau` compares one score a system."
MEASURES_ALONE = (
    "If rows are topics, these are scores of one system: put those of all systems into one table, with a column that "
    "names the system. If rows are systems, these are mean scores only: topics are needed, or `pt-rankcorr tau`."
)


def plain_heading(label: object) -> str:
    """The name of a column as others may have spelt it: in small letters, without blanks, points and hyphens."""
    return label.strip().lower().translate(IGNORED) if isinstance(label, str) else ""


def topic_column(
    headings: Sequence[object],
    counts_rows: Callable[[int], bool],
    parameter: str,
    has_fractions: Callable[[int], bool] = lambda _: False,
) -> tuple[int | None, int | None]:
    """Where the topics are in a table of one row a topic, and a column that only counts the rows.

    The first is the column that is headed as topics, wherever it stands, or else a first one without a name. The second
    is neither topics nor a system. Either is None where there is none. Two columns that may name the topics are
    refused, unless one counts the rows, as `counts_rows` says, or all but one have fractions, as scores of systems do.
    """
    named = [place for place, label in enumerate(headings) if plain_heading(label) in TOPICS]
    unnamed = bool(headings) and isinstance(headings[0], str) and plain_heading(headings[0]) in UNNAMED
    candidates = [0] * unnamed + named
    if len(candidates) < 2:
        return (candidates[0] if candidates else None), None
    counters = [
        place for place in candidates if plain_heading(headings[place]) in COUNTERS | UNNAMED and counts_rows(place)
    ]
    counter = counters[0] if counters else None
    left = [place for place in candidates if place != counter]
    if len(left) > 1:
        left = [place for place in left if not has_fractions(place)]
    if len(left) != 1:
        columns = listing(headings[place] for place in candidates)
        raise ValueError(f"{parameter} must have one column that names its topics, got {columns}.")
    return left[0], counter


def are_measures(headings: Sequence[str]) -> bool:
    """Whether all headings are of measures or counts, and at least one plainly is of a measure."""
    bare = [re.sub(r"\(.*\)", "", heading.strip()) for heading in headings]
    sure = [bool(MEASURE.fullmatch(text) or MEASURE_OF_TREC.fullmatch(text)) for text in bare]
    return any(sure) and all(
        is_sure or PERHAPS_MEASURE.fullmatch(text) or is_count(text) for is_sure, text in zip(sure, bare, strict=True)
    )


def is_count(heading: str) -> bool:
    """Whether a heading is that of a count, such as num_rel or n_docs_judged."""
    return COUNT.fullmatch(heading.strip()) is not None


def refuse_measures(systems: Sequence[str], parameter: str) -> None:
    """An error if the columns of a table, one a system, are measures."""
    if len(systems) > 1 and are_measures(systems):
        rule = "one row a topic and one column a system"
        raise ValueError(f"{parameter} must have {rule}, got columns of measures: {listing(systems)}. {MEASURES_ALONE}")


def refuse_transposed(topics: Labels, systems: Labels, parameter: str) -> None:
    """An error if systems are numbered as topics are, and topics are not; topics without names are t1, t2, ..."""
    if topics[:1] != ("t1",) and _are_numbered(systems) and not _are_numbered(topics):
        seen = f"columns numbered as topics are, {listing(systems)}, and rows that are not, {listing(topics)}"
        remedy = "Transpose it, in pandas by its `.T`; or if the columns are systems, give them names."
        raise ValueError(f"{parameter} must have one row a topic and one column a system, got {seen}. {remedy}")


def _are_numbered(labels: Labels) -> bool:
    matches = [NUMBERED_TOPIC.fullmatch(label) for label in labels]
    return all(matches) and len({match[1] for match in matches if match}) == 1
