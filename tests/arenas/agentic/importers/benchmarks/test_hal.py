"""Uploads of HAL."""

import json

import pytest

from benchmaker.arenas.agentic.importers.benchmarks.hal import Hal
from benchmaker.arenas.agentic.sessions.importing import import_logs
from tests.arenas.agentic.importers.logs import read
from tests.arenas.agentic.importers.sums import (
    never_more_when_cut,
    sample,
    slow,
    stays_the_same_when_repeated,
)

HAL = Hal()
REAL = "hal/taubench_baseline_UPLOAD.json"


def written(folder, **more):
    path = folder / "run_UPLOAD.json"
    config = {"agent_name": "an agent", "run_id": "a-run-of-some-kind"}
    path.write_text(json.dumps({"config": config, "results": {}} | more))
    return path


@pytest.mark.data
def test_the_sample_has_the_values_of_the_slow_count(shared):
    found = sample(HAL, shared, REAL, **slow(REAL))
    assert [it.outcome.success for it in found] == [True, False]


def test_usage_of_no_task_stands_for_the_run(tmp_path):
    usage = {"gpt-4o": {"prompt_tokens": 70, "completion_tokens": 7}}
    results = {"successful_tasks": ["a"], "failed_tasks": ["b"]}
    found = read(HAL, written(tmp_path, total_usage=usage, results=results))
    assert [it.total_tokens for it in found] == [77, None, None]
    assert [it.outcome.success for it in found] == [None, True, False]


def test_a_repeated_or_cut_file_never_raises_a_total(tmp_path):
    usage = {"gpt-4o": {"prompt_tokens": 70, "completion_tokens": 7}}
    path = written(tmp_path, total_usage=usage)
    stays_the_same_when_repeated(HAL, path)
    never_more_when_cut(HAL, path)


@pytest.mark.parametrize(
    ("figures", "name"),
    [
        ({"costs": {"a": -1.0, "b": 2.0}}, "cost"),
        ({"latencies": {"a": -1.0, "b": 2.0}}, "latency"),
        ({"latencies": {"a": {"total_time": "NaN"}, "b": 2.0}}, "latency"),
    ],
)
def test_a_task_with_an_impossible_figure_is_refused_and_the_others_stay(tmp_path, figures, name):
    path = written(tmp_path, total_usage={}, results=figures)
    imported = import_logs(path, dry_run=True, home=tmp_path)
    assert [it.row_id for it in imported.submissions] == ["a-run-of-some-kind/b"]
    (told,) = imported.skipped_lines
    assert told.reason.startswith(f"the row is refused: task a: {name}: '")


def test_an_upload_that_has_grown_counts_each_task_once(tmp_path):
    home = tmp_path / "home"
    costs = {"a": 1.0, "b": 2.0}
    first = import_logs(written(tmp_path, total_usage={}, results={"costs": costs}), home=home)
    costs |= {"b": 3.0, "c": 4.0}
    again = import_logs(written(tmp_path, total_usage={}, results={"costs": costs}), home=home)
    assert first.counts == {"new": 2}
    assert again.counts == {"unchanged": 1, "revised": 1, "new": 1}
