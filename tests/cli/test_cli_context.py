import os
import sys
from pathlib import Path

import pytest

from benchmaker.cli.context import Context, program
from benchmaker.errors import PrerequisiteError


def test_an_option_goes_before_the_variable(tmp_path):
    read = Context.read({"BENCHMAKER_HOME": "/elsewhere"}, home=tmp_path)
    assert read.home == tmp_path
    assert read.home_was_given


def test_the_variable_goes_before_the_usual_folder():
    assert Context.read({"BENCHMAKER_HOME": "/elsewhere"}).home == Path("/elsewhere")


def test_the_usual_folder_is_in_the_users_home():
    assert Context.read({}).home == Path.home() / ".local" / "share" / "benchmaker"


def test_without_any_home_it_says_how_to_name_one(monkeypatch):
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 987_654_321)
    with pytest.raises(PrerequisiteError, match="--home"):
        Context.read({})


@pytest.mark.parametrize(("value", "is_ci"), [("true", True), ("1", True), ("", False)])
def test_ci_is_read(value, is_ci):
    assert Context.read({"CI": value}).in_ci is is_ci


def test_no_color_is_read():
    assert not Context.read({"NO_COLOR": "1"}).use_color


def test_a_line_repeats_a_given_home_and_quotes_what_needs_it(tmp_path):
    line = Context(home=tmp_path / "a b", home_was_given=True).line("show", "it's")
    assert line.endswith(f"""show 'it'"'"'s' --home '{tmp_path}/a b'""")
    assert "--home" not in Context(home=tmp_path).line("show")


def test_a_program_that_is_not_on_the_path_is_called_by_its_place(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / ".venv" / "bin" / "benchmaker")])
    assert program() == (".venv/bin/benchmaker",)
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "benchmaker" / "__main__.py")])
    assert program() == (sys.executable, "-m", "benchmaker")


def test_a_program_on_the_path_is_called_by_its_name(monkeypatch, tmp_path):
    (tmp_path / "benchmaker").write_text("#!/bin/sh\n")
    (tmp_path / "benchmaker").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["/somewhere/benchmaker"])
    assert program() == ("benchmaker",)
