"""Logs split into two files: parts with the session's id are joined, the others are reported."""

import json
import random
from itertools import pairwise

import pytest

from benchmaker.arenas.agentic import import_logs
from benchmaker.errors import TranscriptError
from benchmaker.report.sentences.figures import NO_MODEL, why_no_cost
from tests.arenas.agentic.importers import codex_rows, test_copilot, test_gemini
from tests.arenas.agentic.importers.test_importer_contract import SAMPLES
from tests.cli.conftest import cli, home  # noqa: F401  fixtures
from tests.conftest import SHARED

LINES = {
    name: sample["sample"].splitlines(keepends=True)
    for name, sample in SAMPLES.items()
    if isinstance(sample["sample"], bytes) and len(sample["sample"].splitlines()) > 1
}
"""The logs of the contract that have several lines."""


def lines(*rows):
    return [json.dumps(row).encode() + b"\n" for row in rows]


def streamed(kind, **more):
    return {"type": kind, "timestamp": "2026-11-22T20:23:02.552Z", **more}


GEMINI_CALL = {"tool_name": "read_file", "tool_id": "read_file_1", "parameters": {}}
GEMINI_SUMS = {"total_tokens": 14, "input_tokens": 10, "output_tokens": 4}
WITHOUT_FIRST_ROW = {
    "Gemini CLI": lines(test_gemini.asked(), test_gemini.said()),
    "Gemini CLI, an answer of its output": lines(
        streamed("message", role="assistant", content="All done.", delta=True)
    ),
    "Gemini CLI, a call of its output": lines(streamed("tool_use", **GEMINI_CALL)),
    "Gemini CLI, the sums of its output": lines(
        streamed("result", status="success", stats=GEMINI_SUMS)
    ),
    "Copilot CLI": lines(test_copilot.answered(1), test_copilot.answered(2)),
    "Codex exec": LINES["codex_exec"][1:],
    "Codex exec, the end of a turn": LINES["codex_exec"][-1:],
    "Pi": LINES["pi"][1:],
    "OpenClaw": LINES["openclaw"][1:],
}


def split(folder, rows, at):
    """Two files with the first rows and the others, and the folder with both."""
    folder.mkdir()
    first, second = folder / "first.jsonl", folder / "second.jsonl"
    first.write_bytes(b"".join(rows[:at]))
    second.write_bytes(b"".join(rows[at:]))
    return first, second


def reported(imported):
    """The names of all files that an import read, or says it did not read."""
    sources = [source.path for it in imported.submissions for source in it.sources]
    lost = [it.path for it in imported.skipped_lines]
    others = (*imported.empty, *imported.copies, *imported.repeats, *imported.unknown)
    return {str(it).rpartition("/")[2] for it in (*sources, *lost, *others)}


@pytest.mark.parametrize("name", LINES)
def test_no_part_of_a_log_is_passed_over_in_silence(tmp_path, name):
    for at in range(1, len(LINES[name])):
        split(tmp_path / str(at), LINES[name], at)
        imported = import_logs(tmp_path / str(at), dry_run=True)
        assert reported(imported) == {"first.jsonl", "second.jsonl"}


@pytest.mark.parametrize("name", WITHOUT_FIRST_ROW)
def test_rows_without_the_one_that_names_the_session_are_refused(tmp_path, name):
    (tmp_path / "logs").mkdir()
    path = tmp_path / "logs" / "later.jsonl"
    path.write_bytes(b"".join(WITHOUT_FIRST_ROW[name]))
    imported = import_logs(tmp_path / "logs", dry_run=True)
    (lost,) = imported.skipped_lines
    reason = f"rows of {name.partition(',')[0]} without the first row, which names the session"
    assert (lost.path.name, lost.reason.partition(".")[0]) == ("later.jsonl", reason)
    assert imported.is_partial
    with pytest.raises(TranscriptError, match=reason):
        import_logs(path, dry_run=True)


