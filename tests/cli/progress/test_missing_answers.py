"""Recorded answers that miss their case are named, and what lacks one is no provider error."""

import json

import pytest

CASES = ("refund", "tax", "tip", "sum", "date")


@pytest.fixture
def files(tmp_path):
    suite, answers = tmp_path / "suite.json", tmp_path / "answers.jsonl"
    cases = [{"id": one, "prompt": one, "expected": "yes"} for one in CASES]
    suite.write_text(json.dumps({"name": "five", "scorer": "exact", "cases": cases}))
    rows = [{"model": "m", "id": one, "output": "yes"} for one in ("tax", "refnd")]
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return suite, answers


def test_a_record_without_a_case_is_named(cli, files):
    suite, answers = files
    said = cli("run", suite, "--recorded", answers, code=4)
    note = "1 recorded answer matches no case of the suite: 'refnd'. Did you mean 'refund'?"
    assert note in " ".join(said.stdout.split())
    assert said.stdout.startswith("m has an accuracy of 100.0%, 95% CI [20.7, 100.0], on 1 of 5")
    assert "provider error" not in said.stdout + said.stderr
    data = cli("run", suite, "--recorded", answers, "--json", code=4)
    assert data.data["notes"] == [note]
    assert note in data.stderr
    assert "m: 4 trials are excluded from the mean (no recorded answer)." in data.stderr
