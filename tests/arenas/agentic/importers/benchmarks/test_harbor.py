"""Trials of harbor."""

import json

import pytest

from benchmaker.arenas.agentic.importers.benchmarks.harbor import Harbor, status_of
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.logs import head_of, read, read_one, tokens
from tests.arenas.agentic.importers.sums import never_more_when_cut, stays_the_same_when_repeated
from tests.arenas.agentic.importers.test_atif import step, trajectory

HARBOR = Harbor()


def phase(start, end):
    return {"started_at": f"2026-01-01T10:{start}:00Z", "finished_at": f"2026-01-01T10:{end}:00Z"}


def trial(folder, **more):
    folder.mkdir(parents=True, exist_ok=True)
    result = {
        "id": "0195c0de-0000-7000-8000-000000000001",
        "task_name": "hello-world",
        "trial_name": "hello-world__abc",
        "task_checksum": "c0ffee",
        "agent_info": {
            "name": "claude-code",
            "version": "2.1",
            "model_info": {"name": "claude-sonnet-4-5", "provider": "anthropic"},
        },
        "agent_result": {
            "n_input_tokens": 1000,
            "n_cache_tokens": 900,
            "n_output_tokens": 50,
            "cost_usd": 0.5,
        },
        "verifier_result": {"rewards": {"reward": 1.0}},
        "environment_setup": phase("00", "01"),
        "agent_setup": phase("01", "02"),
        "agent_execution": phase("02", "12"),
        "verifier": phase("12", "14"),
    }
    (folder / "result.json").write_text(json.dumps(result | more))
    return folder / "result.json"


def test_a_trial_has_tokens_times_and_a_verdict(tmp_path):
    found = read_one(HARBOR, trial(tmp_path))
    assert (found.usage.input_uncached, found.usage.cache_read, found.usage.output) == (
        100,
        900,
        50,
    )
    times = found.time
    assert (times.setup_s, times.wall_s, times.active_s, times.verify_s) == (120, 600, 600, 120)
    assert (found.outcome.success, found.outcome.reward) == (True, 1.0)
    assert found.outcome.status is Status.COMPLETED
    assert found.cost.reported_usd == 0.5
    assert next(HARBOR.scan(tmp_path / "result.json")).task_id == "hello-world"
    assert found.llm_calls is None


def test_the_trajectory_beside_it_belongs_to_the_trial(tmp_path):
    path = trial(tmp_path)
    (tmp_path / "agent").mkdir()
    steps = trajectory(tmp_path / "agent" / "trajectory.json", step(1, calls=("a",)), step(2))
    assert steps in next(HARBOR.scan(path)).files
    found = read_one(HARBOR, path)
    assert (found.llm_calls, found.tool_calls, found.total_tokens) == (2, 1, 1050)


def test_the_agents_own_logs_are_not_counted_again(tmp_path):
    path = trial(tmp_path)
    log = tmp_path / "agent" / "sessions" / "a.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("{}\n")
    assert log in next(HARBOR.scan(path)).files[1:]


@pytest.mark.parametrize(
    ("exception", "status", "reward"),
    [
        ("AgentTimeoutError", Status.TIMEOUT, 1.0),
        ("RewardFileNotFoundError", Status.INFRA_ERROR, None),
        ("EnvironmentStartTimeoutError", Status.INFRA_ERROR, None),
        ("NonZeroAgentExitCodeError", Status.FAILED, None),
        ("CancelledError", Status.CANCELLED, None),
        ("ModelRefusedError", Status.REFUSED, 1.0),
    ],
)
def test_the_exception_tells_the_outcome(tmp_path, exception, status, reward):
    raised = {"exception_type": exception, "exception_message": "so it went"}
    outcome = read_one(HARBOR, trial(tmp_path, exception_info=raised)).outcome
    assert (outcome.status, outcome.reward, outcome.exit_status) == (status, reward, exception)
    assert status_of(exception)[1] == exception


def test_further_rewards_are_criteria(tmp_path):
    rewards = {"rewards": {"reward": 0.5, "style": 1.0, "tests": 0.0}}
    outcome = read_one(HARBOR, trial(tmp_path, verifier_result=rewards)).outcome
    assert outcome.success is False
    assert [(it.id, it.result) for it in outcome.criteria] == [("style", "pass"), ("tests", "fail")]


