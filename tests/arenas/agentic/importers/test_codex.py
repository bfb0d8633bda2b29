"""Codex's rollout files."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.importers.codex import Codex
from benchmaker.arenas.agentic.logs.events import (
    Failure,
    FileChange,
    LlmCall,
    SubagentStart,
    UserTurn,
)
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers.codex_rows import (
    call,
    count,
    counts,
    event,
    meta,
    output,
    plus,
    row,
    tokens,
    turn,
    uuid_of,
)
from tests.arenas.agentic.importers.logs import (
    events_of,
    head_of,
    line_of,
    read,
    read_one,
    sessions_in,
    written,
)
from tests.arenas.agentic.importers.logs import tokens as total_of
from tests.arenas.agentic.importers.samples import expected, figures, values_of

CODEX = Codex()
SAMPLES = [
    "rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9",
    "rollout-2026-02-23T13-19-38-019c8a70-dda7-7f33-98ea-f30553347322",
]
LONG = "call_UtYwHmwWekzvq83m8Rb9K8jJ"
PARENT, CHILD = uuid_of(0, 1), uuid_of(1_000, 2)


@pytest.fixture
def rollout(tmp_path):
    """Writes the rows of a thread's file."""

    def write(thread, *rows, day="01"):
        return written(tmp_path / "2026" / "03" / day / f"rollout-{thread}.jsonl", rows)

    return write


def parents_rows():
    """A thread of two requests, 330 tokens in all."""
    requests = counts(tokens(100), tokens(200, output=20))
    return [meta(PARENT), *turn(1, turn_id=uuid_of(1)), call(LONG, second=8), *requests]


def replayed(rows, second):
    """The rows as they are written into another thread's file, all at once."""
    when = event("x", second)["timestamp"]
    return [it | {"timestamp": when} for it in rows]


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_the_figures_are_those_of_the_independent_script(shared, name):
    values = values_of(shared, f"codex_cli/{name}.jsonl")
    submission = read_one(CODEX, shared / "agent_logs" / "codex_cli" / f"{name}.jsonl")
    wanted = expected(values)
    found = figures([submission])
    assert {key: found[key] for key in wanted} == wanted
    assert submission.system.harness_version == values["cli_version"]
    assert submission.time.wall_s == values["wall_seconds"]


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_cutting_a_real_log_anywhere_never_raises_its_total(shared, tmp_path, name):
    whole = (shared / "agent_logs" / "codex_cli" / f"{name}.jsonl").read_bytes()
    total = total_of(read(CODEX, written(tmp_path / "log.jsonl", [whole])))
    for share in (0.1, 0.35, 0.5, 0.77, 0.99):
        cut = whole[: int(share * len(whole))]
        assert total_of(read(CODEX, written(tmp_path / "log.jsonl", [cut]))) <= total


def test_counts_are_written_twice_and_are_running_sums(rollout):
    submission = read_one(CODEX, rollout(PARENT, *parents_rows()))
    assert submission.llm_calls == 2
    assert submission.total_tokens == 330


def test_cached_input_lies_inside_input_and_reasoning_inside_output(rollout):
    requests = counts(tokens(100, cached=900, output=50, reasoning=30))
    usage = read_one(CODEX, rollout(PARENT, meta(PARENT), *turn(1), *requests)).usage
    assert (usage.input_uncached, usage.cache_read) == (100, 900)
    assert (usage.output, usage.reasoning) == (50, 30)
    assert usage.total == 1_050


def test_cache_writes_lie_inside_input_too(rollout):
    used = tokens(100, cached=10) | {"cache_write_input_tokens": 40}
    usage = read_one(CODEX, rollout(PARENT, meta(PARENT), count(used, used))).usage
    assert (usage.input_uncached, usage.cache_read, usage.cache_write_5m) == (60, 10, 40)


def test_a_count_without_figures_is_no_request(rollout):
    rows = [meta(PARENT), event("token_count", info=None), *counts(tokens(100))]
    assert read_one(CODEX, rollout(PARENT, *rows)).llm_calls == 1


def test_what_a_lost_line_held_is_in_the_next_running_sum(rollout):
    rows = [meta(PARENT), *counts(tokens(100), tokens(200), tokens(300), times=1)]
    del rows[2]
    assert read_one(CODEX, rollout(PARENT, *rows)).total_tokens == 100 + 200 + 300 + 30


