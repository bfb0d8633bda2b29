"""The named metrics of checks: a table in every form, and a choice on the page of a comparison."""

import csv
import io
import re

import pytest
from fastapi.testclient import TestClient

from benchmaker import Suite, compare, results, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.report.tables import numbers
from benchmaker.web import Settings, create_app

CASES = 12
CHECKS = [
    {"type": "contains", "value": "yes", "metric": "facts"},
    {"type": "contains", "value": "please", "metric": "tone"},
]
PROMPTS = [{"id": "short", "prompt": "{{ q }}"}, {"id": "long", "prompt": "Now: {{ q }}"}]


def _answer(asked):
    at = int(re.findall(r"\d+", asked.messages[-1].content)[0])
    facts, tone = (at % 3, at % 4) if asked.model == "a" else (at % 5, at % 2)
    return Completion(text=f"{'yes' if facts else 'no'} {'please' if tone else 'now'}")


def _run(home):
    cases = [{"id": f"c{n}", "vars": {"q": f"{n}?"}} for n in range(CASES)]
    suite = Suite("s", cases, prompts=PROMPTS, checks=CHECKS, profile="robust")
    return run(suite, provider=Scripted(_answer, models=("a", "b")), home=home)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    home = tmp_path_factory.mktemp("metrics")
    return _run(home), _run(home)


@pytest.fixture(scope="module")
def client(made):
    app = create_app(Settings(home=made[0].place.home))
    with TestClient(app, base_url="http://localhost") as opened:
        yield opened


def _expected(result):
    return [
        (model.model, name, one.mean, one.n)
        for model in result.summary.models
        for name, one in model.metrics.items()
    ]


def test_the_table_of_metrics_is_csv_json_and_in_the_api(made, client):
    first, _ = made
    run_id = first.runs[0].id
    text = client.get(f"/runs/{run_id}/tables/metrics.csv").text
    rows = list(csv.DictReader(io.StringIO(text)))
    plain = client.get(f"/runs/{run_id}/tables/metrics.json").json()["metrics"]
    api = client.get(f"/api/v1/runs/{run_id}/table?table=metrics").json()
    assert [(it["model"], it["metric"], it["mean"], it["n"]) for it in plain] == _expected(first)
    assert [(it["model"], it["metric"], float(it["mean"]), int(it["n"])) for it in rows] == (
        _expected(first)
    )
    assert api["rows" if "rows" in api else "items"] == plain
    assert list(rows[0]) == api["columns"]


def _compare(client, made, metric, **more):
    runs = ",".join(it.runs[0].id for it in made)
    return client.get("/compare", params={"runs": runs, "metric": metric, **more})


@pytest.mark.parametrize("metric", ["facts", "tone", "strict"])
def test_the_page_of_a_comparison_takes_a_metric(made, client, metric):
    page = _compare(client, made, metric)
    assert page.status_code == 200
    assert "Unknown query parameters" not in page.text
    assert f'<option value="{metric}" selected>' in page.text
    alone = compare(made[0], metric=metric)
    compared = _compare(client, made, metric, table="compared", form="json").json()["compared"]
    means = sorted(it["mean"] for it in compared)
    assert means == pytest.approx(sorted([one.mean for one in alone.models] * 2))
    assert numbers.score(alone.models[0].mean) in page.text


def test_the_metric_is_kept_in_links(made, client):
    page = _compare(client, made, "tone").text
    links = re.findall(r'href="(/compare\?[^"]*form=csv[^"]*)"', page)
    assert links
    assert all("metric=tone" in one for one in links)


def test_the_page_of_a_comparison_refuses_an_unknown_metric(made, client):
    page = _compare(client, made, "tona")
    assert page.status_code == 422
    assert "unknown metric" in page.text.casefold()


def test_the_page_of_a_comparison_has_one_word_for_its_setups(made, client):
    for reference, words in (("", "of the 4 setups"), ("best", "of 8 setups")):
        text = _compare(client, made, "mean", ref=reference).text
        page = re.sub(r"<[^>]+>", "", text)
        assert words in page
        assert not re.search(r"\d models", page)


def test_python_has_the_same_figures(made):
    again = results(made[0].runs[0].id, home=made[0].place.home)
    assert _expected(again) == _expected(made[0])
