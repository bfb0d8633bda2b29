"""The tokens of table rows: the row's own total, the kinds beside it, and rows that name a part."""

import csv
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmaker.arenas.agentic.evaluation.metrics import metrics_of
from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.record.submissions.submission import Provenance, TokenUsage
from benchmaker.record.unread import missing_reasons
from tests.arenas.agentic.handed import a_submission, write_submissions
from tests.draws import draws

KINDS = ("input_uncached", "cache_read", "cache_write_5m", "cache_write_1h", "output")
FRESH = tuple(kind for kind in KINDS if kind != "cache_read")
ROW = {"id": "a", "task_id": "t", "tool": "x", "tool_calls": 5, "success": True}
SPLIT = {"usage.input_uncached": 20_000, "usage.output": 500}


def take(path):
    return import_logs(path, dry_run=True, home="/nonexistent")


def written(folder, rows, form):
    path = Path(folder) / f"rows.{form}"
    if form == "csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            lines = csv.DictWriter(
                stream, list(dict.fromkeys(name for row in rows for name in row))
            )
            lines.writeheader()
            lines.writerows(rows)
    elif form == "json":
        path.write_text(json.dumps(rows) + "\n")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def imported(row, form="csv"):
    with TemporaryDirectory() as folder:
        return take(written(folder, [ROW | row], form))


def only(row, form="csv"):
    (it,) = imported(row, form).submissions
    return it


def test_a_row_keeps_its_own_total_and_the_remainder_is_of_no_known_kind():
    it = only(SPLIT | {"total_tokens": 30_000})
    assert (it.total_tokens, it.usage.total) == (30_000, 30_000)
    assert (it.usage.input_uncached, it.usage.output, it.usage.other) == (20_000, 500, 9_500)
    assert it.provenance["total_tokens"] is Provenance.SELF_REPORTED
    metrics = metrics_of(it)
    assert (metrics.total_tokens, metrics.fresh_tokens) == (30_000, 30_000)


def test_cached_tokens_that_a_row_names_are_not_fresh():
    it = only(SPLIT | {"total_tokens": 30_000, "usage.cache_read": 9_000})
    assert (it.usage.other, metrics_of(it).fresh_tokens) == (500, 21_000)


def test_a_total_counts_beside_output_alone_whose_fresh_tokens_are_unknown():
    it = only({"total_tokens": 30_000, "usage.output": 500})
    metrics = metrics_of(it)
    assert (it.total_tokens, metrics.total_tokens, metrics.fresh_tokens) == (30_000, 30_000, None)
    assert "only output" not in metrics.absence("tokens", tokens="fresh")
    assert "does not separate fresh tokens" in metrics.absence("tokens", tokens="fresh")


def test_a_total_that_equals_the_only_named_kind_counts():
    it = only({"total_tokens": 500, "usage.output": 500})
    metrics = metrics_of(it)
    assert (it.total_tokens, metrics.total_tokens, metrics.fresh_tokens) == (500, 500, None)


@pytest.mark.parametrize(
    ("form", "place"), [("csv", "total_tokens"), ("json", "row 1, total_tokens")]
)
def test_kinds_that_exceed_the_total_refuse_the_row(form, place):
    made = imported(SPLIT | {"total_tokens": 20_000, "usage.reasoning": 400}, form)
    assert (made.submissions, made.refused_rows) == ((), 1)
    (skipped,) = made.skipped_lines
    assert skipped.line == (2 if form == "csv" else 1)
    assert skipped.reason == (
        f"the row is refused: {place}: 20000 is less than usage.input_uncached + usage.output, "
        "20500; correct the figures, or omit the wrong ones"
    )


def test_a_row_without_a_total_that_lacks_kinds_has_none_and_the_import_says_so():
    made = imported(SPLIT | {"model": "gpt-5"})
    (it,) = made.submissions
    assert (it.total_tokens, it.usage.output, it.cost.computed_usd) == (None, 500, None)
    assert missing_reasons(it) == {"total_tokens": "not every kind of tokens is reported"}
    (note,) = made.notes
    assert note.reason == (
        "total of tokens unknown: 1 row without total_tokens and without all kinds; add "
        "total_tokens, or usage.cache_read, usage.cache_write_5m, usage.cache_write_1h"
    )


def test_a_row_with_tokens_of_one_kind_alone_is_not_empty():
    with TemporaryDirectory() as folder:
        row = {"id": "a", "tool": "x", "task_id": "t", "usage.output": 5}
        (it,) = take(written(folder, [row], "json")).submissions
    assert (it.total_tokens, it.usage.output) == (None, 5)


