"""Claude Code's session logs."""

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.importers.claude_code import ClaudeCode
from benchmaker.arenas.agentic.logs.events import (
    FileChange,
    Interruption,
    LlmCall,
    SessionEnd,
    SubagentStart,
    ToolCall,
    UserTurn,
)
from benchmaker.record.submissions.submission import Status
from tests.arenas.agentic.importers import slow_claude
from tests.arenas.agentic.importers.claude_rows import (
    SESSION,
    answer,
    call,
    progress,
    prompt,
    result,
    row,
    usage,
)
from tests.arenas.agentic.importers.logs import (
    events_of,
    head_of,
    line_of,
    read,
    read_one,
    sessions_in,
    tokens,
    written,
)
from tests.arenas.agentic.importers.samples import expected, figures, values_of

CLAUDE = ClaudeCode()
SAMPLES = ["ccusage_fixture_alpha", "short", "subagent", "tool_heavy"]


@pytest.fixture
def log(tmp_path):
    """Writes the rows of a session's main file."""
    return lambda *rows: written(tmp_path / "project" / f"{SESSION}.jsonl", rows)


def agents_log(log, agent, *rows):
    name = f"agent-{agent}.jsonl"
    folder = log.parent / SESSION / "subagents"
    return written(folder / name, [r | {"isSidechain": True, "agentId": agent} for r in rows])


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_the_main_agents_figures_are_those_of_the_independent_script(shared, name):
    values = values_of(shared, f"claude_code/{name}.jsonl")["main_only"]
    submission = read_one(CLAUDE, shared / "agent_logs" / "claude_code" / f"{name}.jsonl")
    wanted = expected(values)
    found = figures([submission], main=True)
    models = wanted.pop("models", found["models"])
    assert {key: found[key] for key in wanted} == wanted
    assert set(models) <= set(found["models"])
    written_files = submission.artifacts.files_created + submission.artifacts.files_modified
    assert list(written_files) == values.get("files_written", [])
    assert submission.time.wall_s == values.get("wall_seconds", submission.time.wall_s)


@pytest.mark.data
def test_what_subagents_did_stands_in_the_progress_rows(shared):
    submission = read_one(CLAUDE, shared / "agent_logs" / "claude_code" / "subagent.jsonl")
    assert submission.total_tokens == 565_949
    assert submission.main.total_tokens == 456_290
    assert submission.subagents == 1


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
def test_cutting_a_real_log_anywhere_never_raises_its_total(shared, tmp_path, name):
    whole = (shared / "agent_logs" / "claude_code" / f"{name}.jsonl").read_bytes()
    total = tokens(read(CLAUDE, written(tmp_path / "log.jsonl", [whole])))
    for share in (0.1, 0.35, 0.5, 0.77, 0.99):
        cut = whole[: int(share * len(whole))]
        before = tokens(read(CLAUDE, written(tmp_path / "log.jsonl", [cut])))
        assert before <= total


def test_of_the_rows_of_one_message_the_largest_counts(log):
    rows = [answer(used=usage(output=n)) for n in (1, 40, 7)]
    submission = read_one(CLAUDE, log(*rows))
    assert submission.llm_calls == 1
    assert submission.usage.output == 40
    assert submission.total_tokens == 3 + 100 + 20 + 40


def test_input_is_without_the_cache_and_an_hour_is_a_kind_of_its_own(log):
    submission = read_one(CLAUDE, log(answer(used=usage(new=2, read=7, write=20, hour=15))))
    assert submission.usage.input_uncached == 2
    assert submission.usage.cache_read == 7
    assert submission.usage.cache_write_5m == 5
    assert submission.usage.cache_write_1h == 15


def test_cache_writes_that_are_not_split_are_for_five_minutes(log):
    submission = read_one(CLAUDE, log(answer(used=usage(write=20))))
    assert submission.usage.cache_write_5m == 20
    assert submission.usage.cache_write_1h is None