def test_an_import_that_refused_a_part_of_a_log_exits_with_4(cli, tmp_path):  # noqa: F811
    split(tmp_path / "logs", LINES["gemini"], 2)
    (tmp_path / "logs" / "notes.txt").write_text("These are no rows.")
    said = cli("import", tmp_path / "logs", "--dry-run", code=4)
    assert "second.jsonl: rows of Gemini CLI without the first row" in said.stderr
    assert "Skipped, not a log of a known format: 1 file: " in said.stderr
    assert "notes.txt" in said.stderr


def test_a_file_that_is_no_log_is_named_in_a_folder(cli, tmp_path):  # noqa: F811
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "log.jsonl").write_bytes(b"".join(LINES["gemini"]))
    (tmp_path / "logs" / "more.json").write_text('{"name": "package"}')
    data = cli("import", tmp_path / "logs", "--dry-run", "--json").data
    assert data["unknown"] == [str(tmp_path / "logs" / "more.json")]
    assert data["skipped_lines"] == []


def test_files_of_a_session_are_not_named_as_unknown(tmp_path):
    state = tmp_path / "conversation" / "base_state.json"
    event = tmp_path / "conversation" / "events" / "event-00000-a.json"
    event.parent.mkdir(parents=True)
    stats = {"usage_to_metrics": {}}
    state.write_text(
        json.dumps({"id": "a", "agent": {"llm": {}}, "stats": stats, "max_iterations": 5})
    )
    message = {"role": "user", "content": [{"type": "text", "text": "Go."}]}
    event.write_text(json.dumps({"kind": "MessageEvent", "source": "user", "llm_message": message}))
    imported = import_logs(tmp_path, dry_run=True)
    assert len(imported.submissions) == 1
    assert imported.unknown == ()


QWEN = "960f3300-c109-4a4b-ae99-0fce70da56f6"


def qwen(kind, number, **more):
    uuid = f"{number:08x}-ac93-4b5c-b60d-1b1b4fa6ebb0"
    return {"type": kind, "uuid": uuid, "session_id": QWEN, **more}


def qwen_answer(number, content, tokens):
    row = qwen("assistant", number, parent_tool_use_id=None)
    usage = {"input_tokens": tokens, "output_tokens": 7} if tokens else {}
    message = {"id": row["uuid"], "role": "assistant", "model": "m", "content": [content]}
    return row | {"message": message | {"usage": usage}}


CALL = {"type": "tool_use", "id": "call_0022836658180", "name": "read_file", "input": {}}
RETURNED = {"type": "tool_result", "tool_use_id": CALL["id"], "is_error": False, "content": "a"}
QWEN_ROWS = lines(
    qwen("system", 0, subtype="init", qwen_code_version="0.24.4", cwd="/work", model="m"),
    qwen_answer(1, {"type": "text", "text": "I read."}, 0),
    qwen_answer(2, CALL, 100),
    qwen("user", 3, message={"role": "user", "content": [RETURNED]}),
    qwen_answer(4, {"type": "text", "text": "All done."}, 50),
    qwen("result", 5, subtype="success", is_error=False, usage={"total_tokens": 164}),
)

CLAUDE = "997b2426-a7f1-4b00-a8ff-6bffe5403707"


def claude(kind, number, **more):
    uuid = f"{number:08x}-cad2-48a0-936e-eaed5f609a4c"
    return {"type": kind, "uuid": uuid, "session_id": CLAUDE, **more}


def claude_answer(number, content, tokens):
    usage = {"input_tokens": tokens, "output_tokens": 7}
    message = {"id": f"msg_00022000520{number}", "type": "message", "role": "assistant"}
    return claude("assistant", number, message=message | {"content": [content], "usage": usage})


CLAUDE_ROWS = lines(
    claude("system", 0, subtype="init", claude_code_version="2.1.332", cwd="/work"),
    claude_answer(1, CALL, 100),
    claude("user", 2, message={"role": "user", "content": [RETURNED]}),
    claude_answer(3, {"type": "text", "text": "All done."}, 50),
    claude(
        "result",
        4,
        subtype="success",
        is_error=False,
        duration_ms=100,
        total_cost_usd=0.25,
        usage={"input_tokens": 150, "output_tokens": 214},
    ),
)

GROK = "0195-a-session-of-grok"


def grok(number, kind, **more):
    params = {"sessionId": GROK, "update": {"sessionUpdate": kind, **more}}
    return {"method": "session/update", "params": params, "timestamp": 1767225600 + number}


