"""Every real sample through the command line, and what is known of it figure by figure.

``values.json`` was made by an independent script; for the samples that it leaves out the slow
count in ``tests/reference`` stands in. Sums are over the submissions of a file; what is missing
is 0 in them.
"""

import json
import shutil
from datetime import datetime
from functools import cache
from math import floor
from pathlib import Path

import msgspec
import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.record.submissions.submission import Status, Submission, TokenUsage
from tests.arenas.agentic.importers.sums import SLOW, summed
from tests.cli.conftest import cli, home  # noqa: F401  fixtures
from tests.docs.page import ROOT

pytestmark = pytest.mark.data

IGNORED = {
    *("note", "naive_sum_all_lines", "naive_sum_last_token_usage", "output_if_first_line_wins"),
    *("keys", "shape", "messages", "events", "steps", "assistant_messages", "agent_steps"),
    *("schema_version", "trajectory_format", "continued_trajectory_ref", "version"),
}
"""Facts of a file, and totals that are wrong on purpose."""

NOT_KEPT = {
    ("openhands/multi_swe_output_0.jsonl", "agent_actions"): (
        "with system, think and finish; the calls of tools among them are compared"
    ),
    ("aider/analytics_first500.jsonl", "span_seconds"): (
        "of all launches; those in which nothing was sent are no sessions"
    ),
    ("inspect/2024-11-05T13-32-37-05-00_input-task.eval", "sum_total_time"): (
        "this log has no total_time; the seconds are those between its events"
    ),
}
"""What no figure of a submission stands for, and why."""

DATA = ROOT.parent / "shared" / "data" / "agent_logs" / "values.json"


def imported(cli, path, scope="with_subagents"):  # noqa: F811
    """The submissions of one file, and how many chats in it were empty."""
    # Samples of Inspect without tools become runs unless this importer is named.
    named = ("--importer", "inspect_log") if path.parent.name == "inspect" else ()
    data = cli("import", path, *named, "--dry-run", "--json", "--scope", scope).data
    assert data["skipped_lines"] == []
    return msgspec.convert(data["submissions"], list[Submission]), len(data["empty"])


def moments(submissions):
    """The first start and the last end of a file's sessions; they may overlap."""
    begun = [datetime.fromisoformat(it.started_at) for it in submissions if it.started_at]
    done = [datetime.fromisoformat(it.finished_at) for it in submissions if it.finished_at]
    return min(begun, default=None), max(done, default=None)


def whole_seconds(begun, done):
    """From the first start to the last end, as Inspect writes it: it cuts both to seconds."""
    return floor(done.timestamp()) - floor(begun.timestamp())


def criteria(submissions):
    return [criterion.result for it in submissions for criterion in it.outcome.criteria]


def of_steps(submission):
    """The tokens and the cost that the steps of the main agent add up to."""
    share = submission.main or submission
    usage = sum((it.usage for it in share.usage_by_model), TokenUsage())
    costs = [it.cost_usd or 0 for it in share.usage_by_model]
    given = (usage.input_uncached or 0) + (usage.cache_read or 0)
    return given, usage.output or 0, sum(costs)


def by_model(submissions):
    """The usage of each model as Inspect names it."""
    found = {}
    for one in (one for it in submissions for one in it.usage_by_model):
        found[one.model] = found.get(one.model, TokenUsage()) + one.usage
    return {
        model: {
            "input_tokens": usage.input_uncached,
            "output_tokens": usage.output,
            "total_tokens": usage.total,
            "input_tokens_cache_read": usage.cache_read,
            "reasoning_tokens": usage.reasoning,
        }
        for model, usage in found.items()
    }


