"""The help of the command line, from its commands and options."""

import inspect
from collections.abc import Iterator

import click

from benchmaker.cli.main import main
from scripts.reference.commands import commands


def helps() -> Iterator[tuple[str, tuple[str, int]]]:
    """Each help, without its indentation, with the file and line of its command's function."""
    for command in [main, *commands().values()]:
        place = _place(command)
        yield _plain(command.help), place
        yield from ((_plain(getattr(it, "help", "")), place) for it in command.params)


def _plain(text: str | None) -> str:
    return inspect.cleandoc((text or "").replace("\b\n", ""))


def _place(command: click.Command) -> tuple[str, int]:
    """The function of a command; that of a group of commands is shared, and so its class."""
    function = inspect.unwrap(command.callback) if command.callback else type(command)
    _, line = inspect.getsourcelines(function)
    return inspect.getsourcefile(function) or "", line
