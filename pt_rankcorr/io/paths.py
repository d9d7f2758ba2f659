"""What callers give: types of runs, judgments and measures; and paths, patterns and their texts."""

from __future__ import annotations

import errno
import gzip
import json
import os
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from glob import glob, has_magic
from io import TextIOWrapper
from os import PathLike, fspath
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias, TypeGuard, cast

import pandas as pd
from ir_measures import Measure, Qrel, ScoredDoc

from pt_rankcorr.stats.core.arguments import by_name, listing
from pt_rankcorr.text import shown
from pt_rankcorr.warnings import SkippedFilesWarning, warn

PathName: TypeAlias = str | PathLike[str]
PathsLike: TypeAlias = PathName | Iterable[PathName]
MeasureLike: TypeAlias = str | Measure  # a name in the notation of ir_measures or trec_eval
RunLike: TypeAlias = (
    PathName | pd.DataFrame | Mapping[str, Mapping[str, float]] | Iterable[ScoredDoc]
)
RunsLike: TypeAlias = PathsLike | Mapping[str, RunLike]
QrelsLike: TypeAlias = PathName | pd.DataFrame | Mapping[str, Mapping[str, int]] | Iterable[Qrel]
# a cluster or a stratum of each topic
LabelsLike: TypeAlias = pd.Series | Mapping[str, str] | Iterable[str] | None

# what makes pandas read the nearest float: later versions do without being told
PANDAS = tuple(map(int, pd.__version__.split(".")[:2]))
NEAREST: Any = {} if PANDAS >= (3, 1) else {"float_precision": "round_trip"}
# endings that say what a file holds, and are no part of its name
SUFFIXES = frozenset(
    ".csv .eval .gz .json .jsonl .md .ods .qrel .qrels .res .run .sampleval .trec .trec_eval "
    ".treceval .tsv .txt .xls .xlsx".split()
)
# PyTerrier writes them beside the runs in its save_dir
SUMMARIES = frozenset({"aggregated.csv", "perquery.csv"})
ABOUT_THE_FOLDER = frozenset({"readme", "license", "changelog"})
OTHER_SUFFIXES = frozenset(
    ".bib .doc .docx .gif .htm .html .ipynb .jpeg .jpg .json .jsonl .md .odt .pdf .png .ps .py "
    ".rst .svg .tar .tex .tgz .toml .xls .xlsx .xml .yaml .yml .zip".split()
)


# --- one path -------------------------------------------------------------------------------------


def is_path(value: object) -> TypeGuard[PathName]:
    """Whether a value names a file."""
    return isinstance(value, (str, PathLike))


def name_of(path: PathName) -> str:
    """The path as text, for messages."""
    return str(fspath(path))


def stem(path: PathName, suffixes: Collection[str] = SUFFIXES) -> str:
    """The name of what a file holds: its own without `suffixes` such as .gz and .RUN."""
    name = Path(path).name
    while len(name) > len(suffix := Path(name).suffix) and suffix.lower() in suffixes:
        name = name[: -len(suffix)]
    return name


def kind_of(value: object) -> str:
    """The type of a value that is too large to be shown, for messages, and what to do with it."""
    remedy = ": give its `.to_pandas()`" if hasattr(value, "to_pandas") else ""
    return f"an object of type {type(value).__name__}{remedy}"


def check_file(path: PathName, parameter: str, hint: str = "") -> None:
    """An error, before anything is read, if there is no such file, or if it is a folder."""
    os.stat(path)
    if os.path.isdir(path):
        raise ValueError(f"`{parameter}` must be one file, got the folder {name_of(path)!r}.{hint}")


def check_all_there(*sources: object) -> None:
    """An error, before anything is read, that names all missing paths if there is more than one."""
    paths: set[str] = set()
    for source in sources:
        several = source if isinstance(source, (list, tuple)) else [source]
        paths |= {name_of(path) for path in several if is_path(path)}
    needed = [path for path in paths if not has_magic(path) and not path.startswith("irds:")]
    missing = [path for path in needed if not os.path.lexists(path)]
    if len(missing) > 1:
        raise FileNotFoundError(errno.ENOENT, f"No such files or folders: {listing(missing)}")


# --- its text -------------------------------------------------------------------------------------


@contextmanager
def open_text(path: PathName, expected: str) -> Iterator[TextIO]:
    """Opens a UTF-8 text, gzipped or not; if it is damaged, an error says what was `expected`."""
    with open(path, "rb") as raw:
        is_gzipped = raw.peek(2)[:2] == b"\x1f\x8b"  # whatever its name says
        source = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if is_gzipped else raw
        try:
            with TextIOWrapper(source, encoding="utf-8-sig") as text:
                yield text
        except UnicodeDecodeError as error:
            raise file_error(path, f"be {expected}", "bytes that are not UTF-8 text") from error
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise file_error(path, f"be {expected}", f"a damaged gzip file ({error})") from error


def file_error(path: PathName, rule: str, seen: str, hint: str = "") -> ValueError:
    """The error for a file that does not keep a rule."""
    return ValueError(f"{name_of(path)!r} must {rule}, got {seen}.{hint}")


def line_error(path: PathName, number: int, line: str, expected: str, hint: str = "") -> ValueError:
    """The error for a file that is not what is `expected`, with the first line that shows it."""
    seen = f"{shown(' '.join(line.split()))} in line {number}"
    return file_error(path, f"be {expected}", seen, hint)


def parsed_json(text: str) -> Any:
    """What a text in JSON holds; a ValueError if it is none, or an object has a key twice."""

    def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key twice")
        return dict(pairs)

    return json.loads(text, object_pairs_hook=object_of)


