"""The retrieval systems of the demonstration."""

from __future__ import annotations

import pyterrier as pt

from pt_rankcorr.demo.feedback import RM3, Bo1
from pt_rankcorr.demo.generator import Collection
from pt_rankcorr.demo.index import Index
from pt_rankcorr.demo.retrieve import Retrieve
from pt_rankcorr.demo.weighting import (
    binary_idf,
    bm25,
    coordination,
    cosine,
    dirichlet,
    dph,
    inl2,
    jelinek_mercer,
    pivoted,
    pl2,
    raw_frequency,
    tf_idf,
)


def pipelines(collection: Collection) -> dict[str, pt.Transformer]:
    """Twenty-nine retrieval systems over the documents of a collection, from poor to good.

    Args:
        collection: the collection to index.

    Returns:
        The systems, by a name that tells the model and what is not usual about its parameters.
    """
    index, leads = Index(collection.documents), Index(collection.documents, max_words=8)
    bm25_04, likelihood = Retrieve(index, bm25, b=0.4), Retrieve(index, dirichlet, mu=500)
    hypergeometric = Retrieve(index, dph)
    return {
        "BM25": Retrieve(index, bm25),
        "BM25 b=0": Retrieve(index, bm25, b=0.0),
        "BM25 b=0.4": bm25_04,
        "BM25 b=1": Retrieve(index, bm25, b=1.0),
        "BM25 k1=0.4": Retrieve(index, bm25, k1=0.4),
        "BM25 k1=4": Retrieve(index, bm25, k1=4.0),
        "BM25 first 8 words": Retrieve(leads, bm25),
        "LM Dirichlet mu=50": Retrieve(index, dirichlet, mu=50),
        "LM Dirichlet mu=500": likelihood,
        "LM Dirichlet mu=5000": Retrieve(index, dirichlet, mu=5000),
        "LM Jelinek-Mercer 0.1": Retrieve(index, jelinek_mercer, lam=0.1),
        "LM Jelinek-Mercer 0.5": Retrieve(index, jelinek_mercer, lam=0.5),
        "LM Jelinek-Mercer 0.9": Retrieve(index, jelinek_mercer, lam=0.9),
        "TF-IDF": Retrieve(index, tf_idf),
        "TF-IDF cosine": Retrieve(index, cosine),
        "TF-IDF pivoted": Retrieve(index, pivoted),
        "PL2 c=0.5": Retrieve(index, pl2, c=0.5),
        "PL2": Retrieve(index, pl2),
        "PL2 c=10": Retrieve(index, pl2, c=10.0),
        "InL2": Retrieve(index, inl2),
        "InL2 c=10": Retrieve(index, inl2, c=10.0),
        "DPH": hypergeometric,
        "Coordination level": Retrieve(index, coordination),
        "Binary IDF": Retrieve(index, binary_idf),
        "Term frequency": Retrieve(index, raw_frequency),
        "BM25 + Bo1": bm25_04 >> Bo1(index, fb_docs=3, fb_terms=10) >> bm25_04,
        "BM25 + Bo1, 30 documents": bm25_04 >> Bo1(index, fb_docs=30, fb_terms=40) >> bm25_04,
        "LM + RM3": likelihood >> RM3(index, fb_docs=3) >> likelihood,
        "DPH + Bo1": hypergeometric >> Bo1(index, fb_docs=3, fb_terms=10) >> hypergeometric,
    }
