"""Rankings in files, and their distance from that of a measure."""

from __future__ import annotations

import os
from argparse import Namespace
from dataclasses import replace
from typing import Any

import pt_rankcorr as ptr
from pt_rankcorr.cli._input import note, scores_of
from pt_rankcorr.cli._output import Output
from pt_rankcorr.cli._running import arguments, draw_seed, reference_of
from pt_rankcorr.stats.core.arguments import listing
from pt_rankcorr.tables.kinds import COEFFICIENT
from pt_rankcorr.tables.table import Table, constant


def rankings(options: Namespace) -> None:
    """The distances of rankings in files from that by the reference."""
    found = {name: read_ranking(path) for name, path in _names(options.ranking).items()}
    scores = scores_of(options)
    draw_seed(options)
    reference = scores[reference_of(options, scores)]
    tests: dict[tuple[str, ...], Any] = {}
    with Output(options.format) as output:
        for name, ranking in found.items():
            common = _common(options, reference, ranking, name)
            chosen = {system: ranking[system] for system in common}
            if common not in tests:
                tests[common] = ptr.DRankTest(reference.select(systems=common), **arguments(options))
            output.add(_tested(tests[common], reference.select(systems=common), name, chosen, options.rng))


def _names(paths: list[str]) -> dict[str, str]:
    """Name -> file: names without folders, unless two files would then have one name."""
    short = [os.path.basename(path) for path in paths]
    return dict(zip(short if len(set(short)) == len(paths) else paths, paths, strict=True))


def _common(options: Namespace, reference: Any, ranking: dict[str, float], name: str) -> tuple[str, ...]:
    """The systems to compare, in the order of the reference: all, or with --only-shared-runs those of both sides."""
    common = tuple(system for system in reference.systems if system in ranking)
    different = listing(set(reference.systems) ^ set(ranking))
    if different and not options.only_shared_runs:
        raise ValueError(
            f"--ranking must rank the same systems as the scores, got differences in {different} in {name!r}. "
            "--only-shared-runs leaves these out."
        )
    if len(common) < 2:
        raise ValueError(f"--ranking must share at least 2 systems with the scores, got {len(common)} in {name!r}.")
    if different:
        note(options, f"{name}: {len(common)} systems; left out, since only one side has them: {different}.")
    return common


def _tested(test: Any, reference: Any, name: str, ranking: dict[str, float], seed: int) -> Table:
    found = test.test(ranking)
    distance, *others = found.table().columns
    tau = constant("tau", ptr.kendall_tau(reference, ranking), COEFFICIENT)
    names = constant("reference", str(reference.measure)), constant("ranking", name)
    seeded = constant("seed", seed, shown=False)
    return Table((*names, tau, replace(distance, name="d_rank"), *others, seeded), [found])


def read_ranking(path: str) -> dict[str, float]:
    """A ranking from a file: a system and its score per line, or systems alone, best first."""
    with open(path, encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip()]
    scored = [_score_of(line) for line in lines]
    if not lines:
        raise ValueError(f"--ranking must have a system on each line, got the empty file {path!r}.")
    pairs = [(line, -float(place)) for place, line in enumerate(lines)] if None in scored else scored
    ranking = dict(pair for pair in pairs if pair is not None)
    if len(ranking) < len(pairs):
        names = [name for name, _ in filter(None, pairs)]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"--ranking must have every system once, got {twice!r} twice in {path!r}.")
    return ranking


def _score_of(line: str) -> tuple[str, float] | None:
    name, _, score = line.replace("\t", " ").replace(",", " ").rpartition(" ")
    name = line[: len(name)].strip().removesuffix(",").strip()
    try:
        return (name, float(score)) if name else None
    except ValueError:
        return None
