from __future__ import annotations

import json

import pytest

from pt_rankcorr.scores import Alignment


def test_an_alignment_says_what_was_used() -> None:
    assert str(Alignment(topics=("1", "2"), systems=("a", "b", "c"))) == "3 systems on 2 topics."


@pytest.mark.parametrize(
    ("field", "value", "note"),
    [
        ("unjudged_topics", ("8", "7"), "Topics without any judgment, left out: 2 ('7', '8')."),
        ("unattempted_topics", ("9",), "Judged topics without results of any system, left out: 1 ('9')."),
        ("dropped_topics", ("3",), "Topics without scores for some systems, left out: 1 ('3')."),
        ("dropped_systems", ("d",), "Systems without scores for some topics, left out: 1 ('d')."),
        ("filled", {"a": ("4", "5")}, "Systems with the default score on topics where they have none: 1 ('a')."),
        ("ignored_measures", ("num_ret",), "Measures that do not rank systems, left out: 1 ('num_ret')."),
        ("rounded", {"AP": 4}, "Measures that look rounded: 1 ('AP')."),
    ],
)
def test_everything_left_out_or_filled_is_said_and_told_to_machines(field: str, value: object, note: str) -> None:
    alignment = Alignment(topics=("1", "2"), systems=("a", "b"), **{field: value})  # type: ignore[arg-type]
    assert str(alignment) == f"2 systems on 2 topics. {note}"
    told = json.loads(json.dumps(alignment.to_dict()))
    assert told[field] == json.loads(json.dumps(value))
    assert (told["n_topics"], told["n_systems"]) == (2, 2)


def test_many_names_are_five_and_a_count() -> None:
    alignment = Alignment(unjudged_topics=tuple("abcdefgh"))
    assert "left out: 8 ('a', 'b', 'c', 'd', 'e' and 3 more)." in str(alignment)
