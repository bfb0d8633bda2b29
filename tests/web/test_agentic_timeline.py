"""The lanes of a trace: edits are the changes of files that the metrics count."""

import json

from benchmaker.arenas.agentic.sessions.importing import import_logs
from tests.arenas.agentic.importers.codex_rows import (
    call,
    counts,
    meta,
    output,
    row,
    tokens,
    turn,
    uuid_of,
)
from tests.arenas.agentic.spans import write_rows
from tests.web.results_data import fetched
from tests.web.serving import serving

PATCH = "*** Begin Patch\n*** Add File: a.py\n+print(1)\n*** End Patch\n"


def lanes_and_metrics(tmp_path, *rows):
    """The page of the trace of a Codex session, and when it first changed a file."""
    log = write_rows(tmp_path / f"rollout-{uuid_of(0)}.jsonl", [meta(uuid_of(0)), *turn(1), *rows])
    made = import_logs(log, home=tmp_path / "home")
    with serving(tmp_path / "home", works=False) as address:
        page = fetched(f"{address}/agentic/submissions/1/trace")[2].decode()
    (submission,) = made.submissions
    return page, submission.behaviour.first_edit_s


def test_input_of_a_running_command_is_no_edit(tmp_path):
    rows = [
        call("c1", "write_stdin", json.dumps({"session_id": 1, "chars": "y"}), 2),
        output("c1", second=6),
        *counts(tokens(), second=8),
    ]
    page, edited_at = lanes_and_metrics(tmp_path, *rows)
    assert edited_at is None
    assert "Shell, tools" in page
    assert "Edits" not in page


def test_a_patch_is_an_edit(tmp_path):
    patch = {"type": "custom_tool_call", "name": "apply_patch", "input": PATCH, "call_id": "c1"}
    done = {"type": "custom_tool_call_output", "call_id": "c1", "output": "Success."}
    rows = [
        row("response_item", 2, **patch),
        row("response_item", 6, **done),
        *counts(tokens(), second=8),
    ]
    page, edited_at = lanes_and_metrics(tmp_path, *rows)
    assert edited_at is not None
    assert "Edits" in page
