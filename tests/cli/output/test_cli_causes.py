"""Why trials failed, told with the verdict."""

import socket
import sys

import pytest

from tests.cli.test_cli_run import lines_of, write_lines


@pytest.fixture
def nowhere(monkeypatch):
    """The endpoint openai leads to a port that nobody listens at."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{bound.getsockname()[1]}"
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://{place}/v1")
    return place


@pytest.fixture
def raising(tmp_path, monkeypatch):
    """A model that is a function: it raises these errors, one after the other."""

    def make(*messages):
        code = f"errors = iter({messages!r})\ndef answer(prompt): raise ValueError(next(errors))\n"
        (tmp_path / "raising.py").write_text(code)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, "raising", raising=False)
        return "python:raising:answer"

    return make


def above_table(said):
    """All that stands above the table, on one line."""
    return " ".join(said.stdout.partition("\n\n")[0].split())


def test_a_refused_connection_is_named_once_for_all_trials(live, nowhere, sums):
    said = live("run", sums, "--model", "openai/any", "--retries", 0, code=4)
    why = f"no connection to {nowhere} (connection refused). Check that it is running."
    assert f"All 4 trials of openai/any failed: {why}" in above_table(said)
    assert "4 provider errors" in said.stderr


def test_a_timeout_is_named(live, sums):
    words = ["--model", "openai/fault:hang", "--timeout", 0.2, "--retries", 0, "--limit", 1]
    said = live("run", sums, *words, code=4)
    assert "The only trial of openai/fault:hang failed: 127.0.0.1" in above_table(said)
    assert "within 0.2 s" in above_table(said)


def test_the_commonest_error_is_named_of_several(live, sums, raising):
    said = live("run", sums, "--model", raising("often", "once", "often", "often"), code=4)
    counted = "All 4 trials of python:raising:answer failed, 3 of them with: "
    assert "often" in above_table(said).partition(counted)[2]
    assert "once" not in said.stdout + said.stderr


def test_failures_of_cases_of_weight_0_count_in_neither_line(cli, tmp_path):
    cases = "".join(
        f"  - {{id: c{at}, prompt: q, expected: x, weight: {at % 2}}}\n" for at in range(4)
    )
    (tmp_path / "weighed.yaml").write_text(f"scorer: exact\ncases:\n{cases}")
    lines = [{"id": f"c{at}", "model": "m", "output": "", "error": "HTTP 500"} for at in range(4)]
    recorded = write_lines(tmp_path / "failed.jsonl", lines)
    said = cli("run", tmp_path / "weighed.yaml", "--recorded", recorded, code=None)
    assert "All 2 trials of m failed: HTTP 500" in above_table(said)


def test_of_errors_that_all_differ_one_stands_for_the_others(live, sums, raising):
    said = live("run", sums, "--model", raising("one", "two", "three", "four"), code=4)
    assert "All 4 trials of python:raising:answer failed, for example with: " in above_table(said)


def test_one_reason_of_several_cases_is_no_different_error_for_each(cli, started):
    lines = lines_of(started / "answers.jsonl")[:-2]
    recorded = write_lines(started / "less.jsonl", lines)
    said = cli("run", started / "suite.yaml", "--recorded", recorded, code=4)
    why = "2 of 6 trials of illustrative-b failed and are excluded from the mean, for example: no"
    assert why in above_table(said)


def test_what_stopped_a_model_is_told_once(live, sums):
    said = live("run", sums, "--model", "openai/fault:http_401", code=4)
    above = above_table(said)
    assert above.count("Stopped querying openai/fault:http_401 (") == 1
    assert (said.stdout + said.stderr).count("Incorrect API key provided") == 1
    assert "Stopped early" not in above
    assert "excluded" not in above


def test_what_stopped_a_model_and_failed_stands_beside_json_too(live, sums):
    words = ("run", sums, "--model", "openai/fault:http_401")
    said = live(*words, "--json", code=4).stderr
    assert "Stopped querying openai/fault:http_401 (" in said
    assert said.count("Incorrect API key provided") == 1
    assert "openai/fault:http_401: 4 trials are excluded from the mean (4 provider errors)." in said
    assert not live(*words, "--json", "--quiet", code=4).stderr


def test_what_stopped_a_model_after_several_refusals_is_told_once(live, sums):
    said = live("run", sums, "--model", "openai/fault:http_404", "--retries", 0, code=4)
    assert (said.stdout + said.stderr).count("answered HTTP 404") == 1


def test_a_key_in_an_error_is_taken_out_and_a_long_error_is_cut(live, sums, raising):
    secret = "sk-ant-" + "aB3dE6gH9jK2mN5pQ8sT"
    model = raising(f"bad key {secret}\n\x1b[2J{'x' * 500}")
    said = live("run", sums, "--model", model, "--limit", 1, code=4)
    told = said.stdout + said.stderr
    assert "bad key" in told
    assert secret not in told
    assert "\x1b" not in told
    assert len(above_table(said).partition("failed: ")[2]) < 340


def test_nothing_is_said_of_a_run_without_failures(live, sums):
    said = live("run", sums, "--model", "openai/plain")
    assert "ailure" not in above_table(said)
    assert "Stopped" not in above_table(said)
