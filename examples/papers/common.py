"""What the scripts of this folder share: their arguments, their data, and the folder that their results go into.

    python examples/papers/gao2015.py                                             # the synthetic demonstration
    python examples/papers/gao2015.py --data adhoc5_ap.csv                        # score tables, one a measure
    python examples/papers/yilmaz2008.py --data runs/ --qrels my.qrels            # TREC runs and judgments
    python examples/papers/carterette2009.py --data ap.csv p10.csv runs/ --qrels my.qrels    # both

A score table is a CSV file, topics x systems. What needs runs, such as shallower pools, takes those of the
demonstration's synthetic collection if only score tables are given.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import pyterrier as pt

import pt_rankcorr as rc
from pt_rankcorr.demo import collection, pipelines
from pt_rankcorr.warnings import RoundedScoresWarning

QUICK_TOPICS = 20
DEMONSTRATION = "the demonstration's synthetic collection"
mpl.use("agg")


def arguments(documentation: str, paper: str, seed: int) -> argparse.ArgumentParser:
    """The arguments that all scripts of this folder take."""
    parser = argparse.ArgumentParser(description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", default=[], metavar="PATH", help="score tables (.csv), or runs")
    parser.add_argument("--qrels", help="the judgments of the runs")
    parser.add_argument("--quick", action="store_true", help="fewer topics, resamples and repetitions: some seconds")
    parser.add_argument("--output", type=Path, default=Path(paper), help="the folder of results")
    parser.add_argument("--seed", type=int, default=seed)
    parser.set_defaults(script=paper)
    parser.add_argument("--note", default="", help="a sentence for the README, such as where the data are from")
    return parser


@dataclass(frozen=True)
class Data:
    """Score tables, runs with judgments, or neither: then it is the demonstration's synthetic collection."""

    tables: Sequence[str]
    paths: Sequence[str]
    qrels: str | None
    quick: bool

    @classmethod
    def of(cls, options: argparse.Namespace) -> Data:
        tables = [path for path in options.data if path.endswith(".csv")]
        paths = [path for path in options.data if path not in tables]
        if bool(paths) != bool(options.qrels):
            raise SystemExit("runs and --qrels go together")
        return cls(tables, paths, options.qrels, options.quick)

    @cached_property
    def evaluated(self) -> tuple[Any, Any]:
        """Runs and judgments."""
        if self.paths:
            return self.paths, self.qrels
        data = collection(QUICK_TOPICS if self.quick else 50)
        return {name: system(data.topics) for name, system in pipelines(data).items()}, data.qrels

    @property
    def runs(self) -> Mapping[str, Any]:
        """Runs by name: those of a folder, files, or the demonstration's."""
        if not self.paths:
            return self.evaluated[0]
        folders = [sorted(Path(path).iterdir()) if Path(path).is_dir() else [Path(path)] for path in self.paths]
        return {file.name.removesuffix(".gz").removesuffix(".run"): file for files in folders for file in files}

    def frames(self) -> Mapping[str, Any]:
        """The runs by name, as frames with the columns qid, docno and score."""
        return {name: pt.io.read_results(str(run)) if self.paths else run for name, run in self.runs.items()}

    def scores(self, measures: Iterable[object]) -> rc.Scores:
        """The score tables; without any the scores of the runs by these measures."""
        return rc.Scores(list(self._read())) if self.tables else self.scores_of_runs(measures)

    def _read(self) -> Iterator[rc.ScoreMatrix]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RoundedScoresWarning)  # tables are mostly rounded
            for path in self.tables:
                yield from rc.read_scores(path).values()

    def scores_of_runs(self, measures: Iterable[object]) -> rc.Scores:
        """The scores of the runs by these measures, whether there are score tables or not."""
        return rc.scores_from_runs(*self.evaluated, measures, verbose=False)

    def collections(self, measure: object) -> dict[str, rc.ScoreMatrix]:
        """Every score table as a collection of its own; without any the runs by this measure."""
        if self.tables:
            return {str(matrix.measure): matrix for matrix in self._read()}
        return {"demonstration": next(iter(self.scores_of_runs([measure]).values()))}

    def __str__(self) -> str:
        """What the tables are, and what the runs are where they were needed."""
        tables = ", ".join(Path(path).name for path in self.tables)
        runs = ", ".join(Path(path).name for path in self.paths) or DEMONSTRATION
        if not tables:
            return runs
        return f"{tables}; what needs runs: {runs}" if "evaluated" in self.__dict__ else tables


