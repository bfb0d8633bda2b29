"""``run`` and ``resume`` against models that answer now, at a real local server."""

import pytest

from benchmaker.store import Store


def models_of(data):
    return {row["model"]: row for row in data["models"]}


@pytest.mark.parametrize("words", [[], ["--no-stream"]])
def test_a_model_is_asked_streamed_or_not(program, server, environ, sums, words):
    said = program("run", sums, "--model", "openai/plain", *words, "--json", **environ)
    assert models_of(said.data)["openai/plain"]["mean"] == 1.0
    asked = server.settled(key=environ["OPENAI_API_KEY"])
    assert [entry.is_streamed for entry in asked] == [not words] * 4
    assert "4 of 4 trials" in said.stderr
    assert "Traceback" not in said.stderr


def test_a_refused_key_stops_its_model_alone(program, sums, environ):
    bad = "openai/fault:http_401"
    models = ["--model", "openai/plain", "--model", bad]
    said = program("run", sums, *models, "--json", code=4, **environ)
    rows = models_of(said.data)
    assert rows["openai/plain"]["n_scored"] == 4
    assert rows[bad]["n_scored"] == 0
    assert f"Stopped querying {bad} (" in said.stderr
    assert "AuthError" not in said.stderr
    assert "Resume with: " in said.stderr


def test_a_missing_key_is_refused_before_anything_is_sent(program, server, environ, key, sums):
    models = ["--model", "openai/plain", "--model", "anthropic/plain"]
    said = program("run", sums, *models, code=3, **environ)
    assert said.stderr == (
        "Error: no key for anthropic: ANTHROPIC_API_KEY is not set. "
        "Set ANTHROPIC_API_KEY in the environment or in a .env file.\n"
    )
    assert server.settled(key=key) == []


def test_all_missing_keys_are_named_at_once(live, sums):
    models = ["--model", "anthropic/a", "--model", "openai/plain", "--model", "groq/b"]
    told = live("run", sums, *models, code=3).stderr
    assert "ANTHROPIC_API_KEY" in told
    assert "GROQ_API_KEY" in told


def test_unavailable_models_can_be_left_out(live, sums):
    models = ["--model", "anthropic/plain", "--model", "openai/plain", "--skip-unavailable"]
    said = live("run", sums, *models, "--json")
    assert list(models_of(said.data)) == ["openai/plain"]
    assert "Skipped: anthropic/plain (no key for anthropic" in said.stderr


def test_without_any_model_left_nothing_is_run(live, sums, home):
    said = live("run", sums, "--model", "anthropic/plain", "--skip-unavailable", code=3)
    assert "ANTHROPIC_API_KEY" in said.stderr
    assert not home.exists()


def test_an_unknown_endpoint_is_refused_with_the_nearest(live, sums):
    told = live("run", sums, "--model", "opnai/plain", code=2).stderr
    assert "Did you mean 'openai'?" in told


def test_without_a_model_or_a_file_it_says_what_to_name(live, sums):
    told = live("run", sums, code=2).stderr
    assert "--model" in told
    assert "--recorded" in told


def test_a_series_is_one_run_after_the_other(live, server, key, sums):
    said = live("run", sums, "--model", "openai/plain", "--runs", 2, "--json")
    assert len(said.data["run_ids"]) == 2
    assert "run 1 of 2: 4 of 4 trials" in said.stderr
    assert "run 2 of 2: 4 of 4 trials" in said.stderr
    assert len(server.settled(key=key)) == 8


def test_parameters_are_recorded_as_they_are_sent(live, sums, home):
    words = ["--temperature", 0.2, "--top-p", 0.9, "--max-tokens", 64, "--seed", 7]
    words += ["--frequency-penalty", 0.5, "--presence-penalty", -0.5]
    run_id = live("run", sums, "--model", "openai/plain", *words, "--json").data["run_id"]
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        run = store.run(run_id)
    assert run.parameters == {
        "temperature": 0.2,
        "top_p": 0.9,
        "max_tokens": 64,
        "frequency_penalty": 0.5,
        "presence_penalty": -0.5,
        "benchmark_mode": False,
    }
    assert run.seed == 7


