"""Logs taken in from where the tools keep them."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic import import_logs
from benchmaker.arenas.agentic.logs.tool_places import PLACES, log_folders
from benchmaker.arenas.agentic.sessions.collection import collect
from benchmaker.arenas.agentic.sessions.stored_usage import usage
from benchmaker.arenas.agentic.submissions.deletion import delete_submission
from tests.arenas.agentic.importers.test_opencode import SESSION, TALK, stored
from tests.arenas.agentic.spans import answer_row, at, write_rows, write_session

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
NOON = at("2026-03-01T12:00")


@pytest.fixture
def user(tmp_path):
    """The variables of a user without any of the tools' own."""
    return {"HOME": str(tmp_path / "user")}


@pytest.fixture
def projects(tmp_path):
    return tmp_path / "user" / ".claude" / "projects"


def taken(user, tmp_path):
    return collect(user, home=tmp_path / "data").counts


@pytest.mark.sqlite("the store is looked for as a file")
def test_what_is_new_or_has_grown_is_taken_in_and_nothing_twice(user, projects, tmp_path):
    log = write_session(projects, ONE, [NOON])
    assert taken(user, tmp_path) == {"new": 1}
    assert taken(user, tmp_path) == {}
    write_rows(log, [answer_row(ONE, 9, NOON + 60)])
    write_session(projects, TWO, [NOON])
    assert taken(user, tmp_path) == {"revised": 1, "new": 1}
    assert usage(home=tmp_path / "data").total.llm_calls == 3


def test_a_subagent_that_goes_on_counts_for_its_session(user, projects, tmp_path):
    log = write_session(projects, ONE, [NOON])
    taken(user, tmp_path)
    folder = log.parent / ONE / "subagents"
    row = answer_row(ONE, 7, NOON + 60, isSidechain=True, agentId="abc")
    write_rows(folder / "agent-abc.jsonl", [row])
    assert taken(user, tmp_path) == {"revised": 1}
    assert usage(home=tmp_path / "data").total.llm_calls == 2


@pytest.mark.sqlite("the store is looked for as a file")
def test_a_session_that_was_deleted_stays_deleted_until_it_goes_on(user, projects, tmp_path):
    log = write_session(projects, ONE, [NOON])
    (one,) = collect(user, home=tmp_path / "data").submissions
    delete_submission(one.id, home=tmp_path / "data")
    assert taken(user, tmp_path) == {}
    write_rows(log, [answer_row(ONE, 9, NOON + 60)])
    assert taken(user, tmp_path) == {"new": 1}


@pytest.mark.sqlite("the store is looked for as a file")
def test_a_data_folder_without_its_store_takes_everything_in_again(user, projects, tmp_path):
    write_session(projects, ONE, [NOON])
    taken(user, tmp_path)
    for path in (tmp_path / "data").glob("benchmaker.db*"):
        path.unlink()
    assert taken(user, tmp_path) == {"new": 1}


@pytest.mark.sqlite("the store is looked for as a file")
def test_what_a_database_in_use_has_in_its_journal_is_taken_in(user, tmp_path):
    folder = tmp_path / "user" / ".local" / "share" / "opencode"
    folder.mkdir(parents=True)
    path = stored(folder / "opencode.db", TALK[:2])
    with closing(sqlite3.connect(path)) as base:
        base.execute("PRAGMA journal_mode = wal")
        assert taken(user, tmp_path) == {"new": 1}
        assert taken(user, tmp_path) == {}
        answer = base.execute("SELECT data FROM message ORDER BY id DESC").fetchone()
        part = base.execute("SELECT data FROM part WHERE data LIKE '%step-finish%'").fetchone()
        base.execute("INSERT INTO message VALUES ('msg_9', ?, 9, ?)", (SESSION, *answer))
        base.execute("INSERT INTO part VALUES ('prt_9', 'msg_9', ?, ?)", (SESSION, *part))
        base.commit()
        assert taken(user, tmp_path) == {"revised": 1}
        assert taken(user, tmp_path) == {}
    assert usage(home=tmp_path / "data").total.llm_calls == 2


def test_what_was_printed_of_a_session_stays_part_of_it(user, projects, tmp_path):
    log = write_session(projects, ONE, [NOON])
    printed = tmp_path / "claude.out"
    line = {"type": "result", "session_id": ONE, "total_cost_usd": 0.5, "subtype": "success"}
    first = {"type": "system", "subtype": "init", "session_id": ONE, "permissionMode": "default"}
    write_rows(printed, [first, line])
    import_logs(printed, home=tmp_path / "data")
    assert taken(user, tmp_path) == {"revised": 1}
    write_rows(log, [answer_row(ONE, 9, NOON + 60)])
    assert taken(user, tmp_path) == {"revised": 1}
    total = usage(home=tmp_path / "data").total
    assert (total.llm_calls, total.reported_usd) == (2, 0.5)


def test_nothing_is_stored_where_there_are_no_logs(user, tmp_path):
    assert taken(user, tmp_path) == {}
    assert not (tmp_path / "data").exists()


def test_the_tools_own_variables_say_where_logs_are(user, tmp_path):
    moved = user | {
        "CLAUDE_CONFIG_DIR": f"{tmp_path}/a,{tmp_path}/b/projects",
        "CODEX_HOME": str(tmp_path / "codex"),
        "XDG_DATA_HOME": str(tmp_path / "xdg"),
    }
    for name in (
        "a/projects",
        "b/projects",
        "codex/sessions",
        "xdg/opencode",
        "user/.codex/sessions",
    ):
        (tmp_path / name).mkdir(parents=True)
    found = {(it.tool, it.path.relative_to(tmp_path).as_posix()) for it in log_folders(moved)}
    assert found == {
        ("Claude Code", "a/projects"),
        ("Claude Code", "b/projects"),
        ("Codex", "codex/sessions"),
        ("OpenCode", "xdg/opencode"),
    }


def test_folders_named_take_the_place_of_the_usual_ones(user, projects, tmp_path):
    write_session(projects, ONE, [NOON])
    assert log_folders(user | {"BENCHMAKER_LOGS": ""}) == ()
    (one,) = log_folders(user | {"BENCHMAKER_LOGS": f"~/.claude/projects, {tmp_path}/absent"})
    assert one.path == projects


@given(st.sets(st.sampled_from([folder for it in PLACES for folder in it.defaults])))
def test_every_usual_folder_that_is_there_is_found_once(tmp_path_factory, folders):
    home = tmp_path_factory.mktemp("user")
    names = {it.replace("$DATA", ".local/share").replace("$CONFIG", ".config") for it in folders}
    for name in names:
        (home / name).mkdir(parents=True, exist_ok=True)
    found = [it.path.relative_to(home).as_posix() for it in log_folders({"HOME": str(home)})]
    assert sorted(found) == sorted(names)
