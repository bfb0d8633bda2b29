"""Lines of lm-eval that are read together give the rows that each of them gives alone."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.json import encode
from msgspec.structs import replace

from benchmaker.arenas.standard.importers.lm_eval import lm_eval_row
from benchmaker.arenas.standard.importers.lm_eval_blocks import block_of
from benchmaker.arenas.standard.importers.reading import Tally
from benchmaker.arenas.standard.importers.row_blocks import PartedRows, rename_models
from benchmaker.arenas.standard.importers.spool import Spool
from tests.arenas.standard.importers.files import imported, lm_eval_line, write_lines

pytestmark = pytest.mark.long

TEXTS = st.text(max_size=4) | st.sampled_from(["\x00", "\x1a", "ä", '[{"role"'])
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "doc_id": TEXTS | st.integers(0, 9) | st.booleans() | st.none(),
        "doc": st.none() | st.just({}) | st.dictionaries(TEXTS, st.none() | st.integers()),
        "target": TEXTS | st.none() | st.integers() | st.lists(TEXTS, max_size=2),
        "resps": st.lists(st.lists(TEXTS, max_size=2), max_size=2) | st.none(),
        "arguments": st.sampled_from([None, [], [["Q", "A"]], {"a": {}}, {"a": {"b": "["}}]),
        "filtered_resps": st.none() | st.just([]),
        "filter": st.sampled_from(["strict", "", None]),
        "metrics": st.sampled_from([["exact_match"], [], ["exact_match", "more"]]),
        "exact_match": st.sampled_from([1, True, 0.25, -0.0, 7.5, None, [1]]),
        "more": st.sampled_from([0, None, "", 0.5]),
        "doc_hash": st.sampled_from(["", "d"]),
    },
)


@settings(max_examples=200)
@given(every=CHANGES, one=CHANGES, size=st.integers(1, 3))
def test_a_block_has_the_rows_of_its_lines(every, one, size):
    lines = [{**lm_eval_line(at), **every} for at in range(size)]
    lines[-1].update(one)
    block = block_of(lines, "m")
    if block is not None:
        assert encode(block.rows()) == encode([lm_eval_row(it, "m") for it in lines])


def test_usual_lines_are_a_block():
    block = block_of([lm_eval_line(at) for at in range(3)], "m")
    assert len(block) == 3
    assert block.ids == ["0", "1", "2"]


@settings(max_examples=60)
@given(
    docs=st.lists(st.lists(st.integers(0, 20), max_size=4), max_size=4),
    alone=st.sets(st.integers(0, 3)),
)
def test_blocks_in_any_order_come_out_of_a_spool_as_their_rows(docs, alone):
    parts = [block_of([lm_eval_line(at) for at in some], "m") for some in docs if some]
    parts = [part.rows() if at in alone else part for at, part in enumerate(parts)]
    assert spooled(PartedRows(parts)) == spooled(list(PartedRows(parts)))


def spooled(rows):
    with Spool("lm_eval", has_prompts=False) as spool:
        spool.add_all(rows)
        found = [
            (at, row.key, case.case, row.row.output, row.row.scores, row.row.rest)
            for row, case, at in spool.rows()
        ]
        return found, [one.case for one in spool.cases()], spool.lines, list(spool.setups)


def test_a_block_is_counted_as_its_rows():
    block = block_of([lm_eval_line(at) for at in range(3)], "m")
    together, one_by_one = Tally(), Tally()
    list(together.count_parts([block]))
    list(one_by_one.count_all(block.rows()))
    assert together == one_by_one


def test_models_of_parts_are_renamed():
    block = block_of([lm_eval_line(0)], "unknown")
    renamed = rename_models(PartedRows([block, block.rows()]), lambda name: f"my {name}")
    assert [row.model for row in renamed] == ["my unknown"] * 2


CHANGED = {
    "plain": {},
    "texts with odd characters": {"resps": [["ä \x00 \x1a"]], "target": "\x00"},
    "another scale": {"exact_match": 7.5},
    "no right answer, no question": {
        "target": None,
        "doc": None,
        "arguments": {"a": {"b": ""}},
    },
}


@pytest.mark.parametrize("change", CHANGED.values(), ids=CHANGED.keys())
def test_blocks_are_stored_as_rows_in_another_order_are(store, tmp_path, change):
    lines = [{**lm_eval_line(at, right=float(at % 2)), **change} for at in range(450)]
    first, second = (
        write_lines(tmp_path / f"samples_sums_2026-11-2{day}T19-26-19.874402.jsonl", some)
        for day, some in enumerate((lines, lines[::-1]), 1)
    )
    stored = [contents(store, *imported(store, file)) for file in (first, second)]
    assert stored[0] == stored[1]


def contents(store, done):
    (run_id,) = done.runs
    run = store.run(run_id)
    trials = [replace(one, run_id="", finished_at="") for one in store.trials(run_id)]
    records = list(store.imported_rows.each_record([run_id]))
    return run.suite_hash, run.planned, run.setups, trials, records, done.headline, done.tally


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cut=st.integers(1, 20))
def test_a_file_that_grew_adds_its_new_rows(store, tmp_path, cut):
    name = f"samples_cut{cut}_2026-11-22T19-26-19.874402.jsonl"
    lines = [lm_eval_line(at) for at in range(21)]
    (one,) = imported(store, write_lines(tmp_path / name, lines[:cut]))
    (two,) = imported(store, write_lines(tmp_path / name, lines))
    assert two.runs == one.runs
    assert [it.position for it in store.trials(*two.runs)] == list(range(21))
