import io
import re
from xml.etree import ElementTree as ET

import pytest

from benchmaker.analysis import compare, rank, summarise
from benchmaker.redact import Redactor
from benchmaker.report import write_html
from benchmaker.report.plots import plots
from benchmaker.report.runs.page import ReportPage
from benchmaker.report.runs.panels import differences_panel, ranks_panel


@pytest.fixture
def scored(a_trial):
    passed = {"aurora": 28, "basalt": 18, "cobalt": 17}
    return [a_trial(at, float(at < k), model=m) for m, k in passed.items() for at in range(30)]


@pytest.fixture
def page(scored):
    return ReportPage(summarise(scored), Redactor())


def texts(panel, name):
    """The cells of a column."""
    return [cell.text for row in panel["rows"] for cell in row["cells"] if cell.name == name]


def drawn(svg):
    return ET.fromstring(svg)  # noqa: S314


def test_the_panel_of_differences_holds_every_other_model(page, scored):
    panel = differences_panel(page, compare(scored))
    assert panel["reference"] == "aurora"
    assert [row["name"] for row in panel["rows"]] == ["basalt", "cobalt"]
    assert texts(panel, "diff") == ["−33.3", "−36.7"]
    assert texts(panel, "verdict") == ["lower", "lower"]
    assert len(panel["pairs"]) == 3


def test_of_two_models_no_further_pairs_are_listed(page, scored):
    two = [one for one in scored if one.model != "cobalt"]
    assert differences_panel(page, compare(two))["pairs"] == []


def test_every_difference_has_its_zero_line_and_what_it_draws_stands_in_the_table(page, scored):
    panel = differences_panel(page, compare(scored))
    assert all(ends.startswith("[−") for ends in texts(panel, "interval"))
    for row in panel["rows"]:
        svg = drawn(row["plot"])
        classes = [one.get("class") for one in svg]
        assert (classes.count("zero"), classes.count("ci"), classes.count("cap")) == (1, 1, 2)
        assert svg.get("aria-hidden") == "true"


def test_the_panel_of_ranks_shows_place_and_range(page, scored):
    panel = ranks_panel(page, rank(scored))
    assert [row["name"] for row in panel["rows"]] == ["aurora", "basalt", "cobalt"]
    assert re.fullmatch(r"1 \[1–\d\]", texts(panel, "rank")[0])
    assert ">1</text>" in panel["axis"]


def test_provisional_models_are_not_ranked_and_not_marked(page, scored):
    few = [one for one in scored if one.position in range(16, 20)]
    panel = ranks_panel(page, rank(few, prior=1.0))
    assert set(texts(panel, "rank")) == {"provisional"}
    assert all(drawn(row["plot"]).find(".//path") is None for row in panel["rows"])
    assert "Provisional" in panel["verdict"]


@pytest.mark.parametrize("last", range(2, 40))
def test_an_axis_of_ranks_goes_from_the_first_to_the_last(last):
    ticks = plots.rank_axis(last).ticks
    assert ticks[0] == 1
    assert ticks[-1] == last
    assert list(ticks) == sorted(set(ticks))
    assert len(ticks) <= 6


def test_the_label_of_zero_stays_on_narrow_screens():
    svg = drawn(plots.axis_svg(plots.axis_over([-42.0, 3.0])))
    kept = [one.text for one in svg if one.get("class") is None]
    assert "0" in kept
    assert 2 <= len(kept) < len(svg)


def test_a_row_without_an_interval_is_hollow():
    svg = drawn(plots.range_svg(plots.Axis((0, 50, 100)), 40.0, None, "m1"))
    assert svg.find(".//path").get("class") == "mk hollow"


def test_hostile_names_are_text_in_both_panels(a_trial):
    evil = "<script>alert(1)</script>\x1b[2J"
    trials = [
        a_trial(at, float(at < k), model=model)
        for model, k in ((evil, 28), (f"{evil}2", 18), ("basalt", 9))
        for at in range(30)
    ]
    stream = io.StringIO()
    write_html(summarise(trials), stream, comparison=compare(trials), ranking=rank(trials))
    page = stream.getvalue()
    assert "h-differences" in page
    assert "h-ranks" in page
    assert "<script" not in page
    assert "\x1b" not in page


def test_secrets_are_taken_out_of_both_panels(a_trial):
    secret = "sk-proj-" + "a1B2" * 12
    trials = [
        a_trial(at, float(at < k), model=model)
        for model, k in ((f"m-{secret}", 28), ("basalt", 18))
        for at in range(30)
    ]
    stream = io.StringIO()
    write_html(summarise(trials), stream, comparison=compare(trials), ranking=rank(trials))
    assert secret not in stream.getvalue()