def test_a_split_that_is_larger_than_its_total_adds_no_tokens(log):
    used = usage(write=20) | {
        "cache_creation": {"ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 90}
    }
    assert read_one(CLAUDE, log(answer(used=used))).total_tokens == 3 + 5 + 100 + 20


def test_rows_that_no_model_wrote_do_not_count(log):
    submission = read_one(
        CLAUDE,
        log(
            answer("msg_real"),
            answer("msg_made_up", model="<synthetic>"),
            answer("msg_error", isApiErrorMessage=True),
        ),
    )
    assert submission.llm_calls == 1


def test_a_message_without_usage_is_a_call_of_unknown_size(log):
    submission = read_one(CLAUDE, log(answer("msg_killed", used={"input_tokens": None})))
    assert submission.llm_calls == 1
    assert submission.total_tokens is None


def test_old_rows_have_no_type_but_a_cost(log):
    old = answer(costUSD=0.25)
    del old["type"]
    submission = read_one(CLAUDE, log(old))
    assert submission.llm_calls == 1
    assert submission.cost.reported_usd == 0.25


def test_a_subagents_own_messages_count_and_copied_ones_stay_with_the_main_agent(log):
    main = log(answer("msg_main_000000000000", used=usage(output=5)))
    agents_log(
        main,
        "a1",
        answer("msg_main_000000000000", used=usage(output=50)),
        answer("msg_own_0000000000000", used=usage(output=1)),
    )
    submission = read_one(CLAUDE, main)
    assert submission.llm_calls == 2
    assert submission.main.llm_calls == 1
    assert submission.main.usage.output == 50
    assert submission.subagents == 1


def test_a_subagent_may_stand_in_progress_rows_and_in_a_file_as_well(log):
    inner = answer("msg_inner_00000000000", content=[call("toolu_inner_0000000")])
    main = log(answer("msg_main_000000000000"), progress("a1", inner))
    agents_log(main, "a1", inner)
    submission = read_one(CLAUDE, main)
    assert submission.llm_calls == 2
    assert submission.tool_calls == 1
    assert submission.main.tool_calls == 0
    assert submission.subagents == 1


def test_a_subagent_is_called_by_the_kind_that_was_asked_for(log):
    task = call("toolu_task", "Task", subagent_type="Explore", prompt="Look.")
    log = log(answer(content=[task]), progress("a1", answer("msg_2")))
    (start,) = [e for e in events_of(CLAUDE, log) if isinstance(e, SubagentStart)]
    assert (start.id, start.name, start.call_id) == ("a1", "Explore", "toolu_task")


def test_older_versions_put_the_files_of_agents_beside_the_session(log):
    main = log(answer("msg_main_000000000000"))
    theirs = answer("msg_own_0000000000000", isSidechain=True, agentId="a1")
    beside = written(main.parent / "agent-a1.jsonl", [theirs])
    stranger = theirs | {"sessionId": "another"}
    other = written(main.parent / "agent-a2.jsonl", [stranger])
    sessions = sessions_in(CLAUDE, main, beside, other)
    assert [ref.files for ref in sessions] == [(main, beside), (other,)]


def test_a_session_and_the_files_of_its_agents_are_one(log):
    main = log(answer("msg_main_000000000000"))
    own = agents_log(main, "a1", answer("msg_own_0000000000000"))
    (ref,) = sessions_in(CLAUDE, own, main)
    assert ref.files == (main, own)
    assert ref.id == SESSION


def test_the_agent_that_sums_up_the_history_is_paid_for_too(log):
    main = log(answer("msg_main_000000000000"))
    agents_log(main, "acompact-77", answer("msg_own_0000000000000"))
    submission = read_one(CLAUDE, main)
    assert submission.llm_calls == 2
    assert submission.main.llm_calls == 1


def test_inline_sidechains_are_not_the_main_agents(log):
    submission = read_one(
        CLAUDE,
        log(
            prompt("Go."),
            answer("msg_1"),
            prompt("Do the part.", isSidechain=True),
            answer("msg_2", isSidechain=True),
        ),
    )
    assert submission.llm_calls == 2
    assert submission.main.llm_calls == 1
    assert submission.iterations == 1


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/model</command-name>",
        "<command-message>init is running</command-message>",
        "<local-command-stdout>Kept model</local-command-stdout>",
        "<bash-input>ls</bash-input>",
        "<task-notification>done</task-notification>",
    ],
)
def test_what_the_tool_writes_in_a_persons_place_is_no_prompt(log, text):
    turns = [e for e in events_of(CLAUDE, log(prompt(text))) if isinstance(e, UserTurn)]
    assert turns == []


