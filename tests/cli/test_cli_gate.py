"""``benchmaker gate``: verdicts, exit codes, formats, and baselines as files."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator

SIZE = 40


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.yaml"
    cases = "".join(
        f"  - id: c{at}\n    prompt: Say yes.\n    expected: 'yes'\n" for at in range(SIZE)
    )
    path.write_text(f"name: polls\nscorer: exact\ncases:\n{cases}")
    return path


@pytest.fixture
def answered(cli, suite, tmp_path):
    """Run the suite with so many wrong answers of each model; return the run's id."""

    def run(wrong, **models):
        path = tmp_path / "answers.jsonl"
        rows = [
            {"model": model, "id": f"c{at}", "output": f"no {model}" if at < bad else "yes"}
            for model, bad in {"m": wrong, **models}.items()
            for at in range(SIZE)
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        return cli("run", suite, "--recorded", path, "--json").data["run_ids"][0]

    return run


@pytest.mark.parametrize(
    ("wrong", "code", "said"),
    [
        (0, 0, "Gate passed: no answer of m changed in 40 cases."),
        (30, 1, "Gate failed: m dropped by 75.0 points"),
        (2, 5, "Gate undecided: m dropped by 5.0 points"),
    ],
)
def test_the_verdict_comes_first_and_sets_the_exit_code(cli, answered, wrong, code, said):
    before, after = answered(0), answered(wrong)
    assert cli("gate", after, "--baseline", before, code=code).stdout.startswith(said)


def test_a_drop_within_the_limit_passes(cli, answered):
    before, after = answered(0), answered(2)
    text = cli("gate", after, "--baseline", before, "--max-drop", 30).stdout
    assert "a drop of more than 30 points is ruled out" in " ".join(text.split())


@pytest.mark.parametrize("option", [(), ("--answers",)])
def test_a_run_and_its_file_give_the_same_bytes(cli, answered, tmp_path, option):
    before, after = answered(3, other=1), answered(5, other=25)
    path = tmp_path / "main.baseline.json"
    cli("export", before, "--baseline", *option, "--output", path)
    texts = {
        cli("gate", after, "--baseline", given, "--json", code=1).stdout for given in (before, path)
    }
    (text,) = texts
    assert json.loads(text)["changed"][0]["answer_before"] == "yes"


def test_a_baseline_travels_to_another_store(cli, answered, tmp_path, monkeypatch):
    path = tmp_path / "main.baseline.json"
    cli("export", answered(0), "--baseline", "--output", path)
    Draft202012Validator(cli("schema", "baseline").data).validate(json.loads(path.read_text()))
    assert "no m" not in path.read_text()
    monkeypatch.setenv("BENCHMAKER_HOME", str(tmp_path / "elsewhere"))
    answered(30)
    found = cli("gate", "latest", "--baseline", path, "--json", code=1).data
    assert found["verdict"] == "fail"
    assert (found["n_common"], found["n_baseline"]) == (40, 40)
    assert (found["changed"][0]["answer_before"], found["changed"][0]["answer_after"]) == (
        None,
        "no m",
    )


def test_export_to_stdout_is_the_file(cli, answered, tmp_path):
    run, path = answered(1), tmp_path / "x.baseline.json"
    cli("export", run, "--baseline", "--output", path)
    assert cli("export", run, "--baseline").stdout == path.read_text()


def test_the_json_has_the_agreed_keys(cli, answered):
    before, after = answered(0), answered(4)
    found = cli("gate", after, "--baseline", before, "--json", code=5).data
    assert {"verdict", "models", "changed", "more_cases", "n_common", "n_baseline"} <= set(found)
    assert {"model", "diff", "low", "high", "verdict"} <= set(found["models"][0])
    assert set(found["changed"][0]) == {
        "case_id", "model", "before", "after", "answer_before", "answer_after"
    }  # fmt: skip
    assert found["more_cases"] > 0
    assert cli("gate", after, "--baseline", before, "--format", "json", code=5).data == found


def test_markdown_begins_with_a_hidden_line_and_holds_no_markup_of_answers(cli, answered):
    before, after = answered(0, **{"<b>@all": 0}), answered(30, **{"<b>@all": 30})
    text = cli("gate", after, "--baseline", before, "--format", "markdown", code=1).stdout
    lines = text.splitlines()
    assert lines[0] == "<!-- benchmaker gate: polls -->"
    assert lines[1].startswith("**Gate failed: ")
    assert "<b>" not in text
    assert "@all" not in text


def test_junit_fails_with_the_gate(cli, answered):
    before, after = answered(0), answered(30)
    text = cli("gate", after, "--baseline", before, "--format", "junit", code=1).stdout
    (testsuite,) = ET.fromstring(text)  # noqa: S314  our own text
    assert (testsuite.get("tests"), testsuite.get("failures")) == ("31", "31")
    assert [one.get("name") for one in testsuite][:2] == ["gate", "c0"]
    undecided = cli("gate", answered(3), "--baseline", before, "--format", "junit", code=5).stdout
    (testsuite,) = ET.fromstring(undecided)  # noqa: S314  our own text
    counts = [testsuite.get(name) for name in ("failures", "errors", "skipped")]
    assert counts == ["0", "1", "3"]


def test_annotations_stand_at_the_line_of_the_case(cli, answered, suite, monkeypatch):
    monkeypatch.chdir(suite.parent)
    before, after = answered(0), answered(30)
    text = cli("gate", after, "--baseline", before, "--format", "github", code=1).stdout
    first, *cases = text.splitlines()
    assert first.startswith("::error file=suite.yaml,title=Benchmaker gate::Gate failed")
    assert "95%25 CI" in first
    lines = suite.read_text().splitlines()
    for one in cases:
        place = re.match(r"::error file=suite\.yaml,line=(\d+),title=(c\d+) dropped::", one)
        assert lines[int(place[1]) - 1].strip() == f"- id: {place[2]}"


def test_annotations_without_the_suite_have_no_line(cli, answered, suite):
    before, after = answered(0), answered(30)
    suite.unlink()
    text = cli("gate", after, "--baseline", before, "--format", "github", code=1).stdout
    assert text.startswith("::error title=Benchmaker gate::Gate failed")
    assert "line=" not in text


def test_output_goes_to_a_file_and_the_verdict_to_stdout(cli, answered, tmp_path):
    before, after = answered(0), answered(30)
    path = tmp_path / "gate.md"
    words = ("gate", after, "--baseline", before, "--format", "markdown", "--output", path)
    assert cli(*words, code=1).stdout.startswith("Gate failed: m dropped")
    assert path.read_text().startswith("<!-- benchmaker gate: polls -->")


def test_models_and_their_mistakes(cli, answered):
    before, after = answered(0, other=0), answered(0, other=30)
    cli("gate", after, "--baseline", before, code=1)
    cli("gate", after, "--baseline", before, "--model", "m")
    said = cli("gate", after, "--baseline", before, "--model", "othr", code=None)
    assert said.code == 2
    assert "Did you mean 'other'?" in said.stderr


def test_a_broken_baseline_is_refused_with_its_line(cli, answered, tmp_path):
    path = tmp_path / "main.baseline.json"
    cli("export", answered(0), "--baseline", "--output", path)
    path.write_text(path.read_text().replace('"weight":1.0', '"weight":"1"', 1))
    said = cli("gate", "latest", "--baseline", path, code=2).stderr
    assert f"{path}:12:" in "".join(said.split("\n"))
    assert "cases.0.weight" in said


def test_another_profile_is_refused_and_names_rescore(cli, answered, tmp_path):
    path = tmp_path / "main.baseline.json"
    run = answered(0)
    cli("export", run, "--baseline", "--output", path)
    text = re.sub(r'"profile": "[^"]*"', '"profile": "robust/1"', path.read_text())
    path.write_text(text)
    said = cli("gate", "latest", "--baseline", path, code=None)
    assert said.code not in {0, 1, 5}
    assert f"benchmaker rescore {run}" in " ".join(said.stderr.split())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--answers",), "--answers needs --baseline"),
        (("--baseline", "--format", "csv"), "--format has no effect on a baseline"),
    ],
)
def test_useless_options_of_export_are_refused(cli, answered, options, said):
    answered(0)
    assert said in cli("export", "latest", *options, code=2).stderr


