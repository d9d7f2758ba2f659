"""How the ranking of systems approaches that under all judgments, with deeper pools or larger samples."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_rankcorr import choices
from pt_rankcorr.comparison.engine import Case, Engine, fingerprint, shared_options
from pt_rankcorr.comparison.measures import judgments_of
from pt_rankcorr.comparison.table import Comparison, RankingAgreement, Settings  # noqa: F401 - of a field
from pt_rankcorr.defaults import ALPHA
from pt_rankcorr.io.measure_names import find_measure, resolve_measures
from pt_rankcorr.io.paths import LabelsLike, MeasureLike, QrelsLike, RunsLike, check_all_there
from pt_rankcorr.io.runs import each_run, scores_from_runs
from pt_rankcorr.io.trec import read_qrels
from pt_rankcorr.judgments.pools import SamplingOrder, check_share, depth_of_pool, pool_ranks
from pt_rankcorr.judgments.scoring import keep_readable, scores_under
from pt_rankcorr.scores import Scores
from pt_rankcorr.stats.core.arguments import list_of, one_of, share, whole_number
from pt_rankcorr.stats.core.types import Floats, Labels

JUDGMENTS_AT_ONCE = 1_000_000  # that evaluators hold together; some 500 bytes each
SUBSETS_AT_ONCE = 16


class Band(NamedTuple):
    """A statistic along a curve: its middle and its band, with one value for each depth or share."""

    x: Floats
    middle: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True)
class JudgmentCurve(Comparison):
    """Rankings under some judgments against that under all: a `RankingAgreement` per measure and depth or share.

    Attributes:
        kind: "depth" of pools or "share" of judgments.
        reference: The scores under all judgments, with the report of their alignment.
        n_judgments: The number of all judgments.
        repetitions: The number of random samples of each share; 1 for pools.
    """

    kind: str
    reference: Scores = field(repr=False)
    n_judgments: int
    repetitions: int

    def _name_of(self, row: RankingAgreement) -> str:
        return f"{row.measure} at {self.kind} {row.key[self.kind]:g}"

    def _facts(self) -> dict[str, Any]:
        return {"kind": self.kind, "n_judgments": self.n_judgments, "repetitions": self.repetitions}

    def _subject(self) -> str:
        sizes = f"{len(self.reference.systems)} systems on {len(self.reference.topics)} topics"
        return f"{sizes}, {self.n_judgments} judgments in all."

    @property
    def measures(self) -> Labels:
        """The names of the measures."""
        return self.reference.measures

    def band(self, measure: object, statistic: str = "tau") -> Band:
        """A statistic along the curve.

        The middle is the median over repetitions. The band holds the central part of them, of size `level`. Pools are
        not random: there, the band of a coefficient is its interval over topics, and other statistics have none.

        Args:
            measure: One of the curve's.
            statistic: A coefficient, such as "tau", or "d_rank" or "pvalue".

        Returns:
            Arrays of depths or shares, ascending, of middles and of the two ends.
        """
        columns = self.settings.columns
        one_of("statistic", statistic, (*columns, "d_rank", "pvalue"))
        frame = self.to_frame()
        by_x = frame[frame["measure"] == find_measure(measure, self.measures)].groupby(self.kind)
        name = columns.get(statistic, statistic)
        middle = by_x[name].median()
        if self.kind == "share":
            tail = (1 - self.settings.level) / 2
            low, high = by_x[name].quantile(tail), by_x[name].quantile(1 - tail)
        elif statistic in columns:
            low, high = by_x[f"{name} low"].first(), by_x[f"{name} high"].first()
        else:
            low = high = middle
        return Band(*(np.asarray(column, dtype=np.float64) for column in (middle.index, middle, low, high)))

    def indistinguishable_from(self, measure: object, alpha: float = ALPHA) -> float:
        """The depth or share from which d_rank finds no significant difference from the ranking by all judgments.

        It is the least one from which the median p-value stays above alpha; nan if there is none.
        """
        band = self.band(measure, "pvalue")
        return _from_which_on(band.x, band.middle > share("alpha", alpha))

    def reaches(self, measure: object, value: float, statistic: str = "tau") -> float:
        """The depth or share from which the median of a coefficient stays at a value or above; nan if none."""
        band = self.band(measure, one_of("statistic", statistic, self.settings.columns))
        return _from_which_on(band.x, band.middle >= value)


def _from_which_on(x: Floats, reached: Any) -> float:
    stays = np.logical_and.accumulate(np.asarray(reached)[::-1])[::-1]
    return float(x[stays][0]) if stays.any() else float("nan")


@shared_options("alpha", "intervals", "top", "per_topic", "variant", "test")
def judgment_curve(
    runs: RunsLike,
    qrels: QrelsLike,
    measures: Iterable[MeasureLike],
    *,
    depths: Sequence[int] | None = None,
    shares: Sequence[float] | None = None,
    repetitions: int = 10,
    names: choices.NamedAfter = "file",
    missing: choices.Missing = "error",
    lower_is_better: Collection[MeasureLike] = (),
    download: bool = False,
    clusters: LabelsLike = None,
    strata: LabelsLike = None,
    verbose: bool | None = None,
    **options: Any,
) -> JudgmentCurve:
    """How well fewer judgments rank systems: each measure against its own ranking under all judgments.

    The subsets are pools of some depths (`pool`), or several random samples of each share (`sample_judgments`).
    All systems get the same score on a topic that loses all its judgments, or all relevant ones.

    Runs are read once for every 16 subsets, or fewer if all judgments are more than 60 thousand. With `resume`, runs
    are read once more, to check that they are those of the file.

    Args:
        runs, names, missing, lower_is_better: As for `scores_from_runs`; at least two runs.
        qrels: All judgments, as `scores_from_runs` takes them, or "irds:" and the id of a dataset of ir-datasets.
        measures: Measures, as objects or by name.
        depths: Depths of pools, 0 or more.
        shares: Shares of the judgments, from 0 to 1.
        repetitions: The number of random samples of each share.
        clusters, strata: Which topics depend on each other, as for `ScoreMatrix.with_design`.
        download, verbose: As for `compare`.
        **options: Those of all comparisons.

    Returns:
        The curve, with `to_frame()`, `band(measure, statistic)` and `indistinguishable_from(measure)`.

    Raises:
        OSError, TypeError: As `compare`.
        ValueError: As `compare` and `scores_from_runs`; also unless exactly one of depths and shares is given, or if a
            depth is above 10^9.

    References:
        Carterette, "On rank correlation and the distance between rankings", SIGIR 2009, section 4.3, table 2 and
        figure 4; Buckley and Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004.

    Example:
        >>> qrels = {str(topic): {"d1": 1, "d2": 0, "d3": 0} for topic in range(5)}
        >>> runs = {name: {topic: {"d1": 2.0, "d2": score} for topic in qrels} for name, score in [("a", 1), ("b", 3)]}
        >>> curve = judgment_curve(runs, qrels, ["AP"], depths=[1, 2], n_resamples=99, rng=1)
        >>> curve.band("AP").middle, curve.indistinguishable_from("AP")
        (array([1., 1.]), 1.0)
    """
    engine = Engine("judgment_curve", intervals=depths is not None, test=None, **options)
    if (depths is None) == (shares is None):
        raise ValueError("`depths` or `shares` must be given, and not both.")
    places: list[float]
    if depths is not None:
        kind, repetitions = "depth", 1
        places = [depth_of_pool(depth, "depths") for depth in list_of("depths", depths, "numbers")]
    else:
        kind, repetitions = "share", whole_number("repetitions", repetitions, at_least=1)
        places = [check_share("shares", value) for value in list_of("shares", shares, "numbers")]
    places = sorted(set(places))
    if not places:
        raise ValueError(f"`{kind}s` must hold at least one {kind}, got none.")
    check_all_there(runs, qrels)
    resolved, readable = resolve_measures(measures), keep_readable(runs, names)
    judgments = read_qrels(judgments_of(qrels, download=download))
    reference = scores_from_runs(
        readable, judgments, resolved.values(), missing=missing, lower_is_better=lower_is_better, verbose=verbose
    ).with_design(clusters=clusters, strata=strata)
    judgments = judgments[judgments["query_id"].isin(reference.topics)].reset_index(drop=True)

    def key(place: float, repetition: int, measure: str) -> dict[str, Any]:
        return {kind: place, "repetition": repetition, "measure": measure}

    def blocks(is_missing: Callable[[Mapping[str, Any]], bool]) -> Iterator[list[Case]]:
        if kind == "depth":
            subsets = pools(readable, judgments, places, verbose)
        else:
            subsets = samples(judgments, places, repetitions, engine.settings.seed)
        wanted = (subset for subset in subsets if any(is_missing(key(*subset[:2], measure)) for measure in reference))
        size = max(min(SUBSETS_AT_ONCE, JUDGMENTS_AT_ONCE // max(len(judgments), 1)), 1)
        while block := list(islice(wanted, size)):
            sets = [subset.judgments for subset in block]
            scored = scores_under(readable, sets, [resolved] * len(sets), reference, verbose=verbose)
            yield [
                Case(key(*subset[:2], measure), reference[measure], scores[measure], subset.counts())
                for subset, scores in zip(block, scored, strict=True)
                for measure in reference
                if is_missing(key(*subset[:2], measure))
            ]

    keys = [key(place, number, measure) for number in range(repetitions) for place in places for measure in reference]
    data: dict[str, Any] = {"kind": kind, "repetitions": repetitions, "places": places, "n_judgments": len(judgments)}
    data["data"] = "" if options.get("resume") is None else _fingerprint(readable, reference, judgments, verbose)
    rows = engine.compute_blocks(keys, blocks, data)
    curve = JudgmentCurve(rows, engine.settings, kind, reference, len(judgments), repetitions)
    curve.warn_of_undefined()
    return curve


def _fingerprint(runs: Mapping[str, Any], reference: Scores, judgments: pd.DataFrame, verbose: bool | None) -> str:
    """Distinguishes the data of curves: runs with the same scores may still differ under fewer judgments."""
    digest = hashlib.sha256(fingerprint(reference).encode())
    digest.update(pd.util.hash_pandas_object(judgments, index=False).to_numpy().tobytes())
    for name, run in each_run({name: runs[name] for name in sorted(runs)}, verbose, "reading runs"):
        digest.update(repr(name).encode())
        for topic in reference.topics:
            digest.update(repr(sorted(run.get(topic, {}).items())).encode())
    return digest.hexdigest()


# --- subsets of judgments -----------------------------------------------------------------------------------


class Subset(NamedTuple):
    """Some of the judgments."""

    x: float  # the depth of the pool, or the share that is kept
    repetition: int  # which of several random ones, from 0
    judgments: pd.DataFrame  # in the form of ir_measures

    def counts(self) -> dict[str, int]:
        """What rows say about the judgments."""
        relevant = self.judgments[self.judgments["relevance"] > 0]
        return {
            "n_judgments": len(self.judgments),
            "n_relevant": len(relevant),
            "n_topics_judged": self.judgments["query_id"].nunique(),
            "n_topics_relevant": relevant["query_id"].nunique(),
        }


def pools(
    runs: Mapping[str, Any], judgments: pd.DataFrame, depths: Sequence[float], verbose: bool | None
) -> Iterator[Subset]:
    """The judgments in the pool of each depth."""
    best_ranks = pool_ranks(runs, int(max(depths)), verbose)
    documents = zip(judgments["query_id"], judgments["doc_id"], strict=True)
    ranks = np.array([best_ranks.get(qid, {}).get(docno, np.inf) for qid, docno in documents])
    for depth in depths:
        yield Subset(depth, 0, judgments[ranks <= depth])


def samples(judgments: pd.DataFrame, shares: Sequence[float], repetitions: int, seed: int) -> Iterator[Subset]:
    """Random samples of each share, nested within a repetition."""
    for repetition, child in enumerate(np.random.default_rng(seed).spawn(repetitions)):
        order = SamplingOrder.of(judgments, child)
        for kept in shares:
            yield Subset(kept, repetition, judgments[order.mask(kept)])
