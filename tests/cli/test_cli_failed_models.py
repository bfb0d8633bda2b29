"""Runs in which every request of a model fails: cost, reason, counts and next step."""

import json
import re
import socket

import pytest

REFUSED = "openai/fault:http_401"
ABSENT = "openai/fault:http_404"
LOCAL = "ollama/llama"
PRICED = "openai/gpt-4o-mini"


@pytest.fixture
def local(live, server, monkeypatch):
    """The endpoint ollama leads to the server, too."""
    monkeypatch.setenv("OLLAMA_BASE_URL", server.openai_url)
    return live


@pytest.fixture
def nowhere(live, monkeypatch):
    """Both endpoints lead to a port on which nothing listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        unused_port = bound.getsockname()[1]
    for name in ("OPENAI_BASE_URL", "OLLAMA_BASE_URL"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{unused_port}/v1")
    return live


def one_line(text):
    return " ".join(text.split())


def rows_of(said):
    return {row["model"]: row for row in said.data["models"]}


@pytest.mark.parametrize("model", [REFUSED, ABSENT])
def test_the_cost_of_refused_requests_is_unknown_without_a_price(live, sums, model):
    ran = live("run", sums, "--model", model, "--retries", 0, code=4)
    later = [live("results"), live("results", "--explain")]
    assert all("$0.00" not in said.stdout + said.stderr for said in (ran, *later))
    assert "Cost: unknown (no cost was reported)." in later[1].stdout
    row = rows_of(live("results", "--json"))[model]
    assert (row["cost_usd"], row["cost_known_trials"]) == (None, 0)


def test_a_model_without_a_price_costs_unknown_beside_one_with_a_price(nowhere, sums):
    words = ("--model", PRICED, "--model", LOCAL, "--retries", 0)
    nowhere("run", sums, *words, code=4)
    rows = rows_of(nowhere("results", "--json"))
    assert rows[PRICED]["cost_usd"] == 0.0
    assert rows[LOCAL]["cost_usd"] is None
    shown = nowhere("results", "--explain").stdout
    assert f"{LOCAL} unknown; {PRICED} $0.00." in one_line(shown)


@pytest.mark.parametrize("form", ["csv", "json", "markdown", "html"])
def test_an_export_has_no_cost_of_0_for_it(nowhere, sums, tmp_path, form):
    nowhere("run", sums, "--model", LOCAL, "--retries", 0, code=4)
    path = tmp_path / f"report.{form}"
    nowhere("export", "latest", "--format", form, "--output", path)
    text = path.read_text()
    assert "$0.00" not in text
    if form == "json":
        trials = [one["trial"] for one in json.loads(text)["trials"]]
        assert all("cost_usd" not in trial["attempts"][0] for trial in trials)


@pytest.mark.parametrize(("model", "status"), [(REFUSED, "HTTP 401"), (ABSENT, "HTTP 404")])
def test_the_reason_stands_wherever_the_failures_are_counted(live, sums, tmp_path, model, status):
    ran = live("run", sums, "--model", model, "--retries", 0, code=4)
    page = tmp_path / "report.html"
    live("export", "latest", "--format", "html", "--output", page)
    shown = [ran.stdout, live("results").stdout, live("results", "--explain").stdout]
    for text in map(one_line, shown):
        assert text.count(status) == 1
    for text in (*map(one_line, shown), page.read_text()):
        assert re.search(rf"{model} (\([^)]+\)|failed): 127[^ ]+ answered {status}", text)


def test_all_counts_have_one_denominator(live, sums):
    words = ("--model", REFUSED, "--retries", 0, "--concurrency", 1)
    ran = live("run", sums, *words, code=4)
    assert "(1 of 4 trials failed, 3 not run): " in one_line(ran.stdout)
    assert "0 of 4 cases scored." in ran.stdout
    assert "0/4" in ran.stdout
    listed = live("runs").stdout
    assert "stopped" in listed
    assert "1 of 4" in listed
    assert "finished" not in listed


def test_a_run_without_any_answer_is_listed_as_failed(nowhere, sums):
    nowhere("run", sums, "--model", LOCAL, "--retries", 0, code=4)
    assert " failed " in nowhere("runs").stdout
    assert nowhere("results").stderr.startswith("Retry failed trials: benchmaker resume ")


def test_a_wrong_model_name_is_one_sentence_with_one_command(live, sums):
    said = live("run", sums, "--model", ABSENT, "--retries", 0, code=4)
    told = one_line(said.stdout + said.stderr)
    assert told.count("benchmaker models") == 1
    assert "consecutive" not in told
    assert "No such model" not in told


@pytest.mark.parametrize("model", [LOCAL, PRICED])
def test_the_command_that_retries_failed_trials_stands_last(nowhere, sums, model):
    said = nowhere("run", sums, "--model", model, "--retries", 0, code=4)
    assert said.stderr.splitlines()[-1].endswith(" --retry-failed")


def test_models_that_failed_and_stopped_are_both_retried(live, sums, monkeypatch):
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    words = ("--model", REFUSED, "--model", LOCAL, "--retries", 0)
    said = live("run", sums, *words, "--concurrency", 1, code=4)
    last = said.stderr.splitlines()[-1]
    assert last.startswith("Resume with: ")
    assert last.endswith(" --retry-failed")


def test_the_json_of_a_stopped_run_is_incomplete_and_names_the_cases_not_run(live, sums):
    words = ("--model", REFUSED, "--retries", 0, "--concurrency", 1, "--json")
    found = live("run", sums, *words, code=4).data
    assert found["complete"] is False
    assert len(found["not_run"]) == 3
    assert found["not_run_by_setup"] == {REFUSED: found["not_run"]}
    assert live("results", "--json").data["not_run"] == found["not_run"]


def test_the_json_of_a_run_whose_trials_failed_is_complete(nowhere, sums):
    found = nowhere("run", sums, "--model", LOCAL, "--retries", 0, "--json", code=4).data
    assert (found["complete"], found["not_run"]) == (True, [])


@pytest.mark.parametrize("name", ["compare", "rank"])
def test_models_without_scores_are_explained_by_results(live, sums, name):
    ran = live(
        "run", sums, "--model", "openai/plain", "--model", REFUSED, "--retries", 0, "--json", code=4
    )
    told = one_line(live(name, code=2).stderr)
    assert "found 1 of 2." in told
    line = f"benchmaker results {ran.data['run_id']}"
    assert told.endswith(f"Show why the others have no scores: {line}")


def test_resume_names_the_trials_to_be_retried(live, sums):
    live("run", sums, "--model", REFUSED, "--retries", 0, "--concurrency", 1, code=4)
    said = live("resume", "latest", code=4)
    assert "1 of 4 trials stored, 1 of them to be retried." in one_line(said.stderr)


def test_without_scores_the_next_step_stands_last_and_alone(live, sums):
    said = live("run", sums, "--model", REFUSED, code=4)
    assert said.stderr.splitlines()[-1].startswith("Resume with: benchmaker resume ")
    assert "export" not in said.stdout + said.stderr
    assert "Methods, settings and costs" not in said.stdout


def test_with_some_scores_the_next_step_stands_last(live, sums):
    said = live("run", sums, "--model", REFUSED, "--model", "openai/plain", code=4)
    assert said.stderr.splitlines()[-1].startswith("Resume with: ")
    assert "HTML report:" in said.stderr


def test_one_scored_model_is_not_the_highest_of_one(live, sums):
    said = live("run", sums, "--model", REFUSED, "--model", "openai/plain", code=4)
    assert said.stdout.startswith("Only openai/plain has scores: ")
    assert "highest" not in said.stdout


@pytest.mark.parametrize("words", [[], ["--quiet"]])
def test_a_missed_threshold_names_the_model_and_the_threshold(live, sums, words):
    said = live(
        "run", sums, "--model", "openai/fault:empty_completion", "--threshold", 0.6, *words, code=1
    )
    assert "Threshold missed: openai/fault:empty_completion has an accuracy of 0.0%" in one_line(
        said.stderr
    )


@pytest.mark.parametrize(("text", "hint"), [("1.5", "Write 1.5%"), ("4.99", "or 0.0499")])
def test_an_ambiguous_threshold_is_refused(live, sums, text, hint):
    said = live("run", sums, "--model", "openai/plain", "--threshold", text, code=2)
    assert hint in said.stderr


def test_the_known_requests_of_a_trial_count_in_a_cost_given_as_at_least(live, sums, home):
    model = "openai/fault:truncated_body:1"
    price = {"input": 0, "output": 0, "request": 0.02}
    home.mkdir(parents=True, exist_ok=True)
    (home / "prices.yaml").write_text(json.dumps({"prices": {model: price}}), encoding="utf-8")
    live("run", sums, "--model", model, "--retries", 1)
    row = rows_of(live("results", "--json"))[model]
    assert (row["cost_usd"], row["cost_known_trials"]) == (None, 0)
    assert row["cost_usd_at_least"] == pytest.approx(4 * 0.02)
    assert row["outcomes"] == {"scored": 4}
    assert "at least $0.08" in one_line(live("results", "--explain").stdout)


def test_an_unknown_model_is_not_to_be_retried(live, sums):
    said = live("run", sums, "--model", ABSENT, "--retries", 0, code=4)
    assert "--retry-failed" not in said.stderr
    assert re.search(r"Add a model: benchmaker resume \S+ --model NAME$", one_line(said.stderr))
    assert "--retry-failed" not in live("results").stderr
    name = re.search(r"resume (\S+) --model", said.stderr)[1]
    assert "4 cases scored" in live("resume", name, "--model", PRICED, code=4).stdout


@pytest.mark.parametrize("concurrency", [1, 20])
def test_after_a_good_model_the_advice_names_the_unknown_one_alone(live, sums, concurrency):
    live("run", sums, "--model", ABSENT, "--retries", 0, "--concurrency", concurrency, code=4)
    words = ("--model", PRICED, "--concurrency", concurrency)
    resumed = live("resume", "latest", *words, code=4).stderr
    told = (
        f"{ABSENT} has no scores: its name is unknown. The other model is complete. "
        "Add another model: benchmaker resume "
    )
    for said in (resumed, live("results").stderr):
        assert told in one_line(said)
        assert "--retry-failed" not in said


def test_two_unknown_models_beside_two_complete_ones_are_both_named(live, sums):
    names = (ABSENT, f"{ABSENT}:99", PRICED, "openai/plain")
    words = [word for name in names for word in ("--model", name)]
    said = one_line(live("run", sums, *words, "--retries", 0, code=4).stderr)
    assert (
        f"{names[0]}, {names[1]} have no scores: their names are unknown. "
        "The other models are complete."
    ) in said


def test_an_unknown_model_beside_an_unfinished_one_is_resumed(live, sums):
    words = ("--model", ABSENT, "--model", REFUSED, "--retries", 0, "--concurrency", 1)
    said = live("run", sums, *words, code=4).stderr
    assert "Resume with: benchmaker resume " in said
    assert "complete" not in said


def test_an_unknown_model_beside_a_refused_connection_is_retried_with_it(live, sums, monkeypatch):
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://127.0.0.1:9/v1")
    said = live("run", sums, "--model", ABSENT, "--model", LOCAL, "--retries", 0, code=4)
    assert said.stderr.rstrip().endswith(" --retry-failed")


def test_timeouts_are_retried_with_a_longer_limit(live, sums):
    words = ("--model", "openai/fault:hang", "--timeout", 0.2, "--retries", 0, "--limit", 1)
    said = live("run", sums, *words, code=4)
    assert said.stderr.rstrip().endswith(" --retry-failed --timeout 60")
    command = said.stderr.rstrip().splitlines()[-1].split("benchmaker ")[1].split()
    again = live(*command[:-1], 0.3, "--retries", 0, code=4)
    assert "within 0.3 s (total limit)" in one_line(again.stdout)
