"""Which of several judges ranks runs as people do, and which of their differences is luck?

The script simulates people's scores of 30 runs, and four judges: a good one; a noisy one; one that is fond of the runs
that rerank; and a lenient one, whose grades are high and coarse but in order. It writes their leaderboards as
evaluators of judges do, compares them, and draws which judge is best. One page holds the tables and the picture.

    python examples/which_judge_is_best.py
    python examples/which_judge_is_best.py --topics 100 --seed 3 --folder judged

It takes some seconds. The fond and the noisy judge have about the same tau on 50 topics. With more topics the noisy one
gets better, and the fond one does not. The same from a shell, with the files that it leaves in the folder:

    pt-rankcorr leaderboards --reference people.jsonl --judges judges/* --top 10 --seed 1
    pt-rankcorr leaderboards --reference people.jsonl --judges judges/* --rank tau --seed 1
"""

from __future__ import annotations

import argparse
import base64
import json
from io import BytesIO
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

import pt_rankcorr as ptr
from pt_rankcorr.plots import draw_judges

RUNS = [f"{'rerank' if number % 3 == 0 else 'first'}-{number:02d}" for number in range(30)]
RERANKERS = np.array([name.startswith("rerank") for name in RUNS])


def main() -> None:
    settings = arguments()
    (settings.folder / "judges").mkdir(parents=True, exist_ok=True)
    people, judges = simulate(settings.topics, np.random.default_rng(settings.seed))
    write(settings.folder / "people.jsonl", "nDCG@10", people)
    for name, scores in judges.items():
        write(settings.folder / "judges" / f"{name}.jsonl", "grade", scores)
    result = ptr.compare_leaderboards(
        settings.folder / "people.jsonl", str(settings.folder / "judges" / "*.jsonl"), top=10, rng=settings.seed
    )
    ranking = result.judges()
    print(f"{result}\n\n{ranking}")
    figure, ax = plt.subplots(figsize=(8, 3), layout="constrained")
    draw_judges(ranking, ax=ax)
    picture = BytesIO()
    figure.savefig(picture, dpi=120)
    (settings.folder / "judges.html").write_text(page(result, ranking, picture.getvalue()), encoding="utf-8")


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
        "fond": seen(0.05) + 0.08 * RERANKERS,
        "lenient": np.ceil(5 * np.sqrt(np.clip(seen(0.05), 0.0, 1.0))) / 5,
    }
    return np.clip(seen(0.05), 0.0, 1.0), judges


def write(path: Path, measure: str, scores: np.ndarray) -> None:
    """A leaderboard in JSON lines."""
    lines = [
        json.dumps({"run_id": run, "topic_id": str(topic), "measure": measure, "value": float(scores[topic, at])})
        for topic in range(len(scores))
        for at, run in enumerate(RUNS)
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


def page(result: object, ranking: object, picture: bytes) -> str:
    tables = "\n".join(each._repr_html_() for each in (ranking, result))  # type: ignore[attr-defined]
    image = f'<img alt="Judges in order" src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
    style = "body {font-family: sans-serif; margin: 2em} td, th {padding: 0.2em 0.6em; text-align: right}"
    return f"<!doctype html><meta charset='utf-8'><title>Judges</title><style>{style}</style>{image}{tables}"


if __name__ == "__main__":
    main()
