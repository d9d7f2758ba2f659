"""LLMJudge 2024, table 3: how far the labels of 33 language models agree with those of people.

    python examples/claims/llmjudge2024.py --folder LLMJudge-benchmark --qrels LLMJudge/data/llmjudge_test_qrel_idx.txt

The data are in two repositories, github.com/llm4eval/LLMJudge-benchmark (labels of the models) and
github.com/llm4eval/LLMJudge (labels of people). The published numbers are Cohen's kappa over four grades and
Krippendorff's alpha (ordinal), from Rahmani and others, LLMJudge: LLMs for relevance judgments, 2024, table 3. Its tau
needs runs that are not public.
"""

from __future__ import annotations

from pathlib import Path

from common import beside, parser, sentences, show

import pt_rankcorr as rc

VALUES = ["kappa", "alpha"]
PUBLISHED = """
NISTRetrieval-instruct0 .1877 .3819
NISTRetrieval-instruct1 .1874 .3812
NISTRetrieval-instruct2 .1880 .3821
NISTRetrieval-reason0 .1844 .3874
NISTRetrieval-reason1 .1845 .3872
NISTRetrieval-reason2 .1838 .3874
Olz-exp .2519 .4701
Olz-gpt4o .2625 .5020
Olz-halfbin .2064 .4536
Olz-multiprompt .2445 .4551
Olz-somebin .2109 .4471
RMITIR-GPT4o .2388 .4108
RMITIR-llama38b .2006 .3873
RMITIR-llama70B .2654 .4873
TREMA-4prompts .1829 .2888
TREMA-CoT .1961 .3852
TREMA-all .1471 .3855
TREMA-direct .1742 .3729
TREMA-naiveBdecompose .1741 .3579
TREMA-nuggets .0604 .1691
TREMA-other .1408 .2712
TREMA-questions .1137 .3148
TREMA-rubric0 .0779 .1036
TREMA-sumdecompose .2088 .3926
h2oloo-fewself .2774 .4958
h2oloo-zeroshot1 .2817 .4812
h2oloo-zeroshot2 .2589 .3898
prophet-setting1 .1823 .4069
prophet-setting2 .1757 .3144
prophet-setting4 .1471 .1623
willia-umbrela1 .2863 .4918
willia-umbrela2 .2688 .4556
willia-umbrela3 .2741 .4535
"""
ODD, MAP = "RMITIR-llama70B", {5: 3}  # two labels 5 on a scale to 3: the published numbers come out if these are 3


def main() -> None:
    arguments = parser(__doc__ or "", "llmjudge2024")
    arguments.add_argument("--qrels", type=Path, help="labels of people (default: NIST.qrels.gz of the folder)")
    options = arguments.parse_args()
    folder = options.folder / "submissions" / "scores"
    judges = folder if folder.is_dir() else options.folder / "judges"
    qrels = options.qrels or options.folder / "NIST.qrels.gz"

    comparison = rc.judgments.compare_labels(qrels, judges)
    values = comparison.to_frame().set_index("judge")
    (odd,) = judges.glob(f"{ODD}*")
    values.update(rc.judgments.compare_labels(qrels, {ODD: odd}, label_map=MAP).to_frame().set_index("judge")[VALUES])
    rows = [line.split() for line in PUBLISHED.split("\n") if line]
    for place, name in enumerate(VALUES, start=1):
        published = {row[0]: float(row[place]) for row in rows}
        show(f"Table 3, {name}", *beside(published, values[name].to_dict(), 4))

    print("\nWhat is odd about the labels:")
    for doubt in comparison.label_checks.doubts():
        print(f"- {doubt}.")
    print(f"\nWith 95% intervals over topics (these labels as they are):\n\n{comparison}")
    first, best_alpha = values.index[0], values["alpha"].idxmax()
    level = [f"{values.loc[first, name]:.2f}" for name in ("kappa", "kappa low", "kappa high")]
    apart = [judge for judge in values.index if values.loc[judge, "p against the first"] <= 0.05]
    sentences(
        [
            f"{first} has the highest kappa, {level[0]} (95% interval over topics: {level[1]} to {level[2]}).",
            f"Judges with a significantly lower kappa, corrected for all judges: {', '.join(apart) or 'none'} "
            f"({len(apart)} of {len(values) - 1}).",
            f"{best_alpha} has the highest alpha, {values['alpha'].max():.4f}. (The paper prints another one in bold.)",
        ],
        [
            f"{first} is the best judge: {len(values) - 1 - len(apart)} others may have as high a kappa.",
            "A judge with a higher kappa ranks systems better: kappa does not show that.",
        ],
    )


if __name__ == "__main__":
    main()
