"""Genuine files that are cut, mixed, repeated and split: no row is lost, none is doubled."""

from itertools import count
from random import Random
from shutil import copyfile, copytree

import pytest

from benchmaker.store import Store
from tests.arenas.standard.importers.files import imported
from tests.arenas.standard.importers.genuine_rows import copy_beside, genuine_rows

pytestmark = [pytest.mark.data, pytest.mark.long]

SEEDS = 3
SAMPLES = (
    "deepeval/test_run_sample.json",
    "helm/simple_mcqa_model_simple_model1",
    "inspect/2024-11-05T13-32-37-05-00_input-task_hxs4q9azL3ySGkjJirypKZ.eval",
    "inspect/2025-02-11T15-17-00-05-00_popularity_dPiJifoWeEQBrfWsAopzWr.eval",
    "inspect/2025-05-12T20-28-13-04-00_popularity.json",
    "inspect/2025-05-12T20-28-26-04-00_security-guide.json",
    "inspect/2025-09-23T08-09-58-04-00_popularity_DN2wbX2ZvACsBpjwptzBRo.eval",
    "inspect/log_formats.eval",
    "inspect/log_formats.json",
    "inspect/mmlu-summary-choices.eval",
    "lm_eval/samples_sums_gen_2026-11-22T19-26-19.874402.jsonl",
    "lm_eval/samples_sums_mc_2026-11-22T19-26-19.874402.jsonl",
    "promptfoo/csv-results.json",
    "promptfoo/results.csv",
    "promptfoo/results.json",
    "promptfoo/results.jsonl",
)


@pytest.fixture(params=SAMPLES)
def sample(request, shared):
    return shared / "incoming-t2" / request.param


def stored_rows(store):
    """What is stored of each row, in any order."""
    found = []
    for run in store.runs():
        records = store.imported_rows.each_record([run.id])
        for trial, record in zip(store.trials(run.id), records, strict=True):
            scores = sorted(record.scores.items())
            found.append((trial.model, trial.outcome, trial.text, trial.error, scores, record.key))
    return sorted(found, key=repr)


def is_part(row, whole):
    """Whether a row is another one, or lacks some scores of it: those of lines that are cut off."""
    *fields, scores, key = row
    *others, more, same = whole
    return (fields, key) == (others, same) and set(scores) <= set(more)


def accounted(file):
    """Whether the counts of a file add up to its rows."""
    tally = file.tally
    return tally.translated + tally.verbatim + tally.refused == tally.rows


@pytest.fixture
def whole(sample, tmp_path):
    """What is stored of the whole file."""
    with Store.open(tmp_path / "whole.db") as store:
        (file,) = imported(store, sample)
        assert accounted(file)
        return stored_rows(store), file


def pieces_of(rows, random):
    """The rows in up to four parts, in any order, with some rows in two of them."""
    mixed = random.sample(rows, len(rows))
    cuts = sorted(random.randrange(len(rows) + 1) for _ in range(random.randrange(4)))
    pieces = [mixed[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    both = [row for row in rows if random.random() < 0.2]
    return [piece + [row for row in both if row not in piece] for piece in pieces if piece]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_pieces_of_a_genuine_file_make_up_the_whole(sample, whole, tmp_path, seed):
    random, numbers = Random(seed), count()  # noqa: S311  not for secrets
    rows, write = genuine_rows(sample)
    with Store.open(tmp_path / "pieces.db") as store:
        for piece in pieces_of(rows, random):
            folder = tmp_path / str(next(numbers))
            folder.mkdir()
            (file,) = imported(store, write(folder, piece))
            assert accounted(file)
            assert file.tally.refused == 0
        assert stored_rows(store) == whole[0]
        assert imported(store, sample)[0].added == 0


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_cut_genuine_file_holds_no_row_that_the_whole_lacks(sample, whole, tmp_path, seed):
    random = Random(seed)  # noqa: S311  not for secrets
    cut = tmp_path / "cut" / sample.name
    cut.parent.mkdir()
    copy_beside(sample, cut.parent)
    if sample.is_dir():
        copytree(sample, cut, copy_function=copyfile).chmod(0o755)
    content = (sample / "scenario_state.json" if sample.is_dir() else sample).read_bytes()
    target = cut / "scenario_state.json" if sample.is_dir() else cut
    target.write_bytes(content[: int(len(content) * random.uniform(0.3, 0.99))])
    with Store.open(tmp_path / "cut.db") as store:
        for file in imported(store, cut):
            assert accounted(file)
            assert file.error or file.tally.notes or file.tally.translated == whole[1].tally.rows
        assert all(any(is_part(row, one) for one in whole[0]) for row in stored_rows(store))
