"""Weighting models: what the occurrence of a term in a document adds to the document's score.

tf and length are of the document, df and cf of the term, N and T count the documents and the words of the collection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from pt_rankcorr.demo.index import Floats, Postings


class Weights(NamedTuple):
    """The score of a document is the sum over the query's terms of their weight times these.

    Attributes:
        matching: for each posting, added where the document contains the term.
        always: for each document, added for every query term of the collection, contained or not.
    """

    matching: Floats
    always: Floats | float = 0.0


Weighting: TypeAlias = Callable[..., Weights]  # of postings, and parameters by name


def coordination(postings: Postings) -> Weights:
    """The number of query terms in the document (Salton and McGill 1983)."""
    return Weights(np.ones_like(postings.tf))


def raw_frequency(postings: Postings) -> Weights:
    """tf: long documents win."""
    return Weights(postings.tf)


def binary_idf(postings: Postings) -> Weights:
    """log(N / df) of the terms that occur (Sparck Jones 1972)."""
    return Weights(_idf(postings))


def tf_idf(postings: Postings) -> Weights:
    """tf log(N / df), without length normalisation (Salton and Buckley 1988, ntn)."""
    return Weights(postings.tf * _idf(postings))


def cosine(postings: Postings) -> Weights:
    """(1 + log tf) log(N / df), divided by the Euclidean norm over the document (Salton and Buckley 1988, ltc)."""
    weight = (1.0 + np.log(postings.tf)) * _idf(postings)
    norm = np.sqrt(np.bincount(postings.document, weights=weight**2, minlength=postings.n_documents))
    norm[norm == 0.0] = 1.0  # a document of words that are in all documents: its weights are 0
    return Weights(weight / norm[postings.document])


def pivoted(postings: Postings, *, s: float = 0.2) -> Weights:
    """(1 + log(1 + log tf)) / (1 - s + s length / mean length) log((N + 1) / df) (Singhal 2001)."""
    tf = 1.0 + np.log1p(np.log(postings.tf))
    return Weights(tf / (1.0 - s + s * _relative_length(postings)) * np.log((postings.n_documents + 1.0) / postings.df))


def bm25(postings: Postings, *, k1: float = 1.2, b: float = 0.75) -> Weights:
    """tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)) times the idf (Robertson and Zaragoza 2009).

    The idf is log(1 + (N - df + 0.5) / (df + 0.5)), which is never negative.
    """
    idf = np.log1p((postings.n_documents - postings.df + 0.5) / (postings.df + 0.5))
    saturation = k1 * (1.0 - b + b * _relative_length(postings))
    return Weights(idf * postings.tf * (k1 + 1.0) / (postings.tf + saturation))


def dirichlet(postings: Postings, *, mu: float = 1000.0) -> Weights:
    """Query likelihood with Dirichlet smoothing (Zhai and Lafferty 2004).

    A matching term adds log(1 + tf / (mu cf / T)), every term adds log(mu / (mu + length)).
    """
    matching = np.log1p(postings.tf * postings.n_tokens / (mu * postings.cf))
    return Weights(matching, np.log(mu / (mu + postings.lengths)))


def jelinek_mercer(postings: Postings, *, lam: float = 0.5) -> Weights:
    """Query likelihood with linear interpolation, lam the share of the collection (Zhai and Lafferty 2004).

    A matching term adds log(1 + (1 - lam) tf / length / (lam cf / T)); the rest is the same for all documents.
    """
    odds = postings.tf / postings.length * postings.n_tokens / postings.cf
    return Weights(np.log1p((1.0 - lam) / lam * odds))


def pl2(postings: Postings, *, c: float = 1.0) -> Weights:
    """Poisson model, Laplace after-effect, normalisation 2 (Amati and van Rijsbergen 2002).

    With Stirling's formula for the factorial, and lambda = cf / N.
    """
    tfn, rate = _normalisation2(postings, c), postings.cf / postings.n_documents
    information = (
        tfn * np.log2(tfn / rate) + (rate + 1.0 / (12.0 * tfn) - tfn) * np.log2(np.e) + 0.5 * np.log2(2.0 * np.pi * tfn)
    )
    return Weights(information / (tfn + 1.0))


def inl2(postings: Postings, *, c: float = 1.0) -> Weights:
    """Inverse document frequency, Laplace after-effect, normalisation 2 (Amati and van Rijsbergen 2002).

    tfn / (tfn + 1) log2((N + 1) / (df + 0.5)).
    """
    tfn = _normalisation2(postings, c)
    return Weights(tfn / (tfn + 1.0) * np.log2((postings.n_documents + 1.0) / (postings.df + 0.5)))


def dph(postings: Postings) -> Weights:
    """Hypergeometric model with Popper's normalisation, free of parameters (Amati et al. 2008, DPH).

    (1 - f)^2 / (tf + 1) (tf log2(tf mean length / length N / cf) + 0.5 log2(2 pi tf (1 - f))), f = tf / length.
    """
    f = postings.tf / postings.length
    expected = postings.tf / _relative_length(postings) * postings.n_documents / postings.cf
    spread = 0.5 * np.log2(2.0 * np.pi * postings.tf * np.where(f < 1.0, 1.0 - f, 1.0))
    return Weights((1.0 - f) ** 2 / (postings.tf + 1.0) * (postings.tf * np.log2(expected) + spread))


def _idf(postings: Postings) -> Floats:
    return np.log(postings.n_documents / postings.df)


def _relative_length(postings: Postings) -> Floats:
    return postings.length / postings.mean_length


def _normalisation2(postings: Postings, c: float) -> Floats:
    return np.asarray(postings.tf * np.log2(1.0 + c / _relative_length(postings)))
