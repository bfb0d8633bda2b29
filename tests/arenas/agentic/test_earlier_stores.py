"""Logs without a unique session id in stores of earlier versions, which know no beginnings."""

import pytest
from sqlalchemy import delete

from benchmaker.arenas.agentic import import_logs
from benchmaker.store import Store
from benchmaker.store.database.tables import traces
from tests.arenas.agentic.test_growing_logs import earlier, made_path, sample
from tests.arenas.agentic.test_renamed_logs import counted
from tests.databases import direct_transaction

GROWING = ("aider", "claude_code", "copilot", "grok", "kimi", "otel")
"""The importers of logs that grow at their end, whose sessions may have no unique id."""

TOKENS = "> Tokens: 100 sent, 9 received.\n"


def forget_beginnings(home):
    """Leave the store as a version wrote it that did not store beginnings."""
    with Store.open(home / "benchmaker.db") as store, direct_transaction(store) as connection:
        connection.execute(delete(traces).where(traces.c.part == "beginnings"))


def chat(number, *answers):
    head = f"# aider chat started at 2026-01-0{number} 10:00:00\n"
    return head + "".join(f"#### {it}\n{TOKENS}" for it in answers)


def import_text(text, home, *, name="chat.md", **options):
    path = home.parent / "logs" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return import_logs(path, home=home, **options)


@pytest.mark.parametrize("name", GROWING)
def test_a_log_that_grew_since_an_earlier_version_counts_once(name, tmp_path):
    path, raw, early = made_path(name, tmp_path), sample(name), earlier(name)
    path.parent.mkdir(parents=True)
    path.write_bytes(early[len(early) // 2])
    import_logs(path, home=tmp_path / "home", keep_going=True)
    forget_beginnings(tmp_path / "home")
    path.write_bytes(raw)
    import_logs(path, home=tmp_path / "home", keep_going=True)
    import_logs(path, home=tmp_path / "alone", keep_going=True)
    assert counted(tmp_path / "home") == counted(tmp_path / "alone")


def test_a_history_of_an_earlier_version_keeps_each_of_its_chats_once(tmp_path):
    home = tmp_path / "home"
    import_text(chat(1, "a") + chat(2, "b"), home)
    forget_beginnings(home)
    import_text(chat(1, "a") + chat(2, "b", "c") + chat(3, "d"), home)
    assert counted(home)[:2] == (3, 4 * 109)


def test_another_log_than_that_of_the_earlier_version_is_another_session(tmp_path):
    home = tmp_path / "home"
    import_text(chat(1, "a"), home)
    forget_beginnings(home)
    import_text(chat(1, "b", "a"), home)
    assert counted(home)[0] == 2


def test_a_task_of_its_own_keeps_the_submission_of_an_earlier_version(tmp_path):
    home = tmp_path / "home"
    import_text(chat(1, "a"), home, task="one")
    forget_beginnings(home)
    import_text(chat(1, "a", "b"), home, task="two")
    assert counted(home)[0] == 2