@pytest.mark.parametrize("mark", ["isMeta", "isSidechain", "isCompactSummary"])
def test_marked_rows_are_no_prompts(log, mark):
    rows = log(prompt("Go.", **{mark: True}))
    assert not [e for e in events_of(CLAUDE, rows) if isinstance(e, UserTurn)]


def test_an_interruption_is_one_act_and_a_turn(log):
    refused = {"is_error": True, "content": "The user doesn't want to proceed"}
    submission = read_one(
        CLAUDE,
        log(
            prompt("Go."),
            answer(content=[call("toolu_1"), call("toolu_2")]),
            result("toolu_1", 9, outcome="User rejected tool use", **refused),
            result("toolu_2", 9, outcome="User rejected tool use", **refused),
            prompt([{"type": "text", "text": "[Request interrupted by user for tool use]"}], 9),
        ),
    )
    assert submission.behaviour.interruptions == 1
    assert submission.iterations == 2
    assert submission.tool_errors == 2


def test_a_compaction_that_is_told_twice_is_one(log):
    boundary = row("system", subtype="compact_boundary")
    summary = prompt("This session is being continued …", isCompactSummary=True)
    assert read_one(CLAUDE, log(answer(), boundary, summary)).compactions == 1
    assert read_one(CLAUDE, log(answer(), summary)).compactions == 1
    later = row("system", 90, subtype="compact_boundary")
    assert read_one(CLAUDE, log(answer(), boundary, summary, later, summary)).compactions == 2


def test_files_are_changed_when_the_result_says_so(log):
    write = {"file_path": "/home/ada/project/new.py", "content": "a\nb\n"}
    patch = [{"lines": [" x", "-y", "+z", "+w"]}]
    rows = log(
        answer(content=[call("toolu_1", "Write", **write)]),
        result("toolu_1", outcome={"type": "create", "structuredPatch": []}),
        answer("msg_2", content=[call("toolu_2", "Edit", file_path="/home/ada/project/old.py")]),
        result(
            "toolu_2", outcome={"filePath": "/home/ada/project/old.py", "structuredPatch": patch}
        ),
        answer("msg_3", content=[call("toolu_3", "Write", file_path="/never", content="")]),
        answer("msg_4", content=[call("toolu_4", "NotebookEdit", notebook_path="/n.ipynb")]),
        result("toolu_4", is_error=True),
    )
    changes = [e for e in events_of(CLAUDE, rows) if isinstance(e, FileChange)]
    assert [(c.path, c.change, c.added, c.removed, c.failed) for c in changes] == [
        ("/home/ada/project/new.py", "created", 2, 0, False),
        ("/home/ada/project/old.py", "modified", 2, 1, False),
        ("/n.ipynb", "modified", None, None, True),
    ]


def test_a_file_that_was_there_before_is_modified(log):
    rows = log(
        answer(content=[call("toolu_1", "Write", file_path="/a", content="x")]),
        result("toolu_1", content="The file /a has been updated. Here's …"),
        answer("msg_2", content=[call("toolu_2", "Write", file_path="/b", content="x")]),
        result("toolu_2", outcome={"type": "update"}),
    )
    submission = read_one(CLAUDE, rows)
    assert submission.artifacts.files_modified == ("/a", "/b")
    assert submission.artifacts.files_created == ()


