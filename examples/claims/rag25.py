"""TREC RAG 2025: labels of UMBRELA2 and of people for the same pairs of topic and passage.

    python examples/claims/rag25.py --folder anserini-tools

The data are those of github.com/castorini/anserini-tools: qrels/qrels.rag25.test.txt (people) and
qrels/qrels.rag25.test-umbrela2.txt. There is no published table: the script prints what one would have.
"""

from __future__ import annotations

from common import parser, sentences

import pt_rankcorr as rc

FILES = {"people": "qrels.rag25.test.txt", "UMBRELA2": "qrels.rag25.test-umbrela2.txt"}


def main() -> None:
    options = parser(__doc__ or "", "rag25").parse_args()
    folder = options.folder / "qrels" if (options.folder / "qrels").is_dir() else options.folder
    paths = {name: folder / file for name, file in FILES.items()}
    paths = {name: path if path.exists() else path.with_name(f"{path.name}.gz") for name, path in paths.items()}

    comparison = rc.judgments.compare_labels(paths["people"], {"UMBRELA2": paths["UMBRELA2"]})
    labels = comparison.agreement["UMBRELA2"]
    low, high = labels.confidence_interval("kappa", 0.95)
    print(comparison)
    print(f"\n{labels.n_shared} pairs that both labelled. Rows: labels by people; columns: labels by UMBRELA2\n")
    print(labels.confusion.to_string())
    sentences(
        [
            f"On {labels.n_shared} pairs, kappa is {labels.kappa:.2f} (95% interval {low:.2f} to {high:.2f}).",
            f"Of the passages that UMBRELA2 labels relevant, people label {labels.precision:.0%} relevant, too. "
            f"Of those that people label relevant, UMBRELA2 labels {labels.recall:.0%} relevant.",
        ],
        [
            "UMBRELA2 ranks systems as people do: labels alone do not show that (compare_judgments does, with runs).",
            "UMBRELA2 agrees as well on other collections: the interval is for topics like these.",
        ],
    )


if __name__ == "__main__":
    main()
