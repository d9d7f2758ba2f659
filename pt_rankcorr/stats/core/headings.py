"""What columns are called, and what that says of them: for files, frames and the command line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

# Headings as `plain_heading` gives them.
COUNTERS = frozenset({"id", "q", "num", "number", "no", "nr", "index"})  # of topics, or of rows
# topics, where no column says so more plainly
ITEMS = frozenset(
    "seg segid segment segmentid turn turnid conv convid conversation conversationid scenario "
    "scenarioid item itemid prompt promptid doc docid document sample sampleid example exampleid "
    "instance instanceid questionidx".split()
)
SURE_TOPICS = frozenset(
    "topic topicid topicno topicnum topicnumber topicname qid query queryid queryno querynum "
    "querynumber queryname question questionid userinput".split()
)
# of exports of RAG evaluations, beside scores
TEXTS = frozenset(
    "answer response context contexts retrievedcontexts referencecontexts reference groundtruth "
    "groundtruths".split()
)
TOPICS = COUNTERS | SURE_TOPICS
SYSTEMS = frozenset(
    "name run runid runname runtag tag system systemid systemname sys sysid model modelid "
    "modelname method methodname approach algorithm technique submission submissionid team teamid "
    "participant retriever ranker reranker engine pipeline".split()
)
MEASURES = frozenset({"measure", "measurename", "metric", "metricname"})
SCORES = frozenset({"value", "score"})
DOCUMENTS = frozenset(
    "doc docid docno document documentid documentno passage passageid pid corpusid".split()
)
JUDGES = frozenset(
    "judge judgeid rater raterid annotator annotatorid assessor assessorid model".split()
)
LABELS = frozenset("label relevance rel grade judgment judgement rating score".split())
ITERATIONS = frozenset({"iteration", "iter", "q0", "subtopic", "unused"})
# columns beside judges
OF_ALL_JUDGES = frozenset("final consensus majority adjudicated gold mean average".split())
DATASETS = frozenset({"dataset", "datasetid", "datasetname", "collection", "corpus"})
GROUPS = DATASETS | frozenset(
    "snapshot task taskname subtask split judge judgeid domain language lang subset".split()
)
# values of one system, topic and measure that are averaged
REPEATS = frozenset(
    "seed fold repeat repetition replicate trial attempt rater raterid annotator annotatorid "
    "assessor worker".split()
)
DESIGN = frozenset({"cluster", "stratum"})
RANKS = frozenset({"rank", "ranking", "position", "pos", "place"})  # of which 1 is the best
OF_ROWS = RANKS | REPEATS | frozenset({"iteration", "iter"})  # numbers that are no scores
UNNAMED = frozenset({"", "unnamed:0"})  # of an index as CSV, and as pandas reads it again
# what a column of scores that stand in a row each holds -> its headings, the plainest first
ROLES: Mapping[str, tuple[frozenset[str], ...]] = {
    "name": (SYSTEMS,),
    "qid": (SURE_TOPICS, COUNTERS, ITEMS),
    "measure": (MEASURES,),
    "value": (SCORES,),
    "dataset": (DATASETS,),
    "repeat": (REPEATS,),
}
# the same of judgments: beside "query" or "passage", which may be texts, "query_id" names the
# topic; PyTerrier's "docid" beside "docno" only counts documents
ENDS_OF_IDS = ("id", "no", "num", "number")
IDS_OF_TOPICS = {name for name in SURE_TOPICS if name.endswith(ENDS_OF_IDS)}
IDS_OF_DOCUMENTS = {name for name in DOCUMENTS if name.endswith(ENDS_OF_IDS)}
JUDGED: Mapping[str, tuple[Collection[str], ...]] = {
    "topics": ({"qid"}, IDS_OF_TOPICS, SURE_TOPICS, COUNTERS),
    "documents": ({"docno"}, IDS_OF_DOCUMENTS, DOCUMENTS),
    "judges": (JUDGES,),
    "labels": (LABELS,),
    "scores": ({"score"}, {"sim", "similarity"}),
    "iteration": (ITERATIONS,),
    "tag": ({"tag", "runtag", "name", "run", "runid", "runname", "system"},),
}
# of columns whose cells are text, even "007"
NAMES = TOPICS | ITEMS | SYSTEMS | MEASURES | GROUPS | REPEATS | DESIGN | UNNAMED

IGNORED = str.maketrans("", "", " _-.")
NUMBERED_TOPIC = re.compile(r"(topic|query|question|qid|q|t)?[ _.-]?\d[\d_.-]*", re.IGNORECASE)
# the families of ir_measures, trec_eval and other tools; a system may be called "p", "r2" or "f"
MEASURE = re.compile(
    r"(n?dcg|ndcg[_ ]cut|alpha[_-]n?dcg|m?ap|map[_ ]cut|gm[_ ]?(m?ap)|infap|m?rr|recip[_ ]rank|"
    r"prec|precision|recall|r-?prec|b-?pref|n?err|err[_-]ia|rbp|success|hit|hits|hit[_ ]?rate|"
    r"set[_ ](p|f|map|recall)|iprec|iprec[_ ]at[_ ]recall|f1|accuracy)([@_. ]?\d{1,5}(\.\d+)?)?|"
    r"[prf]1?@\d{1,5}|faithfulness|(answer|context|factual|semantic|response)[_ ]"
    r"(precision|recall|relevancy|correctness|similarity)",
    re.IGNORECASE,
)
MEASURE_OF_TREC = re.compile(r"P_(5|10|15|20|30|50|100|200|500|1000)")
PERHAPS_MEASURE = re.compile(r"[prf]([_.]?\d{1,5})?", re.IGNORECASE)
# the name of a count, in small letters
COUNT = re.compile(
    r"(n|num|nb|number|count)[_. ](of[_. ])?[a-z][\w. ]*|[a-z][\w. ]*[_. ](count|counts)"
)

# Words and signs of a heading, in small letters, that say which scores are better.
HIGHER = re.compile(
    r"[\u2191\u21e7\u2b06\u25b2]|\((higher|larger|bigger|more) is better\)|higher is better"
)
LOWER = re.compile(r"[\u2193\u21e9\u2b07\u25bc]|(lower|smaller|less|fewer) is better")
OF_COST = frozenset(
    "latency ms msec millisecond milliseconds sec secs seconds runtime tokens cost costs price usd "
    "dollars loss error errors perplexity ppl wer cer mae mse rmse".split()
)
NO_COST = frozenset(
    "per reduction saved saving savings throughput gain corrected correlation".split()
)
OF_RANK = re.compile(r"((avg|average|mean|median)[ _.]*)?(rank|ranking|position|place)")


def plain_heading(label: object) -> str:
    """The name of a column in small letters, without blanks, points and hyphens: however spelt."""
    return label.strip().lower().translate(IGNORED) if isinstance(label, str) else ""


def roles_of(
    headings: Sequence[object], known: Mapping[str, tuple[Collection[str], ...]] = ROLES
) -> dict[str, list[int]]:
    """Role -> the places, in order, of the columns whose headings say it, if any do.

    `known` is role -> sets of headings, the plainest first; the first set that is there counts.
    """
    plain = [plain_heading(label) for label in headings]
    roles: dict[str, list[int]] = {}
    for role, classes in known.items():
        for names in classes:
            if places := [place for place, name in enumerate(plain) if name in names]:
                roles.setdefault(role, places)
    return roles


def direction(heading: str) -> str:
    """What a heading says of scores: "lower" or "higher" is better, or nothing, ""."""
    text = heading.strip().lower()
    if HIGHER.search(text):
        return "higher"
    words = set(re.findall(r"[^\W\d_]+", text))
    is_cost = bool(words & OF_COST) and not words & NO_COST
    return "lower" if LOWER.search(text) or is_cost or OF_RANK.fullmatch(text) else ""


def are_measures(headings: Iterable[str]) -> bool:
    """Whether all headings are of measures or counts, and at least one plainly is of a measure."""
    bare = [re.sub(r"\(.*\)", "", heading.strip()) for heading in headings]
    others = [text for text in bare if not is_measure(text)]
    may_be = all(PERHAPS_MEASURE.fullmatch(text) or is_count(text) for text in others)
    return may_be and len(others) < len(bare)


def is_measure(heading: str) -> bool:
    """Whether a heading plainly is of a measure."""
    return bool(MEASURE.fullmatch(heading) or MEASURE_OF_TREC.fullmatch(heading))


def is_count(heading: str) -> bool:
    """Whether a heading is that of a count, such as num_rel or n_docs_judged."""
    return COUNT.fullmatch(heading.strip().lower()) is not None


def are_numbered(labels: Iterable[str]) -> bool:
    """Whether all labels are numbers of topics: 301, q17, or 31_4, with the same letters before."""
    matches = [NUMBERED_TOPIC.fullmatch(label) for label in labels]
    return all(matches) and len({match[1] for match in matches if match}) == 1


def count_from_one(labels: Collection[str]) -> bool:
    """Whether labels are the numbers from 0 or 1 on, as those of topics or of runs may be."""
    return any({*labels} == {*map(str, range(begin, begin + len(labels)))} for begin in (0, 1))
