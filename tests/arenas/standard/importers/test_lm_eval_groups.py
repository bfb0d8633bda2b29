"""The figures of groups of lm-eval, explained by their tasks."""

import pytest

from benchmaker.arenas.standard.importers.lm_eval_groups import group_notes, groups_of_task
from tests.arenas.standard.importers.files import imported, write_json

METRIC = "exact_match,strict"


def results_of(stated):
    """The results of a group of two tasks with 150 and 50 documents."""
    return {
        "results": {"small": {METRIC: 0.4}, "large": {METRIC: 0.8}, "both": {METRIC: stated}},
        "groups": {"both": {METRIC: stated, "exact_match_stderr,strict": 0.05, "alias": "both"}},
        "group_subtasks": {"both": ["small", "large"]},
        "n-samples": {"small": {"effective": 50}, "large": {"effective": 150}},
        "configs": {},
    }


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        (0.7, "1 figure reproduced from the documents of its tasks."),
        (0.6, "the mean of the means of 2 unequal tasks. Over their documents it is 0.7."),
        (0.5, "which is not translatable. Over the documents of its tasks it is 0.7."),
    ],
)
def test_a_figure_of_a_group_is_explained_by_its_tasks(stated, said):
    (note,) = group_notes(results_of(stated))
    assert note.startswith("group both: ")
    assert note.endswith(said)


def test_a_group_without_the_figures_of_its_tasks_is_not_translatable():
    results = results_of(0.7)
    del results["results"]["small"]
    (note,) = group_notes(results)
    assert note.endswith("not translatable: figures of its tasks are missing.")


def test_the_import_of_a_results_file_has_the_notes(store, tmp_path):
    path = write_json(tmp_path / "results_2026-11-22T19-26-19.874402.json", results_of(0.6))
    (done,) = imported(store, path)
    assert any("unequal tasks" in note for note in done.tally.notes)


def test_a_group_in_a_group_stands_for_its_tasks():
    results = {
        "groups": {"all": {"acc,none": 0.5, "alias": "all"}, "inner": {"acc,none": 0.4}},
        "group_subtasks": {"all": ["inner", "c", "all"], "inner": ["a", "b"]},
    }
    outer = {"tasks": ["a", "b", "c"], "figures": {"acc,none": 0.5}}
    inner = {"tasks": ["a", "b"], "figures": {"acc,none": 0.4}}
    assert groups_of_task(results, "a") == {"all": outer, "inner": inner}
    assert groups_of_task(results, "c") == {"all": outer}
    assert groups_of_task(results, "d") == {}


def test_a_figure_of_a_group_of_groups_is_explained_by_their_tasks():
    results = results_of(0.7)
    results["groups"]["all"] = {METRIC: 0.7}
    results["group_subtasks"]["all"] = ["both"]
    said = [note for note in group_notes(results) if note.startswith("group all: ")]
    assert said == ["group all: 1 figure reproduced from the documents of its tasks."]