GROK_FILE = {"file_path": "a.rs", "content": "one\ntwo\n"}
GROK_ROWS = lines(
    grok(0, "user_message_chunk", content={"type": "text", "text": "Write a.rs."}),
    grok(1, "tool_call", toolCallId="write-1", title="write", rawInput=GROK_FILE),
    grok(2, "tool_call_update", toolCallId="write-1", status="completed"),
    grok(3, "tool_call", toolCallId="grep-1", title="grep", rawInput={"pattern": "["}),
    grok(4, "tool_call_update", toolCallId="grep-1", status="failed"),
)
JOINED = {"qwen_code": QWEN_ROWS, "claude_code": CLAUDE_ROWS, "grok": GROK_ROWS}


def figures(imported):
    (it,) = imported.submissions
    return (
        (it.importer, it.session_id, it.system.harness, it.usage.total, it.llm_calls),
        (it.tool_calls, it.tool_errors, it.iterations, it.cost.reported_usd),
    )


@pytest.mark.parametrize("order", ["both", "whole and second", "second and whole"])
@pytest.mark.parametrize("name", JOINED)
def test_parts_with_the_id_of_the_session_are_joined(tmp_path, name, order):
    rows = JOINED[name]
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(b"".join(rows))
    expected = figures(import_logs(whole, dry_run=True))
    for at in range(2, len(rows)):  # a prompt that is not printed is known by the first two rows
        first, second = split(tmp_path / str(at), rows, at)
        paths = {"both": (first, second), "whole and second": (whole, second)}
        chosen = paths.get(order, (second, whole))
        assert figures(import_logs(chosen, dry_run=True)) == expected, at


def test_the_second_part_alone_belongs_to_the_tool_and_the_session(tmp_path):
    for name, rows in JOINED.items():
        _, second = split(tmp_path / name, rows, len(rows) - 2)
        (found,) = import_logs(second, dry_run=True).submissions
        assert found.importer == name
        assert found.session_id.endswith((QWEN, CLAUDE, GROK))
        assert found.system.harness


WITHOUT_ID = ("aider", "kimi")
"""Logs that name no session in their rows, from those of the contract."""
ROLLOUT = [
    it.replace(b"thread_id", b"unread")
    for it, following in pairwise([*LINES["codex"], b""])
    if it != following  # a count that is written twice may be split, too
]
SEPARATE = {name: LINES[name] for name in WITHOUT_ID} | {
    "codex": ROLLOUT,
    "grok": [it.replace(b"sessionId", b"unread") for it in GROK_ROWS],
}


def sums(imported):
    counts = [(it.total_tokens or 0, it.tool_calls or 0) for it in imported.submissions]
    return [sum(it) for it in zip(*counts, strict=True)]


@pytest.mark.parametrize("name", SEPARATE)
def test_parts_that_name_no_session_add_up_to_the_whole(tmp_path, name):
    rows = SEPARATE[name]
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(b"".join(rows))
    expected = sums(import_logs(whole, dry_run=True))
    for at in range(1, len(rows)):
        parts = split(tmp_path / str(at), rows, at)
        assert sums(import_logs(parts, dry_run=True)) == expected, at


def test_a_rollout_without_its_first_row_is_reported_as_a_session_of_its_own(tmp_path):
    _, second = split(tmp_path / "logs", ROLLOUT, 1)
    imported = import_logs(second, dry_run=True)
    (note,) = imported.notes
    assert note.path == second
    assert note.reason == "no row names the thread; counted as a session of its own"
    assert not imported.is_partial


def changing_model(thread):
    """A rollout of two turns with different models, whose rows name the thread."""
    rows = [
        codex_rows.meta(thread),
        *codex_rows.turn(1, model="gpt-5"),
        *codex_rows.counts(codex_rows.tokens(), times=1),
        *codex_rows.turn(20, model="gpt-5-mini"),
        *codex_rows.counts(*[codex_rows.tokens()] * 2, start=codex_rows.tokens(), times=1),
    ]
    for one in rows[1:]:
        one["payload"]["thread_id"] = thread
    return lines(*rows)