def test_a_sum_that_begins_anew_goes_on_with_its_last_request(rollout):
    full = tokens(0, 0, 0) | {"total_tokens": 258_400}
    after = plus(full, tokens(50))
    rows = [meta(PARENT), *counts(tokens(100)), count(full, full, 30), count(after, tokens(50), 40)]
    submission = read_one(CODEX, rollout(PARENT, *rows))
    assert submission.total_tokens == 110 + 60
    assert submission.llm_calls == 2


def test_a_fork_does_not_pay_for_its_parents_history(rollout):
    start = tokens(300, output=30)
    fork = rollout(
        CHILD,
        meta(CHILD, 1_000, forked_from_id=PARENT),
        *replayed(parents_rows(), 1_000),
        *turn(1_060, turn_id=uuid_of(1_060)),
        *counts(tokens(7, output=1), start=start, second=1_070),
    )
    submission = read_one(CODEX, fork)
    assert submission.session_id == CHILD
    assert submission.total_tokens == 8
    assert submission.llm_calls == 1
    assert submission.iterations == 1
    assert submission.tool_calls == 0


def test_a_forks_history_is_known_by_its_speed_where_turns_have_no_ids(rollout):
    history = [meta(PARENT), *turn(1), call("call_1"), *counts(tokens(100), tokens(200))]
    start = tokens(300, output=20)
    fork = rollout(
        CHILD,
        meta(CHILD, 1_000, forked_from_id=PARENT),
        *replayed(history, 1_000),
        *turn(1_000),
        *counts(tokens(7, output=1), start=start, second=1_009),
    )
    submission = read_one(CODEX, fork)
    assert submission.total_tokens == 8
    assert submission.iterations == 1


def test_a_fork_of_which_nothing_is_its_own_yet_costs_nothing(rollout):
    rows = [meta(CHILD, 1_000, forked_from_id=PARENT), *replayed(parents_rows(), 1_000)]
    submissions = read(CODEX, rollout(CHILD, *rows))
    assert total_of(submissions) == 0


def test_a_parent_and_its_fork_together_cost_what_was_used(rollout):
    start = tokens(300, output=30)
    parent = rollout(PARENT, *parents_rows())
    fork = rollout(
        CHILD,
        meta(CHILD, 1_000, forked_from_id=PARENT),
        *replayed(parents_rows(), 1_000),
        *turn(1_060, turn_id=uuid_of(1_060)),
        *counts(tokens(7, output=1), start=start, second=1_070),
    )
    for order in ([parent, fork], [fork, parent]):
        assert sorted(it.total_tokens for it in read(CODEX, *order)) == [8, 330]


@pytest.mark.parametrize(
    "link",
    [
        {"parent_thread_id": PARENT},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}},
    ],
)
def test_threads_that_were_sent_out_belong_to_their_parent(rollout, link):
    parent = rollout(PARENT, *parents_rows())
    child = rollout(
        CHILD,
        meta(CHILD, 1_000, agent_role="explorer", **link),
        *replayed(parents_rows(), 1_000),
        *turn(1_001, turn_id=uuid_of(1_001)),
        *counts(tokens(7, output=1), start=tokens(300, output=30), second=1_070),
        day="02",
    )
    (ref,) = sessions_in(CODEX, child, parent)
    assert ref.files == (parent, child)
    submission = read_one(CODEX, parent, child)
    assert submission.total_tokens == 338
    assert submission.main.total_tokens == 330
    assert submission.subagents == 1
    assert submission.iterations == 1
    (start,) = [e for e in events_of(CODEX, parent, child) if isinstance(e, SubagentStart)]
    assert (start.id, start.name) == (CHILD, "explorer")


def test_a_thread_without_history_is_its_own_from_the_first_row(rollout):
    child = rollout(
        CHILD,
        meta(CHILD, 1_000, parent_thread_id=PARENT),
        *turn(1_001, turn_id=uuid_of(1_001)),
        *counts(tokens(7, output=1), second=1_002),
    )
    assert read_one(CODEX, child).total_tokens == 8