def explained(live):
    """The table of the latest run with its settings and methods, on one line."""
    return " ".join(live("results", "--explain").stdout.split())


def test_benchmark_mode_locks_and_says_so(live, sums):
    words = ["--temperature", 1, "--benchmark-mode"]
    said = live("run", sums, "--model", "openai/plain", *words)
    assert "Benchmark Mode: temperature, frequency penalty and presence penalty are 0." in (
        said.stderr
    )
    told = "Settings: temperature 0, max_tokens 2048, no seed, Benchmark Mode on"
    assert told in explained(live)


def test_what_a_model_refuses_is_told_before_and_after(live, sums):
    said = live("run", sums, "--model", "openai/plain", "--temperature", "none", "--limit", 1)
    assert "Settings: no temperature, max_tokens 2048, no seed" in said.stderr
    assert "Settings: no temperature, max_tokens 2048, no seed" in explained(live)
    words = ["--model", "openai/plain", "--model", "openai/gpt-5", "--top-p", 1, "--limit", 1]
    said = live("run", sums, *words)
    assert (
        "Settings: temperature 0.7 (not for openai/gpt-5), "
        "top_p 1 (not for openai/gpt-5), max_tokens 2048, no seed"
    ) in said.stderr
    assert "Settings: temperature 0.7 (not for openai/gpt-5), top_p 1" in explained(live)


def test_the_header_says_whom_what_and_how(live, server, sums):
    told = live("run", sums, "--model", "openai/gpt-4o-mini", "--max-cost", 2).stderr.splitlines()
    assert told[0] == "sums: 4 cases × 1 model = 4 trials"
    assert told[1] == (
        f"  openai/gpt-4o-mini  estimate $0.0000054 to $0.00493, at {server.openai_url}"
    )
    assert told[2] == ("Settings: temperature 0.7, max_tokens 2048, no seed")
    assert told[3].startswith("Cost: estimated $0.0000054 to $0.00493 (genai-prices ")
    assert told[3].endswith("). Budget: $2.00, never exceeded.")


def test_quiet_says_nothing_on_the_side(live, sums):
    assert live("run", sums, "--model", "openai/plain", "--quiet").stderr == ""


def test_cached_answers_are_counted_in_the_line_to_repeat(live, server, key, sums):
    words = ["run", sums, "--model", "openai/plain", "--cache"]
    for hits in (0, 4):
        live(*words)
        assert f"{hits} cache hits" in explained(live)
    assert len(server.settled(key=key)) == 4


def test_what_failed_can_be_asked_again(live, server, key, sums):
    words = ["--model", "openai/fault:http_500:1", "--retries", 0, "--json"]
    said = live("run", sums, *words, code=4)
    assert "--retry-failed" in said.stderr
    again = live("resume", said.data["run_id"], "--retry-failed", "--json")
    assert models_of(again.data)["openai/fault:http_500:1"]["n_scored"] == 4
    assert len(server.settled(key=key)) == 8


def test_a_request_that_takes_too_long_is_a_timeout(live, sums):
    words = ["--timeout", 0.2, "--retries", 0, "--limit", 1, "--json"]
    said = live("run", sums, "--model", "openai/fault:hang", *words, code=4)
    assert models_of(said.data)["openai/fault:hang"]["outcomes"]["timeout"] == 1


def test_a_wait_beyond_the_limit_parks_the_model(live, sums):
    words = ["--max-wait", 0.5, "--limit", 1]
    said = live("run", sums, "--model", "openai/fault:http_429_after", *words, code=4)
    above = " ".join(said.stdout.partition("\n\n")[0].split())
    assert "failed): paused, because" in above
    assert "more than 0.5 s; resume later" in above
    assert "Resume with: benchmaker resume" in said.stderr


def test_a_resumed_run_does_not_take_answers_from_a_file(live, sums, tmp_path):
    live("run", sums, "--model", "openai/plain", "--quiet")
    told = live("resume", "latest", "--recorded", tmp_path / "a.jsonl", code=2).stderr
    assert "are not from a file" in told