def test_a_run_is_not_its_own_baseline(cli, answered):
    run = answered(0)
    for name in (run, "latest"):
        said = cli("gate", run, "--baseline", name, code=2).stderr
        assert said.startswith(f"Error: the run and the baseline are the same: {run}.")


def test_a_missing_file_is_an_error(cli, answered):
    run = answered(0)
    said = cli("gate", run, "--baseline", "nofile.json", code=2).stderr
    assert said.startswith("Error: nofile.json: ")


@pytest.fixture
def partly_answered(cli, suite, tmp_path):
    """Run the suite with recorded answers to the first so many cases only."""

    def run(number):
        path = tmp_path / "answers.jsonl"
        rows = [{"model": "m", "id": f"c{at}", "output": "yes"} for at in range(number)]
        path.write_text("\n".join(map(json.dumps, rows)))
        return cli("run", suite, "--recorded", path, "--json", code=4).data["run_ids"][0]

    return run


def test_every_format_says_how_many_cases_have_no_score(cli, answered, partly_answered):
    before, after = answered(0), partly_answered(30)
    said = {
        form: " ".join(
            cli("gate", after, "--baseline", before, "--format", form, code=5).stdout.split()
        )
        for form in ("text", "markdown", "junit", "github")
    }
    assert said["text"].startswith("Gate undecided: 10 of 40 cases of m have no score (10 ")
    assert "can hide a drop of more than 2 points" in said["text"]
    assert "score the missing cases first: benchmaker resume RUN --retry-failed" in said["text"]
    for text in said.values():
        assert "10 of 40 cases" in text
    found = cli("gate", after, "--baseline", before, "--json", code=5).data
    assert (found["models"][0]["missing"], found["models"][0]["n"]) == (10, 30)
    assert cli("gate", after, "--baseline", before, "--max-drop", 60).stdout.startswith(
        "Gate passed"
    )


