from datetime import UTC, datetime

import msgspec
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.record.submissions import metric_joining
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import (
    collect_columns,
    concatenate,
    digest,
    sort_by_id,
)
from benchmaker.record.submissions.metric_tables import columns_of
from benchmaker.record.submissions.metrics import FREE
from tests.analysis.submissions import SEEDS, random_rows, shuffled
from tests.draws import draws


def plain(rows):
    """The rows by name, without flags, which no column holds."""
    kept = [msgspec.structs.replace(row, flags=()) for row in rows]
    return kept, [
        {name: value for name, value in msgspec.to_builtins(row).items() if name != "flags"}
        for row in kept
    ]


@settings(max_examples=draws(15, 25), deadline=None)
@given(SEEDS, st.integers(1, 60), st.integers(1, 60))
def test_parts_joined_are_the_whole(seed, count, cut):
    rows = random_rows(seed, count)
    parts = [MetricColumns.of(rows[:cut]), MetricColumns.of(rows[cut:])]

    whole = concatenate(parts)

    assert list(whole.rows()) == list(MetricColumns.of(rows).rows())
    assert digest(whole) == digest(MetricColumns.of(rows))


@settings(max_examples=draws(15, 25), deadline=None)
@given(SEEDS, st.integers(0, 60))
def test_any_order_gathers_to_the_same_columns(seed, count):
    rows = random_rows(seed, count)

    assert digest(collect_columns(shuffled(rows, seed))) == digest(collect_columns(rows))
    assert [row.submission_id for row in collect_columns(rows).rows()] == sorted(
        row.submission_id for row in rows
    )


def test_more_rows_than_are_taken_at_once_are_all_there(monkeypatch):
    monkeypatch.setattr(metric_joining, "_AT_ONCE", 7)
    rows = random_rows(3, 50)

    assert digest(collect_columns(rows)) == digest(sort_by_id(MetricColumns.of(rows)))


def test_another_figure_is_another_digest():
    rows = random_rows(3, 20)
    other = [msgspec.structs.replace(rows[0], seconds=12345.0), *rows[1:]]

    assert digest(collect_columns(rows)) != digest(collect_columns(other))


@pytest.mark.parametrize(
    "table",
    [
        lambda rows: rows,
        lambda rows: pl.DataFrame(rows, infer_schema_length=None),
        pd.DataFrame,
        lambda rows: pl.DataFrame(rows, infer_schema_length=None).to_dict(as_series=False),
    ],
    ids=["rows", "polars", "pandas", "columns"],
)
def test_every_kind_of_table_gives_the_same_columns(table):
    kept, named = plain(random_rows(5, 80))

    assert digest(columns_of(table(named))) == digest(collect_columns(map(measured, kept)))


def measured(row):
    """The row without zeros that nothing was measured by."""
    names = ("total_tokens", "fresh_tokens", "cost_weighted", "iterations", "seconds", "cost")
    zeros = [name for name in names if getattr(row, name) == 0]
    return msgspec.structs.replace(row, **dict.fromkeys(zeros))


def test_zeros_that_were_not_measured_are_missing_but_those_of_free_models():
    row = {"task": "t", "system": "s", "iterations": 0, "seconds": 0, "total_tokens": 0, "cost": 0}
    (found, free) = columns_of([row, row | {"flags": (FREE,)}]).rows()
    assert (found.iterations, found.seconds, found.total_tokens, found.cost) == (None,) * 4
    assert (free.iterations, free.cost) == (None, 0)
    assert not columns_of([row]).is_faulty.any()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("total_tokens", "12k", "row 2 is invalid: total_tokens: '12k' is not a number"),
        ("success", "maybe", "row 2 is invalid: success: 'maybe' is not true or false"),
    ],
)
def test_a_value_that_does_not_fit_is_named_with_its_row(name, value, why):
    row = {"task": "t", "system": "s"}
    with pytest.raises(SpecError, match=why):
        columns_of([row, row | {name: value}])


def test_columns_come_back_as_they_are():
    columns = collect_columns(random_rows(1, 5))
    assert columns_of(columns) is columns


def test_rows_without_ids_are_numbered_and_times_are_read():
    made = columns_of(
        {
            "task": ["t", "t"],
            "system": ["a", "b"],
            "finished_at": ["2026-01-01T00:00:00Z", datetime(2026, 1, 2, tzinfo=UTC)],
            "cost": [1, None],
        }
    )

    assert list(made.ids) == ["0", "1"]
    assert [row.finished_us for row in made.rows()] == [1767225600000000, 1767312000000000]
    assert [row.cost for row in made.rows()] == [1.0, None]


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"task": ["t"]}, "'system' is missing"),
        ({"task": ["t"], "system": ["a"], "token": [1]}, "unknown figure 'token'"),
        ({"task": ["t"], "system": ["a"], "costs": [1]}, "Did you mean 'cost'"),
        (
            {"task": ["t"], "system": ["a"], "cost": [1], "estimated_cost": [2]},
            "'cost' and 'estimated_cost' are the same figure",
        ),
        ({"task": ["t"], "system": ["a", "b"]}, "different lengths"),
        ({"task": ["t"], "system": ["a"], "outcome": ["odd"]}, "row 1 is invalid"),
        (["a"], "row 1 must be a row of figures, not str"),
    ],
)
def test_what_does_not_fit_is_refused(table, said):
    with pytest.raises(SpecError, match=said):
        columns_of(table)
