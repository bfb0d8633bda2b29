import io
import sys

import pytest

from benchmaker.cli.output.output import escape_controls, make_streams_forgiving, one_line, say_json


def ascii_stdout(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_control_characters_are_shown_and_not_obeyed():
    assert "\x1b" not in escape_controls("a\x1b]0;title\x07b")


def test_tabs_and_line_ends_stay():
    assert escape_controls("a\tb\nc") == "a\tb\nc"


def test_an_override_of_the_writing_direction_is_shown():
    assert "\u202e" not in escape_controls("a\u202eb")


def test_one_line_folds_white_space_and_cuts():
    assert one_line("a \n b\tc", 5) == "a b c"
    assert one_line("abcdefgh", 5) == "abcd…"


def test_signs_that_the_encoding_lacks_are_approximated(monkeypatch):
    stream = ascii_stdout(monkeypatch)
    make_streams_forgiving()
    sys.stdout.write("\u22122.3 … “x” 数 \ud800")
    assert stream.buffer.getvalue() == b'-2.3 ... "x" \\u6570 \\ud800'


def test_json_is_indented_and_ends_with_a_line_feed(capsys):
    say_json({"a": [1]})
    assert capsys.readouterr().out == '{\n  "a": [\n    1\n  ]\n}\n'


@pytest.mark.parametrize("closed", [None, "closed"])
def test_streams_that_are_not_there_are_left_alone(monkeypatch, closed):
    if closed:
        ascii_stdout(monkeypatch)
        sys.stdout.close()
    else:
        monkeypatch.setattr(sys, "stdout", None)
    make_streams_forgiving()
