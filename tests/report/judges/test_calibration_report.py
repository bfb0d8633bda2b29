import json

from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.report.judges.calibration import calibration_data, calibration_text
from benchmaker.report.result_tables.calibration_figures import MISSED_SHOWN
from tests.analysis.calibrations import a_calibration, an_item, published


def test_figures_stand_beside_their_intervals_and_numbers():
    text = calibration_text(calibration_result(published(lambda worth: float(worth >= 0.5))))
    assert "Rating: Good. Supported by the 95% intervals: Poor." in text
    assert "6 of 8" in text
    assert "[0.409, 0.929]" in text
    assert "screening only" not in text.splitlines()[1]


def test_what_is_not_known_is_a_dash():
    lost = [an_item(n, None, failures=("refused",)) for n in range(5)]
    text = calibration_text(calibration_result(a_calibration(*lost)))
    assert "refused (5: 0, 1, 2 and 2 more)" in text
    assert "–" in text
    assert "nan" not in text.lower()


def test_the_worst_misses_are_listed_and_not_all():
    missed = [an_item(f"s{n:02}", 1.0, expected=0.02 * n) for n in range(MISSED_SHOWN + 5)]
    text = calibration_text(calibration_result(a_calibration(*missed)))
    assert "s00" in text
    assert f"(worst {MISSED_SHOWN} of {MISSED_SHOWN + 5})" in text
    assert f"s{MISSED_SHOWN + 4:02}" not in text


def test_names_can_not_speak_to_the_terminal():
    made = a_calibration(an_item("a\x1b[2J", 1.0), judge="j\x1b[31m", judge_version="v\x07")
    text = calibration_text(calibration_result(made))
    assert "\x1b" not in text
    assert "\x07" not in text


def test_lines_keep_to_the_width():
    made = a_calibration(
        *(an_item(f"sample {n}", 1.0, None, repeats) for n, repeats in enumerate((0.5, 1.0, 0.3)))
    )
    text = calibration_text(calibration_result(made), width=72)
    assert max(map(len, text.splitlines())) <= 72


def test_the_data_is_json_without_gaps_that_json_lacks():
    items = [an_item(n, n / 10, 0.5, author="judge" if n % 2 else "m") for n in range(10)]
    pair = an_item("p", 1.0, 0.0, role="pair")
    null = an_item("n", 0.0, role="null")
    twin = an_item("t", 0.9, role="doubled", of="1")
    made = a_calibration(*items, pair, null, twin, repeats=2)
    data = calibration_data(calibration_result(made, before=made))
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    assert data["effects"]["position"]["first"] == 0.5
    assert data["effects"]["verbosity"]["n"] == 1
    assert data["drift"]["has_drifted"] is False
    assert data["samples"][3]["repeats"] == [0.3, 0.5]
    assert sum(it["n"] for it in data["reliability"]) == 10
