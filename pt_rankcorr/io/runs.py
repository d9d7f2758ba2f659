"""Scores from runs and judgments: ir_measures evaluates one run after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias, get_args

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Measure

from pt_rankcorr import choices
from pt_rankcorr.choices import IRDS
from pt_rankcorr.display import progress_bar
from pt_rankcorr.io import measure_names, paths, trec
from pt_rankcorr.io.align import MISSING, Cube, align
from pt_rankcorr.io.irds import topics_of
from pt_rankcorr.measures import GainNDCG, GradedMeasure
from pt_rankcorr.scores import Alignment, Scores
from pt_rankcorr.stats.core.arguments import list_of, listing, one_of, spelling_hint
from pt_rankcorr.stats.core.types import Floats
from pt_rankcorr.text import in_a_sentence, shown, shown_name
from pt_rankcorr.warnings import NothingRetrievedWarning, UnreliableResultWarning, warn

# of measures that one evaluator computes: see `_group_of`
Group: TypeAlias = tuple[str, float | None, str]
MANY_RUNS = 10  # from here on a progress bar is shown unless told otherwise
# a run is shallow below this share of the usual depth, if the usual depth is at least that
SHALLOW, FEW_DOCUMENTS = 0.5, 10
# measures of diversity: the iteration of a judgment is the subtopic it is about
OF_SUBTOPICS = frozenset(
    {"AP_IA", "ERR_IA", "NRBP", "P_IA", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP"}
)


def scores_from_runs(
    runs: paths.RunsLike,
    qrels: paths.QrelsLike,
    measures: Iterable[paths.MeasureLike],
    *,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    verbose: bool | None = None,
    download: bool = False,
) -> Scores:
    """The scores of runs, evaluated by ir_measures.

    Topics without judgments, and judged topics that no run has, are left out and reported.
    `missing` decides about judged topics for which some run retrieved nothing. Cost: one pass over
    the runs, one of them in memory at a time.

    Args:
        runs: A folder of TREC run files, a pattern such as ``runs/*.run``, paths of such files, or
            a mapping from names to runs. A run in a mapping may be a path, a PyTerrier result frame
            (qid, docno, score), or any run of ir_measures (a frame with query_id, doc_id and score,
            a dict of dicts, an iterable of ScoredDoc). Files may be gzipped; lines that begin with
            "#", and what follows the tag, are not read. Files in a folder or a pattern that are
            plainly no runs (pictures, pages, a README) and folders are left out with a warning;
            hidden files and the summaries of PyTerrier's `save_dir`, without one.
        qrels: A TREC qrels file, a PyTerrier frame (qid, docno, label), any qrels of ir_measures,
            or "irds:" and the id of a dataset of ir-datasets. The first line of a file may name its
            columns, as in BEIR (query-id, corpus-id, score), whose frames are read, too. Judgments
            may also be in CSV with a header, such as qid,docno,label or query,docid,rating, or in
            JSON: objects with these keys, or topic -> document -> label; cells without a label are
            left out, with a warning that counts them. Where iterations give a document several
            labels on one topic, the highest counts, with a warning; two labels in one iteration are
            refused. Labels below 0 say that a document is not relevant.
        measures: Measures, as objects or by name in the notation of ir_measures or trec_eval. They
            keep their names.
        names: What runs from files are named after: "file", the file name without endings such as
            .gz, .run and .txt, or "tag", the run tag in the sixth column. Tags take one more pass
            over the files.
        missing: What to do where a run has no document for a judged topic that other runs have:
            "error", "drop-topics", "drop-systems", or "zero" (the measure's default, as
            `trec_eval -c` counts it), which is refused if a measure is better when lower.
        lower_is_better: Measures that are better when lower; their scores are negated.
        verbose: Whether to show a progress bar; by default from ten runs on.
        download: Whether judgments of ir-datasets that are not on this machine may be downloaded.

    Returns:
        One score matrix per measure, with systems in the order of the runs and topics in that of
        the qrels, and an alignment report.

    Raises:
        OSError, TypeError, ValueError: If there is no such file, runs, qrels or measures are not
            valid, two files hold one run, there are fewer than two runs, topics are missing under
            "error", or a run has no judged topic under "error" or "drop-topics".

    Warns:
        NothingRetrievedWarning: If a measure is 0 for every system on every topic, or a run has no
            judged document.
        MissingLabelsWarning, RepeatedJudgmentsWarning: If labels are missing, or differ by
            iteration: see `qrels`.
        RoundedScoresWarning: If gdeval, which prints five decimals, computes a measure that looks
            rounded.
        SkippedFilesWarning: If files of another kind were left out.
        UnreliableResultWarning: If a run has far fewer documents a topic than most, and measures
            look deeper.

    Example:
        >>> qrels = {"1": {"d1": 1, "d2": 0}, "2": {"d3": 1}}
        >>> first = {"1": {"d1": 2.0, "d2": 1.0}, "2": {"d3": 1.0}}
        >>> second = {"1": {"d1": 1.0, "d2": 2.0}, "2": {"d3": 1.0}}
        >>> scores_from_runs({"first": first, "second": second}, qrels, ["AP"])["AP"].means
        array([1.  , 0.75])
    """
    one_of("missing", missing, MISSING)
    resolved = measure_names.resolve_measures(measures)
    lower = measure_names.lower_measures(lower_is_better, resolved)
    named = named_runs(runs, names=names, beside=[qrels])
    judgments = trec.read_qrels(qrels, download=download)
    if len(named) < 2:
        raise ValueError(f"`runs` must be at least 2 runs, got {listing(named)}.")
    evaluator = Evaluator(resolved.values(), judgments)
    topics = np.array(evaluator.topics, dtype=object)
    values = np.empty((len(resolved), len(topics), len(named)))
    unjudged: set[str] = set()  # topics
    # topic -> judged documents that no run has
    unretrieved = {topic: {*documents} for topic, documents in evaluator.judged.items()}
    unmatched: dict[str, trec.Run] = {}  # runs without a judged document, with an example
    elsewhere: dict[str, set[str]] = {}  # topics of runs without a judged topic
    depths: dict[str, list[int]] = {}  # how many documents a run has on each judged topic
    for system, (name, run) in enumerate(each_run(named, verbose)):
        values[:, :, system] = evaluator.evaluate(run)
        unjudged |= run.keys() - evaluator.judged.keys()
        common = run.keys() & evaluator.judged.keys()
        for qid in common:
            unretrieved[qid].difference_update(run[qid])
        depths[name] = [len(run[qid]) for qid in common]
        if not common:
            elsewhere[name] = {*run}
        elif all(evaluator.judged[qid].keys().isdisjoint(run[qid]) for qid in common):
            qid = min(common)
            unmatched[name] = {qid: dict(islice(run[qid].items(), 1))}
    if len(elsewhere) == len(named) or missing in ("error", "drop-topics"):
        check_topics(elsewhere, evaluator.topics, "runs", "`missing='zero'`")
    warn_of_unmatched(unmatched, evaluator.judged, len(named))
    warn_of_shallow_runs(depths, resolved)
    n_judged = sum(map(len, evaluator.judged.values()))
    n_retrieved = n_judged - sum(map(len, unretrieved.values()))
    attempted = ~np.isnan(values).all(axis=(0, 2))
    cube = Cube(values, tuple(resolved), tuple(topics), tuple(named), "runs", lower)
    scores = align(
        cube.keep(topics=attempted),
        missing=missing,
        report=Alignment(
            unjudged_topics=tuple(unjudged),
            unattempted_topics=tuple(sorted(topics[~attempted])),
            judged_documents=n_judged,
            retrieved_judged_documents=n_retrieved,
        ),
        defaults={name: float(measure.DEFAULT) for name, measure in resolved.items()},
        may_be_rounded=rounded_by_evaluator(resolved),
    )
    empty = [name for name, matrix in scores.items() if not matrix.values.any()]
    if empty and n_retrieved:
        warn(
            f"{listing(empty)} is 0 for every system on every topic. "
            f"The runs have {n_retrieved} of {n_judged} judged documents.",
            NothingRetrievedWarning,
        )
    return scores


def scores_from_irds(
    dataset: str,
    runs: paths.RunsLike,
    measures: Iterable[paths.MeasureLike],
    *,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[paths.MeasureLike] = (),
    verbose: bool | None = None,
    download: bool = False,
) -> Scores:
    """The scores of runs, or of pipelines, under the judgments of a dataset of ir-datasets.

    Args:
        dataset: The id of the dataset, such as "vaswani" or "msmarco-passage/trec-dl-2019/judged",
            with or without "irds:" in front.
        runs: As for `scores_from_runs`. Values of a mapping may also be pipelines, which are run on
            the topics of the dataset, a frame of qid and query.
        measures, names, missing, lower_is_better, verbose, download: As for `scores_from_runs`.

    Returns:
        As `scores_from_runs`.

    Raises:
        OSError, TypeError, ValueError: As for `scores_from_runs`; also if the dataset is unknown or
            has no judgments, or these are not on this machine and `download` is False.
    """
    if not isinstance(dataset, str):
        rule = "must be the id of a dataset such as 'vaswani'"
        raise TypeError(f"`dataset` {rule}, got {shown(dataset)}.")
    evaluated: Any = runs
    if isinstance(runs, Mapping) and any(map(callable, runs.values())):
        # what is wrong elsewhere is refused before any pipeline is run
        one_of("missing", missing, MISSING)
        measures = list_of("measures", measures, "measures")
        measure_names.lower_measures(lower_is_better, measure_names.resolve_measures(measures))
        named, topics = named_runs(runs, names=names), topics_of(dataset, download=download)
        evaluated = {
            name: _results_of(name, run, topics) if callable(run) else run
            for name, run in named.items()
        }
    return scores_from_runs(
        evaluated,
        f"{IRDS}{dataset.removeprefix(IRDS)}",
        measures,
        names=names,
        missing=missing,
        lower_is_better=lower_is_better,
        verbose=verbose,
        download=download,
    )


def _results_of(name: str, pipeline: Any, topics: pd.DataFrame) -> pd.DataFrame:
    """What a pipeline finds for topics: qid, docno, score, without texts, which may be large."""
    results = pipeline(topics)
    if not isinstance(results, pd.DataFrame):
        rule = "`runs` must be runs, or pipelines that return frames"
        raise TypeError(f"{rule}, got one of {shown(name)} that returns {type(results).__name__}.")
    return results.filter(items=["qid", "docno", "score"])


def named_runs(
    runs: object, *, names: choices.NamedAfter = "file", beside: Iterable[object] = ()
) -> dict[str, Any]:
    """Name -> run, from all forms of `scores_from_runs`, if all files, also `beside`, are there."""
    one_of("names", names, get_args(choices.NamedAfter))
    if isinstance(runs, pd.DataFrame):
        raise TypeError("`runs` must map names to frames, got a frame without a name.")
    if isinstance(runs, Mapping) and names == "tag":
        rule = "must be 'file' for a mapping, which names the runs itself"
        raise ValueError(f"`names` {rule}, got 'tag'.")
    paths.check_all_there(runs, *beside)
    return paths.named_files(runs, "runs", tag_of=trec.tag_of if names == "tag" else None)


def each_run(
    runs: Mapping[str, Any], verbose: bool | None, doing: str = "evaluating runs"
) -> Iterator[tuple[str, trec.Run]]:
    """Name and run, read one by one; `verbose`: with a progress bar; None: if there are many."""
    disable: bool | None = not verbose
    if verbose is None:  # for many runs, a bar where somebody sees it: in a terminal or a notebook
        disable = None if len(runs) >= MANY_RUNS else True
    for name, source in progress_bar(runs.items(), desc=doing, unit="run", disable=disable):
        yield name, trec.read_run(name, source)


def warn_of_unmatched(
    runs: Mapping[str, trec.Run], judged: Mapping[str, Mapping[str, Any]], n_runs: int
) -> None:
    """Warns of runs, of `n_runs` in all, none of whose documents is judged, with examples.

    `runs` are these, by name, with an unjudged document on a judged topic; `judged` is topic ->
    document -> label.
    """
    examples = []
    for name, run in runs.items():
        qid = min(run.keys() & judged.keys())
        retrieved, of_qrels = next(iter(run[qid])), next(iter(judged[qid]))
        example = f"such as {shown(retrieved)} on topic {shown(qid)}"
        examples.append(f"{name}, {example}, where {shown(of_qrels)} is judged")
    if examples:
        warn(
            f"No document of {len(examples)} of {n_runs} runs is judged: {listing(examples)}. "
            "Do runs and judgments have the document ids of one collection?",
            NothingRetrievedWarning,
        )


def check_topics(
    elsewhere: Mapping[str, Collection[str]], judged: Collection[str], parameter: str, kept: str
) -> None:
    """Refuses runs without a judged topic, with the topics of both sides; `kept` keeps such runs.

    `elsewhere` is run -> its topics, of these runs alone; `judged` are the topics with judgments.
    """
    if not elsewhere:
        return
    first = sorted(elsewhere)[0]
    raise ValueError(
        f"`{parameter}` must each have a topic of the qrels, got none in {listing(elsewhere)}: "
        f"{shown(first)} has {listing(elsewhere[first])} where the qrels have {listing(judged)}."
        f"{spelling_hint(elsewhere[first], judged)} {kept} keeps runs without judged topics."
    )


def warn_of_shallow_runs(
    depths: Mapping[str, Sequence[int]], measures: Mapping[str, Measure]
) -> None:
    """Warns of runs that are cut off much earlier than most, and of measures that look deeper.

    The depth of a run is the most documents that it has on a topic, and the usual depth is the
    median over runs. A run is cut off if it has as many on half of its topics: one that finds few
    documents on some topics is not. A measure looks deeper if it has no cut-off, or one beyond.
    `depths` has the documents on each topic, `measures` are by name.
    """
    depth_of = {name: max(documents) for name, documents in depths.items() if documents}
    cut_off = {name: depth for name, depth in depth_of.items() if depth == np.median(depths[name])}
    usual = float(np.median([*depth_of.values()])) if depth_of else 0.0
    shallow = {name: depth for name, depth in cut_off.items() if depth < SHALLOW * usual}
    deeper = [
        name
        for name, measure in measures.items()
        if not hasattr(measure, "runtime_impl") and not measure_names.is_count(measure)
        if measure.params.get("cutoff", np.inf) > min(shallow.values(), default=np.inf)
    ]
    if usual >= FEW_DOCUMENTS and shallow and deeper:
        seen = in_a_sentence([f"{shown(name)} (up to {depth})" for name, depth in shallow.items()])
        warn(
            "Runs have far fewer documents a topic than the others, "
            f"which have up to {usual:g}: {seen}. What they lack counts as not relevant for "
            f"{in_a_sentence(deeper)}: take a cut-off that all runs reach.",
            UnreliableResultWarning,
        )


# --- evaluators -----------------------------------------------------------------------------


class Evaluator:
    """Evaluates runs by measures of ir_measures under one set of judgments, as `read_qrels` has it.

    Of several labels that iterations give a document on a topic the highest counts, but for
    measures of diversity, to which iterations are subtopics. Labels that are fractions are compared
    with the measure's `rel`, or are gains of nDCG. What evaluators cannot handle is kept from them,
    and measures that they mix up are evaluated one by one.
    """

    def __init__(self, measures: Iterable[Measure], judgments: pd.DataFrame) -> None:
        self.measures = list(measures)
        judgments = raise_low_labels(judgments)
        are_of_subtopics = all(measure.NAME in OF_SUBTOPICS for measure in self.measures)
        if are_of_subtopics:
            by_document = judgments.drop_duplicates(trec.DOCUMENT)
        else:
            by_document = trec.highest_labels(judgments)
        labels = by_document["relevance"].to_numpy()
        # topic -> document -> label
        self.judged: dict[str, dict[str, float]] = trec.by_topic(by_document, labels)
        self.topics = list(self.judged)  # in the order of the judgments
        self._place_of = {topic: place for place, topic in enumerate(self.topics)}
        self._judged_rows: list[tuple[int, int | None]] = []  # and their cut-offs
        groups: dict[Group, dict[Measure, int]] = {}
        for row, measure in enumerate(self.measures):
            if measure.NAME == "Judged":  # computed here, as ir_measures breaks ties otherwise
                self._judged_rows.append((row, measure.params.get("cutoff")))
            else:
                group, computed = _group_of(measure, are_fractions=labels.dtype.kind == "f")
                groups.setdefault(group, {})[computed] = row
        # the form of judgments, measure -> row, judgments, evaluator
        self._parts: list[tuple[str, dict[Measure, int], Any, Any]] = []
        for (form, least, _), row_of in groups.items():
            qrels: Any = judgments if form in ("subtopics", "defined") else self.judged
            if form == "relevant":
                below = np.where(labels < 0, -1, 0)
                qrels = trec.by_topic(by_document, np.where(labels >= least, 1, below))
            elif form == "numbers":
                qrels = self._numbered(self.judged)
            try:
                self._parts.append((form, row_of, qrels, ir_measures.evaluator(row_of, qrels)))
            except Exception as error:  # evaluators raise what they like
                raise _measure_error(row_of, qrels, {}, error) from error

    def evaluate(self, run: trec.Run, rows: pd.DataFrame | None = None) -> Floats:
        """The scores of a run, shape (n_measures, n_topics); nan for topics that it lacks.

        Measures that users define get the `rows` of the run, if given, which may have other
        columns.
        """
        values = np.full((len(self.measures), len(self.topics)), np.nan)
        run = {topic: documents for topic, documents in run.items() if topic in self._place_of}
        for row, cutoff in self._judged_rows:
            for topic in run:
                first = list(islice(run[topic], cutoff))
                n_judged = sum(map(self.judged[topic].__contains__, first))
                values[row, self._place_of[topic]] = n_judged / len(first)
        for form, row_of, qrels, evaluator in self._parts:
            given: Any = rows if form == "defined" and rows is not None else run
            given = self._numbered(run) if form == "numbers" else given
            try:
                metrics = list(evaluator.iter_calc(given))
            except Exception as error:
                if given is rows:  # of a function of the user, whose message is about it
                    raise
                raise _measure_error(row_of, qrels, given, error) from error
            retrieved = set(rows["query_id"]) if given is rows else run.keys()
            for metric in metrics:
                topic = self.topics[int(metric.query_id)] if form == "numbers" else metric.query_id
                if topic in retrieved and topic in self._place_of:
                    values[row_of[metric.measure], self._place_of[topic]] = metric.value
        return values

    def _numbered(self, topics: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """A run, or judgments, with numbers as topics, and without blanks in documents.

        gdeval takes what follows the last hyphen of a topic for a number, by which "2009-1" and
        "2010-1" are one.
        """
        return {
            str(self._place_of[topic]): {
                "_".join(name.split()): value for name, value in documents.items()
            }
            for topic, documents in topics.items()
        }


def _group_of(measure: Measure, are_fractions: bool) -> tuple[Group, Measure]:
    """What evaluates a measure, and what it computes: another one where labels `are_fractions`.

    A group has a form of judgments, the least label that is relevant, and the measure's name if it
    is alone. Forms are "labels" as they are; "relevant", labels 1, 0 and -1 by `rel`; "numbers" in
    place of topics, for gdeval; and frames of all iterations: "subtopics", and "defined" for
    measures of users. Those of ir_measures' providers that mix up measures of one call are these:

    - pytrec_eval gives nDCG without gains those of another measure, NumRet only the judged
      documents if another measure looks at no others, and IPrec only two decimals of its recall;
    - pyndeval gives 0 to all measures but those of one `rel`, `alpha` and `beta`, as it reads a run
      only once;
    - accuracy leaves out a topic without relevant documents, which counts as 0 beside other
      measures.
    """
    is_special = not {"gains", "judged_only"}.isdisjoint(measure.params)
    mixed_up = is_special or measure.NAME in {*OF_SUBTOPICS, "Accuracy", "IPrec"}
    alone = str(measure) if mixed_up else ""
    if hasattr(measure, "runtime_impl") and not isinstance(measure, GradedMeasure):
        return ("defined", None, ""), measure
    if measure.NAME in OF_SUBTOPICS:
        return ("subtopics", None, alone), measure
    is_ndcg = measure.NAME == "nDCG" and measure["dcg"] == "log2" and not measure["judged_only"]
    if are_fractions and is_ndcg:
        return ("labels", None, ""), GainNDCG(**measure.params)
    if "rel" in measure.SUPPORTED_PARAMS and (are_fractions or isinstance(measure["rel"], float)):
        return ("relevant", measure["rel"], alone), measure(rel=1)
    if evaluator_of(measure) == "gdeval":
        return ("numbers", None, ""), measure
    return ("labels", None, alone), measure


def _measure_error(
    measures: Iterable[Measure], qrels: Any, run: trec.Run, error: Exception
) -> ValueError:
    """The error for that of an evaluator: it names the first measure that cannot be computed."""
    culprit, reason = listing(measures), error
    for measure in measures:
        try:
            list(ir_measures.evaluator([measure], qrels).iter_calc(run))
        except Exception as measure_error:
            culprit, reason = str(measure), measure_error
            break
    return ValueError(
        f"`measures` must be computable from these runs and judgments, got {shown_name(culprit)} "
        f"({type(reason).__name__}: {shown_name(reason)})."
    )


def raise_low_labels(
    judgments: pd.DataFrame, topic: str = "query_id", label: str = "relevance"
) -> pd.DataFrame:
    """The judgments, with label 0 for all documents of topics whose labels are all below 0.

    Nothing is relevant either way, so no score changes, but pytrec_eval writes beyond its memory at
    a topic with no label from 0 on, and may end the whole process.
    """
    if not (judgments[label] < 0).any():
        return judgments
    highest = judgments.groupby(topic)[label].transform("max")
    return judgments.assign(**{label: judgments[label].mask(highest < 0, 0)})


def evaluator_of(measure: Measure) -> str | None:
    """The provider by which ir_measures computes a measure; None if none is installed that can."""
    for provider in ir_measures.DefaultPipeline.providers:
        if provider.supports(measure) and provider.is_available():
            return str(provider.NAME)
    return None


def rounded_by_evaluator(measures: Iterable[str]) -> list[str]:
    """The names of those measures whose evaluator is gdeval, which prints five decimals."""
    known = filter(measure_names.is_known, measures)
    return [name for name in known if evaluator_of(measure_names.resolve_measure(name)) == "gdeval"]
