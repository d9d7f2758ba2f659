"""The words that arguments may take, each list once: for type checkers and for commands."""

from __future__ import annotations

from typing import Literal, TypeAlias

Null: TypeAlias = Literal["shrunken", "published", "two-sample"]
Covariance: TypeAlias = Literal["sample", "ledoit-wolf"]
RankMethod: TypeAlias = Literal["shrunken", "percentile", "pairwise"]
Estimator: TypeAlias = Literal[
    "shrunken", "msqd", "ml", "resampling", "kde", "split-half", "split-half-replace"
]
PairTest: TypeAlias = Literal[
    "max-t", "tukey-hsd", "paired-bootstrap", "unpaired-bootstrap", "t", "wilcoxon"
]
PairCorrection: TypeAlias = Literal["holm", "fdr"]  # of the tests of all pairs
OtherTopics: TypeAlias = Literal["new topics", "resamples", "halves"]
Variant: TypeAlias = Literal["a", "b"]  # of a coefficient, by what ties do
MissingOfSides: TypeAlias = Literal["error", "skip", "warn"]
Missing: TypeAlias = Literal["error", "drop-topics", "drop-systems", "zero"]
MissingOfJudges: TypeAlias = Literal[
    "error", "warn", "skip", "default", "drop-topics", "drop-systems", "zero"
]
LeaderboardFormat: TypeAlias = Literal[
    "trec_eval", "tot", "ir_measures", "rag4reports", "ranking", "jsonl"
]
TableFormat: TypeAlias = Literal["long", "wide"]
Decimal: TypeAlias = Literal[".", ","]  # the mark in numbers
Repeats: TypeAlias = Literal["error", "mean"]  # several scores of one system, topic and measure
NamedAfter: TypeAlias = Literal["file", "tag"]  # runs
LabelMetric: TypeAlias = Literal["nominal", "ordinal", "interval"]  # how two labels disagree
DifferenceTest: TypeAlias = Literal["t", "permutation"]  # of two correlations
Combine: TypeAlias = Literal["mean", "median", "majority"]  # labels of several judges

IRDS = "irds:"  # as PyTerrier names the datasets of ir-datasets
