import io
import struct
import zipfile

import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.spec.documents import typed_values
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import read_rows
from tests.spec.workbooks import a_workbook


def read(path, sheet=None, **limits):
    found = []
    rows = read_rows(path, limits=Limits(**limits), report=found.extend, sheet=sheet)
    return [(row.number, row.values) for row in rows], [str(one) for one in found]


def test_cells_are_text_and_blank_rows_are_skipped(write):
    rows = [["id", "n"], [], ["007", 1.0], ["b", 0.1], ["c", True], ["d", None]]
    found, faults = read(write("a.xlsx", a_workbook(Cases=rows)))
    assert found == [
        (3, {"id": "007", "n": "1"}),
        (4, {"id": "b", "n": "0.1"}),
        (5, {"id": "c", "n": "true"}),
        (6, {"id": "d", "n": ""}),
    ]
    assert faults == []


def test_one_of_several_sheets_is_named(write):
    path = write("a.xlsx", a_workbook(Notes=[["x"]], Cases=[["id"], ["a"]]))
    assert read(path, "Cases")[0] == [(2, {"id": "a"})]
    with pytest.raises(
        SpecError, match=r"has 2 sheets: Notes, Cases\. Choose one: in a suite cases"
    ):
        read(path)
    with pytest.raises(SpecError, match=r"no sheet 'Case'\. Did you mean 'Cases'\?"):
        read(path, "Case")


def test_cells_outside_the_named_columns_are_reported(write):
    path = write("a.xlsx", a_workbook(Cases=[["id"], ["a", "stray"], ["b"]]))
    found, (fault,) = read(path)
    assert found == [(3, {"id": "b"})]
    assert "a.xlsx:row 2: the row has cells outside the named columns." in fault
    assert fault.endswith("Name their columns in row 1, or clear them.")


def with_merged(rows, *ranges):
    """A workbook with these rows and merged ranges."""
    listed = "".join(f'<mergeCell ref="{one}"/>' for one in ranges)
    return with_part(
        a_workbook(Cases=rows),
        "xl/worksheets/1.xml",
        lambda text: text.replace("</sheetData>", f"</sheetData><mergeCells>{listed}</mergeCells>"),
    )


def test_merged_cells_of_cases_are_refused(write):
    rows = [["id", "topic"], ["a", "law"], ["b", None], ["c", "art"]]
    with pytest.raises(SpecError, match="row 2: the cells B2 to B3 are merged") as error:
        read(write("a.xlsx", with_merged(rows, "AA2:AB3", "B2:B3")))
    assert str(error.value).endswith("Unmerge them, and fill in each cell.")


def test_merged_cells_above_the_cases_are_no_fault(write):
    rows = [["id", "topic"], ["a", "law"]]
    found, faults = read(write("a.xlsx", with_merged(rows, "A1:A1", "D2:E3")))
    assert (found, faults) == ([(2, {"id": "a", "topic": "law"})], [])


def test_a_sheet_without_a_header_is_refused(write):
    with pytest.raises(SpecError, match="the table has no header"):
        read(write("a.xlsx", a_workbook(Cases=[])))


def test_a_workbook_that_unpacks_to_too_much_is_refused(write):
    path = write("a.xlsx", a_workbook(Cases=[["id"], ["x" * 100_000]]))
    assert path.stat().st_size < 10_000
    with pytest.raises(SpecError, match=r"the workbook unpacks to more than .* Save the sheet"):
        read(path, array_bytes=50_000)


def test_a_damaged_workbook_is_refused(write):
    path = write("a.xlsx", a_workbook(Cases=[["id"], ["a" * 5000]]))
    with zipfile.ZipFile(path) as archive:
        start = archive.getinfo("xl/worksheets/1.xml").header_offset
    data = bytearray(path.read_bytes())
    data[start + 60] ^= 255
    path.write_bytes(data)
    with pytest.raises(SpecError, match="the workbook can't be read"):
        read(path)


def with_part(data, name, change):
    """The workbook with another content of one part."""
    made = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.namelist():
            text = old.read(part).decode()
            new.writestr(part, change(text) if part == name else text)
    return made.getvalue()


