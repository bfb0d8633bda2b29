"""Commands at the end of hints can be copied as they stand."""

import pytest

from benchmaker.report.tables.commands import (
    lay_out_hints,
    replace_command,
    split_hint,
    wrap_hint,
    wrap_message,
)

LONG = "benchmaker results s-20261128-zyg2sn --explain --home '/a folder/of results'"


def test_a_command_that_fits_stays_behind_its_sentence():
    assert wrap_hint("Resume with: benchmaker resume r1", 60) == "Resume with: benchmaker resume r1"


def test_a_long_command_has_a_line_of_its_own():
    assert wrap_hint(f"Methods, settings and costs: {LONG}", 60) == (
        "Methods, settings and costs:\n"
        "  benchmaker results s-20261128-zyg2sn --explain \\\n"
        "      --home '/a folder/of results'"
    )
    assert wrap_hint(f"Methods: {LONG}", 80) == f"Methods:\n  {LONG}"


def test_the_sentence_before_a_command_is_wrapped():
    text = wrap_hint(f"{'word ' * 20}end with: benchmaker resume r1", 60)
    assert max(map(len, text.split("\n"))) <= 60
    assert "benchmaker resume r1" in text


@pytest.mark.parametrize(
    "command",
    [
        "benchmaker runs",
        "/opt/tools/.venv/bin/benchmaker runs --home /x",
        "'/a b/benchmaker' runs",
        "/usr/bin/python -m benchmaker runs",
    ],
)
def test_each_way_to_call_the_program_is_a_command(command):
    assert split_hint(f"List them with: {command}") == ("List them with:", " ", command)


def test_a_sentence_about_the_program_is_none():
    assert not split_hint("This is a bug in Benchmaker. Add --debug.").command


def test_lines_without_a_command_are_kept():
    text = f"{'x' * 90}\nAll trials:      {LONG}"
    assert lay_out_hints(text, 60) == f"{'x' * 90}\nAll trials:\n  {LONG}"


def test_long_lines_of_a_message_are_wrapped_and_commands_code_and_urls_are_not():
    url, code = f"https://host/{'x' * 50}", f"`make {'y ' * 20}`"
    text = wrap_message(f"{'word ' * 30}{url} {code}\n  {LONG}\nResume with: {LONG}", 60)
    lines = text.split("\n")
    assert {line for line in lines if len(line) > 60} == {url}
    assert text.replace(" \\\n     ", "").count(f"  {LONG}") == 2
    assert code in text
    assert "Resume with:" in lines


def test_the_rest_of_an_indented_line_is_indented_further():
    text = wrap_message("  openai/gpt-4o-mini  estimate $0.0000045 to $0.0037, at a host", 40)
    assert text == "  openai/gpt-4o-mini  estimate\n    $0.0000045 to $0.0037, at a host"


@pytest.mark.parametrize("command", ["pip install 'a[b]'", "sudo sysctl -w a=1", "export KEY=…"])
def test_a_command_of_another_program_is_not_broken(command):
    said = wrap_message(f"This needs a part that is not installed. Install it with: {command}", 50)
    assert command in said.split("\n")[-1]


def test_a_command_is_completed_where_there_is_one():
    def upper(command):
        return command.upper()

    assert replace_command("See: benchmaker runs", upper) == "See: BENCHMAKER RUNS"
    assert replace_command("No runs.", upper) == "No runs."
