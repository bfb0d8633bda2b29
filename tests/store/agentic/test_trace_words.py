"""Pieces of traces found by the filters beside them, on both databases."""

import pytest

from benchmaker.arenas.agentic.logs.word_filters import PROBES, filter_of, may_hold, probes_of
from benchmaker.record.submissions.submission import Submission, System
from benchmaker.store.agentic.submissions import SubmissionBatches


def a_session(store, name, *pieces, harness="claude-code", began="2026-03-01T12:00:00.000Z"):
    """A session whose pieces hold these words."""
    given = Submission(id=name, system=System(harness=harness), started_at=began, finished_at=began)
    filters = [filter_of(words) for words in pieces]
    events = [b" ".join(sorted(words)) for words in pieces]
    store.put_submission(given, {"words": filters, "events": events})


def found(store, *words, **asked):
    probes = [probes_of(word) for word in words]
    made = store.trace_words.pieces_with(lambda it: may_hold(it, probes), probes, PROBES, **asked)
    return [(it.submission_id, it.number) for it in made]


@pytest.fixture
def filled(store):
    a_session(store, "one", {b"cart", b"discount"}, set(), {b"discount"})
    a_session(store, "two", {b"discount"}, harness="codex", began="2026-03-09T12:00:00.000Z")
    return store


def test_pieces_come_the_newest_first(filled):
    assert found(filled, b"discount") == [("two", 0), ("one", 2), ("one", 0)]
    assert found(filled, b"discount", b"cart") == [("one", 0)]
    assert found(filled, b"nowhere") == []


def test_pieces_are_chosen_by_session_and_place(filled):
    assert found(filled, b"discount", tools=["codex", "other"]) == [("two", 0)]
    assert found(filled, b"discount", tools=[]) == []
    assert found(filled, b"discount", since="2026-03-05T00:00:00.000Z") == [("two", 0)]
    (first, *_) = filled.trace_words.pieces_with(
        lambda _: True, [probes_of(b"discount")], PROBES, limit=1
    )
    behind = (first.submission_seq, first.number)
    assert found(filled, b"discount", before=behind) == [("one", 2), ("one", 0)]
    assert found(filled, b"discount", limit=2) == [("two", 0), ("one", 2)]


def test_a_piece_leads_to_its_events(filled):
    probes = [probes_of(b"cart")]
    (piece,) = filled.trace_words.pieces_with(lambda it: may_hold(it, probes), probes, PROBES)
    assert filled.trace_words.chunk_of(piece, "events") == b"cart discount"
    filled.delete_submission("one")
    assert filled.trace_words.chunk_of(piece, "events") is None
    assert found(filled, b"cart") == []


def test_a_newer_revision_takes_the_place_of_the_one_before(filled):
    a_session(filled, "one", {b"other"})
    filled.put_submission(
        Submission(id="one", system=System(harness="claude-code"), session_id="s"),
        {"words": [filter_of({b"other"})]},
    )
    assert found(filled, b"cart") == []
    assert found(filled, b"other") == [("one", 0)]


def test_sessions_without_filters_are_named_and_a_part_can_be_put(filled):
    filled.agentic.put_part("one", "words", [])
    assert filled.trace_words.without_words("events") == ["one"]
    filled.agentic.put_part("one", "words", [filter_of({b"cart"})])
    assert filled.trace_words.without_words("events") == []
    filled.agentic.put_part("absent", "words", [b"x"])
    assert found(filled, b"cart") == [("one", 0)]


def test_one_part_of_several_submissions_is_read_at_once(filled):
    assert SubmissionBatches(filled.database).traces(["one", "two", "absent"], "events") == {
        "one": [b"cart discount", b"", b"discount"],
        "two": [b"discount"],
    }
