import csv
import io
from string import ascii_lowercase

from hypothesis import given
from hypothesis import strategies as st

from benchmaker.report.tables.table import Column, Table, write_rows


def a_table(*rows, **more):
    columns = (
        Column("Model", is_right=False),
        Column("Mean", "0-100"),
        Column("Differ-\nence", gives_way=True),
    )
    return Table(columns, rows or (("aurora", "86.9", "+2.3"),), **more)


def test_a_head_on_two_lines_is_one_in_markdown():
    assert a_table().markdown() == (
        "| Model | Mean, 0-100 | Difference |\n| --- | ---: | ---: |\n| aurora | 86.9 | +2.3 |\n"
    )


def test_any_unit_stands_behind_a_comma():
    column = Column("IQR", "pairs")
    assert (column.lines, column.label, column.name) == ("IQR\npairs", "IQR, pairs", "IQR")
    assert Column("Scored\npairs").label == "Scored pairs"


def test_markup_in_a_cell_does_not_work():
    assert "| \\<b\\> |" in a_table(("<b>", "1", "2")).markdown()


def test_columns_give_way_before_names_are_folded():
    wide = a_table(("a-rather-long-name-of-a-model", "86.9", "+2.3"))
    assert "ence" in wide.text(width=80)
    narrow = wide.text(width=38).partition("Hidden")[0]
    assert "ence\n" not in narrow
    assert "a-rather-long-name-of-a-model" in narrow


def test_columns_that_gave_way_are_named_with_what_shows_them():
    wide = a_table(("a-rather-long-name-of-a-model", "86.9", "+2.3"))
    assert "Hidden" not in wide.text(width=80)
    told = "Hidden at 38 columns: Difference. Use\na wider terminal or --json to see it.\n"
    assert wide.text(width=38).endswith(f"86.9\n{told}")


@given(
    columns=st.lists(
        st.tuples(st.integers(1, 30), st.booleans(), st.booleans()), min_size=1, max_size=12
    ),
    width=st.integers(40, 120),
)
def test_each_column_is_shown_or_named(columns, width):
    heads = ascii_lowercase[: len(columns)]  # no head is broken into lines
    made = Table(
        tuple(
            Column(head, is_right=is_right, gives_way=gives_way)
            for head, (_, is_right, gives_way) in zip(heads, columns, strict=True)
        ),
        (tuple("x" * length for length, *_ in columns),),
    )
    first, *below = made.text(width=width).splitlines()
    told = " ".join(below).partition("columns: ")[2].partition(". Use a")[0]
    named = told.split(", ") if told else []
    shown = first.split()
    assert [one for one in heads if one not in shown] == named
    assert shown


def test_no_line_is_longer_than_the_screen():
    text = a_table(("x" * 90, "86.9", "+2.3")).text(width=40)
    assert max(map(len, text.splitlines())) <= 40


def test_the_caption_stands_above():
    assert a_table(caption="Difference from basalt").text().startswith("Difference from basalt\n")


def test_csv_holds_every_figure_and_no_formula():
    stream = io.StringIO()
    write_rows(
        stream,
        ("a", "b", "c", "d", "e"),
        [{"a": 0.1 + 0.2, "b": None, "c": "=1+1", "d": ["x", "y"], "e": True}],
    )
    head, row = csv.reader(io.StringIO(stream.getvalue()))
    assert head == ["a", "b", "c", "d", "e"]
    assert row == ["0.30000000000000004", "", "'=1+1", "x; y", "true"]


def test_no_head_is_split_within_a_word():
    columns = (
        Column("Run", is_right=False), Column("Mean"), Column("Verdict", is_right=False),
    )  # fmt: skip
    rows = (("20261124-pey7y3", "45.7 [17.6, 76.8]", "not significant"),)
    for width in range(36, 60):
        assert "Verdict" in Table(columns, rows).text(width=width), width
