"""What is exported and read again has the same totals."""

from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.exporters.writing import FORMS
from benchmaker.errors import SpecError, StoreError
from benchmaker.record.submissions.submission import COUNTED_PATHS, COUNTED_ROWS
from benchmaker.redact import Redactor
from tests.arenas.agentic.exporters.exported import read_back, stored, totals, written
from tests.arenas.agentic.importers import claude_rows as claude
from tests.arenas.agentic.importers import logs
from tests.arenas.agentic.made import write
from tests.draws import draws

SAMPLES = [
    "aider/analytics_first500.jsonl",
    "aider/chat-history_part1.md",
    "claude_code/ccusage_fixture_alpha.jsonl",
    "claude_code/subagent.jsonl",
    "claude_code/tool_heavy.jsonl",
    "cline/session.messages.json",
    "codex_cli/rollout-2026-02-23T12-41-04-019c8a4d-8f45-7010-8b5d-7fad920aa6f9.jsonl",
    "codex_exec_json/stream-output-5.jsonl",
    "copilot_cli/vct_copilot.jsonl",
    "gemini_cli/vct_gemini.jsonl",
    "grok_cli/updates.jsonl",
    "harbor_atif/hello-world-context-summarization.trajectory.json",
    "inspect/2025-05-12T20-28-26-04-00_security-guide.json",
    "mini_swe_agent/mini-swe-agent-v1-real-run.traj.json",
    "openhands/multi_swe_output_0.jsonl",
    "openhands/resolver_output.jsonl",
    "swe_agent/6e44b9__sweagenttestrepo-1c2844.traj",
]
FEW = 3
FIRST, SECOND = (f"{number:08}-0000-4000-8000-000000000000" for number in (1, 2))
"""Sessions by the names of their files: a resumed one begins with rows of the one before."""


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", FORMS)
def test_samples_keep_their_totals(shared, tmp_path, name, form):
    with stored(tmp_path / "home", shared / "agent_logs" / name) as (submissions, store):
        for submission in submissions[:FEW]:
            found = read_back(tmp_path, store, form, submission)
            assert totals(found) == totals(submission)


def history(number):
    rows = [claude.prompt("do it", uuid="u1")]
    for n in range(number):
        rows.append(claude.answer(f"msg_{n:020}", content=[claude.call(f"toolu_{n:020}", "Bash")]))
        rows.append(claude.result(f"toolu_{n:020}", is_error=n == 1))
    return rows


@pytest.mark.parametrize("form", ["atif", "otel"])
@pytest.mark.parametrize("drop", [False, True])
def test_what_a_resumed_session_copied_is_not_counted_again(tmp_path, form, drop):
    folder = tmp_path / "logs"
    logs.written(folder / f"{FIRST}.jsonl", history(2))
    logs.written(folder / f"{SECOND}.jsonl", history(4))
    with stored(tmp_path / "home", folder, drop_content=drop) as (submissions, store):
        first, second = submissions
        assert (first.llm_calls, second.llm_calls, first.tool_errors) == (2, 2, 1)
        for submission in submissions:
            assert totals(read_back(tmp_path, store, form, submission)) == totals(submission)


def test_an_exported_submission_is_the_same_one(tmp_path):
    log = logs.written(tmp_path / "logs" / "a.jsonl", history(2))
    with stored(tmp_path / "home", log) as ((submission,), store):
        found = read_back(tmp_path, store, "submission", submission)
    assert (found.id, found.usage, found.time, found.cost) == (
        submission.id,
        submission.usage,
        submission.time,
        submission.cost,
    )


def test_several_are_no_trajectory(tmp_path):
    folder = tmp_path / "logs"
    logs.written(folder / f"{FIRST}.jsonl", history(2))
    logs.written(folder / f"{SECOND}.jsonl", history(3))
    with stored(tmp_path / "home", folder) as (submissions, store):
        ids = [it.id for it in submissions]
        assert written(store, "otel", *ids).count(b"\n") == 2
        with pytest.raises(SpecError, match="can't hold 2 submissions"):
            written(store, "atif", *ids)
        with pytest.raises(StoreError):
            written(store, "otel", "claude_code-" + "0" * 20)


@pytest.mark.parametrize("form", FORMS)
def test_known_keys_are_taken_out(tmp_path, form):
    rows = [claude.prompt("the pass is correct horse", uuid="u1"), claude.answer("msg_1")]
    log = logs.written(tmp_path / "logs" / "a.jsonl", rows)
    with stored(tmp_path / "home", log) as ((submission,), store):
        text = written(store, form, submission.id, redactor=Redactor(["correct horse"]))
    assert b"correct horse" not in text


COUNTS = st.fixed_dictionaries(
    {name: st.none() | st.integers(row.is_never_zero, 9) for name, row in COUNTED_ROWS.items()}
)


def counts_of(submission):
    return {name: attrgetter(path)(submission) for name, path in COUNTED_PATHS.items()}


@settings(max_examples=draws(10, 100), deadline=None)
@given(counts=COUNTS)
@pytest.mark.parametrize("form", ["atif", "otel"])
def test_every_counted_figure_survives(tmp_path_factory, form, counts):
    folder = tmp_path_factory.mktemp("counts")
    known = {name: n for name, n in counts.items() if n is not None}
    log = write(folder / "a.jsonl", {"output": 5, "model": "m", "counts": known})
    with stored(folder / "home", log, importer="tests.arenas.agentic.made:Plain") as (
        (submission,),
        store,
    ):
        expected = counts_of(submission)
        assert {name: expected[name] for name in known if known[name]} == {
            name: n for name, n in known.items() if n
        }
        found = counts_of(read_back(folder, store, form, submission))
    assert {name: n for name, n in found.items() if n} == {
        name: n for name, n in expected.items() if n
    }
