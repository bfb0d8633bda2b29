"""The text of sessions searched."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.word_filters import filter_of, may_hold, probes_of, words_of
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.arenas.agentic.sessions.stored_events import EVENTS, events_of
from benchmaker.arenas.agentic.sessions.stored_usage import usage
from benchmaker.arenas.agentic.submissions.deletion import delete_submission
from benchmaker.arenas.agentic.traces.text_search import index_texts, search
from benchmaker.errors import SpecError
from benchmaker.store.home import Home
from tests.arenas.agentic.spans import answer_row, at, write_rows

ONE = "0b1c2d3e-0000-4000-8000-000000000001"
TWO = "1b1c2d3e-0000-4000-8000-000000000002"
NOON = at("2026-03-01T12:00")
WORDS = st.sets(st.binary(min_size=1, max_size=12), max_size=60)


@given(WORDS, st.binary(min_size=1, max_size=8))
def test_a_filter_never_denies_a_word_that_is_there(words, other):
    made = filter_of(words)
    assert all(may_hold(made, [probes_of(word)]) for word in words)
    assert may_hold(b"", [probes_of(other)]) is False


def test_a_filter_seldom_confirms_a_word_that_is_not_there():
    made = filter_of({b"word%d" % n for n in range(5_000)})
    wrong = sum(may_hold(made, [probes_of(b"other%d" % n)]) for n in range(20_000))
    assert wrong < 20_000 * 0.006
    assert len(made) <= 5_000 * 12 / 8 + 1


@given(st.text(max_size=80))
def test_words_are_the_runs_of_letters_and_digits(text):
    plain = "".join(it if it.isalnum() else " " for it in text.casefold() if it.isascii())
    assert words_of(plain) == {word.encode() for word in plain.split()}
    assert words_of(f"{text} Straße 中文 x_y") >= {b"strasse", "中".encode(), b"x", b"y"}


def texts(projects, session, *said, project="/home/ada/shop"):
    """A session that says these."""
    rows = []
    for number, text in enumerate(said):
        row = answer_row(session, number, NOON + number, cwd=project)
        row["message"]["content"] = [{"type": "text", "text": text}]
        rows.append(row)
    return write_rows(projects / f"{session}.jsonl", rows)


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "home"
    import_logs(texts(tmp_path, ONE, "The cart forgets its discount.", "Fixed it now."), home=home)
    import_logs(texts(tmp_path, TWO, "No such table: discount", project="/home/ada/api"), home=home)
    return home


def excerpts(*words, **asked):
    return [it.excerpt for it in search(*words, **asked).hits]


def test_all_words_have_to_stand_in_one_text_in_any_order(home):
    assert excerpts("DISCOUNT forgets", home=home) == ["The cart forgets its discount."]
    assert excerpts("discount", home=home) == [
        "No such table: discount",
        "The cart forgets its discount.",
    ]
    assert excerpts("forgets fixed", home=home) == []
    assert excerpts("disc", home=home) == []


def test_letters_that_fold_to_others_are_found_in_either_spelling(tmp_path):
    import_logs(texts(tmp_path, ONE, "Die Straße heißt so."), home=tmp_path / "home")
    for asked in ("Straße", "STRASSE", "strasse heißt"):
        assert excerpts(asked, home=tmp_path / "home") == ["Die Straße heißt so."]


def test_a_word_too_long_for_the_filters_has_to_stand_in_the_text_too(tmp_path):
    digest = "0123456789abcdef" * 8
    import_logs(texts(tmp_path, ONE, f"sum {digest}", "sum of nothing"), home=tmp_path / "home")
    for asked in (digest, f"sum {digest}"):
        (hit,) = search(asked, home=tmp_path / "home").hits
        assert hit.line == 1


def test_words_in_quotes_stand_one_after_the_other(home):
    assert excerpts('"such table"', home=home) == ["No such table: discount"]
    assert excerpts('"table such"', home=home) == []


def test_filters_choose_sessions(home):
    assert excerpts("discount", project="api", home=home) == ["No such table: discount"]
    assert excerpts("discount", tool="codex", home=home) == []
    assert excerpts("discount", since="2026-03-03", home=home) == []
    assert len(excerpts("discount", since="2026-02-01", tool="claude-code", home=home)) == 2


@pytest.mark.parametrize("tool", ["claude_code", "Claude Code", "CLAUDE-CODE", "claude code"])
def test_a_tool_is_found_by_the_names_that_usage_takes(home, tool):
    assert len(excerpts("discount", tool=tool, home=home)) == 2
    assert usage(tool=tool, home=home).total.sessions == 2


def test_a_tool_is_found_by_its_importer_too(tmp_path):
    home = tmp_path / "home"
    document = {
        "schema_version": "ATIF-v1.6",
        "session_id": "a",
        "agent": {"name": "agent-x", "version": "1", "model_name": "m"},
        "steps": [{"step_id": 1, "source": "user", "message": "mend the discount"}],
    }
    (tmp_path / "a.json").write_text(json.dumps(document))
    import_logs(tmp_path / "a.json", home=home)
    for tool in ("atif", "ATIF", "Agent X", "agent_x"):
        assert len(excerpts("discount", tool=tool, home=home)) == 1
    assert excerpts("discount", tool="table", home=home) == []


def test_a_session_that_was_handed_in_for_several_tasks_is_found_once(tmp_path, home):
    log = texts(tmp_path, ONE, "The cart forgets its discount.", "Fixed it now.")
    for task in ("first", "second"):
        import_logs(log, task=task, home=home)
    (hit,) = search("forgets", home=home).hits
    assert hit.submission.task.id == "second"
    assert len(excerpts("discount", home=home)) == 2
    delete_submission(hit.submission.id, home=home)
    (hit,) = search("forgets", home=home).hits
    assert hit.submission.task.id == "first"


def test_a_session_whose_last_copy_has_no_texts_is_found_under_an_earlier_one(tmp_path, home):
    log = texts(tmp_path, ONE, "The cart forgets its discount.", "Fixed it now.")
    import_logs(log, task="first", drop_content=True, home=home)
    (hit,) = search("forgets", home=home).hits
    assert hit.submission.task is None


def test_sessions_of_one_id_that_is_not_unique_are_found_apart(tmp_path):
    home = tmp_path / "home"
    for number, said in enumerate(("mend the cart", "mend the shop")):
        document = {
            "schema_version": "ATIF-v1.6",
            "session_id": "run",
            "agent": {"name": "agent-x", "version": "1", "model_name": "m"},
            "steps": [{"step_id": 1, "source": "user", "message": said}],
        }
        (tmp_path / f"{number}.json").write_text(json.dumps(document))
        import_logs(tmp_path / f"{number}.json", home=home)
        import_logs(tmp_path / f"{number}.json", task="t", home=home)
    assert sorted(excerpts("mend", home=home)) == ["mend the cart", "mend the shop"]


CODEX_PRINT = [
    {"type": "thread.started", "thread_id": "0199a213-81c0-7800-8aa1-bbab2a035a53"},
    {"type": "turn.started"},
    {"type": "item.started", "item": {"id": "item_0", "type": "command_execution",
     "command": "bash -lc 'cat discount.py'", "status": "in_progress"}},
    {"type": "item.completed", "item": {"id": "item_0", "type": "command_execution",
     "command": "bash -lc 'cat discount.py'", "aggregated_output": "nothing", "exit_code": 0}},
    {"type": "item.completed", "item": {"id": "item_1", "type": "command_execution",
     "command": "bash -lc 'cat discount.py'", "aggregated_output": "nothing", "exit_code": 0}},
    {"type": "turn.completed", "usage": {"input_tokens": 10, "output_tokens": 3}},
]  # fmt: skip


def test_a_call_that_a_log_has_at_its_start_and_at_its_end_is_found_once(tmp_path):
    log = tmp_path / "print.jsonl"
    log.write_text("".join(json.dumps(it) + "\n" for it in CODEX_PRINT))
    import_logs(log, home=tmp_path / "home")
    found = search("discount", home=tmp_path / "home").hits
    assert [(it.kind, it.line) for it in found] == [
        ("call of command_execution", 3),
        ("call of command_execution", 5),
    ]
    assert len(search("nothing", home=tmp_path / "home").hits) == 2


def test_a_text_without_a_word_is_refused(home):
    with pytest.raises(SpecError, match="no word"):
        search("...", home=home)


def test_a_deleted_session_is_not_found_any_more(home):
    (hit,) = search("forgets", home=home).hits
    delete_submission(hit.submission.id, home=home)
    assert excerpts("forgets", home=home) == []


def test_a_session_that_goes_on_is_found_once_by_old_and_new_text(home, tmp_path):
    import_logs(texts(tmp_path, ONE, "It forgets again, again."), home=home)
    assert excerpts("discount forgets", home=home) == ["The cart forgets its discount."]


def test_what_was_imported_without_content_is_not_found(tmp_path):
    log = texts(tmp_path, ONE, "The cart forgets.")
    import_logs(log, home=tmp_path / "home", drop_content=True)
    assert excerpts("forgets", home=tmp_path / "home") == []
    with Home.of(tmp_path / "home").open_store() as store:
        assert list(store.trace_parts("words")) == []


@pytest.mark.postgresql("texts are removed by statements of its own")
def test_texts_stored_before_are_removed_by_an_import_without_content(tmp_path):
    home, log = tmp_path / "home", texts(tmp_path, ONE, "The cart forgets.", "It is mended.")
    import_logs(texts(tmp_path, TWO, "The cart stays."), home=home)
    (before,) = import_logs(log, home=home).submissions
    dropped = import_logs(log, home=home, drop_content=True)
    assert dropped.kept == {before.id: "revised"}
    assert excerpts("cart", home=home) == ["The cart stays."]
    with Home.of(home).open_store() as store:
        known = store.submission(before.id)
        assert list(store.trace(before.id, "words")) == []
        found = list(events_of(store.trace(before.id, EVENTS)))
        assert "cart" not in repr(found)
        index_texts(store)
    assert (known.usage, known.total_tokens) == (before.usage, before.total_tokens)
    assert excerpts("cart", home=home) == ["The cart stays."]
    assert import_logs(log, home=home, drop_content=True).counts == {"unchanged": 1}


def test_texts_without_a_word_are_removed_too(tmp_path):
    home, log = tmp_path / "home", texts(tmp_path, ONE, "…?! …!!")
    (one,) = import_logs(log, home=home).submissions
    assert import_logs(log, home=home, drop_content=True).counts == {"revised": 1}
    with Home.of(home).open_store() as store:
        assert "…?!" not in repr(list(events_of(store.trace(one.id, EVENTS))))


def test_further_fields_of_a_row_are_removed_from_its_earlier_revisions(tmp_path):
    home, table = tmp_path / "home", tmp_path / "rows.json"
    row = {"id": "1", "tool": "X", "total_tokens": 9, "notes": "a password"}
    for tokens in (9, 10):
        table.write_text(json.dumps([row | {"total_tokens": tokens}]))
        (one,) = import_logs(table, home=home).submissions
    assert import_logs(table, home=home, drop_content=True).counts == {"revised": 1}
    with Home.of(home).open_store() as store:
        stored = [store.submission(one.id, revision=number) for number in (1, 2, 3)]
    assert [it.extra for it in stored] == [{}, {}, {}]
    assert [it.total_tokens for it in stored] == [9, 10, 10]


def test_secrets_are_not_found(tmp_path):
    key = "sk-ant-api03-" + "a1B2" * 20
    import_logs(texts(tmp_path, ONE, f"The key is {key} here."), home=tmp_path / "home")
    assert excerpts("a1B2" * 16, home=tmp_path / "home") == []
    assert len(excerpts("key", home=tmp_path / "home")) == 1
    assert key not in excerpts("key", home=tmp_path / "home")[0]


def test_pages_go_on_to_the_end_and_hold_each_hit_once(tmp_path):
    home = tmp_path / "home"
    for number in range(5):
        session = f"{number}b1c2d3e-0000-4000-8000-00000000000{number}"
        import_logs(texts(tmp_path, session, f"common text {number}"), home=home)
    found, after = [], ""
    while True:
        page = search("common", limit=2, after=after, home=home)
        found += [it.excerpt for it in page.hits]
        after = page.after
        if not after:
            break
    assert found == [f"common text {number}" for number in (4, 3, 2, 1, 0)]


def test_arguments_and_outputs_are_searched_by_their_own_words(tmp_path):
    row = answer_row(ONE, 0, NOON)
    use = {"type": "tool_use", "id": "toolu_000000000000001", "name": "Bash",
           "input": {"command": "make\nlint"}}  # fmt: skip
    row["message"]["content"] = [use]
    import_logs(write_rows(tmp_path / f"{ONE}.jsonl", [row]), home=tmp_path / "home")
    (hit,) = search("lint", home=tmp_path / "home").hits
    assert hit.kind == "call of Bash"
    assert json.loads(json.dumps(hit.to_dict()))["line"] == 1


def test_sessions_stored_before_there_was_an_index_are_indexed_when_asked(home):
    with Home.of(home).open_store() as store:
        names = [it.id for it in store.submissions()]
        for name in names:
            store.agentic.put_part(name, "words", [])
        assert excerpts("discount", home=home) == []
        assert sorted(index_texts(store)) == sorted(names)
        assert index_texts(store) == []
    assert len(excerpts("discount", home=home)) == 2