def test_models_that_the_run_lacks_are_in_every_format(cli, answered):
    before, after = answered(0, other=0), answered(0)
    for form in ("text", "markdown", "junit", "github"):
        words = ("gate", after, "--baseline", before, "--format", form)
        assert "other" in cli(*words, code=5).stdout, form
    assert cli("gate", after, "--baseline", before, "--model", "m").code == 0
    text = cli("gate", after, "--baseline", before, "--format", "junit", code=5).stdout
    suites = ET.fromstring(text)  # noqa: S314  our own text
    assert [(one.get("name"), one.get("errors")) for one in suites] == [("m", "0"), ("other", "1")]


def test_removed_cases_are_in_every_format(cli, answered, suite):
    before = answered(0)
    suite.write_text(suite.read_text().partition("  - id: c39\n")[0])
    after = answered(0)
    for form in ("text", "markdown", "junit", "github"):
        words = ("gate", after, "--baseline", before, "--format", form)
        said = " ".join(cli(*words, code=None).stdout.split())
        assert "1 case only in the baseline (c39)" in said, form


def test_the_baseline_of_an_incomplete_run_is_exported_with_a_warning(
    cli, partly_answered, tmp_path
):
    run = partly_answered(39)
    done = cli("export", run, "--baseline", "--output", tmp_path / "x.baseline.json")
    assert "Warning: 1 trial has no score" in done.stderr


def test_json_contradicts_another_format(cli, answered):
    run = answered(0)
    said = cli("gate", run, "--baseline", run, "--json", "--format", "junit", code=2).stderr
    assert "--json contradicts --format junit" in said


def test_help_of_both_gates_names_the_other(cli):
    assert "run --threshold with --gate" in " ".join(cli("gate", "--help").stdout.split())
    assert "benchmaker gate" in " ".join(cli("run", "--help").stdout.split())


def test_files_named_like_runs_are_files(cli, answered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cli("export", answered(0), "--baseline", "--output", "main")
    assert Path("main").exists()
    assert cli("gate", "latest", "--baseline", "main").code == 0
