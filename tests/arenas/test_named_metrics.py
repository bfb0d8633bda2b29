"""Named metrics of checks: their means, intervals, comparison and trend."""

import io

import pytest
from fastapi.testclient import TestClient

from benchmaker import SpecError, Suite, compare, run, trend
from benchmaker.analysis.columns import columns_of
from benchmaker.providers.scripted import Scripted
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.text import summary_text
from benchmaker.stats.means.bounded import bounded_mean
from benchmaker.web import Settings, create_app

NUMBER = 12
CHECKS = [
    {"type": "regex", "pattern": "a", "metric": "letters", "weight": 3},
    {"type": "set", "checks": [{"type": "regex", "pattern": "b", "metric": "letters"}]},
    {"type": "regex", "pattern": "c", "metric": "style", "weight": 0},
    {"type": "regex", "pattern": "^(d+)+$", "metric": "slow", "weight": 0},
]
TEXTS = {"m": "abcd", "n": "abc"}


def a_suite(number=NUMBER):
    cases = [{"id": f"c{n}", "prompt": "p", "group": f"g{n // 2}"} for n in range(number)]
    return Suite("metrics", cases, checks=CHECKS, threshold=0)


def text_of(model, number):
    """The first letters of a word, fewer of them for the second model."""
    return TEXTS[model][: number % (len(TEXTS[model]) + 1)] or "-"


def letters(text):
    return (3 * ("a" in text) + ("b" in text)) / 4


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


@pytest.fixture
def result(home):
    answers = Scripted(
        lambda asked: text_of(asked.model, int(asked.case_id[1:])), models=("m", "n")
    )
    return run(a_suite(), provider=answers, home=home)


def test_the_value_of_a_trial_is_the_weighted_mean_of_its_checks(result):
    for trial in result.trials():
        style = float("c" in trial.text)
        assert trial.score.metrics == {"letters": letters(trial.text), "style": style, "slow": 0.0}


def test_each_metric_has_a_mean_and_an_interval(result):
    for model in result.summary.models:
        texts = [text_of(model.model, n) for n in range(NUMBER)]
        expected = bounded_mean(
            [letters(text) for text in texts],
            [1.0] * NUMBER,
            clusters=[n // 2 for n in range(NUMBER)],
        )
        made = model.metrics["letters"]
        assert (made.mean, made.ci95) == (
            pytest.approx(expected.mean),
            pytest.approx(expected.interval),
        )
        assert made.n == NUMBER
        assert model.to_dict()["metrics"]["letters"] == made.to_dict()


def test_columns_from_the_store_and_from_trials_are_equal(result):
    stored, read = result.columns(), columns_of(list(result.trials()))
    assert stored.metrics.keys() == read.metrics.keys()
    for name, values in stored.metrics.items():
        assert values.tolist() == read.metrics[name].tolist()


def test_tables_show_the_metrics(result):
    text = summary_text(result.summary)
    assert [line.split()[:2] for line in text.splitlines() if " letters " in line] == [
        ["m", "letters"],
        ["n", "letters"],
    ]
    written = io.StringIO()
    write_markdown(result.summary, written)
    assert "| m | letters |" in written.getvalue()


def test_reports_and_pages_show_the_metrics(result, home):
    written = io.StringIO()
    write_html(result.summary, written)
    settings = Settings(home=home, hosts=("127.0.0.1:8000",))
    client = TestClient(create_app(settings), base_url="http://127.0.0.1:8000")
    page = client.get(f"/runs/{result.run_ids[0]}").text
    for text in (written.getvalue(), page):
        assert "Metrics of checks" in text
        assert text.count("letters") >= 2


def test_models_are_compared_by_a_metric(result):
    made = compare(result, metric="style")
    by_hand = {
        model: sum("c" in text_of(model, n) for n in range(NUMBER)) / NUMBER for model in TEXTS
    }
    assert {one.model: one.mean for one in made.models} == pytest.approx(by_hand)
    with pytest.raises(SpecError, match=r"unknown metric 'styl'.*Did you mean 'style'"):
        compare(result, metric="styl")


def test_a_metric_has_a_trend(result, home):
    answers = Scripted(lambda _: "abc", models=("m", "n"))
    later = run(a_suite(), provider=answers, home=home)
    made = trend([result, later], metric="letters")
    (first, second) = made.models[0].points
    assert second.mean == 1.0 > first.mean


def test_a_suite_without_metrics_has_no_key_for_them(home):
    answers = Scripted(lambda _: "a", models=("m",))
    suite = Suite("s", [{"id": "a", "prompt": "p"}], scorer={"id": "regex", "pattern": "a"})
    result = run(suite, provider=answers, home=home)
    assert "metrics" not in result.summary.models[0].to_dict()
    assert result.columns().metrics == {}
