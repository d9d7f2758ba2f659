"""The two tables that PyTerrier keeps in a `save_dir`, read as text, where PyTerrier reads numbers."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pandas as pd

from pt_rankcorr.whole_file import write_whole

NAMES = ("aggregated.csv", "perquery.csv")


class SavedTables:
    """aggregated.csv and perquery.csv as they were before an experiment, to put its rows beside theirs.

    PyTerrier drops the rows of systems that are run again and keeps the others, but turns a topic "001" into 1 and a
    system "NA" into nothing.

    Args:
        folder: The `save_dir`; None where nothing is saved.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self._paths = [] if folder is None else [Path(folder) / name for name in NAMES]
        self._before = {path: path.read_bytes() for path in self._paths if path.exists()}
        self._tables = {path: _read(path, content) for path, content in self._before.items()}

    @contextmanager
    def guard(self) -> Iterator[None]:
        """Puts the tables back as they were if anything is raised, also an interrupt or a warning that is an error.

        PyTerrier overwrites them long before `write`.
        """
        try:
            yield
        except BaseException:
            for path, content in self._before.items():
                write_whole(path, content, "save_dir")
            raise

    def write(self, averages: pd.DataFrame, perquery: pd.DataFrame) -> None:
        """Writes both tables, each whole or not at all; PyTerrier 1.0 wrote none, and neither do we then.

        What cannot be written, as on a full disk, is a warning: the evaluation is done, and must not be lost.
        """
        for path, table in zip(self._paths, (averages, perquery), strict=False):  # no paths, no tables
            if path.exists():
                # with these line ends a name that has either of them is quoted
                content = self._beside_others(path, table).to_csv(index=False, lineterminator="\r\n")
                try:
                    write_whole(path, content.encode(), "save_dir")
                except OSError as error:
                    warnings.warn(f"{path.name} is not what it should be: {error}", stacklevel=3)

    def _beside_others(self, path: Path, table: pd.DataFrame) -> pd.DataFrame:
        before = self._tables.get(path)
        others = None if before is None else before[~before["name"].isin(table["name"])]
        if others is None or not len(others):
            return table
        different = sorted(set(others.columns) ^ set(table.columns))
        if different:
            warnings.warn(
                f"{path.name} holds systems with other columns than this experiment: {', '.join(different)} stay "
                "empty.",
                stacklevel=4,
            )
        return pd.concat([table, others], ignore_index=True)


def _read(path: Path, content: bytes) -> pd.DataFrame:
    """A table as text; refused now if PyTerrier would stumble over it once all systems have run."""
    try:
        table = pd.read_csv(BytesIO(content), dtype=str, keep_default_na=False)
    except ValueError:  # nothing in it, rows of several lengths, bytes that are no text
        table = pd.DataFrame()
    if "name" not in table:
        raise ValueError(
            f"`save_dir` must hold the tables that PyTerrier writes there, got {str(path)!r} without a column 'name'. "
            "Move it elsewhere."
        )
    return table
