"""What the prose calls a command is one; fenced blocks are run, a line of prose is parsed."""

import re
import shlex

import click
import pytest

from benchmaker.cli import main
from tests.docs.page import ROOT, Page, pages

PAGES = [*pages(), ROOT / "CHANGELOG.md"]
COMMAND = re.compile(r"`benchmaker\s([^`]+)`")
SHORTENED = re.compile(r"[…|\[]")


def named(text):
    """The commands in a text, those left out that stand for several."""
    return [it for it in COMMAND.findall(text) if not SHORTENED.search(it)]


def complaint(written):
    """What the program says of a command as written, if anything; nothing is run.

    One that is named alone, or with options alone, need not be complete.
    """
    words = shlex.split(written)
    try:
        command, rest = found(main, words)
    except click.UsageError as wrong:
        return wrong.format_message()
    try:
        command.make_context(written, list(rest), parent=click.Context(main))
    except click.NoSuchOption as wrong:
        return wrong.format_message()
    except click.UsageError as wrong:
        return wrong.format_message() if is_given(rest) else None
    except click.exceptions.Exit:
        return None
    return None


def found(command, words):
    """The command that the first words name, and the words that follow these."""
    while isinstance(command, click.Group) and is_given(words):
        _, command, words = command.resolve_command(click.Context(command), words)
    return command, words


def is_given(words):
    """Whether the next word is there, and no option."""
    return bool(words) and not words[0].startswith("-")


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_the_prose_are_commands(path):
    wrong = {it: told for it in named(Page.read(path).prose) if (told := complaint(it))}
    assert wrong == {}


@pytest.mark.parametrize("written", ["run", "run --model", "run suite.yaml", "team public main on"])
def test_a_command_may_be_named_without_its_arguments(written):
    assert complaint(written) is None


@pytest.mark.parametrize("written", ["runn", "db chek", "run --nope", "team public main"])
def test_what_the_program_refuses_is_wrong(written):
    assert complaint(written)


def test_what_stands_for_several_commands_is_left_out():
    assert named("`benchmaker run`, `benchmaker user|team` and `benchmaker code run …`") == ["run"]
