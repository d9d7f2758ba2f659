"""Ask a judge again, join judges to a panel, or label more topics: what brings a judge nearer to people?

The judges may be score tables (a row a topic, a column a run): people's, and one per judge, named MODEL_PROMPT... The
first part of a name is the judge, what follows is taken for one of its runs, as other prompts often are:

    python examples/judges_in_use.py --people dl19_people_ndcg10.csv --judges 'dl19_*.csv' --strip dl19_ _ndcg10

Without them the script simulates three judges that were asked four times each: one that says the same each time, one
that errs anew on each document, and one whose runs differ as a whole. It takes less than ten seconds.
"""

from __future__ import annotations

import argparse
from glob import glob
from pathlib import Path

import numpy as np

import pt_rankcorr as rc

MEASURE = "nDCG@10"
PATTERN = r"^(?P<model>[^_]+)_(?P<run>.+)"  # of names of judges
RUNS, TOPICS, TIMES = 30, 50, 4


def main() -> None:
    settings = arguments()
    print(f"{__doc__.splitlines()[0]}\n")
    if settings.people is None:
        people, judges = simulate(np.random.default_rng(settings.seed))
    else:
        people, judges = read(settings.people, settings.judges, settings.strip)
    models = [name.split("_")[0] for name in judges]
    panels = {f"panel of {model}": f"{model}_*" for model in dict.fromkeys(models) if models.count(model) > 1}
    result = rc.compare_leaderboards(
        people,
        rc.judgments.Judges(judges, panels={**panels, "panel of all": "*"}),
        test=None,
        n_resamples=0,
        rng=settings.seed,
    )

    print("How much does a judge vary when it is asked again?\n")
    print(f"{result.families(PATTERN, repetition='run').repetitions}\n")

    print("Is a panel better than its best member, and do members err alike?\n")
    print("\n".join(result.panels().sentences()))

    print("\nHow many topics would tell the best runs of two judges apart?\n")
    taus = {name: result.row(name, MEASURE).tau for name in judges}
    first = max(taus, key=taus.__getitem__)
    second = max((name for name in taus if name.split("_")[0] != first.split("_")[0]), key=taus.__getitem__)
    sides = people[MEASURE], judges[first][MEASURE], judges[second][MEASURE]
    print(f"{first} and {second}: {rc.stats.topics_to_tell_apart(*sides, rng=settings.seed).sentence()}")
    print(rc.stats.correlation_difference(*sides, margin=settings.margin, rng=settings.seed).sentence())
    interval = rc.correlation_interval(people[MEASURE], judges[first][MEASURE], rng=settings.seed)
    print(f"{first}: {interval.sentence()} {interval.topics_for_width(0.1):.0f} topics shorten the interval to .1.")


def read(people: Path, pattern: str, strip: list[str]) -> tuple[rc.Scores, dict[str, rc.Scores]]:
    """The scores of people, and judge -> its scores, from tables."""
    files = [Path(path) for path in sorted(glob(pattern)) if Path(path) != people]
    judges = {}
    for file in files:
        name = file.stem
        for part in strip:
            name = name.removeprefix(part).removesuffix(part)
        judges[name] = rc.read_scores(file, measure=MEASURE)
    return rc.read_scores(people, measure=MEASURE), judges


def simulate(random: np.random.Generator) -> tuple[rc.Scores, dict[str, rc.Scores]]:
    """Scores of people and of twelve runs of three judges, each of which is biased in its own way."""
    runs, topics = random.normal(0.45, 0.08, RUNS), random.normal(0.0, 0.15, (TOPICS, 1))
    truth = runs + topics + random.normal(0.0, 0.15, (TOPICS, RUNS))

    def scores(values: np.ndarray) -> rc.Scores:
        return rc.Scores([rc.ScoreMatrix(values, systems=[f"run{i}" for i in range(RUNS)], measure=MEASURE)])

    judges = {}
    for judge, noise, of_run in (("constant", 0.0, 0.0), ("careless", 0.2, 0.0), ("moody", 0.0, 0.03)):
        biased = truth + random.normal(0.0, 0.03, RUNS)
        for number in range(TIMES):
            again = biased + random.normal(0.0, of_run, RUNS) + random.normal(0.0, noise, truth.shape)
            judges[f"{judge}_{number}"] = scores(again)
    return scores(truth), judges


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--people", type=Path, help="a table of scores by people's labels")
    parser.add_argument("--judges", default="", help="a pattern of tables, one a judge")
    parser.add_argument("--strip", nargs="*", default=[], help="what names of files begin or end with")
    parser.add_argument("--margin", type=float, default=0.03, help="a difference of tau that is of no interest")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
