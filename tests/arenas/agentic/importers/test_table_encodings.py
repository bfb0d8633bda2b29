"""Tables as spreadsheets save them: UTF-16, a line that names the delimiter, other encodings."""

import codecs

import pytest

from benchmaker.arenas.agentic.sessions.importing import import_logs
from benchmaker.errors import TranscriptError

_ROWS = (
    ("id", "task_id", "tool", "total_tokens", "tool_calls"),
    ("1", "tidy", "Käfer", "1200", "7"),
    ("2", "tidy", "Käfer", "1300", "8"),
)
_MARKS = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-8": b""}


def table(delimiter, first=""):
    return first + "".join(delimiter.join(row) + "\r\n" for row in _ROWS)


def take(folder, content, name="rows.csv"):
    path = folder / name
    path.write_bytes(content)
    return import_logs(path, dry_run=True, home="/nonexistent")


def figures(made):
    return [(it.row_id, it.system.harness, it.total_tokens) for it in made.submissions]


@pytest.mark.parametrize("encoding", list(_MARKS))
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("says_delimiter", [False, True])
def test_a_table_is_read_as_excel_saves_it(tmp_path, encoding, delimiter, says_delimiter):
    text = table(delimiter, f"sep={delimiter}\r\n" if says_delimiter else "")
    made = take(tmp_path, _MARKS[encoding] + text.encode(encoding))
    assert figures(made) == [("1", "Käfer", 1200), ("2", "Käfer", 1300)]
    assert not made.skipped


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_json_lines_in_utf16_are_read(tmp_path, encoding):
    line = '{"id": "1", "tool": "Käfer", "task_id": "tidy", "total_tokens": 1200}\n'
    made = take(tmp_path, _MARKS[encoding] + line.encode(encoding), "rows.jsonl")
    assert figures(made) == [("1", "Käfer", 1200)]


def test_lines_count_from_the_top_of_the_file(tmp_path):
    made = take(tmp_path, (table(";", "sep=;\n") + "3;tidy\n").encode())
    assert [it.line for it in made.skipped_lines] == [5]


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-32", "UTF-32 (little-endian)"), ("utf-16-le", "without a byte order mark")],
)
def test_an_encoding_that_is_not_read_is_named_with_a_remedy(tmp_path, encoding, name):
    with pytest.raises(TranscriptError) as caught:
        take(tmp_path, table(",").encode(encoding))
    assert name in str(caught.value)
    assert "Save it as UTF-8" in str(caught.value)


def test_a_table_in_windows_1252_is_named_with_a_remedy(tmp_path):
    (skipped,) = take(tmp_path, table(",").encode("cp1252")).skipped_lines
    assert "Windows-1252" in skipped.reason
    assert "“CSV UTF-8”" in skipped.reason


def test_a_cut_off_text_in_utf16_is_named_with_a_remedy(tmp_path):
    content = codecs.BOM_UTF16_LE + table(",").encode("utf-16-le") + b"x"
    (skipped,) = take(tmp_path, content).skipped_lines
    assert "UTF-16" in skipped.reason
    assert "Save it as UTF-8" in skipped.reason