def test_the_session_is_named_and_dated_by_every_row(log):
    submission = read_one(
        CLAUDE,
        log(
            row("progress", 1, data={"type": "hook_progress"}),
            answer(second=2, entrypoint="cli"),
            row("system", 70, subtype="stop_hook_summary"),
        ),
    )
    assert submission.session_id == SESSION
    assert submission.system.harness == "claude-code"
    assert submission.system.harness_version == "2.1.50"
    assert submission.system.model == "claude-opus-4-6"
    assert submission.time.wall_s == 69.0


def test_a_headless_stream_ends_with_its_cost_and_its_true_tokens(tmp_path):
    said = {"id": "msg_1", "role": "assistant", "usage": usage(output=1), "content": "Hi."}
    total = {
        "inputTokens": 3,
        "outputTokens": 90,
        "cacheReadInputTokens": 100,
        "cacheCreationInputTokens": 20,
    }
    log = written(
        tmp_path / "out.jsonl",
        [
            {
                "type": "system",
                "subtype": "init",
                "session_id": "s",
                "model": "claude-opus-4-6",
                "permissionMode": "default",
            },
            {"type": "assistant", "session_id": "s", "message": said},
            {
                "type": "result",
                "subtype": "error_max_turns",
                "session_id": "s",
                "total_cost_usd": 0.5,
                "duration_ms": 9_000,
                "modelUsage": {"claude-opus-4-6": total},
            },
        ],
    )
    assert CLAUDE.sniff(head_of(log)) > 0.5
    submission = read_one(CLAUDE, log)
    assert submission.total_tokens == 213
    assert submission.cost.reported_usd == 0.5
    assert submission.time.wall_s == 9.0
    assert submission.outcome.status is Status.BUDGET
    assert submission.system.mode == "headless"


def test_how_a_session_ended_is_unknown_where_the_log_does_not_say(log):
    assert not [e for e in events_of(CLAUDE, log(answer())) if isinstance(e, SessionEnd)]


def test_bad_lines_are_named_and_the_others_are_read(log):
    skipped = []
    path = log(
        answer("msg_1"),
        b'{"type": "assistant", "mess',
        b"\xff\xfe not JSON",
        "[1, 2]",
        b'{"a":' * 5_000,
        answer("msg_2"),
    )
    submission = read_one(CLAUDE, path, skipped=skipped)
    assert submission.llm_calls == 2
    assert [it.line for it in skipped] == [2, 3, 4, 5]


def test_a_figure_that_can_not_be_true_is_left_out_and_named(log):
    skipped = []
    path = log(answer(used=usage() | {"output_tokens": -4}), answer("msg_2", version=3))
    submission = read_one(CLAUDE, path, skipped=skipped)
    assert submission.llm_calls == 2
    assert submission.usage.input_uncached == 6
    assert submission.usage.output == 5
    assert [it.line for it in skipped] == [1, 2]
    assert "output_tokens" in skipped[0].reason


def test_content_can_be_dropped_and_numbers_stay(log):
    path = log(
        prompt("Secret wish."),
        answer(content=[{"type": "text", "text": "Secret."}, call("toolu_1", note="Secret")]),
        result("toolu_1", content="secret"),
    )
    kept = events_of(CLAUDE, path)
    dropped = events_of(CLAUDE, path, drop_content=True)
    assert "Secret" in repr(kept)
    assert "ecret" not in repr(dropped)
    calls = [[e.digest for e in events if isinstance(e, ToolCall)] for events in (kept, dropped)]
    assert calls[0] == calls[1] != [""]


def test_a_log_may_be_compressed(tmp_path):
    path = tmp_path / f"{SESSION}.jsonl.gz"
    path.write_bytes(gzip.compress(line_of(answer())))
    assert read_one(CLAUDE, path).llm_calls == 1


def test_it_knows_its_own_logs_from_others(log, tmp_path):
    assert CLAUDE.sniff(head_of(log(row("file-history-snapshot"), answer()))) > 0.5
    gemini = written(tmp_path / "g.jsonl", [{"sessionId": "s", "projectHash": "h"}])
    codex = written(tmp_path / "c.jsonl", [{"type": "session_meta", "payload": {"id": "x"}}])
    noise = written(tmp_path / "n.jsonl", [b"\x00\xff", "3", '{"a": 1}'])
    assert [CLAUDE.sniff(head_of(path)) for path in (gemini, codex, noise)] == [0, 0, 0]


