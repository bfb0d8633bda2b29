"""What is exported and read again has the same totals."""

from itertools import combinations
from operator import attrgetter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.exporters.writing import FORMS
from benchmaker.errors import SpecError, StoreError
from benchmaker.record.submissions.submission import COUNTED_PATHS, COUNTED_ROWS
from benchmaker.redact import Redactor
from tests.arenas.agentic.exporters.exported import document, read_back, stored, totals, written
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


KINDS = {
    "input_uncached": 700,
    "cache_read": 9_000,
    "cache_write_5m": 0,
    "cache_write_1h": 300,
    "output": 50,
    "reasoning": 20,
}
SUBSETS = [kinds for size in range(1, 7) for kinds in combinations(KINDS, size)]


def rows_with_kinds(folder):
    """A table with a row for each choice of kinds, none with a total of its own."""
    rows = [
        {"id": f"r{n}", "task_id": "t", "tool": "a", "model": "m", "tool_calls": 3, "success": True}
        | {f"usage.{name}": KINDS[name] for name in names}
        for n, names in enumerate(SUBSETS)
    ]
    return logs.written(folder / "rows.jsonl", rows)


def tokens(submission):
    return submission.usage, submission.total_tokens


@pytest.mark.parametrize("form", FORMS)
def test_kinds_without_a_total_are_exported_as_such(tmp_path, form):
    with stored(tmp_path / "home", rows_with_kinds(tmp_path)) as (submissions, store):
        partial = [
            it for it in submissions if it.total_tokens is None and it.usage.total is not None
        ]
        assert len(partial) == len(SUBSETS) - 5  # two have all kinds, three no token at all
        for submission in partial:
            assert tokens(read_back(tmp_path, store, form, submission)) == tokens(submission)


@pytest.mark.parametrize("form", ["atif", "otel"])
def test_no_sum_of_some_kinds_is_exported(tmp_path, form):
    inputs = {"input_uncached", "cache_read", "cache_write_5m", "cache_write_1h"}
    with stored(tmp_path / "home", rows_with_kinds(tmp_path)) as (submissions, store):
        for names, submission in zip(SUBSETS, submissions, strict=True):
            if submission.total_tokens is not None or submission.usage.total is None:
                continue
            stated = stated_totals(document(store, form, submission))
            if inputs <= set(names):
                assert stated.pop("input") == 10_000
            assert stated == ({"output": 50} if "output" in names else {})


def stated_totals(document):
    """The sums that any reader of the format takes from a document."""
    if "final_metrics" in document:
        found = document["final_metrics"]
        names = {"input": "total_prompt_tokens", "output": "total_completion_tokens"}
    else:
        (span,) = document["resourceSpans"][0]["scopeSpans"][0]["spans"]
        found = {it["key"]: int(it["value"].get("intValue", 0)) for it in span["attributes"]}
        names = {name: f"gen_ai.usage.{name}_tokens" for name in ("input", "output")}
    return {name: found[field] for name, field in names.items() if field in found}


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