def priced(paths):
    (it,) = import_logs(paths, dry_run=True).submissions
    by_model = [(one.model, one.usage.total) for one in it.usage_by_model]
    return by_model, it.cost.computed_usd, it.cost.unpriced


@pytest.mark.parametrize("is_reversed", [False, True])
def test_later_parts_of_a_rollout_have_the_models_of_earlier_ones(tmp_path, is_reversed):
    rows = changing_model(codex_rows.uuid_of(1))
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(b"".join(rows))
    expected = priced([whole])
    assert [name for name, _ in expected[0]] == ["gpt-5", "gpt-5-mini"]
    for at in range(1, len(rows)):
        parts = split(tmp_path / str(at), rows, at)
        renamed = [it.rename(it.with_name(f"{n}.jsonl")) for n, it in enumerate(parts)]
        if is_reversed:
            renamed = [it.rename(it.with_name(f"{9 - n}.jsonl")) for n, it in enumerate(renamed)]
        assert priced(renamed) == expected, at


ROLLOUTS = [
    path
    for archive in ("agent_logs/codex_cli", "agent_logs_t2/codex_cli/sessions")
    for path in sorted((SHARED / "data" / archive).rglob("rollout-*.jsonl"))
]


@pytest.mark.long
@pytest.mark.data
@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda it: it.stem[-12:])
def test_a_rollout_cut_at_random_lines_is_priced_or_says_why_not(path, tmp_path):
    rows = path.read_bytes().splitlines(keepends=True)
    for at in random.Random(24).sample(range(1, len(rows)), 5):  # noqa: S311  it samples
        first, second = split(tmp_path / str(at), rows, at)
        for it in import_logs(first, dry_run=True, keep_going=True).submissions:
            assert it.total_tokens is None or it.cost.computed_usd is not None, at
        for it in import_logs(second, dry_run=True, keep_going=True).submissions:
            is_named = _names_model_first(rows[at:])
            if it.total_tokens:
                assert (it.cost.computed_usd is not None) is is_named, at
                assert (why_no_cost(it) == NO_MODEL) is not is_named, at


def _names_model_first(rows):
    """True if a row that names the model is before the first count of tokens."""
    of_model = next((n for n, it in enumerate(rows) if b'"turn_context"' in it), len(rows))
    return of_model < next(
        (n for n, it in enumerate(rows) if b'"total_token_usage"' in it), len(rows)
    )


def test_a_rollout_without_the_row_of_its_model_says_why_its_cost_is_unknown(cli, tmp_path):  # noqa: F811
    rows = changing_model(codex_rows.uuid_of(1))
    _, second = split(tmp_path / "logs", rows, 4)
    said = cli("import", second)
    words = " ".join(said.stdout.split())
    assert "Cost unknown: the log does not name the model of all requests." in words
    assert "Price unknown" not in words
    (row,) = json.loads(cli("usage", "session", "--json").stdout)["rows"]
    shown = " ".join(cli("show", row["key"]).stdout.split())
    assert "unknown: the log does not name the model of all requests" in shown
    table = " ".join(cli("usage", "session").stdout.split())
    assert "requests without a model (110 tokens)" in table
    assert "Cost unknown" not in cli("import", second, "--model", "gpt-5").stdout


@pytest.mark.parametrize("name", ["codex", "qwen_code", "claude_code"])
def test_a_line_cut_in_the_middle_counts_once_the_whole_log_is_imported(
    cli,  # noqa: F811
    home,  # noqa: F811
    name,
    tmp_path,
):
    rows = JOINED.get(name) or LINES[name]
    raw, path = b"".join(rows), tmp_path / "log.jsonl"
    cut = len(raw) - len(rows[-1]) // 2
    rest = tmp_path / "rest.jsonl"
    path.write_bytes(raw[:cut])
    rest.write_bytes(raw[cut:])
    said = cli("import", path, code=4)
    assert f"log.jsonl:{len(rows)}: cut off in the middle" in said.stderr
    assert cli("import", rest, code=2).stderr
    path.write_bytes(raw)
    expected = figures(import_logs(path, dry_run=True))
    assert figures(import_logs(path, home=home)) == expected
