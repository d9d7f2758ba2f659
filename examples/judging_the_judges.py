"""Judging the judges: which language models label passages of TREC DL 2019 so that runs are ranked as people rank them?

From labels as models wrote them to sentences for a paper: what is wrong with each set of labels, how far labels agree,
how runs are ranked, which judge is best, and what it depends on. The files are those of two public repositories, of
which the folder holds clones:

    git clone https://github.com/naghmefarzi/llmjudge
    git clone https://github.com/Narabzad/llm-relevance-judgement-comparison
    python examples/judging_the_judges.py --folder .

The first has people's labels, the 37 runs, and judges; the second has more judges. It takes some minutes.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import pt_rankcorr as rc

FARZI, ARABZADEH = "llmjudge", "llm-relevance-judgement-comparison"
RUNS = f"{FARZI}/trec-dl-2019/runs-compressed/deep"
PEOPLE = f"{FARZI}/data/dl2019/2019qrels-pass.txt"
RAW, METHODS = f"{ARABZADEH}/raw qrels", f"{ARABZADEH}/Methods"
JUDGES = {  # model-prompt -> its file
    "gpt4-binary": f"{METHODS}/Binary/gpt-4/binary_gpt4_dl19.txt",
    "gpt4-umbrela": f"{METHODS}/Umbrela_zeroshot/gpt4/umbrella_gpt-4_zeroshot_dl19.txt",
    "gpt4-exam": f"{METHODS}/Exam/selfrate_graded/gpt4/exam_graded_qrels/qrels.mean.exam_selfrate_graded_dl19.txt",
    "gpt4o-binary": f"{RAW}/gpt-4o/binary/binary_dl19.txt",
    "gpt4o-umbrela": f"{RAW}/gpt-4o/umbrela/umbrela_zeroshot_dl19.clean.json",
    "gpt4o-exam": f"{RAW}/gpt-4o/exam graded mean/qrels.mean.exam_selfrate_dl19.txt",
    "gpt4o-nuggets": f"{RAW}/gpt-4o/nuggets/all/qrels.autonuggetizer.all.dl19.txt",
    "llama32-binary": f"{RAW}/llama3.2/binary/binary_llama3.2_dl19.txt",
    "llama32-umbrela": f"{RAW}/llama3.2/umbrela/umbrella_zeroshot_llama3.2_dl19.clean.json",
    "llama32-exam": f"{RAW}/llama3.2/exam binary/qrels.mean.exam_binary_llama3.2_dl19.txt",
    "llama32-nuggets": f"{RAW}/llama3.2/nuggets/all/qrels.autonuggetizer.all.dl19.txt",
    "llama8b-criteria": f"{FARZI}/results/4_prompts_dl2019.txt",
    "llama8b-genquery": f"{FARZI}/results/dl2019_dev_gen_query_similarity_qrel.txt",
    "llama8b-sun": f"{FARZI}/results/dl2019_sun_then_decomposed_relavance_qrel.txt",
    "llama70b-criteria": f"{FARZI}/results/dl2019_test_4prompts_llama70b.txt",
    "flant5-criteria": f"{FARZI}/results/dl2019_test_4prompts_flant5large.txt",
    "flant5-sun": f"{FARZI}/results/dl2019_test_sun_then_decomposed_flant5large.txt",
}
PATTERN = r"(?P<model>\w+)-(?P<prompt>\w+)"


def main() -> None:
    settings = arguments()
    folder = settings.folder
    runs, people = str(folder / RUNS / "input.*.gz"), folder / PEOPLE
    judges = {name: folder / path for name, path in JUDGES.items()}
    warnings.simplefilter("ignore")  # what they say is in the tables and sentences below

    print("What is wrong with the labels?\n")
    checks = rc.judgments.compare_labels(people, judges).label_checks
    print(checks.to_text())
    n_topics = checks.reference.n_topics  # a judge of fewer would take topics from all others
    few = [each.name for each in checks.sets if each.n_topics < n_topics and not each.n_contradicting]

    print("\nHow far do labels agree?\n")
    whole = [
        each.name for each in checks.sets if not (each.n_fractions or each.n_contradicting) and each.name not in few
    ]
    alpha = rc.judgments.alpha_of_judges({"people": people, **{name: judges[name] for name in whole}})
    print(f"{alpha}\n")

    print("Which judges rank runs as people do?\n")
    kept = {name: path for name, path in judges.items() if name not in few}
    reference = rc.judgments.Qrels(people, relevance_threshold=2)
    labelled = rc.judgments.Judges(kept, relevance_threshold={"*binary": 1, "*nuggets": 0.5, "*": 2})
    how = {"rng": settings.seed, "n_jobs": settings.jobs}
    result = rc.compare_judgments(runs, reference, labelled, ["nDCG@10"], **how).per_topic()
    print(f"{result}\n\n{result.failures}\n")
    ranking, families = result.judges(), result.families(PATTERN)
    print(f"{ranking}\n\n{families}\n")
    print("For a paper:\n")
    print("\n".join(sentences(checks, alpha, result, ranking, families, few)))


def sentences(checks, alpha, result, ranking, families, few) -> list[str]:
    """What a paper would say."""
    row = result.row(ranking.judges[0], "nDCG@10")
    model, prompt = families.components
    return [
        f"We compared {len(checks.sets)} sets of labels with those of NIST. We left out {len(few)} that lack topics "
        f"({', '.join(few)}), and {len(result.failed)} that contradicts itself ({', '.join(result.failed)}).",
        f"The labels of people and {alpha.n_judges - 1} judges with whole labels agree with an ordinal alpha of "
        f"{alpha.statistic:.2f} (95% interval [{alpha.low:.2f}, {alpha.high:.2f}] over {alpha.n_topics} topics).",
        ranking.sentence(),
        row.sentence(),
        f"True tau varies between models with a standard deviation of {model.deviation:.3f} [{model.low:.3f}, "
        f"{model.high:.3f}], between prompts of one model of {prompt.deviation:.3f} [{prompt.low:.3f}, "
        f"{prompt.high:.3f}]; the sampling of {result.rows[0].n_topics} topics has one of "
        f"{families.sampling_error:.3f}.",
    ]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--folder", type=Path, required=True, help="holds clones of both repositories")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, help="workers, which change no number")
    return parser.parse_args()


if __name__ == "__main__":
    main()
