from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import collect_columns, concatenate, digest
from benchmaker.record.submissions.metric_joining import sort_by_id as sorted_by_id
from benchmaker.store import Store
from benchmaker.store.agentic import metric_chunks
from benchmaker.store.database import chunk_numbers
from benchmaker.store.database.agentic_tables import metric_chunks as table
from tests.analysis.submissions import SEEDS, a_row, random_rows
from tests.draws import draws


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Seven rows to a chunk."""
    monkeypatch.setattr(chunk_numbers, "ROWS", 7)
    monkeypatch.setattr(metric_chunks, "ROWS", 7)


def put(store, rows, mark=""):
    store.agentic.put_metrics((row, f"{mark}{row.submission_id}") for row in rows)


def read(store) -> MetricColumns:
    return sorted_by_id(concatenate([MetricColumns.of(()), *store.agentic.metric_columns()]))


def kept(store) -> list[int]:
    with store.database.read() as connection:
        return sorted(connection.scalars(table.select().with_only_columns(table.c.number)))


@settings(
    max_examples=draws(3, 6),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(SEEDS)
def test_columns_are_those_of_the_rows(lasting_store, seed):
    put(lasting_store, random_rows(seed, 40), mark=str(seed))

    for _ in range(2):  # made, then as they were kept
        assert digest(read(lasting_store)) == digest(
            collect_columns(lasting_store.agentic.metrics())
        )


def test_no_rows_are_no_columns(store):
    assert list(store.agentic.metric_columns()) == []


def test_a_change_drops_the_chunk_of_its_row_and_no_other(store):
    rows = [a_row(n) for n in range(20)]
    put(store, rows)
    read(store)
    assert kept(store) == [0, 1, 2]

    put(store, [a_row(9, cost=5.0)], mark="again")

    assert kept(store) == [0, 2]
    assert max(read(store).cost.tolist()) == 5.0
    assert kept(store) == [0, 1, 2]


@pytest.mark.postgresql("no other test has its statements")
def test_what_did_not_change_drops_nothing(store):
    put(store, [a_row(n) for n in range(20)])
    read(store)
    put(store, [a_row(3)])
    assert kept(store) == [0, 1, 2]


def test_any_text_comes_back(store):
    odd = "é \x00 \ud800 \x1a"
    put(store, [a_row(1, system=odd, tool=odd, flags=(odd,), finished_us=None)])
    for _ in range(2):
        columns = read(store)
        assert (columns.systems, columns.tools, dict(columns.flags)) == (
            (odd,),
            (odd,),
            {0: (odd,)},
        )


def test_a_chunk_of_another_version_is_made_again(store, monkeypatch):
    put(store, [a_row(n) for n in range(5)])
    monkeypatch.setattr(metric_chunks, "_FORMAT", 99)
    read(store)
    monkeypatch.undo()
    assert digest(read(store)) == digest(collect_columns(store.agentic.metrics()))


def test_a_store_that_is_only_read_makes_columns_and_keeps_none(path):
    with Store.open(path) as store:
        put(store, [a_row(n) for n in range(9)])
    with Store.open(path, read_only=True) as store:
        assert len(read(store)) == 9
        assert kept(store) == []


def test_numbers_come_back_in_their_kinds(store):
    put(store, [a_row(n) for n in range(3)])
    read(store)
    (again,), usual = store.agentic.metric_columns(), MetricColumns.of([a_row(1)])
    for part in fields(MetricColumns):
        value = getattr(usual, part.name)
        if isinstance(value, np.ndarray):
            assert getattr(again, part.name).dtype == value.dtype
