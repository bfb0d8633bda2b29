"""From a path to submissions in the store."""

import json
import random
import shutil

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.logs.events import LlmCall
from benchmaker.arenas.agentic.sessions import stored_events
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.errors import SpecError, TranscriptError
from benchmaker.record.submissions.submission import SCHEMA, EvidenceLevel, Provenance
from benchmaker.store import Store
from tests.arenas.agentic.made import Plain, write

PLAIN = "tests.arenas.agentic.made:Plain"
UUID = "6f1c1a52-9f35-4a0e-8d3c-0a1b2c3d4e5f"
NOW = 1_770_000_000.0


def take(path, home=None, **given):
    given = {"importer": PLAIN, "clock": lambda: NOW, "dry_run": home is None} | given
    return import_logs(path, home=home or "/nonexistent", **given)


def total(imported):
    return sum(it.total_tokens or 0 for it in imported.submissions)


def an_id(n):
    return f"msg_{n:020}"


def test_a_log_becomes_a_submission_with_its_source(tmp_path):
    path = write(tmp_path / "plain.jsonl", {"id": an_id(1), "output": 5}, {"prompt": True})
    (it,) = take(path).submissions
    assert (it.total_tokens, it.iterations, it.completeness) == (5, 1, "complete")
    assert it.sources[0].path == str(path)
    assert it.source_sha256 == it.sources[0].sha256
    assert it.created_at == "2026-02-02T02:40:00.000Z"
    assert it.id.startswith("plain-")


def test_bad_lines_are_counted_named_and_make_it_partial(tmp_path):
    path = write(tmp_path / "plain.jsonl", {"id": an_id(1), "output": 5}, {"output": -3}, "text")
    imported = take(path)
    (it,) = imported.submissions
    assert (it.completeness, it.flags) == ("partial", ("figures_refused",))
    assert it.sources[0].skipped_lines == imported.skipped == 2
    assert [(one.line, one.reason) for one in imported.skipped_lines] == [
        (
            2,
            "output: '-3' is negative; correct the figure, or omit it if unknown",
        ),
        (3, "another shape than expected: Expected `object`, got `str`"),
    ]


def test_many_bad_lines_are_listed_in_part_and_counted_in_full(tmp_path):
    path = write(tmp_path / "plain.jsonl", {"output": 1}, *["x"] * 300)
    imported = take(path)
    assert (imported.skipped, len(imported.skipped_lines)) == (300, 100)


def test_a_reader_that_fails_stops_neither_the_others_nor_what_it_read(tmp_path):
    write(tmp_path / "plain-1.jsonl", {"output": 5}, {"fail": True}, {"output": 7})
    write(tmp_path / "plain-2.jsonl", {"output": 11})
    imported = take(tmp_path)
    first, second = imported.submissions
    assert (first.total_tokens, second.total_tokens) == (5, 11)
    assert (first.flags, first.completeness) == (("reading_failed",), "partial")
    assert "plain stopped reading here: ValueError: broken reader" in str(imported.skipped_lines)


def test_the_same_file_twice_is_one_submission(tmp_path):
    path = write(tmp_path / "a" / "plain.jsonl", {"output": 5})
    shutil.copy(path, tmp_path / "plain-copy.jsonl")
    imported = take(tmp_path)
    assert len(imported.submissions) == len(imported.repeats) == 1


def test_the_same_file_later_is_unchanged(tmp_path):
    path, home = write(tmp_path / "plain.jsonl", {"output": 5}), tmp_path / "home"
    assert take(path, home).counts == {"new": 1}
    assert take(path, home, clock=lambda: NOW + 99).counts == {"unchanged": 1}
    with Store.open(home / "benchmaker.db") as store:
        assert [it.revision for it in store.submissions()] == [1]


def test_a_newer_importer_makes_a_revision(tmp_path, monkeypatch):
    path, home = write(tmp_path / "plain.jsonl", {"output": 5}), tmp_path / "home"
    take(path, home)
    monkeypatch.setattr(Plain, "version", "2")
    assert take(path, home).counts == {"revised": 1}
    with Store.open(home / "benchmaker.db") as store:
        assert [(it.revision, it.importer_version) for it in store.submissions()] == [(2, "2")]


def test_a_session_that_grew_is_a_revision_of_the_same(tmp_path):
    path, home = tmp_path / "plain.jsonl", tmp_path / "home"
    rows = [{"session": UUID}, {"id": an_id(1), "output": 5}]
    take(write(path, *rows), home)
    again = take(write(path, *rows, {"id": an_id(2), "output": 7}), home)
    assert (again.counts, total(again)) == ({"revised": 1}, 12)


