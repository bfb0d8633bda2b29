"""Files that are cut, mixed, repeated and split: no row is lost, none is doubled."""

import json
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.store import Store
from tests.arenas.standard.importers.files import (
    imported,
    inspect_log,
    inspect_sample,
    lm_eval_line,
    promptfoo_result,
    write_archive,
    write_json,
    write_lines,
)

PROMPTFOO = [
    promptfoo_result(test, prompt, city=("Oslo", "Rome", "Paris")[test % 3], failure=test % 3)
    for test in range(5)
    for prompt in range(2)
]
LM_EVAL = [lm_eval_line(doc, name) for doc in range(5) for name in ("strict", "flexible")]
INSPECT = [inspect_sample(at, epoch) for epoch in (1, 2) for at in range(1, 5)]


def pieces_of(rows, random, parts):
    """The rows in some parts, in any order, some of them in two parts."""
    mixed = random.sample(rows, len(rows))
    cuts = sorted(random.randrange(len(rows) + 1) for _ in range(parts - 1))
    pieces = [mixed[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return [piece + random.sample(rows, random.randrange(3)) for piece in pieces]


def n_trials(store):
    return sum(store.count_trials(run.id) for run in store.runs())


@pytest.mark.long
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), parts=st.integers(1, 4))
@pytest.mark.parametrize(
    ("rows", "trials"), [(PROMPTFOO, 10), (LM_EVAL, 5)], ids=["promptfoo", "lm_eval"]
)
def test_pieces_of_lines_make_up_the_whole(rows, trials, seed, parts):
    random = Random(seed)  # noqa: S311  not for secrets
    with TemporaryDirectory() as name, Store.open(Path(name) / "benchmaker.db") as store:
        pieces = [piece for piece in pieces_of(rows, random, parts) if piece]
        for at, piece in enumerate(pieces):
            (file,) = imported(store, write_lines(Path(name) / f"{at}.jsonl", piece))
            assert file.tally.translated == file.tally.rows == len(piece)
        assert n_trials(store) == trials


@pytest.mark.long
@settings(max_examples=12)
@given(seed=st.integers(0, 10**6), parts=st.integers(1, 3))
def test_pieces_of_a_log_make_up_the_whole(seed, parts):
    random = Random(seed)  # noqa: S311  not for secrets
    with TemporaryDirectory() as name, Store.open(Path(name) / "benchmaker.db") as store:
        for at, piece in enumerate(pieces_of(INSPECT, random, parts)):
            unique = list({it["uuid"]: it for it in piece}.values())
            write = random.choice([write_json, write_archive])
            imported(store, write(Path(name) / f"{at}.eval", inspect_log(unique)))
        runs = sorted(store.runs(), key=lambda run: run.number)
        assert [store.count_trials(run.id) for run in runs] == [4, 4]
        assert len({run.series_id for run in runs}) == 1


@pytest.mark.long
@settings(max_examples=15)
@given(at=st.floats(0.05, 0.999))
def test_a_cut_file_keeps_its_whole_lines_and_names_the_fault(at):
    text = "".join(f"{json.dumps(row)}\n" for row in PROMPTFOO).encode()
    cut = text[: int(len(text) * at)]
    whole = cut.count(b"\n")
    is_clean = cut.endswith(b"\n")
    with TemporaryDirectory() as name, Store.open(Path(name) / "benchmaker.db") as store:
        path = Path(name) / "cut.jsonl"
        path.write_bytes(cut)
        (file,) = imported(store, path)
        assert file.tally.translated + file.tally.refused == file.tally.rows
        assert (file.tally.translated, n_trials(store)) == (whole, whole)
        assert bool(file.tally.notes or file.error) is not is_clean


def test_two_evaluations_in_one_file_keep_all_rows(store, tmp_path):
    again = [{**row, "id": f"other-{row['id']}"} for row in PROMPTFOO]
    (file,) = imported(store, write_lines(tmp_path / "both.jsonl", PROMPTFOO + again))
    assert (file.tally.rows, file.added) == (20, 20)


def test_halves_of_one_evaluation_end_in_the_suite_of_the_whole(store, tmp_path):
    first = imported(store, write_json(tmp_path / "a.json", inspect_log(INSPECT[2:4])))[0]
    second = imported(store, write_json(tmp_path / "b.json", inspect_log(INSPECT[:2])))[0]
    other = inspect_log([{**it, "uuid": f"o{it['uuid']}"} for it in INSPECT[:4]], eval_id="ev-2")
    whole = imported(store, write_json(tmp_path / "c.json", other))[0]
    assert first.runs == second.runs
    assert store.run(first.runs[0]).suite_hash == store.run(whole.runs[0]).suite_hash
    assert [trial.position for trial in store.trials(first.runs[0])] == [0, 1, 2, 3]


def rows_of(store, file):
    """The suite of a file's runs, and everything stored of its rows, in the order of cases."""
    ids = list(file.runs)
    trials = [
        replace(it, run_id="", finished_at=None) for run_id in ids for it in store.trials(run_id)
    ]
    suites = [store.run(run_id).suite_hash for run_id in ids]
    return suites, trials, list(store.imported_rows.each_record(ids)), file.headline


def test_rows_in_any_order_are_stored_as_rows_in_order(store, tmp_path):
    rows = LM_EVAL[::2]
    (straight,) = imported(store, write_lines(tmp_path / "straight.jsonl", rows))
    for name, order in (("reverse", rows[::-1]), ("mixed", [*rows[2:], *rows[:2]])):
        with Store.open(tmp_path / f"{name}.db") as other:
            (file,) = imported(other, write_lines(tmp_path / f"{name}.jsonl", order))
            assert rows_of(store, straight) == rows_of(other, file)
