"""A generated test collection: documents, topics and graded judgments from one seed.

Every document is a few segments, every segment is about one aspect of a theme. Judgments come from the segments,
never from the words, and the words of a segment are a bursty sample of its aspect's vocabulary. So a query word can be
missing from a relevant document and frequent in another, as in real text. Only `Generator.random` is used, through
inverse distribution functions of our own: numpy keeps that stream fixed from version to version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from pt_rankcorr.demo.words import EVERYDAY, NAMES, STOPWORDS, THEMES

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Names = npt.NDArray[np.object_]

N_DOCUMENTS = 3000
N_ASPECTS = sum(len(theme.aspects) for theme in THEMES)
MAX_TOPICS = 90  # fewer than aspects: a seed may leave one or two of them without a relevant document

_PER_THEME = len(THEMES[0].aspects)
_WORDS = len(THEMES[0].core)  # words of a theme's core, and of each of its aspects
_BACKGROUND = STOPWORDS + EVERYDAY + tuple(name.capitalize() for name in NAMES)  # most frequent first
_CORES = tuple(word for theme in THEMES for word in theme.core)
_ASPECT_WORDS = tuple(word for theme in THEMES for aspect in theme.aspects for word in aspect)
_VOCABULARY = _BACKGROUND + _CORES + _ASPECT_WORDS
_FIRST_CORE = len(_BACKGROUND)
_FIRST_ASPECT = _FIRST_CORE + len(_CORES)

_COVERED = 3  # documents that every aspect has at least, whatever the seed
_BURSTINESS = 2.0  # 0 would give all the words of a list their share in each segment
_FOCUS = 3.0  # how much the stance decides about the words of an aspect
_OWN, _NEAR = 0.35, 0.20  # shares of the aspect and of the rest of its theme in the words on the subject; else core
_REPEATS = 0.4  # share of the words that repeat an earlier word of their document
_PHRASE = 6  # sentences are one or more of this many words
_TOLERANCES = (0.25, 1.0)  # how far from the stance of a topic a segment is of no use: narrow and broad topics
_ENOUGH = 5.0  # words on the topic that make half an impression
_PATIENCE = 0.04  # and so many more for each word of the document
_GRADES = (0.20, 0.35, 0.50)  # impressions that earn grades 1, 2, 3


@dataclass(frozen=True)
class Collection:
    """A test collection in PyTerrier's frames.

    Attributes:
        documents: one row per document: `docno`, `text`.
        topics: one row per topic: `qid`, `query`.
        qrels: one row per judged document of a topic: `qid`, `docno`, `label` (0 to 3).
    """

    documents: pd.DataFrame
    topics: pd.DataFrame
    qrels: pd.DataFrame


class _Segments(NamedTuple):
    """The latent structure: one entry per segment, in document order."""

    document: Ints
    aspect: Ints
    n_words: Ints
    density: Floats  # share of a segment's words that belong to its subject
    stance: Floats  # 0 to 1: where the segment stands on its aspect; the words of an aspect are spread over that line


def collection(n_topics: int = 50, *, seed: int = 2008) -> Collection:
    """A small test collection on which retrieval systems differ as they do on a TREC track.

    The documents depend on the seed alone, and fewer topics are the first ones of more topics.

    Args:
        n_topics: number of topics, 1 to 90.
        seed: seed of the generator; the same seed gives the same collection.

    Returns:
        3000 documents, the topics, and judgments of every document of a topic's theme.

    Raises:
        ValueError: if `n_topics` is not between 1 and 90.

    Example:
        >>> collection(2).topics["query"].tolist()
        ['core similar bubbles ancient', 'grape harvest grower water']
    """
    if not 1 <= n_topics <= MAX_TOPICS:
        raise ValueError(f"`n_topics` must be between 1 and {MAX_TOPICS}, got {n_topics}.")
    for_documents, for_judgments, for_topics = (np.random.Generator(np.random.PCG64([seed, part])) for part in range(3))
    segments = _segments(for_documents)
    docnos = np.array([f"d{number:04d}" for number in range(N_DOCUMENTS)], dtype=object)
    documents = pd.DataFrame({"docno": docnos, "text": _texts(segments, for_documents)})
    stance = for_judgments.random(N_ASPECTS)
    grades = _grades(segments, stance, for_judgments)
    answered = grades.max(axis=0) > 0
    aspects = np.argsort(for_topics.random(N_ASPECTS) + ~answered, kind="stable")[:n_topics]
    queries = [_query(aspect, float(stance[aspect]), for_topics) for aspect in aspects.tolist()]
    qids = np.array([str(number) for number in range(1, n_topics + 1)], dtype=object)
    topics = pd.DataFrame({"qid": qids, "query": queries})
    return Collection(documents, topics, _qrels(aspects, qids, grades, segments, docnos))


# --- chance ---------------------------------------------------------------------------------------------------------


def _exponential(rng: np.random.Generator, *shape: int) -> Floats:
    return -np.log(1.0 - rng.random(shape))


def _choice(weights: Floats, uniform: Floats) -> Ints:
    """Indices drawn from one distribution for all, by its inverse distribution function."""
    cumulated = np.cumsum(weights)
    chosen: Ints = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    return np.minimum(chosen, len(weights) - 1)


def _choice_by_row(weights: Floats, row: Ints, uniform: Floats) -> Ints:
    """Indices drawn from the distribution `weights[row]`, one for each entry of `row`."""
    cumulated = np.cumsum(weights, axis=1)
    target = uniform * cumulated[row, -1]
    chosen: Ints = (cumulated[row, :-1] <= target[:, None]).sum(axis=1)
    return chosen


# --- documents ------------------------------------------------------------------------------------------------------


def _segments(rng: np.random.Generator) -> _Segments:
    popularity = 0.3 + _exponential(rng, N_ASPECTS) ** 1.5
    main = _choice(popularity, rng.random(N_DOCUMENTS))
    main[: _COVERED * N_ASPECTS] = np.tile(np.arange(N_ASPECTS), _COVERED)
    n_segments = 1 + (1.5 * _exponential(rng, N_DOCUMENTS)).astype(np.int64)
    verbosity = 0.3 + _exponential(rng, N_DOCUMENTS) ** 1.3
    density = (0.06 + 0.30 * rng.random(N_DOCUMENTS)) / (1.0 + 0.35 * verbosity)
    document = np.repeat(np.arange(N_DOCUMENTS), n_segments)
    n_words = (12 + 45 * verbosity[document] * (0.5 + rng.random(len(document)))).astype(np.int64)
    aspect = _wander(main[document], document, popularity, rng)
    return _Segments(document, aspect, n_words, density[document], rng.random(len(document)))


def _wander(main: Ints, document: Ints, popularity: Floats, rng: np.random.Generator) -> Ints:
    """A document starts with its main aspect and may go on to its neighbours or to anything else."""
    where = rng.random(len(main))
    where[np.unique(document, return_index=True)[1]] = 0.0
    neighbour = main // _PER_THEME * _PER_THEME + (rng.random(len(main)) * _PER_THEME).astype(np.int64)
    elsewhere = _choice(popularity, rng.random(len(main)))
    return np.select([where < 0.4, where < 0.8], [main, neighbour], elsewhere)


def _texts(segments: _Segments, rng: np.random.Generator) -> list[str]:
    word = _repeat(_draw_words(segments, rng), np.repeat(segments.document, segments.n_words), rng)
    last = np.cumsum(np.bincount(segments.document, weights=segments.n_words).astype(np.int64)) - 1
    ends = (np.arange(len(word)) % _PHRASE == 0) & (rng.random(len(word)) < 0.5)
    ends[last] = True
    starts = np.roll(ends, 1)
    forms = np.array([[_form(w, s, e) for w in _VOCABULARY] for s in (0, 1) for e in (0, 1)], dtype=object)
    spelled = np.split(forms[2 * starts + ends, word], last[:-1] + 1)
    return [" ".join(document) for document in spelled]


def _form(word: str, starts: int, ends: int) -> str:
    return (word[0].upper() + word[1:] if starts else word) + ("." if ends else "")


def _draw_words(segments: _Segments, rng: np.random.Generator) -> Ints:
    """Each word is background, of the theme's core, of any aspect of the theme, or of the segment's own aspect."""
    segment = np.repeat(np.arange(len(segments.aspect)), segments.n_words)
    aspect, theme = segments.aspect[segment], segments.aspect[segment] // _PER_THEME
    zipf = np.power(np.arange(len(_BACKGROUND), dtype=np.float64) + 3.0, -1.1)
    background = _choice(zipf, rng.random(len(segment)))
    of_core, of_own = np.ones((len(segments.aspect), _WORDS)), _nearness(segments.stance[:, None])
    core = _FIRST_CORE + theme * _WORDS + _bursty_words(of_core, segment, rng)
    any_word = (rng.random(len(segment)) * _PER_THEME * _WORDS).astype(np.int64)
    near = _FIRST_ASPECT + theme * _PER_THEME * _WORDS + any_word
    own = _FIRST_ASPECT + aspect * _WORDS + _bursty_words(of_own, segment, rng)
    kind = rng.random(len(segment)) / segments.density[segment]
    return np.select([kind < _OWN, kind < _OWN + _NEAR, kind < 1.0], [own, near, core], background)


def _nearness(stance: Floats | float) -> Floats:
    """How much a stance favours each word of an aspect."""
    return np.asarray(np.exp(-_FOCUS * np.abs(np.linspace(0.0, 1.0, _WORDS) - stance)))


def _bursty_words(weights: Floats, segment: Ints, rng: np.random.Generator) -> Ints:
    """Positions in a list of words: every segment uses few of the words, and those often."""
    bursty = weights * _exponential(rng, *weights.shape) ** _BURSTINESS
    return _choice_by_row(bursty, segment, rng.random(len(segment)))


def _repeat(word: Ints, document: Ints, rng: np.random.Generator) -> Ints:
    """Word burstiness: some words are a copy of an earlier word of the same document."""
    position = np.arange(len(word))
    first = np.searchsorted(document, document)
    earlier = first + (rng.random(len(word)) * (position - first)).astype(np.int64)
    return np.where(rng.random(len(word)) < _REPEATS, word[earlier], word)


# --- topics and judgments -------------------------------------------------------------------------------------------


def _grades(segments: _Segments, stance: Floats, rng: np.random.Generator) -> Ints:
    """Grades 0 to 3, documents by aspects: how much there is about the topic, and how near to its stance."""
    tolerance = np.interp(rng.random(N_ASPECTS), (0.0, 1.0), _TOLERANCES)[segments.aspect]
    nearness = np.maximum(0.0, 1.0 - np.abs(segments.stance - stance[segments.aspect]) / tolerance)
    amount = segments.n_words * segments.density * nearness
    cell = segments.document * N_ASPECTS + segments.aspect
    words = np.bincount(cell, weights=amount, minlength=N_DOCUMENTS * N_ASPECTS).reshape(N_DOCUMENTS, N_ASPECTS)
    length = np.bincount(segments.document, weights=segments.n_words)[:, None]
    impression = words / (words + _ENOUGH + _PATIENCE * length) * (0.7 + 0.6 * rng.random(words.shape))
    return np.searchsorted(np.array(_GRADES), impression, side="right")


def _query(aspect: int, stance: float, rng: np.random.Generator) -> str:
    """Two to four words: of the aspect, of its theme or of everyday language, in shares that differ by topic."""
    theme, length = THEMES[aspect // _PER_THEME], 2 + int(3 * rng.random())
    quality = rng.random()
    sources = (theme.aspects[aspect % _PER_THEME], theme.core, EVERYDAY)
    weights = (_nearness(stance), np.ones(_WORDS), np.ones(len(EVERYDAY)))
    odds = np.array([0.1 + 1.2 * quality, 0.35, 0.5 * (1.0 - quality)])
    words: list[str] = []
    while len(words) < length:
        usable = odds if words else odds[:2]  # the first word is about the subject
        source = int(_choice(usable, rng.random(1))[0])
        word = sources[source][int(_choice(weights[source], rng.random(1))[0])]
        words += [] if word in words else [word]
    return " ".join(words)


def _qrels(aspects: Ints, qids: Names, grades: Ints, segments: _Segments, docnos: Names) -> pd.DataFrame:
    """Judged are all documents that touch the theme of a topic, as a deep pool would find them."""
    touched = np.zeros((N_DOCUMENTS, N_ASPECTS // _PER_THEME), dtype=bool)
    touched[segments.document, segments.aspect // _PER_THEME] = True
    topic, document = np.nonzero(touched[:, aspects // _PER_THEME].T)
    return pd.DataFrame({"qid": qids[topic], "docno": docnos[document], "label": grades[document, aspects[topic]]})
