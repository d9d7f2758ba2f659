"""Which judge ranks runs as people do, which differences between judges are sampling error, and is one biased?

The script simulates people's scores of 30 runs, and four judges: a good one; a noisy one; one that is biased towards
runs that rerank; and a lenient one, whose grades are high and coarse but in order. It writes their leaderboards as
evaluators of judges do, compares them, and writes a page with the tables.

    python examples/which_judge_is_best.py
    python examples/which_judge_is_best.py --topics 100 --seed 3 --folder judged

It takes some seconds. The biased and the noisy judge have about the same tau on 50 topics, so neither is told from the
other. What one true ranking would give tells why: the noisy judge has hardly less than that, and the biased one far
less. A cluster of judges ends only where all judges above are significantly better than all below. The same from a
shell, with the files in the folder:

    pt-rankcorr report --leaderboard people.jsonl --against judges/* --group rerankers='rerank-*' --output judges.html
    pt-rankcorr leaderboards --reference people.jsonl --judges judges/* --top 10 --group rerankers='rerank-*'
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

import pt_rankcorr as rc

RUNS = [f"{'rerank' if number % 3 == 0 else 'first'}-{number:02d}" for number in range(30)]
RERANKERS = np.array([name.startswith("rerank") for name in RUNS])
GROUPS = {"rerankers": "rerank-*"}


def main() -> None:
    settings = arguments()
    print(f"{__doc__.splitlines()[0]}\n")
    (settings.folder / "judges").mkdir(parents=True, exist_ok=True)
    people, judges = simulate(settings.topics, np.random.default_rng(settings.seed))
    write(settings.folder / "people.jsonl", "nDCG@10", people)
    for name, scores in judges.items():
        write(settings.folder / "judges" / f"{name}.jsonl", "grade", scores)
    trusted = rc.read_leaderboard(settings.folder / "people.jsonl")
    result = rc.compare_leaderboards(trusted, str(settings.folder / "judges" / "*.jsonl"), top=10, rng=settings.seed)
    print(f"{result}\n\n{result.judges()}\n")
    print(result.sentences())
    print(f"\n{result.bias(GROUPS)}")
    rc.report(trusted, settings.folder / "judges.html", against=result, groups=GROUPS, rng=settings.seed)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--topics", type=int, default=50)
    parser.add_argument("--folder", type=Path, default=Path(), help="where to write the leaderboards and the page")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def simulate(n_topics: int, random: np.random.Generator) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Scores of topics x runs: of people, and of four judges that see the same results."""
    runs, topics = random.normal(0.45, 0.08, len(RUNS)), random.normal(0.0, 0.15, (n_topics, 1))
    results = runs + topics + random.normal(0.0, 0.15, (n_topics, len(RUNS)))

    def seen(noise: float) -> np.ndarray:
        return results + random.normal(0.0, noise, results.shape)

    judges = {
        "good": seen(0.05),
        "noisy": seen(0.4),
        "biased": seen(0.05) + 0.08 * RERANKERS,
        "lenient": np.ceil(5 * np.sqrt(np.clip(seen(0.05), 0.0, 1.0))) / 5,
    }
    return np.clip(seen(0.05), 0.0, 1.0), judges


def write(path: Path, measure: str, scores: np.ndarray) -> None:
    """A leaderboard in JSON lines."""
    lines = [
        json.dumps({"run_id": run, "topic_id": str(topic), "measure": measure, "value": float(scores[topic, position])})
        for topic in range(len(scores))
        for position, run in enumerate(RUNS)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