def test_a_copied_history_counts_once_in_a_folder(tmp_path):
    history = [{"id": an_id(n), "output": 10} for n in range(3)]
    write(tmp_path / "plain-1.jsonl", *history)
    write(tmp_path / "plain-2.jsonl", *history, {"id": an_id(9), "output": 1})
    write(tmp_path / "plain-3.jsonl", *history[:2])
    imported = take(tmp_path)
    assert [it.total_tokens for it in imported.submissions] == [30, 1]
    assert [it.name for it in imported.copies] == ["plain-3.jsonl"]


def test_a_copied_history_counts_once_over_several_imports(tmp_path):
    home = tmp_path / "home"
    history = [{"id": an_id(n), "output": 10} for n in range(3)]
    first = write(tmp_path / "plain-1.jsonl", *history)
    second = write(tmp_path / "plain-2.jsonl", *history, {"id": an_id(9), "output": 1})
    assert total(take(first, home)) == 30
    assert total(take(second, home)) == 1
    assert take([first, second], home).counts == {"unchanged": 2}


def test_one_log_for_two_tasks_is_two_submissions(tmp_path):
    path, home = write(tmp_path / "plain.jsonl", {"id": an_id(1), "output": 5}), tmp_path / "home"
    take(path, home, task="a")
    assert total(take(path, home, task="b")) == 5
    with Store.open(home / "benchmaker.db") as store:
        assert [it.task.id for it in store.submissions()] == ["a", "b"]


def test_a_subagents_file_beside_its_parent_is_no_session_of_its_own(tmp_path):
    write(tmp_path / "plain.jsonl", {"id": an_id(1), "output": 5})
    write(tmp_path / "plain.sub" / "plain-agent.jsonl", {"id": an_id(2), "output": 7})
    (it,) = take(tmp_path).submissions
    assert (it.total_tokens, it.main.total_tokens, it.subagents) == (12, 5, 1)


def test_links_out_of_the_folder_are_not_followed(tmp_path):
    outside = write(tmp_path / "outside" / "plain-x.jsonl", {"output": 99})
    root = tmp_path / "root"
    write(root / "plain.jsonl", {"output": 5})
    (root / "plain-link.jsonl").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "within").symlink_to(root / "plain.jsonl")
    (root / "plain.sub").mkdir()
    (root / "plain.sub" / "agent").symlink_to(outside)
    imported = take(root)
    assert imported.submissions == ()
    told = sorted(f"{it.path.name}: {it.reason}" for it in imported.skipped_lines)
    assert told == [
        "agent: link out of the folder, not followed",
        "agent: outside the imported folder",
        "folder: link out of the folder, not followed",
        "plain-link.jsonl: link out of the folder, not followed",
    ]


def test_files_that_nobody_knows_are_passed_over_in_a_folder_and_refused_alone(tmp_path):
    write(tmp_path / "notes.txt", "x")
    write(tmp_path / "plain.jsonl", {"output": 5})
    write(tmp_path / ".git" / "plain.jsonl", {"output": 5})
    imported = take(tmp_path)
    assert len(imported.submissions) == 1
    assert [it.name for it in imported.unknown] == ["notes.txt"]
    with pytest.raises(TranscriptError, match="unrecognised log format"):
        take(tmp_path / "notes.txt", importer=None)
    with pytest.raises(TranscriptError, match="does not exist"):
        take(tmp_path / "absent")


def test_a_named_importer_takes_a_file_that_it_would_not_recognise(tmp_path):
    path = write(tmp_path / "renamed.txt", {"output": 5})
    assert total(take(path)) == 5


@pytest.mark.parametrize("content", ["", " \n", "\ufeff\r\n"])
def test_an_empty_file_is_said_to_be_empty(tmp_path, content):
    path = tmp_path / "empty.csv"
    path.write_text(content)
    with pytest.raises(TranscriptError, match="the file is empty"):
        import_logs(path, dry_run=True)


def test_entries_of_the_openai_evals_registry_are_converted_instead(tmp_path):
    path = tmp_path / "sums.yaml"
    path.write_text(
        "sums:\n  id: sums.dev.v0\nsums.dev.v0:\n  class: evals.elsuite.basic.match:Match\n"
    )
    with pytest.raises(TranscriptError, match="benchmaker convert FILE"):
        import_logs(path, dry_run=True)


def test_a_table_with_other_columns_is_told_which_ones_it_needs(tmp_path):
    path = tmp_path / "other.csv"
    path.write_text("ID,Task,Tokens,Success\n1,t,5,true\n")
    with pytest.raises(TranscriptError, match=r"at least two of these columns: .*task_id, tool"):
        import_logs(path, dry_run=True)


