"""Submissions and traces, on both databases."""

import msgspec
import pytest

from benchmaker.errors import SpecError, StoreError
from benchmaker.record.submissions.submission import Submission, System, TaskRef
from benchmaker.store.agentic.submissions import NewSubmission, PutStatus


def a_submission(id_="codex-1", **more):
    given = {"system": System(harness="Codex"), "importer": "codex", "source_sha256": "a" * 64}
    return Submission(id=id_, **(given | more))


def test_a_submission_comes_back_as_it_was(store):
    given = a_submission(tools_by_name={"sh \x00": 1}, flags=("half \ud800",), extra={"n": [1]})
    assert store.put_submission(given) is PutStatus.NEW
    assert store.submission("codex-1") == given


def test_the_same_twice_is_one(store):
    store.put_submission(a_submission(created_at="2026-01-01T00:00:00.000Z"))
    again = a_submission(created_at="2026-01-02T00:00:00.000Z")
    assert store.put_submission(again) is PutStatus.UNCHANGED
    assert [it.created_at for it in store.submissions()] == ["2026-01-01T00:00:00.000Z"]


@pytest.mark.postgresql("no other test has its statements")
def test_other_figures_make_a_revision_and_the_old_stays(store):
    store.put_submission(a_submission(importer_version="1"))
    revised = a_submission(importer_version="2", llm_calls=3)
    assert store.put_submission(revised) is PutStatus.REVISED
    assert [(it.revision, it.llm_calls) for it in store.submissions()] == [(2, 3)]
    assert store.submission("codex-1", revision=1).importer_version == "1"


def test_a_revision_brings_its_own_trace_or_takes_over_the_old(store):
    store.put_submission(a_submission(), {"events": [b"one", b"two"]})
    store.put_submission(a_submission(llm_calls=1))
    assert list(store.trace("codex-1", "events")) == [b"one", b"two"]
    store.put_submission(a_submission(llm_calls=2), {"events": iter([b"three"])})
    assert list(store.trace("codex-1", "events")) == [b"three"]
    assert list(store.trace("codex-1", "keys")) == []


def test_a_trace_that_breaks_off_leaves_nothing_behind(store):
    def broken():
        yield b"one"
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        store.put_submission(a_submission(), {"events": broken()})
    assert list(store.submissions()) == []
    assert list(store.trace("codex-1", "events")) == []


def test_several_are_kept_in_one_go_or_none_is(store):
    old = a_submission("old")
    store.put_submission(old, {"events": [b"old"]})
    given = [
        NewSubmission(a_submission("new"), {"events": [b"1", b"2"]}),
        NewSubmission(msgspec.structs.replace(old, llm_calls=1)),
        NewSubmission(a_submission("new"), {"events": [b"3"]}),
        NewSubmission(msgspec.structs.replace(old, llm_calls=2), {"events": [b"newer"]}),
    ]
    fates = [PutStatus.NEW, PutStatus.REVISED, PutStatus.UNCHANGED, PutStatus.REVISED]

    assert store.agentic.put_submissions(given) == fates
    assert {it.id: it.revision for it in store.submissions()} == {"old": 3, "new": 1}
    assert list(store.trace("new", "events")) == [b"1", b"2"]
    assert list(store.trace("old", "events")) == [b"newer"]
    with pytest.raises(ZeroDivisionError):
        store.agentic.put_submissions(
            [
                NewSubmission(a_submission("a")),
                NewSubmission(a_submission("b"), {"events": (1 / 0 for _ in "b")}),
            ],
        )
    assert len(list(store.submissions())) == 2


def test_what_a_file_claims_to_be_does_not_replace_what_was_read_from_a_log(store):
    store.put_submission(a_submission(importer="codex"))
    claimed = a_submission(importer="rows", llm_calls=7)

    assert store.agentic.put_submissions([NewSubmission(claimed, is_claimed=True)]) == [
        PutStatus.UNCHANGED
    ]
    assert store.agentic.put_submissions([NewSubmission(claimed)]) == [PutStatus.REVISED]
    own = msgspec.structs.replace(claimed, llm_calls=8)
    assert store.agentic.put_submissions([NewSubmission(own, is_claimed=True)]) == [
        PutStatus.REVISED
    ]


def test_a_trace_larger_than_a_statement_arrives(store):
    chunks = [bytes([number]) * 400_000 for number in range(6)]
    store.put_submission(a_submission(), {"events": iter(chunks), "keys": [b"k"]})

    assert list(store.trace("codex-1", "events")) == chunks
    assert list(store.trace("codex-1", "keys")) == [b"k"]


