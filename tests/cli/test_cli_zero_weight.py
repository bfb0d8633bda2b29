"""Cases of weight 0 are asked and shown; what rests on the mean counts them nowhere."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

WEIGHTS = {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0}


@pytest.fixture
def recorded(tmp_path):
    """Writes the suite and answers: ``right``, ``wrong`` or an outcome, by case."""

    def write(**answers):
        cases = [
            {"id": name, "prompt": "A city?", "expected": "Quito", "weight": weight}
            for name, weight in WEIGHTS.items()
        ]
        suite, path = tmp_path / "zero.json", tmp_path / "zero.jsonl"
        suite.write_text(json.dumps({"name": "zero", "scorer": "exact", "cases": cases}))
        lines = [{"model": "m", "id": name, **_line(said)} for name, said in answers.items()]
        path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return suite, "--recorded", path

    return write


def _line(said):
    if said in {"right", "wrong"}:
        return {"output": "Quito" if said == "right" else "Lima"}
    return {"outcome": said, "error": "no answer came"}


PARTIAL = {"a": "right", "b": "wrong", "c": "timeout", "d": "right", "e": "right"}


def test_a_gate_counts_the_trials_that_its_figure_rests_on(cli, recorded):
    ran = cli("run", *recorded(**PARTIAL), "--threshold", 80, "--json", code=1)
    told = "m has an accuracy of 50.0% from 2 of 3 trials, threshold 80%."
    assert told in ran.stderr
    (gate,) = ran.data["gate"]["models"]
    assert (gate["n_scored"], gate["n_trials"]) == (2, 3)
    (model,) = ran.data["models"]
    counts = ("n_scored", "n_strict", "n_counted", "n_trials", "n_planned")
    assert [model[name] for name in counts] == [2, 1, 3, 5, 5]
    assert told in cli("export", "latest", "--format", "markdown").stdout.replace("\\", "")
    junit = cli("export", "latest", "--format", "junit", "--threshold", 80, code=1).stdout
    failure = ET.fromstring(junit).find(".//testcase[@name='threshold']/failure")  # noqa: S314  our own text
    assert told in failure.get("message")


def test_scored_trials_are_those_of_the_mean_in_every_table(cli, recorded):
    cli("run", *recorded(**PARTIAL), code=4)
    shown = cli("results").stdout
    assert re.search(r"^m .* 2/3$", shown, re.MULTILINE)
    explained = cli("results", "--explain").stdout
    assert "2 cases of weight 0 are excluded from the mean." in explained
    markdown = cli("export", "latest", "--format", "markdown").stdout
    assert re.search(r"^\| m \|.*\| 2/3 \|", markdown, re.MULTILINE)


def test_the_tiles_leave_cases_of_weight_0_out(cli, recorded):
    cli("run", *recorded(**PARTIAL), code=4)
    page = cli("export", "latest", "--format", "html").stdout
    assert "1 of 2 answers" in page
    assert "2 answered, 1 failed request, 2 of weight 0" in page


def test_a_failure_on_a_case_of_weight_0_is_not_missing_from_the_mean(cli, recorded):
    answers = dict.fromkeys("abcd", "right") | {"e": "timeout"}
    ran = cli("run", *recorded(**answers), "--threshold", 80, code=0)
    assert "excluded from the mean" not in ran.stdout + ran.stderr
    assert "excluded from the mean" not in cli("results").stdout
    again = cli("export", "latest", "--format", "junit", "--threshold", 80, code=0)
    assert "excluded from the mean" not in again.stderr


def test_only_trials_that_could_be_in_the_mean_are_left_out_of_it(cli, recorded):
    answers = {"a": "right", "b": "timeout", "c": "right", "d": "right", "e": "timeout"}
    ran = cli("run", *recorded(**answers), code=4)
    told = " ".join(ran.stdout.split())
    assert "1 of 3 trials of m failed and is excluded from the mean: " in told
