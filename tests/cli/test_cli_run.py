import json
from xml.etree import ElementTree as ET

import pytest

from benchmaker.analysis.summary.decisions import Decision, GateVerdict
from benchmaker.report.runs.gate import decision_words

MODEL_KEYS = {"model", "mean", "strict_accuracy", "sd", "ci95", "n_scored", "outcomes", "cost_usd"}


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def write_lines(path, lines):
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return path


@pytest.fixture
def answered(started):
    return [started / "suite.yaml", "--recorded", started / "answers.jsonl"]


def test_the_table_is_on_stdout_and_the_rest_on_stderr(cli, answered):
    said = cli("run", *answered)
    assert "illustrative-a" in said.stdout
    assert "12 of 12 trials" in said.stderr
    assert "benchmaker explain" in said.stderr
    assert "benchmaker export" in said.stderr


def test_quiet_says_nothing_on_the_side(cli, answered):
    assert cli("run", *answered, "--quiet").stderr == ""


def test_json_is_the_published_shape(cli, answered):
    data = cli("run", *answered, "--json").data
    assert data["scale"] == "0-1"
    assert data["series_id"] is None
    assert data["suite"] == "first-suite"
    assert data["profile"] == "robust"
    assert [row["model"] for row in data["models"]] == ["illustrative-a", "illustrative-b"]
    assert set(data["models"][0]) >= MODEL_KEYS


def test_results_prints_the_same_json(cli, answered):
    data = cli("run", *answered, "--json").data
    assert cli("results", data["run_id"], "--json").data == data
    assert cli("results", "--json").data == data


def test_a_series_names_its_runs(cli, started):
    lines = [{**line, "run": n} for n in (1, 2) for line in lines_of(started / "answers.jsonl")]
    recorded = write_lines(started / "two.jsonl", lines)
    data = cli("run", started / "suite.yaml", "--recorded", recorded, "--json").data
    assert data["run_id"] is None
    assert data["series_id"].startswith("s-")
    assert len(data["run_ids"]) == 2


@pytest.mark.parametrize("numbers", [(1, 3), (0,)])
def test_runs_with_other_numbers_in_the_recording_are_told(cli, started, numbers):
    lines = [{**line, "run": n} for n in numbers for line in lines_of(started / "answers.jsonl")]
    recorded = write_lines(started / "gap.jsonl", lines)
    words = ("run", started / "suite.yaml", "--recorded", recorded)
    said = cli(*words)
    runs = "runs 1 to 2 here." if len(numbers) > 1 else "run 1 here."
    (line,) = (one for one in said.stderr.splitlines() if "of the recording" in one)
    assert ", ".join(map(str, numbers)) in line
    assert line.endswith(runs)
    assert not cli(*words, "--quiet").stderr


def test_more_runs_than_recorded_are_refused(cli, answered):
    assert "2 runs" in cli("run", *answered, "--runs", 2, code=2).stderr


def test_without_answers_it_says_which_option_is_missing(cli, started):
    assert "--recorded" in cli("run", started / "suite.yaml", code=2).stderr


def test_one_model_can_be_chosen(cli, answered):
    models = cli("run", *answered, "--model", "illustrative-b", "--json").data["models"]
    assert [row["model"] for row in models] == ["illustrative-b"]


def test_an_unknown_model_is_refused_with_the_nearest(cli, answered):
    said = cli("run", *answered, "--model", "illustrative-c", code=2)
    assert "illustrative-" in said.stderr
    assert not said.stdout


@pytest.mark.parametrize(
    ("words", "cases"),
    [(["--limit", 2], 2), (["--category", "facts"], 2), (["--tag", "biology"], 1)],
)
def test_cases_can_be_selected(cli, answered, words, cases):
    rows = cli("run", *answered, *words, "--json").data["models"]
    assert [row["n_scored"] for row in rows] == [cases, cases]


def test_the_profile_can_be_switched(cli, answered):
    robust = cli("run", *answered, "--json").data
    classic = cli("run", *answered, "--profile", "classic", "--json").data
    assert classic["profile"] == "classic"
    assert classic["models"] != robust["models"]


