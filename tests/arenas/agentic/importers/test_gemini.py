"""Gemini CLI's chats."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.importers.gemini import Gemini
from benchmaker.arenas.agentic.logs.events import FileChange, LlmCall
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
from tests.arenas.agentic.importers.samples import figures, values_of

GEMINI = Gemini()
SESSION = "0ab84937-9fe7-4284-986a-33c832af0b6a"
HEADER = {
    "sessionId": SESSION,
    "projectHash": "9da8b3df",
    "startTime": "2026-04-23T12:52:52.759Z",
    "lastUpdated": "2026-04-23T12:52:52.759Z",
    "kind": "main",
}
SET = {"$set": {"lastUpdated": "2026-04-23T12:53:02.597Z"}}


def used(prompt=100, cached=40, output=7, thoughts=3, tool=0):
    total = prompt + output + thoughts + tool
    return {
        "input": prompt,
        "cached": cached,
        "output": output,
        "thoughts": thoughts,
        "tool": tool,
        "total": total,
    }


def said(id="m1", second=0, *, counted=None, calls=None, model="gemini-3-flash-preview"):  # noqa: A002
    record = {
        "id": f"{id}-52e62e67-5d6b-4a2c",
        "timestamp": f"2026-04-23T12:53:{second:02d}.000Z",
        "type": "gemini",
        "content": "Well.",
        "tokens": used() if counted is None else counted,
        "model": model,
    }
    return record if calls is None else record | {"toolCalls": calls}


def asked(id="u1", content="Do it.", second=0):  # noqa: A002
    when = f"2026-04-23T12:53:{second:02d}.000Z"
    return {"id": id, "timestamp": when, "type": "user", "content": content}


def call(id="c1", name="read_file", *, status="success", display="", **args):  # noqa: A002
    when = "2026-04-23T12:53:40.000Z"
    return {"id": id, "name": name, "args": args, "status": status, "timestamp": when,
            "resultDisplay": display}  # fmt: skip


@pytest.fixture
def chat(tmp_path):
    """Writes the records of a chat."""

    def write(*rows, name="session-2026-04-23T12-52-0ab84937.jsonl"):
        return written(tmp_path / "project" / "chats" / name, rows)

    return write


@pytest.mark.data
def test_the_figures_are_those_of_the_independent_script(shared):
    values = values_of(shared, "gemini_cli/vct_gemini.jsonl")
    submission = read_one(GEMINI, shared / "agent_logs" / "gemini_cli" / "vct_gemini.jsonl")
    found = figures([submission])
    assert found["llm_calls"] == values["llm_calls"]
    assert found["tool_calls"] == values["tool_calls"]
    assert found["user_turns"] == values["user_lines"]
    assert found["cache_read_tokens"] == values["cached"]
    assert found["input_tokens_uncached"] == values["input_incl_cached"] - values["cached"]
    assert found["output_tokens"] == values["output"] + values["thoughts"]
    assert found["reasoning_tokens_within_output"] == values["thoughts"]
    assert found["total_tokens"] == values["total_tokens"]
    assert found["models"] == values["models"]


@pytest.mark.data
def test_cutting_a_real_log_anywhere_never_raises_its_total(shared, tmp_path):
    whole = (shared / "agent_logs" / "gemini_cli" / "vct_gemini.jsonl").read_bytes()
    total = tokens(read(GEMINI, written(tmp_path / "session-a.jsonl", [whole])))
    for share in (0.1, 0.35, 0.5, 0.77, 0.99):
        cut = whole[: int(share * len(whole))]
        assert tokens(read(GEMINI, written(tmp_path / "session-a.jsonl", [cut]))) <= total


def test_a_record_that_is_written_again_counts_as_it_was_last(chat):
    path = chat(
        HEADER,
        said(),
        SET,
        said(counted=used(prompt=100, output=1), calls=[call("c1")]),
        said(counted=used(prompt=100, output=2), calls=[call("c1"), call("c2")]),
    )
    submission = read_one(GEMINI, path)
    assert submission.llm_calls == 1
    assert submission.total_tokens == 100 + 2 + 3
    assert submission.tool_calls == 2


def test_thoughts_lie_outside_the_output_and_the_cache_inside_the_input(chat):
    counted = used(prompt=100, cached=40, output=7, thoughts=3)
    usage = read_one(GEMINI, chat(HEADER, said(counted=counted))).usage
    assert (usage.input_uncached, usage.cache_read) == (60, 40)
    assert (usage.output, usage.reasoning) == (10, 3)


def test_the_cache_lies_beside_the_input_where_the_total_says_so(chat):
    counted = used(prompt=100, cached=40) | {"total": 150}
    usage = read_one(GEMINI, chat(HEADER, said(counted=counted))).usage
    assert (usage.input_uncached, usage.cache_read) == (100, 40)


def test_a_tools_prompt_is_input(chat):
    usage = read_one(GEMINI, chat(HEADER, said(counted=used(100, 0, 7, 3, tool=9)))).usage
    assert usage.input_uncached == 109
    assert usage.total == 119


def test_what_is_taken_back_was_paid_for(chat):
    path = chat(HEADER, asked(), said("m1"), {"$rewindTo": "u1"}, asked("u2"), said("m2"))
    submission = read_one(GEMINI, path)
    assert submission.llm_calls == 2
    assert submission.iterations == 2


def test_messages_that_a_set_repeats_are_not_read_again(chat):
    repeated = {"$set": {"messages": [asked("u1"), said("m1"), asked("u9", "Summary.")]}}
    submission = read_one(GEMINI, chat(HEADER, asked("u1"), said("m1"), repeated))
    assert submission.llm_calls == 1
    assert submission.iterations == 1


def test_what_tools_gave_back_is_no_prompt(chat):
    response = [{"functionResponse": {"id": "c1", "response": {"output": "x"}}}]
    path = chat(HEADER, asked("u1", [{"text": "Go."}]), said(), asked("u2", response))
    assert read_one(GEMINI, path).iterations == 1


def test_the_older_shape_is_one_document(chat):
    document = HEADER | {"messages": [asked(), said("m1"), said("m1", calls=[call()]), said("m2")]}
    path = chat(document, name="session-2025-09-01T10-00-0ab84937.json")
    submission = read_one(GEMINI, path)
    assert submission.session_id == SESSION
    assert (submission.llm_calls, submission.tool_calls, submission.iterations) == (2, 1, 1)
    assert submission.total_tokens == 220


def test_a_resumed_session_and_the_document_that_it_goes_on_from_are_one(chat):
    older = chat(HEADER | {"messages": [asked(), said("m1")]}, name="session-a.json")
    newer = chat(HEADER, asked(), said("m1"), said("m2"), name="session-a.jsonl")
    (ref,) = sessions_in(GEMINI, older, newer)
    assert ref.files == (newer, older)
    submission = read_one(GEMINI, older, newer)
    assert submission.llm_calls == 2
    assert submission.iterations == 1


def test_subagents_lie_in_a_folder_named_for_the_session(chat):
    main = chat(HEADER, asked(), said("m1"))
    theirs = HEADER | {"sessionId": "explorer-1", "kind": "subagent"}
    agent = chat(theirs, asked("u5"), said("m5"), name=f"{SESSION}/explorer-1.jsonl")
    (ref,) = sessions_in(GEMINI, agent, main)
    assert ref.files == (main, agent)
    submission = read_one(GEMINI, agent, main)
    assert submission.llm_calls == 2
    assert submission.main.llm_calls == 1
    assert submission.subagents == 1
    assert submission.iterations == 1


def test_files_are_changed_by_calls_that_succeeded(chat):
    stat = {"model_added_lines": 3, "model_removed_lines": 1}
    new = {"filePath": "/p/new.py", "isNewFile": True, "diffStat": stat}
    old = {"filePath": "/p/old.py", "isNewFile": False, "diffStat": stat}
    calls = [
        call("c1", "write_file", display=new, file_path="new.py"),
        call("c2", "replace", display=old, file_path="old.py"),
        call("c3", "replace", status="error", file_path="/p/bad.py"),
        call("c4", "write_file", status="cancelled", file_path="/p/never.py"),
    ]
    path = chat(HEADER, said(calls=calls))
    changes = [e for e in events_of(GEMINI, path) if isinstance(e, FileChange)]
    assert [(c.path, c.change, c.added, c.removed, c.failed) for c in changes] == [
        ("/p/new.py", "created", 3, 1, False),
        ("/p/old.py", "modified", 3, 1, False),
        ("/p/bad.py", "modified", None, None, True),
    ]
    submission = read_one(GEMINI, path)
    assert submission.tool_errors == 1
    assert submission.behaviour.interruptions == 1


def ran(output, name="run_shell_command", **more):
    """A call of the shell, with what the model was told of it."""
    told = f"<untrusted_context>\n{output}\n</untrusted_context>"
    response = {"functionResponse": {"id": "c1", "name": name, "response": {"output": told}}}
    return call(name=name, command="make test") | {"result": [response]} | more


def failed_in(path):
    return read_one(GEMINI, path).tool_errors


@pytest.mark.parametrize(
    "behind",
    [
        "Exit Code: 1",
        "Exit Code: 2\nProcess Group PGID: 38",
        "Exit Code: -1\nSignal: 9\nBackground PIDs: 40, 41\nProcess Group PGID: 38",
        "Error: (none)\nExit Code: 127\nSignal: (none)\nBackground PIDs: (none)",
    ],
)
def test_a_command_with_an_exit_code_failed_though_its_status_is_success(chat, behind):
    assert failed_in(chat(HEADER, said(calls=[ran(f"Output: no rule\n{behind}")]))) == 1


@pytest.mark.parametrize(
    "output",
    [
        "Output: (empty)\nProcess Group PGID: 38",
        "Output: done\nExit Code: 0\nSignal: 0\nProcess Group PGID: 38",
        "Output: stopped\nExit Code: (none)\nSignal: (none)",
        "Output: the log says\nExit Code: 1\nbut that was yesterday\nProcess Group PGID: 38",
        "Output: tail\nExit Code: 1\nExit Code: 0\nProcess Group PGID: 38",
    ],
)
def test_other_commands_did_not_fail(chat, output):
    assert failed_in(chat(HEADER, said(calls=[ran(output)]))) == 0


def test_only_the_shell_has_an_exit_code(chat):
    path = chat(HEADER, said(calls=[ran("a file\nExit Code: 1", name="read_file")]))
    assert failed_in(path) == 0


@pytest.mark.parametrize("result", ["text", 5, None, [7], [{"functionResponse": {"response": 3}}]])
def test_a_result_of_another_shape_has_no_exit_code(chat, result):
    assert failed_in(chat(HEADER, said(calls=[ran("", result=result)]))) == 0


def test_exit_codes_are_read_where_content_is_dropped(chat):
    path = chat(HEADER, said(calls=[ran("Output: \nExit Code: 1")]))
    assert read_one(GEMINI, path, drop_content=True).tool_errors == 1


def test_notices_tell_of_interruptions_and_compactions(chat):
    stopped = {"id": "i1", "type": "info", "content": "Request cancelled."}
    shorter = {"id": "i2", "type": "info", "content": "Chat history compressed from 9 to 2 tokens."}
    submission = read_one(GEMINI, chat(HEADER, said(), stopped, shorter))
    assert submission.behaviour.interruptions == 1
    assert submission.compactions == 1


def test_sums_that_a_headless_run_prints_stand_for_all_its_requests(tmp_path):
    counted = {"prompt": 100, "candidates": 7, "cached": 40, "thoughts": 3, "tool": 0, "total": 110}
    stats = {
        "models": {
            "gemini-2.5-pro": {
                "api": {"totalRequests": 5, "totalErrors": 0, "totalLatencyMs": 9_000},
                "tokens": counted | {"input": 60},
            },
            "gemini-2.5-flash": {"api": {"totalRequests": 1}, "tokens": counted},
        },
        "tools": {
            "totalCalls": 3,
            "totalFail": 1,
            "totalDurationMs": 2_000,
            "byName": {"read_file": {"count": 2, "fail": 1}, "glob": {"count": 1, "fail": 0}},
        },
    }
    path = written(tmp_path / "out.json", [{"session_id": "s", "response": "x", "stats": stats}])
    assert GEMINI.sniff(head_of(path)) > 0.5
    submission = read_one(GEMINI, path)
    assert submission.total_tokens == 220
    assert submission.llm_calls == 6
    assert submission.tools_by_name == {"read_file": 2, "glob": 1}
    assert submission.tool_errors == 1
    assert (submission.time.llm_s, submission.time.tool_s) == (9.0, 2.0)
    assert [e.requests for e in events_of(GEMINI, path) if isinstance(e, LlmCall)] == [5, 1]


def test_bad_lines_are_named_and_the_others_are_read_once(chat):
    skipped = []
    wrong = said("m2", counted=used() | {"cached": -1})
    submission = read_one(GEMINI, chat(HEADER, said("m1"), '{"id"', wrong), skipped=skipped)
    assert submission.llm_calls == 2
    assert [it.line for it in skipped] == [3, 4]


def test_content_can_be_dropped(chat):
    path = chat(HEADER, asked(content="Secret"), said(calls=[call(file_path="x", key="Secret")]))
    assert "Secret" in repr(events_of(GEMINI, path))
    assert "Secret" not in repr(events_of(GEMINI, path, drop_content=True))


def test_it_knows_its_own_logs_from_others(chat, tmp_path):
    assert GEMINI.sniff(head_of(chat(HEADER, said()))) > 0.5
    pretty = written(tmp_path / "a.json", ['{\n "sessionId": "s",\n "projectHash": "h"\n}'])
    assert GEMINI.sniff(head_of(pretty)) > 0.5
    claude = written(tmp_path / "b.jsonl", [{"sessionId": "s", "type": "user"}])
    assert GEMINI.sniff(head_of(claude)) == 0


RECORDS = st.lists(
    st.builds(
        said,
        id=st.sampled_from("abc"),
        counted=st.builds(
            used,
            prompt=st.integers(20, 50),
            cached=st.integers(0, 20),
            output=st.integers(0, 9),
            thoughts=st.integers(0, 9),
            tool=st.integers(0, 9),
        ),
        calls=st.none() | st.lists(st.builds(call, id=st.sampled_from("xyz")), max_size=2),
    ),
    min_size=1,
    max_size=8,
)


@given(RECORDS)
@settings(deadline=None, max_examples=50)
def test_any_chat_adds_up_to_the_last_of_each_record(tmp_path_factory, records):
    path = written(tmp_path_factory.mktemp("any") / "session-a.jsonl", [HEADER, *records])
    last = {it["id"]: it for it in records}
    submission = read_one(GEMINI, path)
    assert submission.total_tokens == sum(it["tokens"]["total"] for it in last.values())
    assert submission.llm_calls == len(last)
    calls = {(it["id"], c["id"]) for it in last.values() for c in it.get("toolCalls", ())}
    assert submission.tool_calls == len(calls)


@given(RECORDS, st.floats(0, 1))
@settings(deadline=None, max_examples=30)
def test_cutting_the_last_line_of_a_growing_log_never_raises_a_total(
    tmp_path_factory, records, share
):
    distinct = list({it["id"]: it for it in records}.values())
    *whole, last = [line_of(it) for it in [HEADER, *distinct]]
    folder = tmp_path_factory.mktemp("cut")
    total = tokens(read(GEMINI, written(folder / "session-a.jsonl", [*whole, last])))
    cut = written(folder / "session-b.jsonl", [*whole, last[: int(share * len(last))]])
    assert tokens(read(GEMINI, cut)) <= total


def test_a_copy_of_a_chat_is_the_same_session(chat, tmp_path):
    path = chat(HEADER, asked("u1-0ab84937-9fe7-4284"), said("m1"), said("m2"))
    copy = written(tmp_path / "backup" / "session-b.jsonl", [path.read_bytes()])
    assert read_one(GEMINI, path, copy).total_tokens == 220


def test_thoughts_are_the_reasoning_of_their_answer(chat):
    thoughts = [{"subject": "Plan", "description": "Read first."}, {"description": "Then write."}]
    path = chat(HEADER, said() | {"thoughts": thoughts})
    (one,) = (it for it in events_of(GEMINI, path) if isinstance(it, LlmCall))
    assert one.reasoning == "Plan\nRead first.\n\nThen write."
    assert "Read first" not in repr(events_of(GEMINI, path, drop_content=True))
