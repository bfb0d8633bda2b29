from dataclasses import replace

from benchmaker.analysis import summarise
from benchmaker.report.runs.groups import groups_text
from tests.report.conftest import make_run, make_trial


def summary_of(*scores):
    return summarise([make_trial(at, score) for at, score in enumerate(scores)], [make_run()])


def test_groups_of_right_and_wrong_answers_show_their_accuracy():
    text = groups_text({"even": summary_of(1.0, 0.0), "odd": summary_of(1.0)}, "category")
    head = text.split("─")[0].split()
    assert head == ["Accuracy", "95%", "CI", "Scored", "Category", "Model", "cases", "cases"]
    assert text.split().count("50.0%") == 1
    assert "Accuracy: share of right answers" in text


def test_one_group_with_grades_shows_the_means_of_all():
    text = groups_text({"even": summary_of(1.0), "odd": summary_of(0.5, 1.0)}, "category")
    assert text.split("─")[0].split()[0] == "Mean"
    assert "75.0" in text
    assert "Mean: 0 to 100" in text
    assert "Accuracy: share" not in text


def test_the_legend_says_weighted_where_any_group_is():
    groups = {"even": summary_of(1.0, 0.0), "odd": replace(summary_of(1.0), weighted=True)}
    assert "over cases, weighted" in groups_text(groups, "category")
    assert "over cases, equal weights" in groups_text({"even": groups["even"]}, "category")


def test_a_series_shows_the_spread_over_its_runs_where_a_group_has_a_single_case():
    ids = ("r1", "r2", "r3")
    trials = [
        make_trial(0, score, run=run) for run, score in zip(ids, (1.0, 0.0, 1.0), strict=True)
    ]
    made = summarise(trials, [make_run(run, series_id="s", models=("aurora",)) for run in ids])
    text = groups_text({"even": made}, "category")
    assert "SD" in text.split("─")[0]
    assert "57.7" in text
    assert "SD, runs: standard deviation" in text