def tokens_of(submissions, sums):
    """Tokens and costs under the names that tools have for them."""
    fresh, read = sums["input_tokens_uncached"], sums["cache_read_tokens"]
    made, thought = sums["output_tokens"], sums["reasoning_tokens_within_output"]
    cost = sums["cost_usd_reported"]
    prompts, answers, costs = of_steps(submissions[0])
    return {
        "prompt_tokens": fresh,
        "completion_tokens": made,
        "cost_usd": cost,
        "total_input_tokens": fresh,
        "total_output_tokens": made,
        "input_incl_cached": fresh + read,
        "cached": read,
        "output": made - thought,
        "thoughts": thought,
        "tool": 0,
        "accumulated_cost": cost,
        "model_stats": {
            "instance_cost": cost,
            "tokens_sent": fresh,
            "tokens_received": made,
            "api_calls": sums["llm_calls"],
        },
        "final_metrics": {
            "total_prompt_tokens": fresh + read,
            "total_completion_tokens": made,
            "total_cached_tokens": read,
            "total_cost_usd": cost,
        },
        "token_usage": {
            "model": "default",
            "prompt_tokens": fresh + read,
            "completion_tokens": made,
            "cache_read_tokens": read,
            "cache_write_tokens": sums["cache_write_tokens"],
            "response_id": "",
        },
        "model_usage": by_model(submissions),
        "sum_prompt_tokens": prompts,
        "sum_completion_tokens": answers,
        "sum_cost_usd": costs,
    }


def times_of(name, submissions, sums):
    """Times: ``wall_seconds`` is the span of a file, ``sum_total_time`` the sum of its samples."""
    begun, done = moments(submissions)
    is_inspect = name.startswith("inspect/")
    return {
        "started_at": begun,
        "ended_at": done,
        "wall_seconds": whole_seconds(begun, done) if is_inspect else sums["wall_s"],
        "sum_total_time": sums["wall_s"],
        "history_seconds": sums["wall_s"],
        "tool_seconds": sums["tool_s"],
        "sum_latency_s": sums["llm_s"],
        "sum_agent_seconds": sums["wall_s"],
    }


def ends_of(submissions, sums, empty):
    """How the sessions of a file ended, and how many there are."""
    first, results = submissions[0].outcome, criteria(submissions)
    late = sum(it.outcome.status is Status.TIMEOUT for it in submissions)
    patch = submissions[0].artifacts.patch
    return {
        "exit_status": first.exit_status,
        "status": first.exit_status,
        "error": first.failure_cause,
        "has_submission": patch is not None,
        "patch_bytes": sums["patch_bytes"],
        "sessions": len(submissions) + empty,
        "samples": len(submissions),
        "trials": len(submissions),
        "resolved": sums["resolved"],
        "accuracy": sums["resolved"] / len(submissions),
        "failure_modes": {"unset": len(submissions) - late, "agent_timeout": late},
        "trials_with_tokens": sum(it.total_tokens is not None for it in submissions),
        "tests_passed": results.count("pass"),
        "tests_total": len(results),
        "scores": {
            it.outcome.criteria[0].id: sorted("C" if one == "pass" else "I" for one in results)
            for it in submissions
            if it.outcome.criteria
        },
    }


def facts(name, submissions, empty):
    """What a sample's values may speak of, under their names."""
    sums, first = summed(submissions), submissions[0]
    about = {
        "files_written": [path for it in submissions for path in it.artifacts.files_created],
        "cli_version": first.system.harness_version,
        "agent": first.system.harness,
        "model": first.system.model,
        "instance_id": first.task.id if first.task else None,
        "user_lines": sums["user_turns"],
        "token_lines": sums["llm_calls"],
    }
    return (
        sums
        | about
        | tokens_of(submissions, sums)
        | times_of(name, submissions, sums)
        | ends_of(submissions, sums, empty)
    )


def is_same(expected, found):
    """Exactly, but for the rounding of seconds and the last bit of sums; objects key by key."""
    match expected:
        case dict() if isinstance(found, dict):
            return all(is_same(value, _or_0(found.get(key))) for key, value in expected.items())
        case float():
            return found == pytest.approx(expected, rel=1e-12, abs=5e-4)
        case str() if isinstance(found, datetime):
            return datetime.fromisoformat(expected) == found
        case list():
            return sorted(expected) == sorted(found)
        case _:
            return expected == found


def _or_0(value):
    return 0 if value is None else value


VALUES = json.loads(DATA.read_text())["samples"] if DATA.is_file() else {}


