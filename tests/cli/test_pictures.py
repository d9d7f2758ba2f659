"""What `--plot` draws, and several collections in one command."""

import pytest

import pt_rankcorr as rc
from tests.cli.conftest import QUICK, lines, runs_of

STARTS = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<?xml"}


@pytest.mark.parametrize(
    ("command", "kind", "pictures"),
    [
        ("compare --measures AP P@5", "png", [""]),
        ("expected --measures AP P@5", "svg", ["-AP", "-P@5"]),
        ("power --measures AP", "pdf", [""]),
        ("judgments --measures AP --against {folder}/far.qrels", "svg", [""]),
        ("curve --measures AP --depths 2 9", "png", [""]),
        ("ranks --measures AP P@5", "PNG", ["-AP", "-P@5"]),
        ("swap --measures AP P@5 --topics 5 20 --bins 4", "png", ["-AP", "-P@5"]),
        ("swap --measures AP", "svg", [""]),
        ("stability --measures AP", "svg", [""]),
    ],
)
def test_a_picture(command, kind, pictures, cli, folder, tmp_path):
    options = command.format(folder=folder).split()
    lines(cli(*options, *runs_of(folder), *QUICK, "--plot", tmp_path / f"picture.{kind}"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"picture{part}.{kind}" for part in pictures]
    assert all(path.read_bytes().startswith(STARTS[kind.lower()]) for path in tmp_path.iterdir())


def test_fonts_of_a_pdf_are_of_type_42(cli, folder, tmp_path):
    lines(cli("power", "--measures", "AP", *runs_of(folder), *QUICK, "--plot", tmp_path / "picture.pdf"))
    pdf = (tmp_path / "picture.pdf").read_bytes()
    assert b"/CIDFontType2" in pdf
    assert b"/Type3" not in pdf


def test_a_picture_of_judges(cli, boards, tmp_path):
    given = ["--reference", boards / "truth.jsonl", "--judges", boards / "judges" / "*"]
    for judges, picture in ((given, "judges.svg"), ([*given[:-1], boards / "judges" / "good.txt"], "rows.png")):
        lines(cli("leaderboards", *judges, *QUICK, "--plot", tmp_path / picture))
        assert (tmp_path / picture).stat().st_size > 5000
    assert "may be the best" in (tmp_path / "judges.svg").read_text()


def test_no_picture_replaces_another_one(cli, tmp_path):
    rows = [f"{topic},{name},{run},.{(topic * seed) % 7}{seed}" for topic in range(5)
            for name in ("a/b", "a_b", "A b") for seed, run in enumerate("xyz", 1)]  # fmt: skip
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["topic,measure,run,score", *rows]))
    cli("ranks", "--scores", table, *QUICK, "--plot", tmp_path / "p.svg")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"table.csv", "p-a_b.svg", "p-a_b_.svg", "p-A_b__.svg"}
    labels = tmp_path / "p-a_b.svg"
    labels.write_text("".join(f"{topic}\t{topic // 2}\n" for topic in range(5)))
    refused = cli("ranks", "--scores", table, *QUICK, "--clusters", labels, "--plot", tmp_path / "p.svg")
    assert "--plot must be another file than those that are read" in refused.err
    assert labels.read_text().startswith("0\t0")
    refused = cli("ranks", "--scores", table, *QUICK, "--plot", tmp_path / "no" / "ranks.png")
    assert refused.err.endswith("--plot cannot be written: there is no such folder\n")


def test_several_collections(cli, folder, tmp_path):
    scores = rc.scores_from_runs(str(folder / "runs"), str(folder / "qrels"), ["AP", "P@5"], verbose=False)
    halves = {"first": scores.topics[:6], "second": scores.topics[6:]}
    collections = {name: scores.select(topics=topics) for name, topics in halves.items()}
    for name, half in collections.items():
        (tmp_path / name).mkdir()
        half.to_frame().to_csv(tmp_path / name / "perquery.csv", index=False)
    several = ["--experiment", tmp_path / "first", tmp_path / "second" / "perquery.csv"]
    ran = lines(cli("compare", *several, *QUICK, "--plot", tmp_path / "several.svg"))
    expected = rc.compare(collections, rng=1, n_resamples=99)
    assert [(row["collection"], row["measure"], row["tau"]) for row in ran] == [
        (row.key["collection"], row.measure, row.tau) for row in expected
    ]
    assert sorted(path.name for path in tmp_path.glob("*.svg")) == ["several-first.svg", "several-second.svg"]
    table = cli("compare", *several, *QUICK[:-2]).out.splitlines()
    assert table[0].split()[0] == "collection"
    refused = cli("power", *several, *QUICK)
    assert (
        refused.err
        == "pt-rankcorr: error: --experiment must be one file or folder, got 2; only compare takes several.\n"
    )
    twice = cli("compare", "--experiment", tmp_path / "first", tmp_path / "first" / "perquery.csv", *QUICK)
    assert twice.err.endswith("--experiment must have each name of a folder or file once, got 'first' twice.\n")


def test_a_picture_replaces_no_file_of_another_kind(cli, folder, tmp_path):
    notes = tmp_path / "notes.png"
    notes.write_text("precious")
    done = cli("power", "--measures", "AP", *runs_of(folder), *QUICK, "--plot", notes)
    assert done.status == 1
    assert "--plot must be a new file or one that may be replaced" in done.err
    assert notes.read_text() == "precious"