@pytest.mark.postgresql("no other test has its statements")
def test_they_are_listed_by_start_and_within_bounds(store):
    for day in (3, 1, 2):
        store.put_submission(a_submission(f"s{day}", started_at=f"2026-01-0{day}T00:00:00.000Z"))
    store.put_submission(a_submission("s0"))
    assert [it.id for it in store.submissions()] == ["s1", "s2", "s3", "s0"]
    within = store.submissions(since="2026-01-02", until="2026-01-03")
    assert [it.id for it in within] == ["s2"]


@pytest.mark.postgresql("no other test has its statements")
def test_they_are_listed_by_task(store):
    store.put_submission(a_submission("s1", task=TaskRef(id="tidy")))
    store.put_submission(a_submission("s2"))
    assert [it.id for it in store.submissions(task_id="tidy")] == ["s1"]


def test_more_than_a_page_is_listed(store):
    for n in range(205):
        store.put_submission(a_submission(f"s{n:03}"))
    assert [it.id for it in store.submissions()] == [f"s{n:03}" for n in range(205)]


@pytest.mark.postgresql("no other test has its statements")
def test_an_id_is_found_by_its_beginning_and_the_last_one_as_latest(store):
    for name in ("codex-ab", "codex-ac", "claude-a%"):
        store.put_submission(a_submission(name))
    assert store.find_submission("cl") == "claude-a%"
    assert store.find_submission("codex-ab") == "codex-ab"
    assert store.find_submission("latest") == "claude-a%"
    with pytest.raises(SpecError, match="may be any of codex-ab, codex-ac") as alike:
        store.find_submission("codex")
    assert alike.value.hint == "Type more characters of the id."
    with pytest.raises(SpecError, match="no submission '%'") as unknown:
        store.find_submission("%")
    assert unknown.value.hint == "List them with: benchmaker usage --by session"


def test_deleting_takes_revisions_and_traces_along(store):
    store.put_submission(a_submission(), {"events": [b"one"]})
    store.put_submission(a_submission(llm_calls=1), {"events": [b"one"]})
    store.delete_submission("codex-1")
    assert list(store.submissions()) == []
    with pytest.raises(StoreError, match="no submission 'codex-1'"):
        store.submission("codex-1", revision=1)
    with pytest.raises(StoreError, match="no submission"):
        store.delete_submission("codex-1")


@pytest.mark.postgresql("no other test has its statements")
def test_a_part_of_all_is_read_with_its_origin(store):
    given = a_submission(session_id="s")
    store.put_submission(given, {"keys": [b"1", b"2"]})
    store.put_submission(msgspec.structs.replace(given, llm_calls=1))
    for n in range(205):
        store.put_submission(a_submission(f"s{n:03}"), {"keys": [b"x"], "events": [b"y"]})
    found = list(store.trace_parts("keys"))
    assert found[:2] == [(("codex-1", "s", "a" * 64), b"1"), (("codex-1", "s", "a" * 64), b"2")]
    assert len(found) == 207


def test_superseded_submissions_become_earlier_revisions(store):
    store.put_submission(a_submission("whole", llm_calls=5), {"keys": [b"whole"]})
    store.put_submission(a_submission("part", llm_calls=1), {"keys": [b"part"]})
    given = NewSubmission(a_submission("whole", llm_calls=5), superseded=("part", "unknown"))
    assert store.agentic.put_submissions([given]) == [PutStatus.UNCHANGED]
    assert [(it.id, it.revision, it.llm_calls) for it in store.submissions()] == [("whole", 2, 5)]
    assert store.submission("whole", revision=1).llm_calls == 1
    assert list(store.trace("whole", "keys")) == [b"whole"]


def test_a_new_submission_takes_over_what_it_supersedes(store):
    store.put_submission(a_submission("part", llm_calls=1), {"keys": [b"part"]})
    parts = {"keys": [b"whole"]}
    given = NewSubmission(a_submission("whole", llm_calls=5), parts, superseded=("part",))
    assert store.agentic.put_submissions([given]) == [PutStatus.REVISED]
    assert [(it.id, it.revision, it.llm_calls) for it in store.submissions()] == [("whole", 2, 5)]
    assert [chunk for _, chunk in store.trace_parts("keys")] == [b"whole"]
