"""The counted figures of a session."""

from typing import get_args

import pytest

from benchmaker.arenas.agentic.logs import events
from benchmaker.arenas.agentic.logs.events import (
    Compaction,
    Event,
    Interruption,
    LlmCall,
    Metric,
    Occurrence,
    Session,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.sessions.counts import counts_of
from benchmaker.arenas.agentic.sessions.deduplication import COUNTED_ALONE, SeenRecords
from benchmaker.arenas.agentic.sessions.sums import session_shares
from benchmaker.arenas.agentic.sessions.tally import Tally
from benchmaker.record.submissions.submission import COUNTED_ROWS


def counts(*said: Event) -> dict[str, int | None]:
    tally = Tally(0, SeenRecords())
    for event in said:
        tally.add(event)
    tally.end()
    return counts_of(session_shares(tally.seen, 1)[0], tally, tally.facts.totals)


@pytest.mark.parametrize("name", COUNTED_ROWS)
def test_the_event_that_is_counted_exists(name: str) -> None:
    assert getattr(events, COUNTED_ROWS[name].event) in get_args(Event)


def test_a_log_may_record_every_counted_figure() -> None:
    counted, others = get_args(Metric)
    assert get_args(counted) == tuple(COUNTED_ROWS)
    assert get_args(others) == ("file_changes",)


def test_every_figure_is_counted() -> None:
    assert counts().keys() == COUNTED_ROWS.keys()


@pytest.mark.parametrize("name", COUNTED_ALONE)
def test_an_occurrence_counts_for_its_figure_once_an_id(name: str) -> None:
    said = (Occurrence(figure=name, id=one) for one in ("a", "b", "a"))
    found = counts(*said, Occurrence(figure=name))
    assert found.pop(name) == 3
    assert set(found.values()) <= {None, 0}


def test_events_of_their_own_count_for_their_figures() -> None:
    found = counts(UserTurn(id="u"), LlmCall(id="a"), Compaction(id="c"), Interruption())
    names = ("iterations", "turns", "llm_calls", "compactions", "interruptions")
    assert [found[name] for name in names] == [1] * 5


@pytest.mark.parametrize("name", COUNTED_ROWS)
def test_what_a_log_would_show_is_zero_or_at_least_one(name: str) -> None:
    found = counts(Session(records=frozenset({name})))
    assert found[name] == (None if COUNTED_ROWS[name].is_never_zero else 0)


def test_what_a_log_states_replaces_the_count() -> None:
    found = counts(UserTurn(id="u"), Totals(iterations=4, tool_calls=2))
    assert (found["iterations"], found["tool_calls"]) == (4, 2)
    assert counts(UserTurn(id="u"), Totals(iterations=0))["iterations"] is None