def test_models_and_effort_are_those_of_the_turn(rollout):
    rows = [
        meta(PARENT),
        *turn(1, model="gpt-5.3-codex"),
        *counts(tokens(100)),
        *turn(50, model="gpt-5-mini"),
        *counts(tokens(10, output=1), start=tokens(100), second=60),
    ]
    submission = read_one(CODEX, rollout(PARENT, *rows))
    used = {it.model: it.usage.total for it in submission.usage_by_model}
    assert used == {"gpt-5.3-codex": 110, "gpt-5-mini": 11}
    assert submission.system.model == "gpt-5.3-codex"
    assert submission.system.effort == "high"


def test_a_model_that_the_log_does_not_name_is_the_given_one_or_unknown(rollout):
    path = rollout(PARENT, meta(PARENT), *counts(tokens(100)))
    assert read_one(CODEX, path).system.model is None
    assert read_one(CODEX, path, model="gpt-5").system.model == "gpt-5"


PATCH = """*** Begin Patch
*** Add File: new.py
+one
+two
*** Update File: old.py
@@
-was
+is
*** Update File: here.py
*** Move to: there.py
*** Delete File: gone.py
*** End Patch
"""
PATCHED = {
    ("new.py", "created", 2, 0),
    ("old.py", "modified", 1, 1),
    ("here.py", "deleted", None, None),
    ("there.py", "created", 0, 0),
    ("gone.py", "deleted", 0, None),
}


def changes(*rows, path):
    found = [e for e in events_of(CODEX, written(path, rows)) if isinstance(e, FileChange)]
    return {(c.path, c.change, c.added, c.removed) for c in found if not c.failed}


def test_a_patch_changes_files_once_its_output_says_so(tmp_path):
    patch = row("response_item", type="custom_tool_call", name="apply_patch", input=PATCH,
                call_id="call_1")  # fmt: skip
    done = row("response_item", type="custom_tool_call_output", call_id="call_1", output="Success.")
    path = tmp_path / "a.jsonl"
    assert changes(meta(PARENT), patch, done, path=path) == PATCHED
    assert changes(meta(PARENT), patch, path=path) == set()
    failed = done | {"payload": done["payload"] | {"output": "apply_patch verification failed"}}
    assert changes(meta(PARENT), patch, failed, path=path) == set()


def test_a_patch_may_stand_in_a_shell_command(tmp_path):
    arguments = line_of({"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}EOF"]}).decode()
    rows = [meta(PARENT), call("call_1", "shell", arguments), output("call_1")]
    assert changes(*rows, path=tmp_path / "a.jsonl") == PATCHED


def test_what_was_applied_is_told_once_more_and_counts_once(tmp_path):
    patch = row("response_item", type="custom_tool_call", name="apply_patch", input=PATCH,
                call_id="call_1")  # fmt: skip
    applied = event("patch_apply_end", call_id="call_1", success=True, changes={})
    done = row("response_item", type="custom_tool_call_output", call_id="call_1", output="Success.")
    path = written(tmp_path / "a.jsonl", [meta(PARENT), patch, applied, done])
    assert len([e for e in events_of(CODEX, path) if isinstance(e, FileChange)]) == len(PATCHED)
    other = event(
        "patch_apply_end",
        call_id="call_2",
        success=True,
        changes={
            "/a": {"type": "add", "content": "x\n"},
            "/b": {"type": "update", "unified_diff": "@@\n-x\n+y\n+z\n"},
            "/c": {"delete": {"content": ""}},
        },
    )
    assert changes(meta(PARENT), other, path=path) == {
        ("/a", "created", 1, 0),
        ("/b", "modified", 2, 1),
        ("/c", "deleted", None, None),
    }


def test_every_kind_of_call_counts_and_one_that_was_interrupted_lacks_a_result(rollout):
    rows = [
        meta(PARENT),
        *counts(tokens()),
        call("call_1"),
        output("call_1"),
        call("call_2", "mcp__docs__search"),
        row("response_item", type="local_shell_call", call_id="call_3", action={"type": "exec"}),
        row("response_item", type="web_search_call", id="ws_1", action={"query": "x"}),
        row("response_item", type="custom_tool_call", name="apply_patch", call_id="c", input="x"),
        event("turn_aborted", reason="interrupted"),
    ]
    submission = read_one(CODEX, rollout(PARENT, *rows))
    assert submission.tool_calls == 5
    assert submission.tools_by_name["web_search"] == 1
    assert submission.behaviour.interruptions == 1
    assert submission.outcome.status is Status.CANCELLED


