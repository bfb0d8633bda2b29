"""``benchmaker agents run``, ``resume`` and ``show``, and ``verify`` of a kept workspace."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

import pytest
import yaml

from benchmaker.arenas.agentic.series.remote import refuse_other_machines
from benchmaker.arenas.agentic.series.series_run import SeriesProgress
from benchmaker.cli.actions.agent_series import jobs_note
from benchmaker.cli.progress.series import details
from benchmaker.errors import SpecError
from benchmaker.store.home import Home
from benchmaker.web.agentic.series_rows import series_row
from benchmaker.web.agentic.trial_document import trial_document
from benchmaker.web.live.series_state import agent_series_state
from tests.arenas.agentic.harbor_library import add_harbor
from tests.arenas.agentic.series.conftest import MODEL, Agents, write_task
from tests.cli.conftest import environment
from tests.container_engines import scripted_engine

SOLVE = "command:sh -c 'printf right > answer.txt'"


@pytest.fixture
def task(tmp_path):
    return write_task(tmp_path / "tasks", "t0")


@pytest.fixture
def agents(tmp_path, home):
    return Agents(tmp_path, home)


@pytest.mark.long
def test_json_of_each_command_can_be_read_with_both_streams_in_one_pipe(home, task, tmp_path):
    for words, code in (
        (("show", "--json"), 2),
        (("list", "--json"), 0),
        (("check", "oracle", "--json"), 0),
        (("run", task, "--agent", "nop", "--json"), 0),
        (("resume", "--json"), 0),
        (("show", "latest", "--json"), 0),
        (("run", task, "--agent", "none-such", "--json"), 2),
        (("run", task, "--no-such-option", "--json"), 2),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "benchmaker", "agents", *words],
            env=environment(home), cwd=tmp_path, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == code, done.stdout
        assert isinstance(json.loads(done.stdout), dict)


def test_a_series_is_run_and_shown(cli, task):
    said = cli("agents", "run", task, "--agent", SOLVE, "--agent", "nop", "--attempts", 2)
    assert re.search(r"Trials: +benchmaker .*agents show (agents-\S+) --json", said.stderr)
    data = cli("agents", "show", "latest", "--json").data
    found = [(it["system"], it["attempt"], it["tries"], it["outcome"]) for it in data["trials"]]
    assert found == [
        (SOLVE, 1, 1, "solved"), ("nop", 1, 1, "failed"),
        (SOLVE, 2, 1, "solved"), ("nop", 2, 1, "failed"),
    ]  # fmt: skip
    names = {"task", "system", "attempt", "tries", "outcome", "reward", "usage", "cost_usd"}
    assert names | {"requests", "gateway", "isolation"} <= set(data["trials"][0])
    assert data["series"] in cli("agents", "show").stdout
    assert SOLVE in cli("agents", "show", data["series"]).stdout
    assert "no series starts with 'none'" in cli("agents", "show", "none", code=2).stderr


def test_a_dry_run_names_the_isolation_of_each_task(cli, task):
    data = cli("agents", "run", task, "--agent", "nop", "--dry-run", "--json").data
    assert (data["plan"]["isolation"], data["isolation"]) == (None, {"t0": "namespace"})


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("--budget", "A budget of $0.00 admits no request. Trials with a model are not started."),
        ("--trial-budget", "A trial budget of $0.00 admits no request. Trials end at their first"),
    ],
)
def test_a_budget_of_0_says_that_it_admits_no_request(cli, task, monkeypatch, option, words):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    given = ("agents", "run", task, "--agent", "command:true", "--model", MODEL, option, 0)
    assert words in " ".join(cli(*given, "--dry-run").stdout.split())


def test_a_run_with_a_budget_of_0_starts_no_trial(cli, task, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder = tmp_path / "replies"
    given = ("--agent", "command:true", "--model", MODEL, "--budget", 0, "--record", folder)
    said = cli("agents", "run", task, *given, code=4).stderr
    assert "Stopped: The cap of $0.00 for this series admits no request." in said
    assert "Not started: command:true" in said
    assert re.search(rf"agents resume agents-\S+ --record {folder}", said)


def test_a_base_url_in_a_variable_that_is_not_read_is_named(cli, task, monkeypatch):
    for name in ("GEMINI_API_KEY", "GOOGLE_BASE_URL"):
        monkeypatch.setenv(name, "http://localhost:1")
    given = ("run", task, "--agent", "command:true", "--model", "google/gemini-2.5-flash")
    hint = "GOOGLE_BASE_URL is set, but not read. Set the base URL of google with GEMINI_BASE_URL."
    assert hint in " ".join(cli("agents", *given, "--dry-run").stdout.split())
    assert hint in cli("agents", *given, "--dry-run", "--json").data["hints"]
    assert hint in " ".join(cli("agents", *given, "--budget", 0, code=4).stderr.split())


def test_a_trial_without_a_model_has_no_cost_on_any_surface(cli, task, home):
    cli("agents", "run", task, "--agent", "nop")
    data = cli("agents", "show", "latest", "--json").data
    with Home.of(home, None).open_store() as store:
        state = agent_series_state(store, data["series"])
        (it,) = state.trials.values()
        document = trial_document(state, it)
        row = series_row(store, state.series)
    costs = (data["trials"][0]["cost_usd"], data["systems"][0]["cost_usd"], row.cost_usd)
    assert (*costs, state.cost_usd, document.trial.cost_usd) == (None,) * 5
    assert (document.tries[0].cost_usd, document.tries[0].tokens) == (None, None)


def test_a_shown_series_says_why_a_system_was_stopped(cli, task):
    cli("agents", "run", task, "--agent", "command:sh -c 'exit 3'", "--attempts", 4, code=4)
    said = cli("agents", "show", "latest").stderr
    assert "was stopped" not in said
    assert "its first 3 trials all ended agent_crashed" in said
    assert "at t0, attempt 4." in said


@pytest.mark.long
def test_crashes_are_counted_by_reason(cli, task):
    agent = "command:sh -c 'echo no such model >&2; exit 3'"
    killed = "command:sh -c 'kill -SEGV $$'"
    done = cli("agents", "run", task, "--agent", agent, "--agent", killed, "--attempts", 2)
    assert f"2 crashes of {agent}: exit code 3: no such model" in " ".join(done.stdout.split())
    assert f"2 crashes of {killed}: ended by SIGSEGV" in " ".join(done.stdout.split())
    assert done.stdout == cli("agents", "show", "latest").stdout
    data = cli("agents", "show", "latest", "--json").data
    reasons = {why.split(": Seg")[0]: number for why, number in data["crash_reasons"].items()}
    assert reasons == {"exit code 3: no such model": 2, "ended by SIGSEGV": 2}
    assert data["trials"][0]["detail"] == "exit code 3: no such model"
    said = cli("show", data["trials"][0]["submission_id"]).stdout
    assert "failed, agent_crashed: exit code 3: no such model" in " ".join(said.split())


def test_a_quiet_series_says_why_a_system_was_stopped_and_what_was_not_started(cli, task):
    agent = "command:sh -c 'exit 3'"
    said = cli("agents", "run", task, "--agent", agent, "--attempts", 4, "--quiet", code=4).stderr
    assert "its first 3 trials all ended agent_crashed" in said
    assert "at t0, attempt 4." in said
    assert "Run them" not in said


@pytest.mark.long
def test_every_reason_of_trials_without_a_score_has_its_own_line(cli, task, tmp_path):
    other = write_task(tmp_path / "tasks", "t1")
    for place, name in ((task, "one.txt"), (other, "two.txt")):
        with (place / "task.yaml").open("a") as file:
            look = "{id: look, type: output_match, run: [cat, answer.txt], required: true, "
            file.write(f"  - {look}expected_file: {name}}}\n")
    words = ("agents", "run", task, other, "--agent", "oracle", "--attempts", 1, "--quiet")
    said = cli(*words, code=4).stdout
    lines = [it for it in said.splitlines() if "1 trial without a score (verifier error)" in it]
    assert len(lines) == 2
    assert "one.txt" in said
    assert "two.txt" in said


def test_a_progress_line_with_unknown_costs_is_the_most():
    made = SeriesProgress(
        series="s", planned=2, done=1, running=1, rate=0.0, seconds_left=None, outcomes={},
        cost_usd=1.78, unknown_costs=1, judge_usd=0.25,
    )  # fmt: skip
    assert details(made) == "1 running · cost at most $1.78 · judges $0.25"


def test_more_parallel_trials_than_the_budget_pays_are_advised_against():
    assert jobs_note(8, 1.0, 0.25).endswith("Use --jobs 4, or a larger --budget.")
    assert jobs_note(4, 1.0, 0.25) == jobs_note(8, None, 0.25) == jobs_note(1, 0.1, 0.25) == ""


def test_a_dry_run_shows_the_trials_and_the_maximum_cost_and_stores_nothing(cli, task, home):
    words = ("--model", MODEL, "--attempts", 3, "--trial-budget", 0.5, "--dry-run")
    said = cli("agents", "run", task, "--agent", SOLVE, *words, code=3).stdout
    assert "3 trials: 1 task × 1 system × 3 attempts." in said
    assert "Maximum cost: $1.50" in said
    assert "OPENAI_API_KEY" in said
    assert not (home / "benchmaker.db").exists()
    data = cli("agents", "run", task, "--agent", "nop", "--dry-run", "--json").data
    assert (data["planned"], data["most_usd"], data["missing"]) == (1, 0.0, [])


def test_missing_parts_are_named_and_nothing_is_run(cli, task, home):
    said = cli("agents", "run", task, "--agent", "goose", "--model", MODEL, code=3).stderr
    assert "the program 'goose' is not installed" in said
    assert "OPENAI_API_KEY" in said
    assert not (home / "benchmaker.db").exists()
    assert "needs a model" in cli("agents", "run", task, "--agent", "codex", code=2).stderr


def test_a_command_without_its_script_is_refused(cli, task, home):
    words = ("agents", "run", task, "--agent", "command:sh nosuch.sh")
    assert "nosuch.sh, and no nosuch.sh in the start folder" in " ".join(
        cli(*words, "--dry-run", code=3).stdout.split()
    )
    assert "nosuch.sh, and no nosuch.sh in the start folder" in " ".join(
        cli(*words, code=3).stderr.split()
    )
    assert not (home / "benchmaker.db").exists()
    (task / "start" / "nosuch.sh").write_text("printf right > answer.txt")
    cli(*words)


def test_a_dry_run_has_the_version_of_harbor_and_what_it_lacks(cli, task, tmp_path, monkeypatch):
    words = ("--agent", "harbor:tiny", "--model", MODEL, "--dry-run")
    assert "uv tool install harbor" in cli("agents", "run", task, *words, code=3).stderr
    add_harbor(tmp_path, monkeypatch)
    scripted_engine(tmp_path, monkeypatch)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    said = cli("agents", "run", task, *words, code=3).stdout
    assert re.search(r"harbor:tiny · gpt-4o-mini +harbor 0.26.0", said)
    assert "has no image for a container" in said
    namespace = cli("agents", "run", task, *words, "--isolation", "namespace", code=3).stderr
    assert "harbor:tiny needs isolation by container" in namespace


def test_a_budget_needs_a_price(cli, task, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    words = ("--agent", SOLVE, "--model", "openai/none-such", "--budget", 1)
    said = cli("agents", "run", task, *words, code=3).stderr
    assert "the price of openai/none-such is unknown" in said


@pytest.mark.parametrize(
    ("kind", "by"),
    [
        ({"type": "llm_rubric", "rubric": "Is it neat?", "paths": ["answer.txt"]}, "a judge"),
        ({"type": "human_review", "question": "Is it neat?"}, "a person"),
    ],
)
def test_a_task_that_only_a_judge_decides_is_refused(cli, task, home, kind, by):
    file = task / "task.yaml"
    body = yaml.safe_load(file.read_text())
    body["criteria"].append({"id": "neat", "required": True, **kind})
    file.write_text(json.dumps(body))
    said = cli("agents", "run", task, "--agent", "nop", code=3).stderr
    assert ("--judge MODEL" in said) == (by == "a judge")
    assert f"the required criterion neat is decided by {by}" in said
    assert not (home / "benchmaker.db").exists()
    body["criteria"][-1]["required"] = False
    file.write_text(json.dumps(body))
    cli("agents", "run", task, "--agent", "nop")


@pytest.mark.long
def test_a_recorded_series_runs_again_without_a_model(cli, task, tmp_path, agents, monkeypatch):
    agent, folder = agents.adapter(), tmp_path / "recorded"
    words = ("agents", "run", task, "--agent", agent, "--model", MODEL, "--json")
    with agents.model():
        for name, value in agents.variables.items():
            monkeypatch.setenv(name, value)
        first = cli(*words, "--record", folder).data
    for name in agents.variables:
        monkeypatch.delenv(name)
    again = cli(*words, "--replay", folder, "--home", tmp_path / "other").data
    for made in (first, again):
        (trial,) = made["trials"]
        assert (trial["outcome"], trial["requests"]) == ("solved", 2)
    assert first["trials"][0]["usage"] == again["trials"][0]["usage"]
    both = ("--record", folder, "--replay", folder)
    assert "at once" in cli(*words, *both, code=2).stderr
    assert "no recorded exchanges" in cli(*words, "--replay", tmp_path / "none", code=2).stderr


@pytest.mark.long
def test_a_kept_workspace_is_verified_with_a_newer_task(cli, task):
    cli("agents", "run", task, "--agent", SOLVE)
    (trial,) = cli("agents", "show", "latest", "--json").data["trials"]
    name = trial["submission_id"]
    assert "Skipped 1 already verified" in cli("verify", name, "--task", task).stderr
    file = task / "task.yaml"
    file.write_text(file.read_text().replace("expected: right", "expected: left"))
    said = cli("verify", name[:14], "--task", task)
    assert f"{name}: failed" in said.stderr
    shutil.rmtree(next(task.parents[1].glob("home/agent-trials/*/workspaces")))
    assert "is not kept" in cli("verify", name, "--task", task, code=2).stderr
    assert "no workspace found" in cli("verify", "unknown", "--task", task, code=2).stderr


def test_an_interrupt_prints_the_command_that_resumes(cli, task, home):
    agent = "command:sh -c 'sleep 2; printf right > answer.txt'"
    argv = [sys.executable, "-m", "benchmaker", "agents", "run", str(task), "--agent", agent]
    env = {**os.environ, "BENCHMAKER_HOME": str(home)}
    running = subprocess.Popen(
        [*argv, "--attempts", "3"],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list(home.glob("agent-trials/*/running/*")):
        assert running.poll() is None, running.stderr.read()
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate()
    assert running.returncode == 130, said
    (line,) = re.findall(r"Resume with:\s+(.+)", said)
    series = shlex.split(line)[-1]
    before = cli("agents", "show", series, "--json").data
    assert sum(it["outcome"] == "solved" for it in before["trials"]) < 3
    subprocess.run(shlex.split(line), env=env, check=True, capture_output=True)
    data = cli("agents", "show", series, "--json").data
    assert [it["outcome"] for it in data["trials"]] == ["solved"] * 3


def test_a_cluster_of_several_machines_is_refused():
    class Crew:
        hosts = frozenset({"here.example", "there.example"})

    with pytest.raises(SpecError, match="agents can't run on other machines: the cluster has"):
        refuse_other_machines(Crew())


def test_a_container_for_a_task_without_an_image_is_refused(cli, task):
    said = cli("agents", "run", task, "--agent", "nop", "--isolation", "container", code=3)
    assert "task t0 has no image for a container" in " ".join(said.stderr.split())


@pytest.mark.parametrize("words", [("show",), ("show", "latest"), ("resume",)])
def test_without_a_store_no_command_on_series_creates_one(cli, home, words):
    said = cli("agents", *words, code=2).stderr
    assert "no series of agent trials" in said
    assert "benchmaker agents run" in said
    assert not (home / "benchmaker.db").exists()


def test_an_agent_with_another_protocol_than_its_endpoint_is_refused(cli, agents, task):
    agent = agents.adapter(name="speaker", wire="messages")
    words = ("agents", "run", task, "--agent", agent, "--model", "mistral/any", "--dry-run")
    said = cli(*words, code=3).stdout
    assert "speaker uses the protocol messages, which mistral does not have" in said


def test_an_unknown_protocol_of_an_endpoint_is_said_and_not_refused(cli, agents, task, monkeypatch):
    monkeypatch.setenv("XAI_API_KEY", "sk-test")
    agent = agents.adapter(name="speaker", wire="messages")
    words = ("agents", "run", task, "--agent", agent, "--model", "xai/any", "--dry-run")
    said = " ".join(cli(*words).stdout.split())
    sentence = "It is unknown whether xai has the protocol messages, which speaker uses."
    assert sentence in said
    assert cli(*words, "--json").data["unknown"] == [sentence]


def test_the_evidence_of_a_trial_is_that_of_its_verification(cli, task):
    cli("agents", "run", task, "--agent", SOLVE)
    (trial,) = cli("agents", "show", "latest", "--json").data["trials"]
    name = trial["submission_id"]
    assert re.search(r"Evidence +verified", cli("show", name).stdout)
    assert cli("show", name, "--json").data["submission"]["evidence_level"] == "verified"


def test_a_plan_names_the_hosts_that_its_tasks_allow(cli, task, tmp_path):
    other = write_task(tmp_path / "tasks", "t1")
    with (other / "task.yaml").open("a") as file:
        file.write("network: [api.example.org, files.example]\n")
    words = ("agents", "run", task, other, "--agent", "nop", "--dry-run")
    assert "Allowed hosts: api.example.org, files.example" in cli(*words).stdout
    assert cli(*words, "--json").data["plan"]["network"] == "api.example.org, files.example"
    assert "Allowed hosts" not in cli("agents", "run", task, "--agent", "nop", "--dry-run").stdout
