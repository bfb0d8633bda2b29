"""The common part of all commands: shared options, and help with examples."""

import functools
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from benchmaker.cli.context import Context

C = TypeVar("C", bound=Callable[..., Any])

_EXAMPLE_WIDTH = 72
_CONTINUES = " \\"
_BROKEN_INDENT = 6 * " "
"""The indent of further lines of an option."""
_PIECE = r"""(?:'[^']*'|"[^"]*"|[^\s'"])"""
_WORD = re.compile(rf"--[\w-]+ (?!-){_PIECE}+|{_PIECE}+")
"""A word of a command, or an option with its value."""

FOLDER = click.Path(file_okay=False, path_type=Path)
FILE = click.Path(path_type=Path)

_USUAL_HOME = "BENCHMAKER_HOME, else ~/.local/share/benchmaker"
_json = click.option("--json", "use_json", is_flag=True, help="Print JSON and nothing else.")
_debug = click.option("--debug", is_flag=True, help="Show the traceback of unexpected errors.")


class CommandWithExamples(click.Command):
    """A command whose help ends with working examples."""

    def __init__(self, *args: Any, examples: tuple[str, ...] = (), **attrs: Any) -> None:  # noqa: ANN401  Click's own
        super().__init__(*args, **attrs)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options; choices that are wider than the window are broken over lines."""
        records = [one.get_help_record(ctx) for one in self.get_params(ctx)]
        with formatter.section("Options"):
            room = formatter.width - formatter.current_indent
            formatter.write_dl([(_break_choices(it[0], room), it[1]) for it in records if it])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            write_examples(formatter, self.examples)


def _break_choices(option: str, width: int) -> str:
    r"""An option with its choices, on lines of at most that width.

    >>> _break_choices("--format [csv|html|json|jsonl]", 22)
    '--format [csv|html|\n      json|jsonl]'
    """
    lines, line = [], ""
    for part in re.findall(r"[^|]*\|?", option) if len(option) > width else [option]:
        if line and len(line) + len(part) > width:
            lines.append(line)
            line = _BROKEN_INDENT
        line += part
    return "\n".join([*lines, line])


def write_examples(formatter: click.HelpFormatter, examples: Iterable[str]) -> None:
    """Write the examples, long ones continued on indented lines behind a backslash."""
    with formatter.section("Examples"):
        for example in examples:
            indent = " " * formatter.current_indent
            lines = _break_command(example, min(_EXAMPLE_WIDTH, formatter.width) - len(indent))
            formatter.write("".join(f"{indent}{line}\n" for line in lines))


def _break_command(example: str, width: int) -> list[str]:
    r"""The lines of a command, broken between words; a break leaves the command the same.

    >>> _break_command("benchmaker run suite.yaml --model a/b", 30)
    ['benchmaker run suite.yaml \\', '  --model a/b']
    """
    if len(example) <= width:
        return [example]
    lines, line = [], ""
    for word in _WORD.findall(example):
        if line and len(f"{line} {word}") > width - len(_CONTINUES):
            lines.append(f"{line}{_CONTINUES}")
            line = f"  {word}"
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def command(
    name: str, *, examples: tuple[str, ...] = (), home: str = _USUAL_HOME
) -> Callable[[C], CommandWithExamples]:
    """Declare a command; its function gets a :class:`Context` first, then its own options.

    ``home`` is the default folder's description. The function's docstring is the help; its return
    value is the exit code, None meaning 0.
    """

    def decorate(function: C) -> CommandWithExamples:
        wrapped = _with_context(_with_shared_options(function, home))
        return click.command(name, cls=CommandWithExamples, examples=examples)(wrapped)

    return decorate


def _home(default: str) -> Callable[[C], C]:
    return click.option(
        "--home", type=FOLDER, metavar="DIR", help=f"Data folder. Default: {default}."
    )


def _with_shared_options(function: C, home: str) -> C:
    """Put them behind the command's own: Click keeps options in reverse."""
    own = list(getattr(function, "__click_params__", ()))
    function.__dict__["__click_params__"] = []
    for option in (_debug, _json, _home(home)):
        option(function)
    function.__dict__["__click_params__"] += own
    return function


def _with_context(function: C) -> Callable[..., Any]:
    @functools.wraps(function)
    @click.pass_context
    def run(
        ctx: click.Context,
        /,
        *,
        home: Path | None,
        use_json: bool,
        debug: bool,
        **options: Any,  # noqa: ANN401  each command declares its own
    ) -> Any:  # noqa: ANN401  the exit code, or None
        group = ctx.find_root().params
        of_group = group.get("home")
        context = Context.read(
            home=home or (Path(of_group) if of_group else None),
            use_json=use_json,
            debug=debug or bool(group.get("debug")),
        )
        ctx.find_root().obj = context
        return function(context, **options)

    return run


run_argument = click.argument("run", metavar="RUN")
"""A run: its id or the first characters of it, a series, or ``latest``."""