@pytest.mark.parametrize(
    ("threshold", "model", "code"),
    [
        (0.99, "illustrative-b", 1),
        (1, "illustrative-b", 1),
        (1, "illustrative-a", 0),
        (0, "illustrative-b", 0),
    ],
)
def test_a_missed_threshold_is_exit_code_1(cli, answered, threshold, model, code):
    said = cli("run", *answered, "--model", model, "--threshold", threshold, code=code)
    assert ("Threshold missed" in said.stderr) is (code == 1)


@pytest.mark.parametrize("written", [".8", "80", "0.80", "80%"])
def test_a_threshold_is_read_as_a_share_or_as_points_and_said(cli, answered, written):
    said = cli("run", *answered, "--threshold", written, code=1)
    assert "threshold 80%." in said.stderr
    passed = cli("run", *answered, "--model", "illustrative-a", "--threshold", written)
    assert "Threshold met by all models: an accuracy of at least 80%." in passed.stderr


def test_a_threshold_beyond_100_is_refused(cli, answered):
    cli("run", *answered, "--threshold", 101, code=2)
    cli("run", *answered, "--threshold", "101%", code=2)


@pytest.mark.parametrize("written", ["eighty", "80 points", "%", "80%%"])
def test_a_threshold_that_is_no_number_is_one_clear_error(cli, answered, written):
    said = cli("run", *answered, "--threshold", written, code=2)
    assert "Use .8, 80 or 80%." in said.stderr


@pytest.mark.parametrize("gate", ["mean", "sure"])
def test_a_model_without_an_answer_leaves_a_threshold_undecided(cli, tmp_path, gate):
    """Nothing was measured, so that it was neither met nor missed."""
    suite = tmp_path / "one.json"
    case = {"id": "c", "prompt": "?", "expected": "0"}
    suite.write_text(json.dumps({"name": "one", "scorer": "exact", "cases": [case]}))
    words = ("--threshold", 50, "--gate", gate)
    failing = ("--model", "command:false", "--retries", 0)
    ran = cli("run", suite, *failing, *words, code=5)
    assert "Threshold undecided: command:false has no accuracy, because no answer has" in ran.stderr
    assert "case" not in ran.stderr.partition("Threshold undecided")[2].partition("\n")[0]
    asked = cli("export", "latest", "--format", "junit", *words, code=5).stdout
    (only,) = ET.fromstring(asked)  # noqa: S314  our own text
    assert (only.get("failures"), only.get("errors"), only.get("skipped")) == ("0", "1", "1")


def test_a_sure_gate_is_undecided_where_few_cases_leave_doubt(cli, answered):
    said = cli(
        "run", *answered, "--model", "illustrative-a", "--threshold", 80, "--gate", "sure", code=5
    )
    assert "Threshold undecided: illustrative-a has an accuracy of 100.0%" in said.stderr
    assert "from 6 cases at an effective n of 5.4, " in said.stderr
    assert "; threshold 80%." in said.stderr
    assert "more cases like these" in said.stderr
    failed = cli("run", *answered, "--threshold", 99, "--gate", "sure", code=1)
    assert "Threshold missed: illustrative-b" in failed.stderr
    cli("run", *answered, "--threshold", 5, "--gate", "sure", code=0)
    assert "--threshold 80" in cli("run", *answered, "--gate", "sure", code=2).stderr


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--threshold", ".4"), 0),
        (("--threshold", "80"), 1),
        (("--threshold", "40", "--gate", "sure"), 5),
    ],
)
def test_junit_fails_exactly_where_the_threshold_does(cli, answered, words, code):
    cli("run", *answered, *words, code=code)
    recorded = cli("export", "latest", "--format", "junit", code=code)
    assert _is_red(recorded.stdout) is (code != 0)
    cli("run", *answered)
    asked = cli("export", "latest", "--format", "junit", *words, code=code).stdout
    assert _is_red(asked) is (code != 0)
    again = cli("run", *answered, "--json").data["run_id"]
    assert again not in asked
    assert cli("export", "latest", "--format", "junit", *words, code=code).stdout == asked


