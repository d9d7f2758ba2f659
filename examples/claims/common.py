"""What the scripts share: where the data are, and published numbers beside ours."""

from __future__ import annotations

import os
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

import pt_rankcorr as rc


def parser(description: str, name: str) -> ArgumentParser:
    """A parser with `--folder`, by default the folder `claims/NAME` of the one that PT_RANKCORR_DATA names."""
    data = os.environ.get("PT_RANKCORR_DATA")
    made = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    default = Path(data) / "claims" / name if data else None
    made.add_argument("--folder", type=Path, default=default, required=default is None, help="where the data are")
    made.add_argument("--seed", type=int, default=1)
    return made


def beside(published: Mapping[object, float], ours: Mapping[object, float], digits: int) -> tuple[pd.DataFrame, str]:
    """Published numbers beside ours, rounded to as many digits, and how many are equal.

    Raises:
        KeyError: If one of ours is missing.
    """
    rows = [(name, value, round(ours[name], digits)) for name, value in published.items()]
    table = pd.DataFrame(rows, columns=["", "published", "ours"])
    # half a unit of the last digit and a little: some tables round .xxxx5 down
    equal = (table["published"] - table["ours"]).abs() < 0.5 * 10.0**-digits
    table["equal"] = equal.map({True: "", False: "no"})
    return table, f"{equal.sum()} of {len(table)} equal"


def show(title: str, table: pd.DataFrame, conclusion: str) -> None:
    print(f"\n{title}\n\n{table.to_string(index=False)}\n\n{conclusion}.")


def sentences(may: Sequence[str], may_not: Sequence[str]) -> None:
    """What a paper may write after this, and what it may not."""
    print("\nA paper may write:")
    print("\n".join(f"- {text}" for text in may))
    print("It may not write:")
    print("\n".join(f"- {text}" for text in may_not))


def only(scores: rc.Scores) -> rc.ScoreMatrix:
    """The matrix of the only measure."""
    (matrix,) = scores.values()
    return matrix