@pytest.mark.parametrize("name", VALUES)
def test_the_samples_have_the_values_of_the_reference(cli, shared, name):  # noqa: F811
    expected = VALUES[name]
    scope = "main" if "main_only" in expected else "with_subagents"
    found = facts(name, *imported(cli, shared / "agent_logs" / name, scope))
    wanted = {
        key: value
        for key, value in expected.get("main_only", expected).items()
        if key not in IGNORED and (name, key) not in NOT_KEPT
    }
    assert wanted.keys() <= found.keys()
    assert [key for key, value in wanted.items() if not is_same(value, found[key])] == []


def test_every_exception_is_one():
    assert {key for name, key in NOT_KEPT if key not in VALUES[name]} == set()
    assert len(VALUES) == 23


SLOWLY = json.loads(SLOW.read_text())


@pytest.mark.parametrize("name", SLOWLY)
def test_the_other_samples_have_the_values_of_the_slow_count(cli, shared, name):  # noqa: F811
    path, expected = shared / "agent_logs" / name, SLOWLY[name]
    if expected == {"sessions": 0}:
        assert "unrecognised log format" in cli("import", path, "--dry-run", code=2).stderr
        return
    found = summed(imported(cli, path)[0])
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-3)


def test_each_sample_has_a_count(shared):
    folder = shared / "agent_logs"
    files = {str(path.relative_to(folder)) for path in folder.glob("*/*")}
    assert files == VALUES.keys() | SLOWLY.keys()
    assert len(SLOWLY) == 14


LARGE = "leaderboard_trials.csv"
"""3,584 sessions; its reader has tests of its own."""
LEFT_OUT = ("values.json", "SOURCES.md", LARGE)
TWICE = (
    "cline/session.json",
    *(
        f"harbor_atif/hello-world-context-summarization.trajectory.summarization-1-{part}.json"
        for part in ("answers", "questions", "summary")
    ),
)
"""Files that belong to another's session: alone they are one, beside it they add nothing."""
NO_LOGS = ("cline/usage_shapes.json",)


def total(imported):
    return sum(it.total_tokens or 0 for it in imported.submissions)


def taken(*paths):
    return import_logs(paths, dry_run=True, home="/nonexistent")


def copied(folder, to):
    shutil.copytree(folder, to, ignore=lambda *_: LEFT_OUT)
    return to


@pytest.fixture
def samples(shared, tmp_path):
    """A copy of the folder of samples."""
    return copied(shared / "agent_logs", tmp_path / "agent_logs")


@pytest.fixture(scope="module")
def total_of(tmp_path_factory):
    """The total of a folder of samples as they are, read once for all of them."""

    @cache
    def found(folder):
        return total(taken(copied(folder, tmp_path_factory.mktemp("whole") / folder.name)))

    return found


def test_a_folder_is_the_sum_of_its_sessions(samples):
    names = [it.relative_to(samples) for it in samples.glob("*/*")]
    each = {str(name): taken(samples / name) for name in names if str(name) not in NO_LOGS}
    whole = taken(samples)
    own = {name: found for name, found in each.items() if name not in TWICE}
    assert total(whole) == sum(map(total, own.values()))
    assert len(whole.submissions) == sum(len(found.submissions) for found in own.values())


def test_no_order_of_folders_and_no_copy_raises_a_total(samples):
    before = total(taken(samples))
    folders = sorted(samples.iterdir())
    assert total(taken(*reversed(folders))) == before
    assert total(taken(*folders, *folders)) == before
    shutil.copytree(samples / "claude_code", samples / "again" / "claude_code")
    shutil.copytree(samples / "codex_cli", samples / "again" / "codex_cli")
    shutil.copytree(samples / "harbor_atif", samples / "again" / "harbor_atif")
    assert total(taken(samples)) == before


CUT = sorted({*VALUES, *SLOWLY} - {*NO_LOGS, f"terminal_bench/{LARGE}"})


@pytest.mark.parametrize("name", CUT)
def test_a_sample_whose_last_line_is_cut_in_half_raises_no_total(shared, tmp_path, total_of, name):
    folder = (shared / "agent_logs" / name).parent
    path = copied(folder, tmp_path / folder.name) / Path(name).name
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:-1], lines[-1][: len(lines[-1]) // 2]]))
    assert total(taken(path.parent)) <= total_of(folder)