@pytest.mark.parametrize("form", ["csv", "json", "jsonl"])
def test_unknown_kinds_get_a_note_with_the_nearest_name(form):
    more = {"usage.uncached_input": 1, "usage.foo": 2, "usage.total": 3, "usage_ouput": 4}
    made = imported({"total_tokens": 30_000} | more, form)
    (note,) = made.notes
    assert note.reason == (
        "ignored, since they are no kinds of tokens: usage.uncached_input (did you mean "
        "'usage.input_uncached'?), usage.foo, usage.total (did you mean 'total_tokens'?), "
        "usage_ouput (did you mean 'usage.output'?); kinds: usage.input_uncached, "
        "usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output, "
        "usage.reasoning, usage.other"
    )
    assert made.submissions[0].total_tokens == 30_000


def test_nested_kinds_may_be_spelled_like_columns():
    nested = only({"total_tokens": 9, "usage": {"Input Uncached": 5, "OUTPUT": 4}}, "json")
    assert (nested.usage.input_uncached, nested.usage.output) == (5, 4)


def own_form(**figures):
    made = a_submission(1, **figures)
    with TemporaryDirectory() as folder:
        return take(write_submissions(Path(folder) / "own.jsonl", [made]))


def test_a_submission_with_a_total_above_its_kinds_has_the_remainder_in_its_fresh_tokens():
    usage = TokenUsage(input_uncached=20_000, cache_read=9_000, output=500)
    (it,) = own_form(usage=usage, total_tokens=30_000).submissions
    assert (it.total_tokens, metrics_of(it).fresh_tokens) == (30_000, 21_000)
    (it,) = own_form(usage=TokenUsage(output=500), total_tokens=30_000).submissions
    metrics = metrics_of(it)
    assert (metrics.total_tokens, metrics.fresh_tokens) == (30_000, None)


def test_a_submission_whose_kinds_exceed_its_total_is_refused():
    made = own_form(usage=TokenUsage(input_uncached=20_000, output=500), total_tokens=20_000)
    (skipped,) = made.skipped_lines
    assert (made.submissions, skipped.line) == ((), 1)
    assert skipped.reason == "total_tokens: 20000 is less than the sum of usage, 20500"


COUNTS = st.integers(0, 50_000)


@st.composite
def truths_and_rows(draw):
    """All tokens of a session, and a row that names some of them, with or without the total."""
    truth = {kind: draw(COUNTS) for kind in KINDS}
    truth["output"] += 1
    truth["input_uncached"] += 1
    named = draw(st.sets(st.sampled_from(KINDS)))
    row = {f"usage.{kind}": truth[kind] for kind in KINDS if kind in named}
    total = {"total_tokens": sum(truth.values())} if draw(st.booleans()) else {}
    return truth, named, row | total


@settings(max_examples=draws(5, 60), deadline=None)
@given(
    drawn=st.lists(truths_and_rows(), min_size=8, max_size=16),
    form=st.sampled_from(["csv", "json", "jsonl"]),
)
def test_no_choice_of_kinds_lowers_the_tokens_of_a_row(drawn, form):
    rows = [ROW | {"id": f"r{number}"} | row for number, (_, _, row) in enumerate(drawn)]
    with TemporaryDirectory() as folder:
        made = take(written(folder, rows, form))
    found = {it.row_id: it for it in made.submissions}
    for number, (truth, named, row) in enumerate(drawn):
        check_tokens(found[f"r{number}"], truth, named, row)


def check_tokens(it, truth, named, row):
    """The total and the fresh tokens are at least the true ones, or missing with a reason."""
    whole, fresh = sum(truth.values()), sum(truth[kind] for kind in FRESH)
    is_known = "total_tokens" in row or named == set(KINDS)
    assert it.total_tokens == (whole if is_known else None)
    if named and not is_known:
        assert (it.usage.total or 0) == sum(truth[kind] for kind in named)
        assert missing_reasons(it)["total_tokens"]
    metrics = metrics_of(it)
    assert metrics.total_tokens == it.total_tokens
    is_split = {"input_uncached", "output"} <= named
    knows_fresh = set(FRESH) <= named or (is_split and "total_tokens" in row)
    assert (metrics.fresh_tokens is not None) == knows_fresh
    if knows_fresh:
        assert metrics.fresh_tokens >= fresh
    if knows_fresh and "cache_read" in named:
        assert metrics.fresh_tokens == fresh
