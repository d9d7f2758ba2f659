"""Tables with one score a system, as leaderboards are published: CSV, Markdown, JSON."""

import gzip
import json

import pytest

from pt_rankcorr.io.single_scores import read_columns

SCORES = {"elo": {"x": 1204.5, "y b": 1100.0, "z": 990.0}, "win rate": {"x": 61.0, "y b": 50.5, "z": 12.0}}
FORMS = {
    "commas.csv": "rank,model,elo,win rate\n1,x,1204.5,61\n2,y b,1100,50.5\n3,z,990,12\n",
    "tabs.tsv": "elo\twin rate\tSystem ID\n1204.5\t61\tx\n1100\t50.5\ty b\n990\t12\tz\n",
    "semicolons.csv": "sep=;\nTeam;elo;win rate\nx;1204,5;61,0\ny b;1100,0;50,5\nz;990,0;12,0\n",
    "index.csv": ",licence,elo,win rate\nx,MIT,1204.5,61%\ny b,MIT,1100,50.5%\nz,,990,12%\n",
    "page.md": """# Results of 2024

| # | Model | elo | **win rate** |
|--:|:-----|----|---|
| 1 | [x](https://x.example) | **1204.5** | 61% |
| 2 | y b | 1100 | 50.5 |
| 3 | `z` | _990_ | 12 |

More | text
""",
    "bare.md": "Submission | elo | win rate\n--- | --- | ---\nx | 1204.5 | 61\ny b | 1100 | 50.5\nz | 990 | 12",
    "lines.jsonl": "\n".join(
        json.dumps({"run_id": name, "elo": SCORES["elo"][name], "win rate": str(SCORES["win rate"][name]), "url": None})
        for name in SCORES["elo"]
    ),
    "list.json": json.dumps(
        [{"system": name, **{key: of[name] for key, of in SCORES.items()}} for name in SCORES["elo"]]
    ),
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("packed", [False, True])
def test_forms(name, packed, tmp_path):
    content = FORMS[name].encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(content) if packed else content)
    columns = read_columns([path])
    assert {key: columns[key].scores for key in SCORES} == SCORES
    others = {key: column.wrong for key, column in columns.items() if key not in SCORES}
    assert set(others) <= {"rank", "#", "licence", "url"}
    assert others.get("licence", "'MIT' in line 2").startswith("'MIT' in line 2")
    assert others.get("url", "no numbers") == "no numbers"


def test_scores_that_are_missing_and_columns_of_several_files(tmp_path):
    (tmp_path / "a.csv").write_text("model,score\nx,1.5\ny,n/a\nz,-\n")
    (tmp_path / "b.txt").write_text("x 3\nz 2\n")
    (tmp_path / "c.csv").write_text("model,score\nx,2.5\ny,0.5\n")
    columns = read_columns([tmp_path / name for name in ("a.csv", "b.txt", "c.csv")])
    assert {name: column.scores for name, column in columns.items()} == {
        "a score": {"x": 1.5}, "b": {"x": 3.0, "z": 2.0}, "c score": {"x": 2.5, "y": 0.5}
    }  # fmt: skip
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.csv").write_text("model,score\nx,2.5\ny,0.5\n")
    with pytest.raises(ValueError, match=r"Columns must have different .* got 'a score' in '.*a\.csv' and '.*a\.csv'"):
        read_columns([tmp_path / "a.csv", tmp_path / "d" / "a.csv"])


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ("0.5±0.1", "It has "),
        ("high", "It is no number"),
        ("inf", "not finite"),
        ("1,204", "marks of thousands|decimal comma"),
    ],
)
def test_a_cell_that_is_no_number_is_named(cell, reason, tmp_path):
    (tmp_path / "a.md").write_text(f"| model | elo | n |\n|---|---|---|\n| x | 1 | 1 |\n| y | {cell} | 2 |\n")
    wrong = read_columns([tmp_path / "a.md"])["elo"].wrong
    assert wrong.startswith(f"'{cell}' in line 4")
    assert any(part in wrong for part in reason.split("|"))


def test_whole_scores_under_the_heading_of_a_group_are_scores(tmp_path):
    path = tmp_path / "elo.csv"
    path.write_text("dataset,name,judge,human\nx,a,1200,1\nx,b,1100,2\ny,a,1000,3\ny,b,900,4\n")
    columns = read_columns([path])
    assert columns["judge"].scores == {"x/a": 1200.0, "x/b": 1100.0, "y/a": 1000.0, "y/b": 900.0}
    path.write_text("snapshot,name,judge,human\n1,a,1200,1\n1,b,1100,2\n2,a,1000,3\n2,b,900,4\n")
    assert list(read_columns([path])) == ["human"]
    with pytest.raises(ValueError, match="`groups` must be among 'human', 'judge', 'name', 'snapshot', got 'x'"):
        read_columns([path], groups="x")
    path.write_text("name,elo\nmean,1\nall,2\n")  # there is nothing else
    assert read_columns([path])["elo"].scores == {"mean": 1.0, "all": 2.0}
