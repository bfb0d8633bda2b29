from benchmaker.analysis import summarise
from benchmaker.report.groups import groups_text
from tests.report.conftest import make_run, make_trial


def summary_of(*scores):
    return summarise([make_trial(at, score) for at, score in enumerate(scores)], [make_run()])


def test_groups_of_right_and_wrong_answers_show_their_accuracy():
    text = groups_text({"even": summary_of(1.0, 0.0), "odd": summary_of(1.0)}, "category")
    head = text.split("─")[0].split()
    assert head == ["95%", "CI", "Scored", "Category", "Model", "Accuracy", "cases", "cases"]
    assert text.split().count("50.0%") == 1
    assert "Accuracy: share of answers that are right" in text


def test_one_group_with_grades_shows_the_means_of_all():
    text = groups_text({"even": summary_of(1.0), "odd": summary_of(0.5, 1.0)}, "category")
    assert text.split("─")[0].split()[0] == "Mean"
    assert "75.0" in text
    assert "Mean: 0 to 100" in text
    assert "Accuracy: share" not in text
