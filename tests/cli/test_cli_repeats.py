"""``run --repeat-where uncertain``, and the repeats in ``results`` and ``estimate``."""

import json

import pytest
from click.testing import CliRunner

from benchmaker.cli import main

SUITE = """\
name: sums
scorer: exact
profile: robust
cases:
  - {id: a, prompt: "1 + 1?", expected: "2"}
  - {id: b, prompt: "2 + 2?", expected: "4"}
  - {id: c, prompt: "3 + 3?", expected: "6"}
"""
ANSWERS = {"a": "22222", "b": "45455", "c": "55555"}


@pytest.fixture
def said(tmp_path):
    """Call a command in a folder with a suite and recorded answers."""
    suite, answers = tmp_path / "suite.yaml", tmp_path / "answers.jsonl"
    suite.write_text(SUITE)
    lines = [
        {"model": "m", "id": name, "run": number, "output": output}
        for name, outputs in ANSWERS.items()
        for number, output in enumerate(outputs, start=1)
    ]
    answers.write_text("\n".join(map(json.dumps, lines)))

    def call(*words, code=0):
        places = {"SUITE": str(suite), "ANSWERS": str(answers)}
        command = [*(places.get(word, word) for word in words), "--home", str(tmp_path / "home")]
        done = CliRunner().invoke(main, command, catch_exceptions=False)
        assert done.exit_code == code, done.output
        return done

    return call


def test_results_have_the_repeats_as_text_and_json(said):
    said("run", "SUITE", "--recorded", "ANSWERS", "--repeat-where", "uncertain", "--quiet")
    text = said("results").stdout
    assert "\nRepeats\n" in text
    assert "b           2 of 5  40.0%  [11.8, 76.9]" in text
    assert "Runs 3 to 5 repeat only the cases whose first two scores differ." in text
    found = json.loads(said("results", "--json").stdout)
    (model,) = found["models"]
    assert model["mean"] == 0.5
    repeats = model["repeats"]
    assert (repeats["pass_at_k"]["1"]["mean"], repeats["pass_hat_k"]["5"]["mean"]) == (0.5, None)
    (flaky,) = repeats["flaky"]
    assert (flaky["case_id"], flaky["right"], flaky["n"], flaky["share"]) == ("b", 2, 5, 0.4)
    assert flaky["ci95"] == pytest.approx([0.118, 0.769], abs=1e-3)
    assert len(found["repeat_runs"]) == 3


def test_every_case_five_times_knows_every_k(said):
    said("run", "SUITE", "--recorded", "ANSWERS", "--quiet")
    (model,) = json.loads(said("results", "--json").stdout)["models"]
    repeats = model["repeats"]
    assert repeats["pass_at_k"]["2"]["mean"] == pytest.approx((1 + 0.7 + 0) / 3)
    assert repeats["pass_hat_k"]["2"]["mean"] == pytest.approx((1 + 0.1 + 0) / 3)
    assert model["mean"] == pytest.approx((1 + 0.4 + 0) / 3)


def test_the_estimate_is_a_range_of_runs(said):
    command = ("estimate", "SUITE", "--model", "openai/gpt-4o-mini", "--runs", "5")
    text = said(*command, "--repeat-where", "uncertain").stdout
    assert "3 cases × 2 to 5 runs" in text
    assert "6 to 15" in text
    refused = said(*command[:-2], "--repeat-where", "uncertain", code=2)
    assert "needs at least 3 runs, not 1" in refused.stderr


def test_compare_and_export_take_such_a_series(said, tmp_path):
    said("run", "SUITE", "--recorded", "ANSWERS", "--repeat-where", "uncertain", "--quiet")
    said("export", "latest", "--format", "junit", "--output", str(tmp_path / "a.xml"))
    said("export", "latest", "--format", "html", "--output", str(tmp_path / "a.html"))
    said("export", "latest", "--format", "jsonl", "--output", str(tmp_path / "a.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(rows) == 2 * 3 + 3
    assert "Unfinished" not in said("results", "--explain").stdout
    assert "sums" in said("runs").stdout