def check_columns(frame: pd.DataFrame, columns: Iterable[str], parameter: str, wanted: str) -> None:
    """An error if columns of a frame, those `wanted` in words, are absent or there twice."""
    if absent := [column for column in columns if column not in frame.columns]:
        seen = f"none named {listing(absent)}"
        raise ValueError(f"`{parameter}` must have the columns {wanted}, got {seen}.")
    if repeated := [column for column in columns if isinstance(frame[column], pd.DataFrame)]:
        seen = f"more than one named {listing(repeated)}"
        raise ValueError(f"`{parameter}` must have each column once, got {seen}.")


def number_of(value: Any) -> float | None:
    """A number, or that of a text; None for all else, such as 1_000, bytes, and other digits."""
    is_odd = isinstance(value, str) and ("_" in value or not value.isascii())
    if is_odd or isinstance(value, (bytes, bytearray)):  # which `float` takes
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def is_number(text: str) -> bool:
    """Whether a text is that of a number."""
    return number_of(text) is not None


# --- several --------------------------------------------------------------------------------------


def named_files(
    sources: object, parameter: str, *, tag_of: Callable[[PathName], str] | None = None
) -> dict[str, Any]:
    """Name -> source: what a mapping has, or files, by their `stem` or `tag_of`; all are there."""
    if not isinstance(sources, Mapping):
        rule = "be files of different names" if tag_of is None else "have one file per tag"
        named = (((tag_of or stem)(path), path) for path in files(sources, parameter))
        sources = files_by_name(named, f"`{parameter}` must {rule}")
    if not sources:
        raise ValueError(f"`{parameter}` must name at least one file, got none.")
    for path in filter(is_path, sources.values()):
        check_file(path, parameter)
    return by_name(sources, parameter)


def files(
    paths: object, parameter: str, other_suffixes: Collection[str] = OTHER_SUFFIXES
) -> list[PathName]:
    """The files of a folder, a pattern such as "runs/*.run", a path, or several; all are there.

    Of a folder or a pattern, folders and what plainly is of another kind, as by `other_suffixes`,
    are left out with a warning. Hidden files are without one, and so are PyTerrier's summaries of a
    `save_dir`, unless a pattern ends in their name.
    """
    if is_path(paths):
        paths = [paths]
    elif (
        not isinstance(paths, Iterable)
        or isinstance(paths, (bytes, bytearray, Mapping))
        or getattr(paths, "ndim", 1) != 1
        or hasattr(paths, "to_pandas")
    ):
        rule = "name files (a folder, a pattern such as 'runs/*.run', or paths)"
        raise TypeError(f"`{parameter}` must {rule}, got {kind_of(paths)}.")
    several = list(paths)
    check_paths(several, parameter)
    if not several:
        raise ValueError(f"`{parameter}` must name at least one file, got none.")
    kept: list[PathName] = []
    skipped: list[str] = []
    for path in several:
        is_folder = os.path.isdir(path)
        inside = [str(file) for file in Path(path).iterdir()] if is_folder else fitting(path)
        if inside is None:
            kept.append(path)
            continue
        left_out = SUMMARIES - {Path(path).name}  # a pattern may ask for them
        wanted = [file for file in map(Path, sorted(inside)) if file.name not in left_out]
        visible = [file for file in wanted if file.name[0] != "."]
        other = [file for file in visible if _is_of_another_kind(file, other_suffixes)]
        if len(other) == len(visible):
            rule = "a folder with files in it" if is_folder else "a pattern of files"
            but = f" but {listing(other)}" if other else ""
            raise ValueError(f"`{parameter}` must be {rule}, got {name_of(path)!r} with none{but}.")
        kept += [str(file) for file in visible if file not in other]
        skipped += map(str, other)
    if skipped:
        seen = f"files of another kind, which are left out: {listing(skipped)}"
        warn(f"`{parameter}` has {seen}.", SkippedFilesWarning)
    return kept


def _is_of_another_kind(path: Path, other_suffixes: Collection[str]) -> bool:
    """Whether a path is a folder, or a file that by its suffix or name holds something else."""
    name = path.name.lower().removesuffix(".gz")
    is_other = Path(name).suffix in other_suffixes or name.split(".")[0] in ABOUT_THE_FOLDER
    return is_other or path.is_dir()


def check_paths(paths: Iterable[object], parameter: str) -> None:
    """An error if some of these are no paths."""
    if kinds := {type(path).__name__ for path in paths if not is_path(path)}:
        seen = f"objects of type {listing(kinds)}"
        raise TypeError(f"`{parameter}` must be paths (or a mapping from names), got {seen}.")


def fitting(path: PathName) -> list[str] | None:
    """The files that match a pattern; None for any other path, which exists."""
    if os.path.lexists(path) or not has_magic(name_of(path)):
        os.stat(path)
        return None
    if not (found := sorted(glob(name_of(path)))):
        raise FileNotFoundError(errno.ENOENT, "No file matches the pattern", name_of(path))
    return found


def files_by_name(named: Iterable[tuple[str, PathName]], rule: str) -> dict[str, PathName]:
    """Name -> file, from pairs of these; an error that begins with the `rule` if a name repeats."""
    files: dict[str, PathName] = {}
    for name, path in named:
        if name in files:
            both = f"{name_of(files[name])!r} and {name_of(path)!r}"
            remedy = "Rename one, or in Python give a mapping from names to files."
            raise ValueError(f"{rule}, got two for {shown(name)}: {both}. {remedy}")
        files[name] = path
    return files
