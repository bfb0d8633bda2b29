"""Replies whose truth is labelled: those that are lent, and some in wordings of our own.

The labels follow the meaning: would a person who sees the question and the expected text say that
the reply gives this answer?
"""

import json
from pathlib import Path

import pytest

from benchmaker import score

OWN = Path(__file__).parent / "replies.jsonl"


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_scored_right(row):
    more = {"choices": row["choices"]} if row["kind"] == "choice" else {}
    made = score(row["kind"], row["reply"], row["expected"], profile="robust", **more)
    assert made.score in {0.0, 1.0}
    return made.score == 1.0


def disagreements(labelled):
    """The ids of wrong replies scored right, and of right ones scored wrong."""
    scored = [(row, is_scored_right(row)) for row in labelled]
    flattered = [row["id"] for row, is_right in scored if is_right and not row["right"]]
    missed = [row["id"] for row, is_right in scored if row["right"] and not is_right]
    return flattered, missed


@pytest.mark.data
def test_labelled_replies_are_scored_as_labelled(shared):
    labelled = rows(shared / "replies" / "replies.jsonl")
    flattered, missed = disagreements(labelled)
    wrong = sum(not row["right"] for row in labelled)
    assert len(flattered) <= 0.005 * wrong, flattered
    assert len(flattered) + len(missed) <= 0.01 * len(labelled), (flattered, missed)


def test_replies_in_other_wordings_are_scored_as_labelled():
    labelled = rows(OWN)
    flattered, missed = disagreements(labelled)
    assert len(labelled) > 400
    assert len(flattered) + len(missed) <= 0.015 * len(labelled), (flattered, missed)
