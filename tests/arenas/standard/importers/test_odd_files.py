"""Compressed files, other encodings, and single rows that can't be stored."""

import gzip
import json

import pytest

from benchmaker.arenas.standard.importers.importing import import_evaluations
from benchmaker.arenas.standard.importers.recognising import find_sources
from tests.arenas.standard.importers.files import (
    deepeval_case,
    imported,
    inspect_log,
    inspect_sample,
    lm_eval_line,
    promptfoo_result,
    trials_of,
    write_archive,
    write_json,
    write_lines,
    write_promptfoo,
)

RESULTS = [promptfoo_result(at, city=f"City {at}", own_id=str(at)) for at in range(4)]
TOO_LARGE = 10**400
LINES = "samples_sums_2026-11-22T19-26-19.874402.jsonl"


def compress(path):
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return packed


def counts_of(*paths):
    """The tallies of files, without a store."""
    return [
        (it.tally.rows, it.tally.translated, it.tally.refused)
        for it in import_evaluations(None, find_sources(paths))
    ]


def write_helm(folder):
    folder.mkdir()
    spec = {"method": "generation", "model": "small", "temperature": 0.0}
    instance = {"input": {"text": "1 + 1?"}, "references": [], "split": "test", "id": "id1"}
    result = {"success": True, "completions": [{"text": "2"}]}
    state = {"instance": instance, "request": {"prompt": "1 + 1?"}, "result": result}
    stat = {"name": {"name": "exact_match", "split": "test"}, "count": 1, "mean": 1.0}
    place = {"instance_id": "id1", "train_trial_index": 0}
    documents = {
        "scenario_state.json": {"adapter_spec": spec, "request_states": [state]},
        "run_spec.json": {"name": "sums:model=small", "adapter_spec": spec},
        "per_instance_stats.json": [{**place, "stats": [stat]}],
        "stats.json": [stat],
    }
    return [write_json(folder / name, value) for name, value in documents.items()]


@pytest.mark.parametrize("name", ["r.jsonl", "r.json", "r.txt"])
def test_compressed_results_of_promptfoo_are_read(tmp_path, name):
    write = write_promptfoo if name == "r.json" else write_lines
    assert counts_of(compress(write(tmp_path / name, RESULTS))) == [(4, 4, 0)]


def test_a_folder_of_helm_with_compressed_files_is_read(store, tmp_path):
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    write_helm(plain)
    for path in write_helm(packed):
        compress(path)
    (first,) = imported(store, plain)
    (again,) = imported(store, packed)
    assert (again.tally.rows, again.added, again.path) == (1, 0, packed)
    assert [it.value for it in first.headline] == [it.value for it in again.headline] == [1.0]


def test_compressed_results_beside_samples_of_lm_eval_are_read(store, tmp_path):
    about = {"results": {"sums": {"acc,strict": 1.0}}, "configs": {"sums": {}}}
    named = {**about, "model_name": "small"}
    compress(write_json(tmp_path / "results_2026-11-22T19-26-19.874402.json", named))
    compress(write_lines(tmp_path / LINES, [lm_eval_line(at) for at in range(3)]))
    found = imported(store, tmp_path)
    assert {trial.model for trial in trials_of(store, *found)} == {"small"}


def test_a_compressed_archive_is_refused_with_the_remedy(tmp_path):
    path = compress(write_archive(tmp_path / "a.eval", inspect_log([inspect_sample(1)])))
    (done,) = import_evaluations(None, find_sources([path]))
    assert "gunzip a.eval.gz" in str(done.error)


def test_a_compressed_file_that_is_cut_off_is_named(tmp_path):
    path = compress(write_lines(tmp_path / "r.jsonl", RESULTS))
    path.write_bytes(path.read_bytes()[:-20])
    (done,) = import_evaluations(None, find_sources([path]))
    assert "unexpected end of the gzip file" in str(done.error)


def test_lines_in_utf16_are_read(tmp_path):
    path = write_lines(tmp_path / "r.jsonl", RESULTS)
    path.write_text(path.read_text(), encoding="utf-16")
    assert counts_of(path) == [(4, 4, 0)]


def files_with_a_large_number(folder):
    """For each form of a file, one with four rows, one of which has a number that is too large."""
    large, right = {"score": TOO_LARGE}, [1.0, 1.0, 1.0, TOO_LARGE]
    nested = {"metadata": {"tokens": TOO_LARGE}}
    documents = [{**lm_eval_line(at), "doc": {"n": n}} for at, n in enumerate(right)]
    return {
        "promptfoo": write_promptfoo(folder / "r.json", [*RESULTS[:3], RESULTS[3] | large]),
        "promptfoo lines": write_lines(folder / "r.jsonl", [RESULTS[3] | large, *RESULTS[:3]]),
        "promptfoo field": write_lines(folder / "f.jsonl", [*RESULTS[:3], RESULTS[3] | nested]),
        "inspect": write_json(
            folder / "i.json",
            inspect_log([inspect_sample(at, value=n) for at, n in enumerate(right)]),
        ),
        "lm_eval": write_lines(
            folder / LINES, [lm_eval_line(at, right=n) for at, n in enumerate(right)]
        ),
        "lm_eval document": write_lines(folder / f"x_{LINES}", documents),
        "deepeval": write_json(
            folder / "d.json",
            {"testCases": [deepeval_case(str(at), n) for at, n in enumerate(right)]},
        ),
    }


FORMS = (
    "promptfoo", "promptfoo lines", "promptfoo field", "inspect", "lm_eval", "lm_eval document",
    "deepeval",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_row_with_a_number_that_is_too_large_is_refused_and_the_others_are_read(form, tmp_path):
    path = files_with_a_large_number(tmp_path)[form]
    (done,) = import_evaluations(None, find_sources([path]))
    assert (done.tally.rows, done.tally.translated, done.tally.refused) == (4, 3, 1)
    assert any("too large" in note for note in done.tally.notes)


def test_a_line_that_is_nested_too_deeply_is_refused_alone(tmp_path):
    path = write_lines(tmp_path / "r.jsonl", RESULTS)
    deep = json.dumps(RESULTS[0])[:-1] + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}"
    path.write_text(f"{deep}\n{path.read_text()}")
    (done,) = import_evaluations(None, find_sources([path]))
    assert (done.tally.rows, done.tally.refused) == (5, 1)
    assert done.tally.notes == ["line 1: the JSON is nested too deeply."]


@pytest.mark.parametrize("score", [float("nan"), float("inf"), "1", [1]])
def test_a_score_that_is_no_number_is_kept_verbatim_with_a_note(score, tmp_path):
    path = write_lines(tmp_path / "r.jsonl", [*RESULTS[:3], RESULTS[3] | {"score": score}])
    (done,) = import_evaluations(None, find_sources([path]))
    assert (done.tally.translated, done.tally.untranslated["score"]) == (4, 1)
    assert f"result 4: the score {score!r} is no finite number" in done.tally.notes[0]


def test_a_replaced_lone_surrogate_is_noted(tmp_path):
    path = write_lines(tmp_path / "r.jsonl", [RESULTS[0], RESULTS[1] | {"description": "\ud800"}])
    (done,) = import_evaluations(None, find_sources([path]))
    assert done.tally.notes == [
        "r.jsonl:2: lone surrogates, which are no characters, are replaced by ?."
    ]


def test_text_after_a_document_is_named(tmp_path):
    path = write_promptfoo(tmp_path / "r.json", RESULTS)
    path.write_text(f"{path.read_text()}\nDone: written\n")
    (done,) = import_evaluations(None, find_sources([path]))
    assert "text after the end of the JSON" in str(done.error)
