"""Named metrics of checks on the page of a run: columns of its table, or a table of their own."""

import re

import pytest
from fastapi.testclient import TestClient

from benchmaker import Suite, run
from benchmaker.providers.scripted import Scripted
from benchmaker.web import Settings, create_app

NAMES = ("form", "tone", "<b>facts</b>", "length")
WORDS = ("yes", "no", "perhaps")


def _page(home, names):
    """The page of a run whose checks have these metrics, and the run."""
    checks = [
        {"type": "contains", "value": letter, "metric": name}
        for name, letter in zip(names, "yose", strict=False)
    ]
    cases = [{"id": f"c{n}", "prompt": f"{n}?"} for n in range(6)]
    said = Scripted(lambda asked: WORDS[int(asked.case_id[1:]) % 3], models=("m", "n"))
    scoring = {"checks": checks} if checks else {"scorer": {"id": "contains", "value": "y"}}
    result = run(Suite("s", cases, **scoring), provider=said, home=home)
    app = create_app(Settings(home=home))
    with TestClient(app, base_url="http://localhost") as client:
        return client.get(f"/runs/{result.run_ids[0]}").text, result


def _forest(page):
    """The heads and the rows of the table of means, as texts."""
    table = re.search(r'<table class="data edgeless ptable overview">.*?</table>', page, re.DOTALL)[
        0
    ]
    heads = re.findall(r"<th scope=\"col\"[^>]*><bdi>(.*?)</bdi>", table)
    rows = [
        re.findall(r"<td[^>]*>(.*?)</td>", row) for row in table.split('<tr class="stick">')[1:]
    ]
    return heads, rows


@pytest.mark.parametrize("n", [1, 3])
def test_up_to_three_metrics_are_columns(tmp_path, n):
    page, result = _page(tmp_path, NAMES[:n])
    heads, rows = _forest(page)
    shown = [name.replace("<", "&lt;").replace(">", "&gt;") for name in NAMES[:n]]
    assert heads[-n:] == [f"{name}, 95% CI" for name in shown]
    for model, cells in zip(result.summary.models, rows, strict=True):
        for name, cell in zip(NAMES[:n], cells[-n:], strict=True):
            metric = model.metrics[name]
            low, high = metric.ci95
            assert cell == f"{100 * metric.mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
    assert "Metrics of checks" not in page
    assert f"{shown[0]} {rows[0][-n]}</small>" in page


def test_more_metrics_have_a_table_of_their_own(tmp_path):
    page, _ = _page(tmp_path, NAMES)
    heads, _ = _forest(page)
    assert not any("95% CI" in head and head.startswith("form") for head in heads)
    assert "Metrics of checks" in page


def test_without_metrics_nothing_is_added(tmp_path):
    page, _ = _page(tmp_path, ())
    assert "Metrics of checks" not in page
