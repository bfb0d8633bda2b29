"""The index that grows with Claude Code's logs."""

import json
import math
import os
import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.sessions.status_line_index import refresh
from benchmaker.errors import StoreError
from benchmaker.store.agentic.log_index import FILE, AnswerIndex
from tests.arenas.agentic.importers.claude_rows import progress
from tests.arenas.agentic.spans import MODEL, answer_row, at, write_rows, write_session

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
NOON = at("2026-03-01T12:00")


def user(folder):
    return {"HOME": str(folder)}


def totals(folder, home):
    """Tokens by kind, answers and dollars by the index, brought up to the logs."""
    with closing(AnswerIndex(home)) as index:
        refresh(index, user(folder), home)
        answers = index.answers_since(0)
    kinds = [
        sum(n or 0 for n in kind) for kind in zip(*(one.kinds for one in answers), strict=True)
    ]
    return kinds or [0] * 5, len(answers), math.fsum(one.usd or 0 for one in answers)


def full(folder, home):
    """The same by the importer."""
    found = import_logs(folder / ".claude" / "projects", home=home, dry_run=True).submissions
    names = ("input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output")
    kinds = [sum(getattr(it.usage, name) or 0 for it in found) for name in names]
    return (
        kinds,
        sum(it.llm_calls or 0 for it in found),
        math.fsum(it.cost.usd or 0 for it in found),
    )


def same(one, other):
    return one[:2] == other[:2] and math.isclose(one[2], other[2], rel_tol=1e-9, abs_tol=1e-12)


ROWS = st.fixed_dictionaries(
    {
        "number": st.integers(0, 6),
        "output": st.integers(0, 5_000),
        "session": st.sampled_from([ONE, TWO]),
        "hours": st.integers(0, 80),
        "is_wrapped": st.booleans(),
        "sent": st.sampled_from([10, 250_000]),
    }
)


def a_row(of):
    """An answer, some also in the other session's log, some wrapped into a row of progress."""
    row = answer_row(ONE, of["number"], NOON + of["hours"] * 3600, output=of["output"])
    row["sessionId"] = of["session"]
    row["message"]["usage"]["input_tokens"] = of["sent"]
    row["message"]["usage"]["cache_creation"] = {"ephemeral_1h_input_tokens": 100}
    return progress("a1", row) if of["is_wrapped"] else row


@settings(max_examples=30)
@given(st.lists(ROWS, min_size=1, max_size=12), st.data())
def test_what_is_appended_at_any_point_counts_as_the_whole_does(tmp_path_factory, rows, data):
    folder = tmp_path_factory.mktemp("user")
    home = tmp_path_factory.mktemp("home")
    projects = folder / ".claude" / "projects" / "-work"
    projects.mkdir(parents=True)
    text = {ONE: b"", TWO: b""}
    for row in rows:
        text[row["session"]] += json.dumps(a_row(row)).encode() + b"\n"
    for session, whole in text.items():
        path = projects / f"{session}.jsonl"
        cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
        for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
            with path.open("ab") as stream:
                stream.write(whole[start:end])
            totals(folder, home)
    assert same(totals(folder, home), full(folder, home))


def test_only_new_bytes_are_read(tmp_path):
    log = write_session(tmp_path / ".claude" / "projects", ONE, [NOON] * 50)
    before = totals(tmp_path, tmp_path / "home")
    with log.open("r+b") as stream:  # what was read before is not looked at again
        stream.write(b"x" * 100)
    write_rows(log, [answer_row(ONE, 99, NOON + 1)])
    after = totals(tmp_path, tmp_path / "home")
    assert (before[1], after[1]) == (50, 51)


@pytest.mark.parametrize("change", ["cut", "replaced", "rewritten", "gone"])
def test_a_log_that_does_not_just_grow_is_read_again(tmp_path, change):
    home = tmp_path / "home"
    log = write_session(tmp_path / ".claude" / "projects", ONE, [NOON, NOON + 60, NOON + 120])
    write_session(tmp_path / ".claude" / "projects", TWO, [NOON])
    totals(tmp_path, home)
    lines = log.read_text().splitlines(keepends=True)
    if change == "cut":
        os.truncate(log, len(lines[0]))
    elif change == "rewritten":
        log.write_text("".join(reversed(lines)) + lines[0])
    else:
        log.unlink()
        if change == "replaced":
            log.write_text(lines[1] * 3)
    assert same(totals(tmp_path, home), full(tmp_path, home))


def test_other_prices_are_applied_to_what_was_read_before(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    write_session(tmp_path / ".claude" / "projects", ONE, [NOON])
    totals(tmp_path, home)
    (home / "prices.yaml").write_text(f"prices:\n  {MODEL}: {{input: 0, output: 500}}\n")
    assert totals(tmp_path, home)[2] == pytest.approx(0.5)


@pytest.mark.parametrize("odd", [{"name": "m"}, 7, "\ud800"])
def test_names_that_are_no_text_leave_the_answer_countable(tmp_path, odd):
    row = answer_row(ONE, 1, NOON)
    row["message"] |= {"id": odd, "model": odd}
    write_rows(tmp_path / ".claude" / "projects" / "-work" / f"{ONE}.jsonl", [row])
    with closing(AnswerIndex(tmp_path / "home")) as index:
        refresh(index, user(tmp_path), tmp_path / "home")
        (one,) = index.answers_since(0)
    assert one.model is None
    assert one.tokens > 0


def test_an_answer_without_a_known_price_has_no_cost(tmp_path):
    write_session(tmp_path / ".claude" / "projects", ONE, [NOON], model="in-house")
    with closing(AnswerIndex(tmp_path / "home")) as index:
        refresh(index, user(tmp_path), tmp_path / "home")
        (one,) = index.answers_since(0)
    assert one.usd is None
    assert one.tokens == 3_310


@pytest.mark.data
def test_the_lent_sessions_count_as_the_importer_counts_them(shared, tmp_path):
    folder = tmp_path / ".claude" / "projects" / "-work"
    folder.mkdir(parents=True)
    for path in (shared / "agent_logs" / "claude_code").glob("*.jsonl"):
        (folder / path.name).write_bytes(path.read_bytes())
    assert same(totals(tmp_path, tmp_path / "home"), full(tmp_path, tmp_path / "home"))


def test_a_broken_index_is_made_again(tmp_path):
    home = tmp_path / "home"
    write_session(tmp_path / ".claude" / "projects", ONE, [NOON])
    totals(tmp_path, home)
    (home / FILE).write_bytes(b"no database" * 1_000)
    assert same(totals(tmp_path, home), full(tmp_path, home))


def test_a_locked_index_is_not_made_again(tmp_path):
    write_session(tmp_path / ".claude" / "projects", ONE, [NOON])
    home = tmp_path / "home"
    before = totals(tmp_path, home)
    with closing(sqlite3.connect(home / FILE, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="locked"):
            AnswerIndex(home, wait_s=0)
        other.execute("ROLLBACK")
    with closing(AnswerIndex(home)) as index:
        assert index.files()
    assert same(totals(tmp_path, home), before)


def test_an_index_in_use_says_so(tmp_path):
    with (
        closing(AnswerIndex(tmp_path)) as one,
        closing(AnswerIndex(tmp_path, wait_s=0)) as other,
        one.write(),
        pytest.raises(StoreError, match="in use"),
        other.write(),
    ):
        pass