def test_no_tokens_are_missing_tokens(tmp_path):
    nothing = {"n_input_tokens": 0, "n_output_tokens": 0, "n_cache_tokens": 0}
    found = read_one(HARBOR, trial(tmp_path, agent_result=nothing))
    assert (found.total_tokens, found.usage.output) == (None, None)


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = trial(tmp_path)
    stays_the_same_when_repeated(HARBOR, path)
    never_more_when_cut(HARBOR, path)
    assert tokens(read(HARBOR, path)) == 1050


def test_a_jobs_result_is_no_trial(tmp_path):
    (tmp_path / "result.json").write_text('{"n_total_trials": 3, "stats": {}}')
    assert HARBOR.sniff(head_of(tmp_path / "result.json")) == 0


def raised(name):
    return {"exception_type": name, "exception_message": "so it went"}


def stepped(folder, *steps, **more):
    """A trial with steps, as harbor 0.25 writes it: nothing of the agent stands at the top."""
    empty = dict.fromkeys(("agent_result", "verifier_result", "agent_execution", "verifier"))
    times = {"started_at": "2026-01-01T10:00:00Z", "finished_at": "2026-01-01T11:00:00Z"}
    return trial(folder, **empty, **times, step_results=list(steps), **more)


def one_step(name, tokens, reward, begun, done, **more):
    used = {"n_input_tokens": tokens, "n_output_tokens": 50, "cost_usd": tokens / 1000}
    return {
        "step_name": name,
        "agent_result": used,
        "verifier_result": {"rewards": {"reward": reward}},
        "agent_execution": phase(begun, done),
        "verifier": phase(done, "40"),
    } | more


def test_the_steps_of_a_trial_add_up(tmp_path):
    steps = one_step("plan", 500, 1, "02", "12"), one_step("build", 700, 0, "20", "25")
    found = read_one(HARBOR, stepped(tmp_path, *steps))
    assert (found.usage.input_uncached, found.usage.output) == (1200, 100)
    assert found.cost.reported_usd == pytest.approx(1.2)
    assert (found.time.wall_s, found.time.active_s, found.time.verify_s) == (900, 900, 2580)
    assert (found.outcome.reward, found.outcome.success) == (0.5, False)
    assert [(it.id, it.result) for it in found.outcome.criteria] == [
        ("step plan", "pass"),
        ("step build", "fail"),
    ]


def test_the_reward_that_harbor_gives_the_whole_trial_counts(tmp_path):
    steps = one_step("plan", 500, 0, "02", "12"), one_step("build", 700, 1, "20", "25")
    path = stepped(tmp_path, *steps)
    whole = json.loads(path.read_text()) | {"verifier_result": {"rewards": {"reward": 1.0}}}
    path.write_text(json.dumps(whole))
    assert read_one(HARBOR, path).outcome.success is True


def test_a_step_that_ran_out_of_time_is_a_timeout(tmp_path):
    late = one_step("build", 700, 0, "20", "25", exception_info=raised("AgentTimeoutError"))
    outcome = read_one(HARBOR, stepped(tmp_path, late)).outcome
    assert (outcome.status, outcome.reward) == (Status.TIMEOUT, 0)


def test_the_trajectories_of_steps_belong_to_the_trial(tmp_path):
    folders = [tmp_path / "steps" / name / "agent" for name in ("plan", "build")]
    for folder in folders:
        folder.mkdir(parents=True)
    logs = [
        trajectory(folder / "trajectory.json", step(1, calls=(folder.parent.name,)), step(2))
        for folder in folders
    ]
    steps = one_step("plan", 500, 1, "02", "12"), one_step("build", 700, 1, "20", "25")
    path = stepped(tmp_path, *steps)
    assert set(logs) <= set(next(HARBOR.scan(path)).files)
    found = read_one(HARBOR, path)
    assert (found.llm_calls, found.tool_calls, found.total_tokens) == (4, 2, 1300)


@pytest.mark.parametrize(
    ("exception", "status"),
    [
        ("ApiRateLimitError", Status.INFRA_ERROR),
        ("HealthcheckError", Status.INFRA_ERROR),
        ("ContextWindowExceededError", Status.BUDGET),
        ("AgentSafetyRefusalError", Status.REFUSED),
    ],
)
def test_the_names_of_release_0_25_are_known(exception, status):
    assert status_of(exception)[0] is status
