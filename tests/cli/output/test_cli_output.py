import io
import json
import sys

import pytest

from benchmaker.cli.output.failure import tell_failure
from benchmaker.cli.output.output import (
    escape_controls,
    json_alone,
    make_streams_forgiving,
    one_line,
    say_json,
    tell,
    tell_as_is,
    tell_warning,
)
from benchmaker.errors import SpecError


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


@pytest.mark.parametrize("use_json", [True, False])
def test_with_json_messages_are_left_out_where_both_streams_are_one(
    monkeypatch, tmp_path, use_json
):
    with (tmp_path / "both").open("w+") as out, open(out.fileno(), "w", closefd=False) as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        with json_alone(use_json=use_json):
            tell("2 of 2 trials")
            tell_warning("WARNING library: old")
            tell_failure(SpecError("no such run."), use_json=use_json, debug=False)
        tell("afterwards")
        out.flush()
        err.flush()
    said = (tmp_path / "both").read_text()
    messages, _, after = said.rpartition("afterwards")
    if use_json:
        assert json.loads(messages)["error"]["message"] == "no such run."
    else:
        assert messages.startswith("2 of 2 trials\nWARNING library: old\nError: no such run.")
    assert after == "\n"


def test_messages_go_to_a_stream_of_their_own_with_json_too(monkeypatch, tmp_path):
    with (tmp_path / "out").open("w") as out, (tmp_path / "err").open("w") as err:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        with json_alone(use_json=True):
            tell("2 of 2 trials")
            say_json({})
    assert (tmp_path / "out").read_text() == "{}\n"
    assert (tmp_path / "err").read_text() == "2 of 2 trials\n"


def test_log_lines_of_a_server_are_written_in_any_case(monkeypatch, tmp_path):
    with (tmp_path / "both").open("w+") as both:
        monkeypatch.setattr(sys, "stdout", both)
        monkeypatch.setattr(sys, "stderr", both)
        with json_alone(use_json=True):
            tell_as_is("a request")
    assert (tmp_path / "both").read_text() == "a request\n"
