from hypothesis import given
from hypothesis import strategies as st

from benchmaker.report.plots.label_layout import LETTER, Box, LabelLayout

INSIDE = Box(0, 0, 760, 320)
PLACES = st.lists(
    st.tuples(st.floats(20, 740), st.floats(20, 300), st.text("abc", min_size=1, max_size=40)),
    max_size=20,
)


def box_of(x, y, name, spot):
    length = LETTER * len(name)
    left = x + spot.across - (length if spot.anchor == "end" else 0)
    return Box(left, y + spot.down - 9, left + length, y + spot.down + 3)


@given(PLACES)
def test_no_name_crosses_another_one_a_marker_or_the_edge(points):
    names = LabelLayout(INSIDE, [(x, y) for x, y, _ in points])
    boxes = [Box.from_point(x, y) for x, y, _ in points]
    for x, y, name in points:
        if spot := names.place_beside(x, y, name):
            made = box_of(x, y, name, spot)
            assert INSIDE.holds(made)
            assert not any(map(made.crosses, boxes))
            boxes.append(made)


def test_a_name_stands_level_with_its_marker_where_there_is_room():
    spot = LabelLayout(INSIDE, [(100, 100)]).place_beside(100, 100, "here")

    assert (spot.across, spot.anchor, spot.is_far) == (9, "start", False)


def test_a_name_at_the_right_edge_stands_to_the_left():
    assert LabelLayout(INSIDE, [(750, 100)]).place_beside(750, 100, "here").anchor == "end"


def test_many_names_at_one_point_stand_below_each_other():
    names = LabelLayout(INSIDE, [(100, 150)])
    spots = [names.place_beside(100, 150, "the same") for _ in range(12)]

    assert all(spots)
    assert any(spot.is_far for spot in spots)


def test_a_name_without_room_is_left_out():
    assert LabelLayout(INSIDE).place_beside(100, 100, "x" * 200) is None
