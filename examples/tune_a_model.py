"""Which settings of which model may be best on my collection, and how many topics would tell?

    python examples/tune_a_model.py --documents docs.trec --topics topics.trec --qrels my.qrels
    python examples/tune_a_model.py --irds vaswani

The engine is PISA, which needs no Java: pip install pyterrier-pisa. The collection is in TREC form (files or folders of
`<DOC>` and `<top>`), or an identifier of ir-datasets. It is indexed into a temporary folder and searched with 18
settings: twelve of BM25, three of the query likelihood with Dirichlet smoothing, two of PL2, and DPH. Then the script
answers what somebody asks who tunes parameters: which settings may be the best, whether another measure would choose
the same, and how many topics it would take to rank these settings well.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import ir_datasets
import ir_measures
import pandas as pd
import pyterrier as pt

import pt_rankcorr as rc
from pt_rankcorr.warnings import CloseSystemsWarning

K1, B, MU, C = (0.6, 0.9, 1.2, 2.0), (0.3, 0.5, 0.75), (250, 1000, 2500), (1, 7)


# --- the collection: documents, topics, judgments ---------------------------------------------------


def files(path: Path) -> list[Path]:
    """The file, or all files of a folder and its folders."""
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def trec_documents(path: Path) -> Iterator[dict[str, str]]:
    """The documents of TREC files, plain or gzipped: their numbers, and their text without tags."""
    for file in files(path):
        with pt.io.autoopen(str(file), "rt", encoding="utf-8", errors="replace") as opened:
            text = opened.read()
        for document in re.findall(r"<DOC>(.*?)</DOC>", text, re.DOTALL | re.IGNORECASE):
            number, body = re.split(r"</DOCNO>", document, maxsplit=1, flags=re.IGNORECASE)
            yield {"docno": re.sub(r"<.*?>", "", number).strip(), "text": re.sub(r"<.*?>", " ", body)}


def of_files(options: argparse.Namespace) -> tuple[Iterator[dict[str, str]], pd.DataFrame, pd.DataFrame]:
    topics = pt.io.read_topics(str(options.topics), "trec")[["qid", "query"]]
    return trec_documents(options.documents), topics, pt.io.read_qrels(str(options.qrels))


def of_irds(identifier: str) -> tuple[Iterator[dict[str, str]], pd.DataFrame, pd.DataFrame]:
    dataset = ir_datasets.load(identifier)
    documents = ({"docno": each.doc_id, "text": each.default_text()} for each in dataset.docs_iter())
    topics = pd.DataFrame([{"qid": each.query_id, "query": each.default_text()} for each in dataset.queries_iter()])
    qrels = pd.DataFrame(
        [{"qid": each.query_id, "docno": each.doc_id, "label": each.relevance} for each in dataset.qrels_iter()]
    )
    return documents, topics, qrels


# --- the systems: one model and its parameters each -------------------------------------------------


def settings(index: Any) -> dict[str, pt.Transformer]:
    """The systems by name."""
    return {
        **{f"BM25 k1={k1} b={b}": index.bm25(k1=k1, b=b) for k1 in K1 for b in B},
        **{f"QL mu={mu}": index.qld(mu=mu) for mu in MU},
        **{f"PL2 c={c}": index.pl2(c=c) for c in C},
        "DPH": index.dph(),
    }


@contextmanager
def quietly() -> Iterator[None]:
    """Without what the engine itself writes to the terminal, some thousand lines."""
    sys.stdout.flush()
    kept = os.dup(1), os.dup(2)
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):
            os.dup2(nowhere.fileno(), stream)
    try:
        yield
    finally:
        for stream, copy in enumerate(kept, start=1):
            os.dup2(copy, stream)
            os.close(copy)


def answer(scores: rc.Scores, rng: int) -> None:
    first, second = scores
    print(f"{len(scores.systems)} settings, {len(scores.topics)} topics\n\n1. Which may be best, by {first}?\n")
    print(rc.best_systems(scores[first], rng=rng))
    print(f"\n2. Do {first} and {second} choose alike?\n")
    print(rc.correlation_interval(scores[first], scores[second], rng=rng))
    best = {measure: scores[measure].ranking[0] for measure in scores}
    print()
    for measure, other in ((first, second), (second, first)):
        means = dict(zip(scores.systems, scores[measure].means, strict=True))
        chosen, instead = means[best[measure]], means[best[other]]
        print(f"{measure} chooses {best[measure]}: {chosen:.4f}. The choice of {other} has {instead:.4f}.")
    print("\n3. How many topics would rank these settings well?\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always", CloseSystemsWarning)
        for measure in scores:
            expected = rc.expected_correlation(scores[measure], rng=rng)
            needed = expected.topics_needed(0.9)
            print(f"{measure}: tau_AP {expected.value:.2f} is expected with these topics; .9 takes {needed} topics.")
    print("In brackets: a 95% interval. Numbers with an asterisk are extrapolated far.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, what in (("documents", "files of <DOC>"), ("topics", "a file of <top>"), ("qrels", "a TREC qrels file")):
        parser.add_argument(f"--{name}", type=Path, help=what)
    parser.add_argument("--irds", metavar="ID", help="instead of these three: an identifier of ir-datasets")
    parser.add_argument("--measures", nargs=2, default=["AP", "nDCG@10"], help="two; the first is tuned for")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if (options.irds is None) != all((options.documents, options.topics, options.qrels)):
        parser.error("give --documents, --topics and --qrels, or --irds")
    try:
        from pyterrier_pisa import PisaIndex
    except ImportError:
        raise SystemExit("The engine of this example is not installed: pip install pyterrier-pisa") from None
    print(f"{__doc__.splitlines()[0]}\n")
    documents, topics, qrels = of_irds(options.irds) if options.irds else of_files(options)
    topics["query"] = topics["query"].str.lower().str.replace(r"[^\w\s]", " ", regex=True)
    measures = [ir_measures.parse_measure(measure) for measure in options.measures]
    with tempfile.TemporaryDirectory() as folder, quietly():
        index = PisaIndex(f"{folder}/index", text_field="text")
        index.index(documents)
        scores = rc.Experiment(settings(index), topics, qrels, measures, perquery=True)
    answer(rc.scores_from_experiment(scores), options.seed)


if __name__ == "__main__":
    main()
