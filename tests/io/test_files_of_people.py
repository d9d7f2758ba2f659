"""The cases of ../shared/data/files: small files as people have them, each read right, or refused with the remedy."""

import re
import runpy
import warnings

import pytest

from pt_rankcorr.cli import main

RANKED = ["gamma +.427", "beta +.392", "alpha +.318"]
SHOWN = "503.*missing says what to do"
# case -> commands, each with what its output must have; a text in capitals is a file to run in Python
CASES = {
    "arrows_in_headings": {"tau --scores lb.csv": ["-1.00 ", "Lower is better"], "tau --scores elo.md": [" 1.00 "]},
    "beir_and_msmarco_forms": {
        "expected --runs runs --qrels beir.tsv --measures AP": ["expected tau_AP"],
        "expected --runs marco.tsv runs/B.run --qrels header.qrels --measures AP": ["run of MS MARCO"],
    },
    "comment_lines": {
        "ranks --runs runs --qrels plain.qrels --measures AP": [r"A +.833", r"B +.500"],
        "labels --qrels plain.qrels --against q.qrels": ["1.00"],
    },
    "csv_of_spreadsheets": {
        **{
            f"ranks --scores {name}": RANKED
            for name in ("trailing_comma.csv", "sep_line.csv", "comment.csv", "title_line.csv", "blanks.txt")
        },
        "ranks --scores na.csv": [SHOWN],
        "ranks --scores dash.csv": [SHOWN],
        "ranks --scores pct.csv": ["'32.4%' in line 2, column 'alpha'. It has a percent sign"],
        "ranks --scores comma.tsv": ["decimal comma: --decimal ,"],
    },
    "file_without_a_column": {"tau --scores a.csv b.txt --matrix": ["error: 'b.txt' must have a column of scores"]},
    "frame_indexed_by_model": {
        "TRY.PY": [f"{name} .*transpose it" for name in ("run", "Model", "method", "system_id")]
    },
    "frame_with_two_levels": {
        "TRY.PY": [r"2 levels of columns. Take one name of 'measure', such as frame\['AP'\]"],
        "ranks --scores two_levels.csv": ["must have one header.*wo levels of columns, as pandas writes"],
    },
    "groups": {
        "tau --scores by_algorithm.csv": ["--groups names the column that tells them apart.*'algorithm', 'item'"],
        "tau --scores by_algorithm.csv --groups algorithm": ["score elo +score win_rate +3 +.33"],
        "tau --scores by_snapshot.csv --matrix": ["ndcg +1.00 +1.00", "Two --columns show each group"],
        "tau --scores by_snapshot.csv --columns ndcg map": [
            r"2030-03 +3 +1.00",
            r"2030-06 +3 +1.00",
            "mean of 2 +- +1.00",
        ],
        "tau --scores by_dataset.csv": [
            *(rf"human +ds{n} +4 +-1.00" for n in range(4)),
            r"all, pooled +16 +.60",
            "mean of 4 +- +-1.00",
            "tau of 'human' is .60 over all groups and -1.00 in their mean",
        ],
    },
    "irds_prefix": {"expected --runs A.run B.run --irds irds:vaswani --measures AP": ["'vaswani'"]},
    "item_headings": {
        "ranks --scores seg.tsv": ["gamma +-4.553", "beta +-5.675", "alpha +-6.702"],
        "ranks --scores turn.txt": ["gamma +2.667", "beta +2.000", "alpha +1.833"],
        "ranks --scores scenario.csv": ["gamma +.545", "beta +.433", "alpha +.330"],
    },
    "json_lines": {
        f"labels --qrels {name} --against plain.qrels": ["plain +1 "]
        for name in ("blanks.qrels.jsonl", "compact.qrels.jsonl")
    },
    "judges_in_columns": {
        "alpha --judges book.csv": [".88 .*ordinal.* 3 ", "'agent_3_rating' of 'book.csv'.*23 of 60"]
    },
    "label_nan": {
        "labels --qrels ref.qrels --against good.qrels judge_x.qrels": ["'judge_x.qrels' .*1 of 60 .*in line 23"],
        "labels --qrels ref.qrels --against good.qrels judge_y.qrels": ["__invalid__' in line 23.*write nan"],
    },
    "labels_note": {"labels --qrels ref.qrels --against judge.qrels": ["48 of 240.*kappa and alpha are of these"]},
    "leaderboard_topic_first": {
        "ranks --leaderboard lb.txt": ["3 systems on 12 topics", "gamma +.545", "beta +.433", "alpha +.330"],
        "ranks --scores lb.txt": ["3 systems on 12 topics", "gamma +.545", "beta +.433", "alpha +.330"],
    },
    "long_with_measure_columns": {
        "ranks --scores cells.csv --measures strict_score": RANKED,
        "ranks --scores gdeval_alpha.csv gdeval_beta.csv": ["2 systems on 12 topics", "'amean'", "err@20", "ndcg@20"],
    },
    "matrix_without_n": {
        "TRY.PY": ["c +1.000000 +-0.333333"],
        "tau --scores a.csv b.csv c.csv --matrix --missing skip": [
            r"\.33 \(3\) +1.00 \(3\)",
            "'a' with 'b' 3, 'a' with 'c' 3, 'b' with 'c' 3",
        ],
    },
    "means_only": {
        "ranks --trec-eval a.txt b.txt": ["mean scores only.*topics are needed"],
        "ranks --trec-eval evaluation.prototext": ["mean scores only.*topics are needed"],
    },
    "measures_as_systems": {"ranks --scores bm25.csv": ["of measures"], "ranks --scores bm25_b.csv": ["of measures"]},
    "measures_in_columns": {
        "ranks --scores alpha.csv beta.csv gamma.csv --measures map": ["gamma +.599", "beta +.424", "alpha +.292"],
        "compare --scores alpha.csv beta.csv gamma.csv": ["map +ndcg_cut_10", "map +recall_100"],
    },
    "nan_and_skip": {"TRY.PY": ["0.333"]},
    "nested_json": {
        "tau --scores by_system.json": ["ndcg@10 +map +3 +1.00"],
        "ranks --scores rank_eval_alpha.json": ["at least 2 systems to rank, got 'rank_eval_alpha'"],
        "tau --scores model_a.json": ["nested JSON"],
    },
    "old_trec_eval_names": {
        "compare --trec-eval ev --measures AP Rprec P@10": ["3 systems", "map +R-prec", "map +P10"]
    },
    "one_score_a_run": {
        "tau --scores rubric.csv arena.csv --matrix": ["strict +1.00 +.67 +1.00", "lenient +.67 +1.00"]
    },
    "one_topic": {"compare --leaderboard lb.txt": ["--leaderboard must have at least 2 topics, got 1"]},
    "orders_of_names": {"TRY.PY": ["0.6666"]},
    "ranking_file": {
        **{
            f"drank --scores scores.csv --ranking {name} --resamples 99": [r"scores +\S+ +-.33"]
            for name in ("header.csv", "three_columns.csv", "comment.csv", "packed.csv.gz")
        },
        "drank --scores scores.csv --ranking one_missing.csv": ["'NA' in line 2"],
    },
    "repeats": {
        "ranks --scores seeds.csv": ["'seed 1', 'seed 2', 'seed 3'", "gamma +.541", "beta +.441", "alpha +.328"],
        "ranks --scores raters.csv --columns _,run,topic,value": ["--repeats mean averages them"],
        "ranks --scores raters.csv --columns _,run,topic,value --repeats mean": ["alpha +33.750", "gamma +54.042"],
        "ranks --scores raters.csv": ["'rater r1', 'rater r2'", "alpha +33.750", "beta +41.083", "gamma +54.042"],
    },
    "same_value_column": {
        "ranks --scores judge_strict.csv judge_lenient.csv": [
            "judge_strict",
            "judge_lenient",
            "3 systems on 12 topics",
        ],
    },
    "summary_column": {"ranks --scores scores.csv": [*RANKED, "left out: 'max_ndcg'"]},
    **{
        f"summary_row_{name}": {"ranks --scores scores.csv": [*RANKED, f"left out: '{name.capitalize()}'"]}
        for name in ("median", "overall", "std", "total")
    },
    "tab_aligned_eval": {"ranks --trec-eval ev": [f"infAP +{row}" for row in RANKED]},
    "tau_summary_rows": {
        "tau --scores lb.csv": ["judge +human +4 +-.33", "left out: 'Average'"],
        "tau --scores lb.md": ["judge +human +4 +-.33", "left out: 'kendall', 'mean', 'std'"],
    },
    "trec_eval_o": {"ranks --trec-eval ev": ["form for people .trec_eval -o.: run trec_eval -q without -o"]},
    "unjudged_as_quality": {"ranks --trec-eval ev": ["left out: 5 .'num_ret', 'rbp_resid', 'unj_10'"]},
    "whole_labels_with_point": {
        "ranks --runs runs --qrels q.qrels --measures AP": [r"A +.833", r"B +.500"],
    },
}
RESAMPLING = ("ranks", "compare", "expected", "drank")


@pytest.mark.parametrize("case", CASES)
def test_case(case, data, monkeypatch, capsys):
    if not (data / "files" / case).is_dir():
        pytest.skip(f"no case {case}")
    monkeypatch.chdir(data / "files" / case)
    monkeypatch.setenv("COLUMNS", "1000")
    for command, expected in CASES[case].items():
        if command == "TRY.PY":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    runpy.run_path("try.py")
                except ValueError as error:
                    print(error)
        else:
            main([*command.split(), *(["--seed", "1"] if command.split()[0] in RESAMPLING else [])])
        seen = "".join(capsys.readouterr())
        for text in expected:
            assert re.search(text, seen), f"{command}: {seen}"
        assert "Traceback" not in seen