@pytest.mark.parametrize(
    ("words", "code", "verdict"),
    [
        ((), 0, None),
        (("--threshold", 5), 0, "pass"),
        (("--threshold", 80), 1, "fail"),
        (("--model", "illustrative-a", "--threshold", 80, "--gate", "sure"), 5, "undecided"),
    ],
)
def test_json_and_markdown_say_what_the_gate_says(cli, answered, words, code, verdict):
    said = cli("run", *answered, *words, "--json", code=code)
    gate = said.data["gate"]
    assert gate == cli("results", "--json").data["gate"]
    told = [line for line in said.stderr.splitlines() if line.startswith("Threshold ")]
    report = cli("export", "latest", "--format", "markdown").stdout.replace("\\", "")
    assert [line[2:] for line in report.splitlines() if line.startswith("- Threshold ")] == told
    assert (gate and gate["verdict"], bool(told)) == (verdict, verdict is not None)
    if gate:
        models = [one["model"] for one in said.data["models"]]
        assert [one["model"] for one in gate["models"]] == models
        assert gate["gate"] == ("sure" if "sure" in words else "mean")


def test_a_threshold_on_part_of_the_trials_is_told_the_same_by_run_and_export(cli, tmp_path):
    cases = [{"id": f"c{n}", "prompt": f"{n}?", "expected": str(n)} for n in range(3)]
    suite, answers = tmp_path / "part.json", tmp_path / "part.jsonl"
    suite.write_text(json.dumps({"name": "part", "scorer": "exact", "cases": cases}))
    answers.write_text(json.dumps({"model": "m", "id": "c0", "output": "0"}) + "\n")
    words = ("--threshold", 50)
    ran = cli("run", suite, "--recorded", answers, *words, code=4)
    told = " ".join(ran.stdout.split())
    assert "2 of 3 trials of m failed and are excluded from the mean, for example: " in told
    asked = cli("export", "latest", "--format", "junit", *words, code=4)
    assert "m: 2 trials are excluded from the mean" in asked.stderr
    told = ET.fromstring(asked.stdout).find(".//testcase[@name='threshold']/system-out")  # noqa: S314  our own text
    assert told.text == (
        "Threshold met: m has an accuracy of 100.0% from 1 of 3 trials, threshold 50%."
    )


@pytest.mark.parametrize(
    ("mean", "threshold", "told"),
    [(0.99999, 1, "99.999, threshold 100."), (8 / 9, 0.8889, "88.889, threshold 88.89.")],
)
def test_a_missed_threshold_shows_the_digits_that_tell_it_from_the_mean(mean, threshold, told):
    missed = Decision("m", GateVerdict.FAILED, threshold, mean)
    assert f"m has a mean of {told}" in decision_words(missed)


@pytest.mark.parametrize(
    ("metric", "asked"),
    [("mean", "a mean of at least 50 of 100"), ("strict", "a strict accuracy of at least 50%")],
)
def test_a_threshold_names_the_figure_that_it_is_held_against(cli, tmp_path, metric, asked):
    cases = [{"id": name, "prompt": "A city?", "expected": "Quito"} for name in "ab"]
    suite, answers = tmp_path / "graded.json", tmp_path / "answers.jsonl"
    keys = {"name": "graded", "scorer": "exact", "grades": True, "metric": metric}
    suite.write_text(json.dumps(keys | {"cases": cases}))
    write_lines(
        answers,
        [
            {"model": "m", "id": "a", "output": "Quito"},
            {"model": "m", "id": "b", "output": "Quitos"},
        ],
    )
    words = ("--recorded", answers, "--threshold", 50)
    assert f"{asked}." in cli("run", suite, *words).stderr
    other = {"mean": "strict", "strict": "mean"}[metric]
    said = cli("run", suite, *words, "--metric", other).stderr
    assert asked not in said
    assert cli("results", "--json").data["metric"] == other


def _is_red(junit):
    suites = ET.fromstring(junit)  # noqa: S314  our own text
    return any(int(suite.get(kind)) for suite in suites for kind in ("failures", "errors"))


