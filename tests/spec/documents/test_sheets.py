import zipfile

import pytest

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.spec.documents import typed_values
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import read_rows
from tests.spec.workbooks import a_workbook


def read(path, sheet=None, **limits):
    found = []
    rows = read_rows(path, limits=Limits(**limits), report=found.append, sheet=sheet)
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
    with pytest.raises(SpecError, match=r"has 2 sheets: Notes, Cases\. Choose one in the suite"):
        read(path)
    with pytest.raises(SpecError, match=r"no sheet 'Case'\. Did you mean 'Cases'\?"):
        read(path, "Case")


def test_cells_outside_the_named_columns_are_reported(write):
    path = write("a.xlsx", a_workbook(Cases=[["id"], ["a", "stray"], ["b"]]))
    found, (fault,) = read(path)
    assert found == [(3, {"id": "b"})]
    assert "a.xlsx:row 2: the row has cells outside the named columns." in fault


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


def test_a_missing_library_is_named_with_its_command():
    with pytest.raises(PrerequisiteError, match=r"with: pip install 'benchmaker\[data\]'"):
        typed_values.load_library("no_such_module", "x", typed_values.DATA_EXTRA)