def with_rows(rows):
    """A workbook with a column id, and further rows as XML."""
    return with_part(
        a_workbook(Cases=[["id", "n"]]),
        "xl/worksheets/1.xml",
        lambda text: text.replace("</sheetData>", f"{rows}</sheetData>"),
    )


def cell(inside, how=""):
    return f'<row><c t="inlineStr"><is><t>a</t></is></c><c {how}>{inside}</c></row>'


def test_values_are_read_as_they_were_saved(write):
    path = write(
        "a.xlsx",
        with_rows(
            cell("<f>1+1</f><v>2</v>")
            + cell("<f>A2</f><v></v>", 't="str"')
            + cell("<v>2026-01-31T00:00:00</v>", 't="d"')
            + cell("<v>999999999999999</v>")
            + cell("<v>1000000000000000</v>")
            + cell("<v>-9007199254740991</v>")
            + cell("<v>0.1</v>")
            + cell("<is><t>=1+1</t></is>", 't="inlineStr"')
        ),
    )
    assert [values["n"] for _, values in read(path)[0]] == [
        "2",
        "",
        "2026-01-31T00:00:00",
        "999999999999999",
        "1000000000000000",
        "-9007199254740991",
        "0.1",
        "=1+1",
    ]


@pytest.mark.parametrize("number", ["9007199254740992", "-12345678901234567890", "6.02e23"])
def test_a_whole_number_of_which_excel_keeps_not_all_digits_is_refused(write, number):
    path = write("a.xlsx", with_rows(cell(f"<v>{number}</v>")))
    with pytest.raises(SpecError, match="cell B2 holds a whole number") as caught:
        read(path)
    assert "Store it as text" in str(caught.value)


@pytest.mark.parametrize(
    "row",
    [
        cell("<v>#DIV/0!</v>", 'r="B2" t="e"'),
        cell("<f>1+1</f>", 'r="B2"'),
        cell("<f>1+1</f><v></v>", 'r="B2"'),
        cell("<f>1+1</f><v/>", 'r="B2"'),
    ],
)
def test_a_formula_without_a_value_is_refused(write, row):
    path = write("a.xlsx", with_rows(row))
    with pytest.raises(SpecError, match="cell B2 has an error or no saved value"):
        read(path)


@pytest.mark.parametrize(
    "row",
    [
        '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>',
        "<row r = '1048576'><c r = 'XFD1048576'><v>1</v></c></row>",
        '<row r="1048576"><c><v>1</v></c></row><row><c r="XFD3"><v>1</v></c></row>',
    ],
)
def test_a_sheet_that_spans_too_many_cells_is_refused(write, row):
    path = write("a.xlsx", with_rows(row))
    with pytest.raises(SpecError, match="spans too many cells"):
        read(path)


def test_texts_that_are_repeated_too_often_are_refused(write):
    shared = f"<si><t>{'x' * 10_000}</t></si>"
    row = '<row><c t="s"><v>0</v></c></row>' * 1_000
    path = write("a.xlsx", with_rows(shared + row))
    with pytest.raises(SpecError, match="more than 2 MiB of text"):
        read(path, data_bytes=8 * 2**20)


def test_a_false_size_of_a_part_is_no_way_around_the_limit(write):
    data = a_workbook(Cases=[["id"], ["x" * 100_000]])
    name = b"xl/worksheets/1.xml"
    size = zipfile.ZipFile(io.BytesIO(data)).getinfo(name.decode()).file_size
    false = data.replace(struct.pack("<I", size), struct.pack("<I", 100))
    path = write("a.xlsx", false)
    with pytest.raises(SpecError, match="the workbook unpacks to more than"):
        read(path, array_bytes=50_000)
    with pytest.raises(SpecError, match="the workbook can't be read"):
        read(write("b.xlsx", false[: len(false) // 2]))


def test_a_missing_library_is_named_with_its_command():
    with pytest.raises(PrerequisiteError, match=r"with: pip install 'benchmaker\[data\]'"):
        typed_values.load_library("no_such_module", "x", typed_values.DATA_EXTRA)