@pytest.mark.parametrize(
    ("text", "is_error"),
    [
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n", False),
        ("Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOutput:\n", True),
        ("Exit code: 1\nWall time: 1 seconds\nOutput:\n", True),
        ('{"output":"","metadata":{"exit_code":1,"duration_seconds":0.0}}', True),
        ('{"output":"exit_code 1","metadata":{"exit_code":0,"duration_seconds":0.0}}', False),
        ("apply_patch verification failed: no such file", True),
        ("aborted by user after 3.1s", True),
        ({"content": "no", "success": False}, True),
        ("The test says: Error", False),
    ],
)
def test_a_tools_error_stands_in_its_output(rollout, text, is_error):
    path = rollout(PARENT, meta(PARENT), call("call_1"), output("call_1", text))
    assert read_one(CODEX, path).tool_errors == int(is_error)


def test_a_session_that_was_finished_is_completed(rollout):
    path = rollout(PARENT, *parents_rows(), event("task_complete", 90))
    assert read_one(CODEX, path).outcome.status is Status.COMPLETED


def test_a_compaction_that_is_told_twice_is_one(rollout):
    twice = [row("compacted", 50, message="So far …"), event("context_compacted", 50)]
    assert read_one(CODEX, rollout(PARENT, *parents_rows(), *twice)).compactions == 1
    assert read_one(CODEX, rollout(PARENT, *parents_rows(), twice[1])).compactions == 1


def test_trouble_is_told(rollout):
    path = rollout(PARENT, meta(PARENT), event("stream_error", message="connection lost"))
    assert [e.message for e in events_of(CODEX, path) if isinstance(e, Failure)] == [
        "connection lost"
    ]


def test_an_archived_copy_is_the_same_session(rollout, tmp_path):
    path = rollout(PARENT, *parents_rows())
    copy = written(tmp_path / "archived_sessions" / path.name, [path.read_bytes()])
    assert read_one(CODEX, path, copy).total_tokens == 330


def test_bad_lines_are_named_and_the_others_are_read(rollout):
    skipped = []
    rows = [*parents_rows(), "{", event("token_count", info={"total_token_usage": 3})]
    assert read_one(CODEX, rollout(PARENT, *rows), skipped=skipped).total_tokens == 330
    assert len(skipped) == 2


def test_a_file_whose_first_row_is_lost_is_still_read(rollout):
    assert read_one(CODEX, rollout(PARENT, *parents_rows()[1:])).total_tokens == 330


def test_it_knows_its_own_logs_from_others(rollout, tmp_path):
    assert CODEX.sniff(head_of(rollout(PARENT, *parents_rows()))) > 0.5
    other = written(tmp_path / "x.jsonl", [{"type": "thread.started", "thread_id": "t"}, "[]"])
    assert CODEX.sniff(head_of(other)) == 0


REQUEST = st.builds(
    tokens,
    new=st.integers(0, 50),
    cached=st.integers(0, 50),
    output=st.integers(1, 20),
    reasoning=st.integers(0, 1),
)


@given(st.lists(REQUEST, min_size=1, max_size=6), st.integers(1, 3))
@settings(deadline=None, max_examples=50)
def test_the_sum_of_the_requests_is_the_last_running_sum(tmp_path_factory, requests, times):
    rows = [meta(PARENT), *turn(1), *counts(*requests, times=times)]
    path = written(tmp_path_factory.mktemp("sum") / "a.jsonl", rows)
    submission = read_one(CODEX, path)
    last = rows[-1]["payload"]["info"]["total_token_usage"]
    assert submission.llm_calls == len(requests)
    assert submission.total_tokens == last["total_tokens"]
    assert submission.usage.cache_read == last["cached_input_tokens"]


