"""The two tables that PyTerrier keeps in a `save_dir`, kept whole: it reads them as numbers and writes them back."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pandas as pd

from pt_rankcorr.adapters.spreadsheets import as_name, csv_of
from pt_rankcorr.stats._whole_file import write_whole

NAMES = ("aggregated.csv", "perquery.csv")


class SavedTables:
    """aggregated.csv and perquery.csv as they were before an experiment, to put its rows beside theirs.

    PyTerrier drops the rows of systems that are run again and keeps the others, but turns a topic "001" into 1 and a
    system "NA" into nothing. Here they stay the text that they are.

    Args:
        folder: The `save_dir`; None where nothing is saved.

    Raises:
        ValueError: If a file of one of these names is another table.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self._bytes = {} if self.folder is None else dict(_contents(self.folder))
        self.before = {path.name: _read(path, content) for path, content in self._bytes.items()}

    def write(self, averages: pd.DataFrame, perquery: pd.DataFrame) -> None:
        """Writes both tables, each whole or not at all; PyTerrier 1.0 wrote none, and neither do we then.

        What cannot be written, as on a full disk, is a warning: the evaluation is done, and must not be lost.
        """
        for name, table in zip(NAMES, (averages, perquery), strict=True):
            if self.folder is not None and (self.folder / name).exists():
                content = csv_of(self._beside_others(name, table)).encode()
                try:
                    write_whole(self.folder / name, content, "save_dir")
                except OSError as error:
                    warnings.warn(f"{name} is not what it should be: {error}", stacklevel=3)

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Puts the tables back as they were if anything is raised before `write`, and it too, has done its part.

        PyTerrier overwrites them long before. What it makes of them must outlast neither an interrupt nor a warning
        that is an error.
        """
        try:
            yield
        except BaseException:
            for path, content in self._bytes.items():
                if not path.exists() or path.read_bytes() != content:
                    write_whole(path, content, "save_dir")
            raise

    def _beside_others(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        before = self.before.get(name)
        others = None if before is None else before[~before["name"].isin(table["name"])]
        if others is None or not len(others):
            return table
        different = set(others.columns) ^ set(table.columns)
        if different:
            warnings.warn(
                f"{name} holds systems with other columns than this experiment: {_listed(different)} stay empty.",
                stacklevel=4,
            )
        return pd.concat([table, others], ignore_index=True)


def _listed(columns: Iterable[str]) -> str:
    return ", ".join(sorted(columns))


def _contents(folder: Path) -> Iterator[tuple[Path, bytes]]:
    for path in (folder / name for name in NAMES):
        if path.exists():
            yield path, path.read_bytes()


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
    named: pd.DataFrame = table.apply(lambda column: column.map(as_name)).rename(columns=as_name)
    return named
