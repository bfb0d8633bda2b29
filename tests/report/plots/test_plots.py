import re
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.analysis import summarise
from benchmaker.report.plots import plots


@given(st.lists(st.floats(-150, 250), min_size=1, max_size=20))
def test_an_axis_holds_all_its_values_with_three_to_seven_round_ticks(values):
    ticks = plots.axis_over(values).ticks
    assert ticks[0] <= min(values) + 1e-9
    assert ticks[-1] >= max(values) - 1e-9
    assert 3 <= len(ticks) <= 7
    steps = {round(b - a, 9) for a, b in pairwise(ticks)}
    assert len(steps) == 1


@pytest.mark.parametrize(
    ("values", "ticks"),
    [([0, 100], (0, 20, 40, 60, 80, 100)), ([], (0, 20, 40, 60, 80, 100)), ([50], (50, 50.5, 51)),
     ([-5, 104], (-25, 0, 25, 50, 75, 100, 125)), ([84.6, 89.2], (84, 85, 86, 87, 88, 89, 90))],
)  # fmt: skip
def test_the_ticks_of_some_axes(values, ticks):
    assert plots.axis_over(values).ticks == ticks


def test_places_are_per_cent_of_the_width():
    axis = plots.Axis((60, 70, 80, 90))
    assert [axis.percent(value) for value in (60, 70, 86.9, 90)] == [
        "0%",
        "33.33%",
        "89.67%",
        "100%",
    ]


def drawn(trials):
    summary = summarise(trials)
    (model,) = summary.models
    return ET.fromstring(plots.interval_svg(plots.interval_axis(summary), summary, model, "m2"))  # noqa: S314


def test_a_row_shows_mean_interval_caps_and_runs(a_trial):
    svg = drawn([a_trial(at, at / 5, run=run) for run in ("r1", "r2") for at in range(4)])
    classes = [element.get("class") for element in svg]
    assert classes.count("dot") == 2
    assert (classes.count("ci"), classes.count("cap")) == (1, 2)
    assert svg.get("aria-hidden") == "true"
    assert svg.find(".//path").get("class") == "mk"


def test_without_an_interval_the_marker_is_hollow(a_trial):
    svg = drawn([a_trial(0, 0.5, group="g"), a_trial(1, 0.0, group="g")])
    assert svg.find(".//path").get("class") == "mk hollow"
    assert "ci" not in [element.get("class") for element in svg]


def test_without_a_mean_nothing_is_marked(a_trial):
    assert drawn([a_trial(0, None)]).find(".//path") is None


def test_plots_hold_no_style_and_no_text_of_others(a_trial):
    summary = summarise([a_trial(0, 0.5, model="<evil>")])
    svg = plots.interval_svg(plots.interval_axis(summary), summary, summary.models[0], "m1")
    assert "evil" not in svg
    assert not re.search(r"style|<script|on\w+=", svg)


def test_past_eight_models_names_alone_tell_them_apart():
    assert plots.colours(10)[7:] == ["m8", "mx", "mx"]
    assert 'class="mx"' in plots.key_svg("mx")


def test_the_shapes_of_the_eight_colours_differ():
    assert len({plots.key_svg(name).split(' d="')[1] for name in plots.colours(8)}) == 8
