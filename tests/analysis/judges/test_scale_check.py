import pytest

from benchmaker.analysis.judges.calibration import calibration_result
from benchmaker.analysis.judges.calibration_rating import interpret_calibration
from benchmaker.analysis.judges.scale_check import likelier_scale
from tests.analysis.calibrations import a_calibration, an_item


def warned(*values, scale=(0.0, 10.0), labels=None, label_scale=None):
    """The warnings of a calibration in which the judge gave these values."""
    low, high = scale
    items = []
    for number, value in enumerate(values):
        of = (labels[number] - label_scale[0]) / (label_scale[1] - label_scale[0]) if labels else 0
        ratings = (of,) if labels else ()
        items.append(an_item(number, (value - low) / (high - low), expected=of, ratings=ratings))
    made = a_calibration(*items, judge_scale=scale, label_scale=label_scale)
    return [it for it in interpret_calibration(calibration_result(made)).warnings if "scale" in it]


@pytest.mark.parametrize(
    ("values", "scale", "likely"),
    [
        ((1, 5, 3, 4), (0, 10), (1, 5)),
        ((1, 5, 3, 4), (0, 100), (1, 5)),
        ((0.2, 1, 0.5), (0, 10), (0, 1)),
        ((2, 10, 7.5), (0, 100), (0, 10)),
        ((1, 5, 3, 4), (1, 5), None),
        ((1, 5, 3, 6), (0, 10), None),
        ((0, 5, 3, 4), (0, 10), None),
        ((1, 4.5, 3, 4), (0, 10), None),
        ((0, 1, 1, 0), (0, 10), None),
        ((5, 5, 5, 5), (0, 10), None),
        ((1, 5), (0, 10), None),
        ((), (0, 10), None),
    ],
)
def test_a_scale_is_doubted_where_another_fits_every_value(values, scale, likely):
    assert likelier_scale(values, scale) == likely


def test_replies_of_1_to_5_read_on_0_to_10_are_warned_of():
    (warning,) = warned(1, 5, 3, 4)
    assert warning == (
        "all 4 judge scores are whole numbers from 1 to 5, but were read on a scale from 0 "
        "to 10; if that is not the scale they were given on, calibrate again with --judge-scale 1 5"
    )
    assert warned(1, 5, 3, 4, scale=(1.0, 5.0)) == []
    assert warned(1, 5, 3, 9) == []


def test_labels_of_1_to_5_read_on_0_to_10_are_warned_of():
    (warning,) = warned(1, 9, 3, 4, labels=(1, 5, 2, 2), label_scale=(0.0, 10.0))
    assert warning.startswith("all 4 human scores are whole numbers from 1 to 5")
    assert warning.endswith("--label-scale 1 5")


def test_a_calibration_stored_without_scales_is_not_doubted():
    items = [an_item(number, value / 10) for number, value in enumerate((1, 5, 3, 4))]
    said = interpret_calibration(calibration_result(a_calibration(*items)))
    assert not any("scale" in it for it in said.warnings)