def test_a_resumed_run_of_recorded_answers_takes_no_live_options(cli, ran):
    told = cli("resume", ran, "--max-cost", 1, code=2).stderr
    assert "--max-cost" in told


def test_a_program_and_a_function_can_be_asked(live, sums, tmp_path, monkeypatch):
    (tmp_path / "answering.py").write_text("def answer(prompt): return '42'\n")
    monkeypatch.syspath_prepend(tmp_path)
    models = ["--model", "command:printf 42", "--model", "python:answering:answer"]
    rows = models_of(live("run", sums, *models, "--json").data)
    assert {row["n_strict"] for row in rows.values()} == {1}


def test_a_finished_run_gets_a_further_model_and_further_runs(live, server, key, sums):
    live("run", sums, "--model", "openai/plain")
    said = live("resume", "latest", "--model", "openai/other", "--runs", 2, "--json")
    scored = {row["model"]: row["n_scored"] for row in said.data["models"]}
    assert scored == {"openai/plain": 8, "openai/other": 8}
    assert len(server.settled(key=key)) == 16


SETUPS = """
name: setups
scorer: exact
models: [openai/plain, {model: openai/gpt-5, label: thinker}]
efforts: [low, high]
prompts: [{id: p, prompt: "{{ x }}"}, {id: q, prompt: "Q {{ x }}", parameters: {stop: [END]}}]
cases: [{id: a, vars: {x: 1}, expected: "1"}]
"""


def test_settings_name_groups_of_setups_before_the_run_and_explained(live, tmp_path):
    suite = tmp_path / "setups.yaml"
    suite.write_text(SETUPS)
    told = live("run", suite, code=None).stderr.splitlines()
    assert told[0] == "setups: 1 case × 8 setups = 8 trials"
    (line,) = [it for it in told if it.startswith("Settings: ")]
    assert "temperature 0.7 (not for thinker), " in line
    assert "max_tokens 2048 (6144 for effort low; 18432 for effort high), " in line
    assert "no stop ('END' for prompt q; not for thinker · q · low, thinker · q · high)" in line
    table = explained(live)
    assert "temperature 0.7 (not for thinker), " in table
    assert "not for thinker · p · low, thinker · p · high" not in table


CHOICE = """
name: capitals
scorer: {id: choice, by: auto}
models: [openai/plain, {model: openai/gpt-5, label: thinker}]
prompts: [{id: p, prompt: "{{ x }}?"}, {id: q, prompt: "Q {{ x }}"}]
cases: [{id: a, vars: {x: 1}, choices: [Oslo, Rome], expected: Rome}]
"""


@pytest.mark.parametrize(
    ("by", "models", "told"),
    [
        ("auto", "[openai/plain, {model: openai/gpt-5, label: thinker}]", "thinker"),
        ("auto", "[openai/plain]", None),
        ("generated", "[{model: openai/gpt-5, label: thinker}]", None),
    ],
)
def test_the_header_names_models_whose_generated_letter_is_scored(live, tmp_path, by, models, told):
    suite = tmp_path / "capitals.yaml"
    first = CHOICE.splitlines()[3]
    suite.write_text(CHOICE.replace(first, f"models: {models}").replace("auto", by))
    lines = live("run", suite, code=None).stderr.splitlines()
    found = [it for it in lines if it.startswith("Choice by the generated letter")]
    words = "Choice by the generated letter, without log probabilities: "
    assert found == ([f"{words}{told}"] if told else [])


def test_a_refused_request_has_no_tokens_and_a_latency(program, sums, environ):
    bad = "openai/fault:http_401"
    program("run", sums, "--model", bad, code=4, **environ)
    (case, *_) = (row["case_id"] for row in program("show", "latest", "--json").data["trials"])
    said = program("show", "latest", case)
    assert "0 in, 0 out" not in said.stdout
    (row,) = (line for line in said.stdout.splitlines() if line.split()[:2] == ["1", "401"])
    assert row.split()[-2:] == ["unknown", "unknown"]
    (trial,) = program("show", "latest", case, "--json").data["trials"]
    assert "usage" not in trial["attempts"][0]
    assert trial["attempts"][0]["last_byte_s"] > 0