@given(st.lists(REQUEST, min_size=1, max_size=4), st.integers(0, 200))
@settings(deadline=None, max_examples=40)
def test_cutting_the_end_never_raises_a_total(tmp_path_factory, requests, cut):
    rows = [line_of(it) for it in [meta(PARENT), *turn(1), *counts(*requests)]]
    folder = tmp_path_factory.mktemp("cut")
    whole = b"\n".join(rows)
    total = total_of(read(CODEX, written(folder / "a.jsonl", [whole])))
    short = written(folder / "b.jsonl", [whole[: len(whole) - cut]])
    assert total_of(read(CODEX, short)) <= total


def item(kind, second=0, **fields):
    return event("item_completed", second, thread_id=PARENT, item={"type": kind, **fields})


def record(used, total, second=0, response="resp_0000000000000001"):
    return row(
        "token_usage_record", second, response_id=response, usage=used, thread_token_usage=total
    )


def items_rows(used):
    """The rows of one request as release 0.169 writes them."""
    return [
        meta(PARENT),
        event("task_started", 1, turn_id=uuid_of(1)),
        row("turn_context", 1, model="gpt-5", turn_id=uuid_of(1)),
        item("UserMessage", 2, id="u" * 20, content=[{"type": "text", "text": "What is here?"}]),
        item("AgentMessage", 3, id="m" * 20, content=[{"type": "Text", "text": "Looking."}]),
        call(LONG, second=3),
        record(used, used, 4),
        item("CommandExecution", 5, id=LONG, exit_code=2, aggregated_output="none"),
        count(used, used, 6),
        event("task_complete", 7),
    ]


def test_prompts_answers_and_commands_may_be_items(rollout):
    path = rollout(PARENT, *items_rows(tokens(100)))
    found = read_one(CODEX, path)
    assert (found.iterations, found.llm_calls, found.total_tokens) == (1, 1, 110)
    assert (found.tool_calls, found.tool_errors) == (1, 1)
    events = events_of(CODEX, path)
    assert [it.text for it in events if isinstance(it, UserTurn)] == ["What is here?"]
    assert [it.text for it in events if isinstance(it, LlmCall)] == ["Looking."]


def test_what_is_written_both_as_an_item_and_as_an_event_counts_once(rollout):
    rows = items_rows(tokens(100))
    rows.insert(4, event("user_message", 2, message="What is here?"))
    rows.insert(6, event("agent_message", 3, message="Looking."))
    path = rollout(PARENT, *rows)
    assert read_one(CODEX, path).iterations == 1
    assert [it.text for it in events_of(CODEX, path) if isinstance(it, LlmCall)] == ["Looking."]


def test_a_file_item_is_a_change(rollout):
    change = item("FileChange", 5, id="p" * 20, changes={"/project/a.py": {"type": "add"}})
    found = read_one(CODEX, rollout(PARENT, *items_rows(tokens(100)), change))
    assert found.artifacts.files_created == ("/project/a.py",)


def test_a_rollout_that_was_split_counts_each_request_once(tmp_path):
    rows = [
        *items_rows(tokens(100)),
        item("AgentMessage", 8, id="n" * 20, content=[{"type": "Text", "text": "Done."}]),
        record(tokens(50), plus(tokens(100), tokens(50)), 9, "resp_0000000000000002"),
        count(plus(tokens(100), tokens(50)), tokens(50), 10),
    ]
    numbered = [it | {"ordinal": number} for number, it in enumerate(rows)]
    for at in range(1, 11):
        parts = numbered[:at], numbered[at:]
        paths = [written(tmp_path / f"{n}-{at}.jsonl", part) for n, part in enumerate(parts)]
        (found,) = import_logs(paths, dry_run=True).submissions
        assert (found.llm_calls, found.total_tokens, found.iterations) == (2, 170, 1), at


def test_reasoning_is_that_of_the_request_it_was_written_before(rollout):
    summary = [{"type": "summary_text", "text": "Look at the tests."}]
    path = rollout(
        PARENT,
        meta(PARENT),
        *turn(1),
        event("agent_reasoning", 2, text="Look at the tests."),
        row("response_item", 2, type="reasoning", summary=summary, encrypted_content="x"),
        *counts(tokens(), tokens(output=20)),
    )
    first, second = (it for it in events_of(CODEX, path) if isinstance(it, LlmCall))
    assert (first.reasoning, second.reasoning) == ("Look at the tests.", None)
    assert "Look at" not in repr(events_of(CODEX, path, drop_content=True))