def test_an_unknown_importer_is_refused(tmp_path):
    with pytest.raises(SpecError, match="unknown importer 'claude_cod'"):
        take(tmp_path, importer="claude_cod")


def test_logs_in_which_nothing_was_done_are_left_out(tmp_path):
    write(tmp_path / "plain.jsonl", {"session": UUID})
    imported = take(tmp_path)
    assert (imported.submissions, len(imported.empty)) == ((), 1)


def test_nothing_is_stored_on_a_dry_run(tmp_path):
    path = write(tmp_path / "plain.jsonl", {"output": 5})
    assert take(path, tmp_path / "home", dry_run=True).kept == {}
    assert not (tmp_path / "home").exists()


def test_the_trace_is_kept_and_content_is_dropped_on_demand(tmp_path):
    path = write(tmp_path / "plain.jsonl", {"prompt": True}, {"output": 5, "model": "gpt-5"})
    for drop, text in ((False, "a prompt"), (True, None)):
        home = tmp_path / f"home-{drop}"
        (it,) = take(path, home, drop_content=drop).submissions
        with Store.open(home / "benchmaker.db") as store:
            events = list(stored_events.events_of(store.trace(it.id, stored_events.EVENTS)))
            requests = list(stored_events.requests_of(store.trace(it.id, stored_events.REQUESTS)))
        assert [event.text for event in events if hasattr(event, "text")] == [text, None]
        assert [one.usage.output for one in requests] == [5]
        assert isinstance(events[-1], LlmCall)


def test_a_submission_travels_through_a_file(tmp_path):
    log, home = write(tmp_path / "plain.jsonl", {"output": 5, "model": "gpt-5"}), tmp_path / "home"
    (given,) = take(log, home).submissions
    file = tmp_path / "given.json"
    file.write_bytes(msgspec.json.encode({"submissions": [given], "skipped_lines": []}))
    (read,) = take(file, importer=None).submissions
    assert (read.id, read.usage, read.cost, read.system) == (
        given.id,
        given.usage,
        given.cost,
        given.system,
    )
    assert read.evidence_level is EvidenceLevel.SELF_REPORTED
    assert set(read.provenance.values()) == {Provenance.SELF_REPORTED}
    assert take(file, home, importer=None).counts == {"unchanged": 1}
    with Store.open(home / "benchmaker.db") as store:
        assert store.submission(given.id).evidence_level is EvidenceLevel.IMPORTED
    assert take(file, tmp_path / "other", importer=None).counts == {"new": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"total_tokens": -1},
        {"usage": {"output": 10**15}},
        {"id": "../../etc"},
        {"system": "x"},
        {"usage_by_model": [{"model": "m", "usage": {"output": -1}, "llm_calls": 1}]},
    ],
)
def test_a_submission_that_cannot_be_true_is_refused(tmp_path, change):
    file = tmp_path / "given.json"
    row = {"schema_version": SCHEMA, "id": "codex-" + "0" * 20, "system": {"harness": "x"}}
    file.write_text(json.dumps(row | change))
    imported = take(file, importer=None)
    assert imported.submissions == ()
    assert len(imported.skipped_lines) == 1


ROWS = st.lists(
    st.fixed_dictionaries({"id": st.integers(0, 9).map(an_id), "output": st.integers(0, 99)}),
    min_size=1,
    max_size=6,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(files=st.lists(ROWS, min_size=1, max_size=4), seed=st.integers(0, 99))
def test_no_order_repetition_or_cut_raises_the_total_of_a_folder(tmp_path_factory, files, seed):
    def made(name, contents):
        folder = tmp_path_factory.mktemp(name)
        for n, content in enumerate(contents):
            (folder / f"plain-{n}.jsonl").write_bytes(content)
        return total(take(folder))

    rng = random.Random(seed)  # noqa: S311  it shuffles
    texts = [b"".join(msgspec.json.encode(row) + b"\n" for row in rows) for rows in files]
    whole = made("whole", texts)
    best = {}
    for row in (row for rows in files for row in rows):
        best[row["id"]] = max(best.get(row["id"], 0), row["output"])
    assert whole == sum(best.values())
    assert made("shuffled", rng.sample(texts, len(texts))) == whole
    assert made("repeated", [*texts, texts[0]]) == whole
    assert made("cut", [texts[0][: -rng.randint(1, 20)], *texts[1:]]) <= whole
    assert made("together", [b"".join(texts)]) == whole