# Any log at all: the reader that is fast against one that is short.

COUNT = st.integers(0, 30) | st.none()
ID = st.sampled_from([f"msg_{n:017}" for n in range(4)])
TOOL = st.sampled_from([f"toolu_{n:015}" for n in range(4)])
ANSWERS = st.builds(
    answer,
    id=ID,
    second=st.integers(0, 300),
    used=st.builds(usage, new=COUNT, output=COUNT, read=COUNT, write=st.integers(0, 9)),
    content=st.lists(st.builds(call, id=TOOL), max_size=2),
)
PLAIN = st.one_of(
    ANSWERS,
    st.builds(result, id=TOOL, second=st.integers(0, 300), is_error=st.booleans()),
    st.builds(prompt, text=st.sampled_from(["Go.", "<command-name>/x", "[Request interrupted"])),
)
ROWS = st.one_of(PLAIN, PLAIN, st.builds(progress, agent=st.just("a1"), inner=ANSWERS))
LOGS = st.lists(ROWS, min_size=1, max_size=12)


def several(folder, logs):
    return [
        written(folder / f"{number}0000000{SESSION[8:]}.jsonl", rows)
        for number, rows in enumerate(logs)
    ]


@given(LOGS)
@settings(deadline=None)
def test_any_log_is_read_as_by_the_slow_reader(tmp_path_factory, rows):
    path = written(tmp_path_factory.mktemp("any") / "log.jsonl", rows)
    found = figures([read_one(CLAUDE, path)])
    slow = slow_claude.figures([json.loads(line_of(r)) for r in rows])
    assert {name: found[name] for name in slow} == slow


@given(st.lists(LOGS, min_size=2, max_size=3), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=40)
def test_neither_order_nor_repetition_of_files_changes_a_total(tmp_path_factory, logs, chance):
    folder = tmp_path_factory.mktemp("shuffled")
    paths = several(folder, logs)
    total = tokens(read(CLAUDE, *paths))
    chance.shuffle(paths)
    copy = written(folder / "copy.jsonl", [paths[0].read_bytes()])
    assert tokens(read(CLAUDE, *paths, copy)) == total
    assert total <= sum(tokens(read(CLAUDE, path)) for path in paths)


@given(LOGS, st.floats(0, 1))
@settings(deadline=None, max_examples=40)
def test_cutting_the_last_line_never_raises_a_total(tmp_path_factory, rows, share):
    *whole, last = [line_of(r) for r in rows]
    folder = tmp_path_factory.mktemp("cut")
    total = tokens(read(CLAUDE, written(folder / "a.jsonl", [*whole, last])))
    cut = written(folder / "b.jsonl", [*whole, last[: int(share * len(last))]])
    assert tokens(read(CLAUDE, cut)) <= total


def test_several_interruptions_apart_are_several(log):
    stop = [{"type": "text", "text": "[Request interrupted by user]"}]
    events = events_of(CLAUDE, log(prompt(stop, 1), answer(second=20), prompt(stop, 30)))
    assert len([e for e in events if isinstance(e, Interruption)]) == 2
    assert len([e for e in events if isinstance(e, LlmCall)]) == 1


def test_thinking_is_the_reasoning_of_its_answer(log):
    thought = {"type": "thinking", "thinking": "Perhaps the port is taken.", "signature": "x"}
    hidden = {"type": "redacted_thinking", "data": "x"}
    path = log(answer(content=[thought, hidden]), answer(second=1))
    first, second = (it for it in events_of(CLAUDE, path) if isinstance(it, LlmCall))
    assert (first.reasoning, first.text) == ("Perhaps the port is taken.", None)
    assert (second.reasoning, second.text) == (None, "Well.")
    assert "Perhaps" not in repr(events_of(CLAUDE, path, drop_content=True))
