"""The retrieval systems of the demonstration."""

from __future__ import annotations

import pyterrier as pt

from pt_rankcorr.demo import weighting
from pt_rankcorr.demo.feedback import RM3, Bo1
from pt_rankcorr.demo.generator import Collection
from pt_rankcorr.demo.index import Index
from pt_rankcorr.demo.retrieve import Retrieve


def pipelines(collection: Collection) -> dict[str, pt.Transformer]:
    """Twenty-nine retrieval systems over the documents of a collection, from poor to good.

    Args:
        collection: the collection to index.

    Returns:
        The systems, by a name that tells the model and what is not usual about its parameters.
    """
    index, leads = Index(collection.documents), Index(collection.documents, max_words=8)
    bm25_04, likelihood = Retrieve(index, weighting.bm25, b=0.4), Retrieve(index, weighting.dirichlet, mu=500)
    hypergeometric = Retrieve(index, weighting.dph)
    return {
        "BM25": Retrieve(index, weighting.bm25),
        "BM25 b=0": Retrieve(index, weighting.bm25, b=0.0),
        "BM25 b=0.4": bm25_04,
        "BM25 b=1": Retrieve(index, weighting.bm25, b=1.0),
        "BM25 k1=0.4": Retrieve(index, weighting.bm25, k1=0.4),
        "BM25 k1=4": Retrieve(index, weighting.bm25, k1=4.0),
        "BM25 first 8 words": Retrieve(leads, weighting.bm25),
        "LM Dirichlet mu=50": Retrieve(index, weighting.dirichlet, mu=50),
        "LM Dirichlet mu=500": likelihood,
        "LM Dirichlet mu=5000": Retrieve(index, weighting.dirichlet, mu=5000),
        "LM Jelinek-Mercer 0.1": Retrieve(index, weighting.jelinek_mercer, lam=0.1),
        "LM Jelinek-Mercer 0.5": Retrieve(index, weighting.jelinek_mercer, lam=0.5),
        "LM Jelinek-Mercer 0.9": Retrieve(index, weighting.jelinek_mercer, lam=0.9),
        "TF-IDF": Retrieve(index, weighting.tf_idf),
        "TF-IDF cosine": Retrieve(index, weighting.cosine),
        "TF-IDF pivoted": Retrieve(index, weighting.pivoted),
        "PL2 c=0.5": Retrieve(index, weighting.pl2, c=0.5),
        "PL2": Retrieve(index, weighting.pl2),
        "PL2 c=10": Retrieve(index, weighting.pl2, c=10.0),
        "InL2": Retrieve(index, weighting.inl2),
        "InL2 c=10": Retrieve(index, weighting.inl2, c=10.0),
        "DPH": hypergeometric,
        "Coordination level": Retrieve(index, weighting.coordination),
        "Binary IDF": Retrieve(index, weighting.binary_idf),
        "Term frequency": Retrieve(index, weighting.raw_frequency),
        "BM25 + Bo1": bm25_04 >> Bo1(index, fb_docs=3, fb_terms=10) >> bm25_04,
        "BM25 + Bo1, 30 documents": bm25_04 >> Bo1(index, fb_docs=30, fb_terms=40) >> bm25_04,
        "LM + RM3": likelihood >> RM3(index, fb_docs=3) >> likelihood,
        "DPH + Bo1": hypergeometric >> Bo1(index, fb_docs=3, fb_terms=10) >> hypergeometric,
    }
