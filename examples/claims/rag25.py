"""TREC RAG 2025: labels of UMBRELA2 and of people for the same pairs of topic and passage.

    python examples/claims/rag25.py --folder anserini-tools

The data are those of github.com/castorini/anserini-tools: qrels/qrels.rag25.test.txt (people) and
qrels/qrels.rag25.test-umbrela2.txt. There is no published table: the script prints what one would have.
"""

from __future__ import annotations

from common import parser, sentences

import pt_rankcorr as ptr

FILES = {"people": "qrels.rag25.test.txt", "UMBRELA2": "qrels.rag25.test-umbrela2.txt"}


def main() -> None:
    options = parser(__doc__ or "", "rag25").parse_args()
    folder = options.folder / "qrels" if (options.folder / "qrels").is_dir() else options.folder
    paths = {name: folder / file for name, file in FILES.items()}
    paths = {name: path if path.exists() else path.with_name(f"{path.name}.gz") for name, path in paths.items()}

    found = ptr.judgments.compare_labels(paths["people"], {"UMBRELA2": paths["UMBRELA2"]})
    labels = found.agreement["UMBRELA2"]
    low, high = labels.confidence_interval("kappa", 0.95)
    print(found.to_text())
    print(f"\n{labels.n_shared} pairs that both judged. Rows: labels of people, columns: of UMBRELA2\n")
    print(labels.confusion.to_string())
    sentences(
        [
            f"On {labels.n_shared} pairs, kappa is {labels.kappa:.2f} (95% interval {low:.2f} to {high:.2f}).",
            f"Of the passages that UMBRELA2 takes for relevant, people do {labels.precision:.0%}; of those that people "
            f"do, UMBRELA2 finds {labels.recall:.0%}.",
        ],
        [
            "UMBRELA2 ranks systems as people do: labels do not say so (compare_judgments does, with runs).",
            "It agrees as well on other collections: the interval is over topics of this one.",
        ],
    )


if __name__ == "__main__":
    main()
