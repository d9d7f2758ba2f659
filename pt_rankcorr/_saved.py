"""The two tables that PyTerrier keeps in a `save_dir`, kept whole: it reads them as numbers and writes them back."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from pt_rankcorr.adapters.spreadsheets import as_name, csv_of


class SavedTables:
    """aggregated.csv and perquery.csv as they were before an experiment, to put its rows beside theirs.

    PyTerrier drops the rows of systems that are run again and keeps the others, but turns a topic "001" into 1 and a
    system "NA" into nothing. Here they stay the text that they are.

    Args:
        folder: The `save_dir`; None where nothing is saved.
    """

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.before = {name: self._read(name) for name in ("aggregated.csv", "perquery.csv")}

    def write(self, averages: pd.DataFrame, perquery: pd.DataFrame) -> None:
        """Writes both tables, each whole or not at all; PyTerrier 1.0 wrote none, and neither do we then."""
        for name, table in (("aggregated.csv", averages), ("perquery.csv", perquery)):
            if self.folder is not None and (self.folder / name).exists():
                _write(self._beside_others(name, table), self.folder / name)

    def _read(self, name: str) -> pd.DataFrame | None:
        path = None if self.folder is None else self.folder / name
        if path is None or not path.exists():
            return None
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        named: pd.DataFrame = table.apply(lambda column: column.map(as_name)).rename(columns=as_name)
        return named

    def _beside_others(self, name: str, table: pd.DataFrame) -> pd.DataFrame:
        before = self.before[name]
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


def _write(table: pd.DataFrame, path: Path) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".csv")
    os.close(handle)
    try:
        Path(temporary).write_bytes(csv_of(table).encode())
        os.chmod(temporary, path.stat().st_mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
