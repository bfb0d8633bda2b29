import subprocess
import sys

import click
import pytest

import benchmaker
from benchmaker.cli.main import COMMANDS, SECTIONS, main

LISTED = [(name, told) for commands in SECTIONS.values() for name, told in commands.items()]


def the_command(name):
    return main.get_command(click.Context(main), name)


def test_help_lists_every_command(cli):
    said = cli("--help").stdout
    assert all(f"  {name} " in said for name in COMMANDS)


@pytest.mark.parametrize(("name", "told"), LISTED)
def test_the_list_says_what_the_command_says_of_itself(name, told):
    assert the_command(name).help.partition("\n")[0] == told


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_shared_options_a_help_and_examples(cli, name):
    said = cli(name, "--help").stdout
    assert all(option in said for option in ("--home", "--json", "--debug", "Examples:"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_example_is_a_call_of_its_command(name):
    whole = " ".join(the_command(name).examples)
    assert whole.startswith(f"benchmaker {name}")


def test_every_option_has_a_help():
    silent = [
        (name, option.name)
        for name in COMMANDS
        for option in the_command(name).params
        if isinstance(option, click.Option) and not option.help
    ]
    assert silent == []


def test_no_help_is_wider_than_the_screen(cli):
    for name in COMMANDS:
        text = cli(name, "--help").stdout.partition("Examples:")[0]
        assert max(map(len, text.splitlines())) <= 80, name


def test_the_version_is_printed(cli):
    assert cli("--version").stdout == f"benchmaker {benchmaker.__version__}\n"


def test_an_unknown_command_is_refused_with_the_nearest(cli):
    said = cli("rnu", code=2)
    assert "Did you mean 'run'?" in said.stderr


def test_an_unknown_option_is_refused(cli):
    assert "No such option" in cli("runs", "--limt", code=2).stderr


def test_a_usage_error_is_json_where_that_was_asked_for(cli):
    assert cli("show", "--json", code=2).data["error"]["type"] == "UsageError"


def test_without_a_command_the_help_is_shown(cli):
    said = cli(code=2)
    assert "Usage: benchmaker" in said.stdout + said.stderr


def test_home_may_stand_before_the_command(cli, tmp_path):
    assert cli("--home", tmp_path / "a", "runs", code=2).stderr.startswith(
        f"Error: {tmp_path / 'a'}"
    )


def test_home_of_the_command_goes_first(cli, tmp_path):
    said = cli("--home", tmp_path / "a", "runs", "--home", tmp_path / "b", code=2)
    assert str(tmp_path / "b") in said.stderr


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "benchmaker", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"benchmaker {benchmaker.__version__}\n"


@pytest.mark.parametrize(("word", "meant"), [("eval", "run"), ("view", "serve")])
def test_commands_of_promptfoo_lead_to_ours(cli, word, meant):
    assert f"Did you mean {meant!r}?" in cli(word, code=2).stderr


def test_a_mistyped_choice_and_number_are_explained(cli):
    said = " ".join(cli("usage", "dayly", code=2).stderr.split())
    assert "Did you mean 'daily'?" in said
    assert "'three' is not a valid whole number" in cli("runs", "--limit", "three", code=2).stderr


@pytest.mark.parametrize("columns", ["80", "100"])
def test_no_example_is_wider_than_the_terminal_or_another_command(cli, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", columns)
    for name in ("estimate", "compare", "run", "export", "calibrate"):
        examples = cli(name, "--help").stdout.partition("Examples:\n")[2]
        assert max(map(len, examples.splitlines())) <= min(int(columns), 72)
        joined = [" ".join(one.split()) for one in examples.replace("\\\n", "").splitlines()]
        assert joined == list(main.get_command(None, name).examples)
