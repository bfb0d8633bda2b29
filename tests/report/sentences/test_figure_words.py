"""The name of the metric: every surface takes it from one place."""

import io

import pytest

from benchmaker.analysis import compare, summarise
from benchmaker.report.runs.comparison import comparison_text, write_comparison_csv
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.text import summary_text
from tests.analysis.conftest import make_trial

GRADES = {"right": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), "near": (1.0, 0.9, 0.9, 0.9, 0.9, 0.9)}
"""One model has the higher strict accuracy, the other the higher mean."""

RIGHT = {"right": (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), "near": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)}


def trials_of(scores):
    return [
        make_trial(at, score, model=model)
        for model, row in scores.items()
        for at, score in enumerate(row)
    ]


@pytest.fixture
def page():
    def make(trials, **settings):
        stream = io.StringIO()
        summary = summarise(trials, **settings)
        write_html(summary, stream, trials=trials, comparison=compare(trials, **settings))
        return stream.getvalue()

    return make


def test_a_comparison_by_strict_names_what_it_compares():
    made = compare(trials_of(GRADES), metric="strict")
    text = comparison_text(made, explain=True, width=100)
    assert "Strict" in text
    assert "Mean" not in text
    assert "Strict accuracies and differences" in text
    assert "50.0%" in text
    assert made.to_dict()["figure"] == "strict"


@pytest.mark.parametrize("table", ["pairs", "models"])
def test_rows_of_a_comparison_say_their_figure(table):
    stream = io.StringIO()
    made = compare(trials_of(GRADES), metric="strict")
    write_comparison_csv({"": made}, stream, table=table)
    head, first, *_ = stream.getvalue().splitlines()
    assert first.split(",")[head.split(",").index("figure")] == "strict"


def test_results_and_comparison_call_a_share_of_right_answers_accuracy():
    trials = trials_of(RIGHT)
    for text in (
        comparison_text(compare(trials), width=100),
        summary_text(summarise(trials), width=100),
    ):
        assert "Accuracy" in text
        assert "50.0%" in text
        assert "Mean" not in text


def test_a_page_by_strict_puts_the_strict_accuracy_first(page):
    html = page(trials_of(GRADES), metric="strict")
    assert "Strict accuracy per model" in html
    assert "each model's strict accuracy" in html.replace("&#39;", "'")
    tiles = html.index("Highest strict accuracy"), html.index("Highest mean")
    assert tiles == tuple(sorted(tiles))
    assert html.index(">Strict</th>") < html.index(">Mean</th>")


def test_a_page_by_mean_puts_the_mean_first(page):
    html = page(trials_of(GRADES))
    assert "Mean score per model" in html
    assert html.index("Highest mean") < html.index("Highest strict accuracy")
    assert html.index(">Mean</th>") < html.index(">Strict</th>")


def test_a_page_without_comparison_is_headed_by_the_figure_of_the_metric():
    stream = io.StringIO()
    trials = trials_of(GRADES)
    write_html(summarise(trials, metric="strict"), stream, trials=trials)
    assert "right has the highest strict accuracy, 50.0%" in stream.getvalue()


def test_markdown_by_strict_begins_with_strict():
    stream = io.StringIO()
    trials = trials_of(GRADES)
    write_markdown(summarise(trials, metric="strict"), stream, trials=trials)
    text = stream.getvalue()
    assert text.index("| Strict |") < text.index("Mean, 0-100")
