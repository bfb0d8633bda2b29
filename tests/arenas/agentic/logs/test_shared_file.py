"""Files of many sessions, which are read once."""

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.shared_file import FileLines


def reads(path, numbers):
    """The lines with these numbers, and how often the file was read for them."""
    reports = []
    options = Options(skip=reports.append, max_line_bytes=20)
    lines = FileLines()
    return [lines.get(path, options, it) for it in numbers], len(reports)


def test_blank_lines_do_not_restart_the_reading(tmp_path):
    path = tmp_path / "chat.md"
    path.write_bytes(b"x" * 30 + b"\n\n\n\na\n\n\n\nb\n")
    expected = [None] * 4 + [b"a", None, None, None, b"b", None]
    assert reads(path, range(1, 11)) == (expected, 1)


def test_an_earlier_line_restarts_the_reading(tmp_path):
    path = tmp_path / "chat.md"
    path.write_bytes(b"x" * 30 + b"\na\n\n\nb\n")
    assert reads(path, [2, 3, 2, 5, 4, 2]) == ([b"a", None, b"a", b"b", None, b"a"], 4)
