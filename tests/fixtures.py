"""Fixtures: a small synthetic experiment, files of TREC, and pages of HTML as a browser without a script sees them."""

from collections import Counter
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyterrier as pt

N_TOPICS, N_DOCUMENTS = 12, 30


class Ranker(pt.Transformer):
    """Ranks synthetic documents by their relevance under noise; the same for the same arguments."""

    schematic = {"label": "Ranker", "help_url": None}  # noqa: RUF012

    def __init__(self, qrels, noise, seed):
        self.qrels, self.noise, self.seed = qrels, noise, seed
        self.labels = {qid: dict(zip(rows["docno"], rows["label"], strict=True)) for qid, rows in qrels.groupby("qid")}

    def transform(self, inp):
        pt.validate.query_frame(inp)
        rows = [(qid, query, *scored) for qid, query in inp[["qid", "query"]].to_numpy() for scored in self._run(qid)]
        return pt.model.add_ranks(pd.DataFrame(rows, columns=["qid", "query", "docno", "score"]))

    def _run(self, qid):
        noise = np.random.default_rng([self.seed, int(qid.strip("q"))]).standard_normal(N_DOCUMENTS)
        labels = self.labels.get(qid, {})
        return [(f"d{n}", labels.get(f"d{n}", 0) + self.noise * noise[n]) for n in range(N_DOCUMENTS)]

    def __repr__(self):
        return f"Ranker(noise={self.noise}, seed={self.seed})"


def topics(number=N_TOPICS):
    return pd.DataFrame({"qid": [f"q{n}" for n in range(1, number + 1)], "query": "words"})


def qrels(number=N_TOPICS):
    random = np.random.default_rng(7)
    rows = [
        (f"q{n}", f"d{document}", int(random.integers(0, 3)))
        for n in range(1, number + 1)
        for document in random.choice(N_DOCUMENTS, 12, replace=False)
    ]
    return pd.DataFrame(rows, columns=["qid", "docno", "label"])


@cache
def system(n):
    return Ranker(qrels(), 0.6 + 0.4 * n, n)


def systems(number=5):
    return {f"noise {n}": system(n) for n in range(number)}


def write_qrels(path, rows):
    """Of a topic, a document and a label each."""
    path.write_text("".join(f"{qid} 0 {docno} {label}\n" for qid, docno, label in rows))


def write_run(path, rows):
    """Of a topic, a document and a score each; evaluators do not look at the places."""
    path.write_text("".join(f"{qid} Q0 {docno} 0 {float(score)!r} tag\n" for qid, docno, score in rows))


# --- pages ----------------------------------------------------------------------------------------------------

VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}


class Page(HTMLParser):
    """A page as a browser without a script sees it."""

    def __init__(self, source):
        super().__init__()
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self.after = ""
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.after = tag
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.after == "wbr":  # it goes on
            self.text[-1] += data
        else:
            self.text.append(data)
        self.after = ""