def test_a_missing_answer_is_told_and_is_exit_code_4(cli, started):
    lines = lines_of(started / "answers.jsonl")[:-1]
    recorded = write_lines(started / "less.jsonl", lines)
    said = cli("run", started / "suite.yaml", "--recorded", recorded, code=4)
    told = " ".join(said.stdout.split())
    assert "1 of 6 trials of illustrative-b failed and is excluded from the mean: " in told


def test_fields_say_where_values_stand(cli, started):
    lines = [
        {"who": line["model"], "key": line["id"], "reply": {"text": line["output"]}}
        for line in lines_of(started / "answers.jsonl")
    ]
    recorded = write_lines(started / "other.jsonl", lines)
    mapping = ["--fields", "model=who", "--field", "id=key", "--fields", "output=reply.text"]
    rows = cli("run", started / "suite.yaml", "--recorded", recorded, *mapping, "--json").data
    assert rows["models"][0]["mean"] == 1.0


def test_wide_lines_have_a_field_for_each_model(cli, started):
    by_case = {}
    for line in lines_of(started / "answers.jsonl"):
        by_case.setdefault(line["id"], {"id": line["id"]})[line["model"][-1]] = line["output"]
    recorded = write_lines(started / "wide.jsonl", list(by_case.values()))
    mapping = started / "map.yaml"
    mapping.write_text("models: {first: a, second: b}\n")
    said = cli(
        "run", started / "suite.yaml", "--recorded", recorded, "--fields-file", mapping, "--json"
    )
    assert {row["model"] for row in said.data["models"]} == {"first", "second"}


def test_a_faulty_suite_is_refused_before_anything_is_stored(cli, started, home):
    suite = started / "suite.yaml"
    suite.write_text(suite.read_text().replace("scorer: exact", "scorer: exat"))
    said = cli("run", suite, "--recorded", started / "answers.jsonl", "--json", code=2)
    assert said.data["error"]["findings"][0]["line"]
    assert "exact" in said.stderr
    assert not home.exists()


def test_a_given_home_is_repeated_in_the_next_command(cli, answered, tmp_path):
    said = cli("run", *answered, "--home", tmp_path / "other")
    assert f"--home {tmp_path / 'other'}" in said.stderr


def test_recorded_failures_count_as_those_of_a_live_run(cli, tmp_path):
    suite = {
        "name": "sums", "profile": "robust", "scorer": "numeric",
        "cases": [{"id": f"c{n}", "prompt": f"{n} + 1?", "expected": n + 1} for n in range(3)],
    }  # fmt: skip
    (tmp_path / "suite.json").write_text(json.dumps(suite))
    answers = [
        {"model": "m", "id": "c0", "output": "1"},
        {
            "model": "m",
            "id": "c1",
            "output": None,
            "error": "HTTP 500",
            "outcome": "provider_error",
        },
        {"model": "m", "id": "c2", "output": "", "error": "timeout after 120 s"},
    ]
    recorded = write_lines(tmp_path / "answers.jsonl", answers)
    said = cli("run", tmp_path / "suite.json", "--recorded", recorded, "--json", code=4)
    (model,) = said.data["models"]
    assert (model["mean"], model["n_scored"]) == (1.0, 1)
    assert model["outcomes"] == {"scored": 1, "provider_error": 2}
    assert "HTTP 500" in cli("show", "latest", "c1", "--model", "m").stdout
    rows = cli("export", "latest", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(row)["error"] for row in rows] == [None, "HTTP 500", "timeout after 120 s"]


def test_answers_to_no_case_are_refused_before_the_run(cli, tmp_path):
    suite, answers = tmp_path / "s.yaml", tmp_path / "a.jsonl"
    suite.write_text("scorer: exact\ncases: [{id: portugal, prompt: p, expected: Lisbon}]\n")
    answers.write_text('{"model": "m", "id": "zzz", "output": "x"}\n')
    said = " ".join(cli("run", suite, "--recorded", answers, code=2).stderr.split())
    assert "the ids of the recorded answers (zzz) are not in the suite" in said
    assert "whose first case is portugal" in said
    assert cli("runs", "--json").data["runs"] == []