@dataclass
class Results:
    """A folder of tables, pictures, and what became of each claim of the paper."""

    paper: str
    options: argparse.Namespace
    data: Data
    claims: list[dict[str, str]] = field(default_factory=list)
    pictures: list[tuple[str, str]] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.options.output.mkdir(parents=True, exist_ok=True)

    def begin(self, what: str) -> None:
        """Says what is being computed."""
        print(f"{self.options.script}: {what}", file=sys.stderr, flush=True)

    def table(self, name: str, frame: pd.DataFrame, *, index: bool = False) -> None:
        """Writes a table, with six digits."""
        frame.to_csv(self.options.output / f"{name}.csv", index=index, float_format="%.6g")
        self.tables.append(f"{name}.csv")

    def picture(self, name: str, what: str, figure: Any) -> None:
        """Writes a picture, small enough to keep."""
        import matplotlib.pyplot as plt

        figure.savefig(self.options.output / f"{name}.png", dpi=70)
        plt.close(figure)
        self.pictures.append((f"{name}.png", what))

    def claim(self, where: str, paper: str, here: str, agrees: object, why: str = "") -> None:
        """What the paper shows, what came out here, and whether both agree; if not, why."""
        agreement = "yes" if agrees else f"no: {why}" if why else "no"
        self.claims.append({"where": where, "paper": paper, "here": here, "agrees": agreement})

    def lacks(self, what: str) -> None:
        """What of the paper is not here, and why."""
        self.missing.append(what)

    def agrees(self, where: str) -> list[bool]:
        """Whether the claims about a figure or table hold here."""
        return [claim["agrees"] == "yes" for claim in self.claims if claim["where"] == where]

    def write(self) -> None:
        """Writes claims.csv and README.md."""
        folder = self.options.output
        pd.DataFrame(self.claims).to_csv(folder / "claims.csv", index=False)
        (folder / "README.md").write_text(self._readme(), encoding="utf-8")
        held = sum(claim["agrees"] == "yes" for claim in self.claims)
        print(f"{held} of {len(self.claims)} claims hold on {self.data}. {self.quick}Tables and pictures: {folder}")

    @property
    def quick(self) -> str:
        return "Made with `--quick`: too few topics and resamples to judge the paper by. " if self.options.quick else ""

    def _readme(self) -> str:
        rows = [[claim[column] for column in ("where", "paper", "here", "agrees")] for claim in self.claims]
        script = f"Made by `{self.options.script}.py`."
        parts = [
            f"# {self.paper}",
            " ".join(part for part in (script, f"Data: {self.data}.", self.options.note, self.quick.strip()) if part),
            markdown(["where", "the paper", "here", "agrees"], rows),
            *(f"![{what}]({name})\n\n{name}: {what}" for name, what in self.pictures),
            "Tables: " + ", ".join(f"[{name}]({name})" for name in self.tables),
        ]
        if self.missing:
            parts.append("Not here:\n\n" + "\n".join(f"- {what}" for what in self.missing))
        return "\n\n".join(parts) + "\n"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def panels(rows: int, columns: int, width: float = 4.0, height: float = 3.4, **more: Any) -> tuple[Any, Any]:
    """A figure with a grid of axes."""
    import matplotlib.pyplot as plt

    return plt.subplots(
        rows, columns, figsize=(width * columns, height * rows), layout="constrained", squeeze=False, **more
    )


def new_axes(width: float = 5.5, height: float = 4.2) -> Any:
    """A figure with a single set of axes."""
    return panels(1, 1, width, height)[1][0, 0]
