"""What is remembered of an import."""

import tracemalloc

import pytest

from benchmaker.arenas.agentic.logs.events import LlmCall, ToolCall
from benchmaker.arenas.agentic.sessions.deduplication import SeenRecords
from benchmaker.arenas.agentic.sessions.memory_tables import Origins, Requests, Some
from benchmaker.record.submissions.submission import TokenUsage

FEW, MANY = 5_000, 45_000
MOST_BYTES = 150
"""For an answer with its call."""


def test_what_is_forgotten_is_not_there():
    table = Origins()
    table.note(3, session=0, is_main=True)
    table.note(5, session=1, is_main=False)
    table.forget({3})
    assert 3 not in table
    assert [key for key, _ in table.items()] == [5]
    assert table.get(3) is None
    with pytest.raises(KeyError):
        table[3]


def test_the_first_session_has_it_and_the_main_agent_owns_what_it_did_once():
    table = Origins()
    table.note(3, session=0, is_main=False)
    table.note(3, session=1, is_main=True)
    assert (table[3].session, table[3].is_main) == (0, True)


def test_some_rows_are_gone_through_as_often_as_wanted():
    table = Requests()
    for key, agent in ((1, ""), (3, "a"), (5, "")):
        table.note(key, LlmCall(id="m", model=str(key), agent=agent), 0)
    some = Some(table)
    some.rows.extend(table.rows())
    assert [it.model for it in some] == [it.model for it in some] == ["1", "3", "5"]
    assert [it.model for it in some.of_main()] == ["1", "5"]
    assert [it.model for it in some.filter(lambda it: it.model != "1")] == ["3", "5"]
    assert [some[-1].model, some[1].model, len(some[1:])] == ["5", "3", 2]
    assert table[3] in some
    assert table[3] not in some.of_main()


def test_an_answer_without_usage_is_none_with_an_empty_one():
    table = Requests()
    table.note(1, LlmCall(id="a"), 0)
    table.note(3, LlmCall(id="b", usage=TokenUsage()), 0)
    assert (table[1].usage, table[3].usage) == (None, TokenUsage())
    table.note(1, LlmCall(id="a", usage=TokenUsage(output=1)), 0)
    assert table[1].usage == TokenUsage(output=1)


def test_a_million_answers_would_fit():
    seen = SeenRecords()
    take(seen, 0, FEW)
    tracemalloc.start()
    take(seen, FEW, MANY)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held / (MANY - FEW) < MOST_BYTES


def take(seen, first, last):
    for n in range(first, last):
        usage = TokenUsage(
            input_uncached=3, cache_read=40_000 + n, cache_write_1h=1_200, output=n % 900
        )
        answer = LlmCall(id=f"msg_{n:020}", at=1e9 + n, usage=usage, model="opus")
        call = ToolCall(id=f"toolu_{n:020}", name="Bash", digest=f"{n:016x}")
        seen.requests.note(seen.key("request", answer.id, 0), answer, 0)
        seen.calls.note(seen.key("call", call.id, 0), call, 0)
