"""ATIF trajectories."""

import json
import shutil

import pytest

from benchmaker.arenas.agentic.importers.atif import Atif
from tests.arenas.agentic.importers.logs import head_of, read, read_one, tokens
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    stays_the_same_when_repeated,
    values,
)

ATIF = Atif()
PARENT = "hello-world-context-summarization.trajectory.json"
NAMES = [
    PARENT,
    *(
        f"hello-world-context-summarization.trajectory.summarization-1-{part}.json"
        for part in ("answers", "questions", "summary")
    ),
    "hello-world-invalid-json.trajectory.json",
]


def step(number, *, copied=False, prompt=100, calls=(), **more):
    return {
        "step_id": number,
        "source": "agent",
        "message": f"step {number}",
        "metrics": {"prompt_tokens": prompt, "completion_tokens": 10, "cached_tokens": 40},
        "tool_calls": [
            {"tool_call_id": call, "function_name": "bash", "arguments": {"n": number}}
            for call in calls
        ],
        **({"is_copied_context": True} if copied else {}),
        **more,
    }


def trajectory(path, *steps, final=None, **more):
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "0195-a-session",
        "agent": {"name": "an-agent", "version": "1", "model_name": "openai/gpt-4o"},
        "steps": list(steps),
        **({"final_metrics": final} if final else {}),
        **more,
    }
    path.write_text(json.dumps(document))
    return path


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_the_samples_have_the_values_of_the_reference(shared, name):
    expected = values(shared, f"harbor_atif/{name}")
    final = expected["final_metrics"]
    sample(
        ATIF,
        shared,
        f"harbor_atif/{name}",
        tool_calls=expected["tool_calls"],
        input_tokens_uncached=final["total_prompt_tokens"] - final["total_cached_tokens"],
        cache_read_tokens=final["total_cached_tokens"],
        output_tokens=final["total_completion_tokens"],
        cost_usd_reported=final["total_cost_usd"],
    )


@pytest.mark.data
def test_a_folder_counts_what_its_parents_contain_once(shared, tmp_path):
    for name in NAMES:
        shutil.copy(shared / "agent_logs" / "harbor_atif" / name, tmp_path / name)
    found = read(ATIF, *sorted(tmp_path.iterdir()))
    assert len(found) == 2
    assert tokens(found) == 7802 + 1030 + 2417 + 200


def test_copied_steps_have_no_tokens(tmp_path):
    path = trajectory(tmp_path / "trajectory.json", step(1, copied=True), step(2))
    found = read_one(ATIF, path)
    assert (found.usage.input_uncached, found.usage.cache_read) == (60, 40)
    assert found.llm_calls == 1


def test_without_final_metrics_the_steps_add_up(tmp_path):
    path = trajectory(tmp_path / "trajectory.json", step(1), step(2), step(3, llm_call_count=0))
    assert read_one(ATIF, path).total_tokens == 220


def test_cache_writes_for_an_hour_are_part_of_all_that_were_written(tmp_path):
    written = {"cache_creation_input_tokens": 30, "ephemeral_1h_input_tokens": 20}
    metrics = {"prompt_tokens": 100, "completion_tokens": 10, "extra": written}
    path = trajectory(tmp_path / "trajectory.json", step(1, metrics=metrics))
    usage = read_one(ATIF, path).usage
    assert (usage.cache_write_5m, usage.cache_write_1h) == (10, 20)


def test_a_continuation_repeats_the_totals_of_the_run(tmp_path):
    final = {"total_prompt_tokens": 200, "total_completion_tokens": 20}
    first = trajectory(
        tmp_path / "trajectory.json",
        step(1),
        final=final,
        continued_trajectory_ref="trajectory.cont-1.json",
    )
    more = trajectory(
        tmp_path / "trajectory.cont-1.json", step(1, copied=True), step(2), final=final
    )
    assert tokens(read(ATIF, first, more)) == 220
    assert read_one(ATIF, first, more).llm_calls == 2


def test_an_embedded_subagent_counts_beside_the_main_agent(tmp_path):
    child = {"session_id": "child", "agent": {"name": "helper"}, "steps": [step(7)]}
    path = trajectory(tmp_path / "trajectory.json", step(1), subagent_trajectories=[child])
    found = read_one(ATIF, path)
    assert (found.total_tokens, found.main.total_tokens, found.subagents) == (220, 110, 1)


def test_a_reference_out_of_the_folder_is_not_followed(tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    trajectory(tmp_path / "secret.json", step(9))
    ref = {"subagent_trajectory_ref": [{"trajectory_path": "../secret.json"}]}
    path = trajectory(inner / "trajectory.json", step(1, observation={"results": [ref]}))
    assert read_one(ATIF, path).total_tokens == 110


def test_a_field_of_another_shape_loses_itself_only(tmp_path):
    skipped = []
    path = trajectory(tmp_path / "trajectory.json", step(1, prompt=-5), step(2))
    assert read_one(ATIF, path, skipped=skipped).llm_calls == 2
    assert "prompt_tokens" in skipped[0].reason


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    path = trajectory(
        tmp_path / "trajectory.json",
        step(1, calls=("a",)),
        step(2, calls=("b",)),
        final={"total_prompt_tokens": 300, "total_completion_tokens": 20},
    )
    stays_the_same_when_repeated(ATIF, path)
    never_more_when_cut(ATIF, path)


def test_other_files_are_none_of_its_own(tmp_path):
    (tmp_path / "x.json").write_text('{"results": []}')
    assert ATIF.sniff(head_of(tmp_path / "x.json")) == 0
