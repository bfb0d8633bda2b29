"""The page of commands, from the commands themselves."""

import inspect
import re
from collections.abc import Iterator

import click

from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.main import SECTIONS, main
from scripts.reference.docstring import inline

EXIT_CODES = {
    ExitCode.OK: "Success.",
    ExitCode.THRESHOLD_MISSED: "A threshold was missed.",
    ExitCode.USAGE: "The command line, the suite or a file is wrong; the message says where.",
    ExitCode.PREREQUISITE: "A prerequisite is missing or unusable: a package, a key, a store.",
    ExitCode.PARTIAL: "Partial success: there were failures, or another process holds the run.",
    ExitCode.UNDECIDED: "A gate is undecided: `--gate sure` needs more cases, or a model has no "
    "scored answer, with any gate.",
    ExitCode.UNEXPECTED: "An internal error; `--debug` shows the traceback.",
    ExitCode.INTERRUPTED: "Interrupted by Ctrl-C; finished work is kept.",
}

HEAD = """\
# Commands

Every command prints a table for people, or JSON with `--json`. A `RUN` is a run id, a prefix of
one, a series, or `latest`.

With `--json`, stdout has JSON alone, an error included. Progress, hints and messages go to stderr.
Where both are one pipe or file (`2>&1`), these are left out, so that the output is JSON.
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, *_contents(), *_common(), *_exit_codes(), *_commands()])


def commands() -> dict[str, click.Command]:
    """Every command by name, in the order of ``--help``."""
    context = click.Context(main, info_name="benchmaker")
    return dict(_listed(main, context, ""))


def _listed(
    group: click.Group, context: click.Context, before: str
) -> Iterator[tuple[str, click.Command]]:
    """The commands of a group; behind each that is a group itself, its own."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is not None:
            yield f"{before}{name}", command
        if isinstance(command, click.Group):
            yield from _listed(command, context, f"{before}{name} ")


def common_options() -> set[str]:
    """The options that every command has."""
    return set.intersection(*(set(_by_name(command)) for command in commands().values()))


def heading(command: str, option: str) -> str:
    """The title under which an option stands."""
    return f"`{option}`" if option in common_options() else f"`{command} {option}`"


def _by_name(command: click.Command) -> dict[str, click.Option]:
    options = (it for it in command.params if isinstance(it, click.Option) and not it.hidden)
    return {_long(option): option for option in options}


def _long(option: click.Option) -> str:
    return max(option.opts, key=len)


def _contents() -> Iterator[str]:
    for section, names in SECTIONS.items():
        links = " · ".join(f"[{name}](#benchmaker-{name})" for name in names)
        yield f"- {section}: {links}"
    yield ""


def _common() -> Iterator[str]:
    yield "## Options of every command\n"
    usual = commands()["run"]
    shared = common_options()
    for name, option in _by_name(usual).items():
        if name in shared:
            yield from _option(f"`{name}`", option)
    yield "### `--help`\n\nShow the command's help with examples.\n"


def _exit_codes() -> Iterator[str]:
    yield "## Exit codes\n\n| code | meaning |\n|--:|---|"
    yield from (f"| {int(code)} | {EXIT_CODES[code]} |" for code in ExitCode)
    yield ""


def _commands() -> Iterator[str]:
    shared = common_options()
    for name, command in commands().items():
        yield f"## `benchmaker {name}`\n"
        yield inline(inspect.cleandoc(command.help or "").replace("\b\n", "")) + "\n"
        yield f"```text\n{_usage(name, command)}\n```\n"
        for long, option in _by_name(command).items():
            if long not in shared:
                yield from _option(heading(name, long), option)
        yield from _examples(command)


def _usage(name: str, command: click.Command) -> str:
    context = click.Context(command, info_name=f"benchmaker {name}")
    return f"benchmaker {name} {' '.join(command.collect_usage_pieces(context))}"


def _option(title: str, option: click.Option) -> Iterator[str]:
    yield f"### {title}\n"
    yield f"`{_spelling(option)}`\n"
    yield f"{inline(_safe(option.help or ''))}\n"
    facts = [*_choices(option), *_default(option)]
    if facts:
        yield " ".join(facts) + "\n"


def _safe(text: str) -> str:
    """Angle brackets would vanish from the page."""
    return re.sub(r"<([^>]+)>", r"`<\1>`", text)


def _spelling(option: click.Option) -> str:
    names = ", ".join([*option.opts, *option.secondary_opts])
    if option.is_flag:
        return names
    value = option.make_metavar(click.Context(click.Command("any")))
    return f"{names} {value}{' …' if option.multiple else ''}"


def _choices(option: click.Option) -> Iterator[str]:
    if isinstance(option.type, click.Choice):
        yield f"One of {', '.join(f'`{it}`' for it in option.type.choices)}."
    if option.multiple and "repeat" not in (option.help or "").lower():
        yield "Repeatable."


def _default(option: click.Option) -> Iterator[str]:
    if option.is_flag or option.multiple or not isinstance(option.default, str | int | float):
        return
    yield f"Default: `{option.default}`."


def _examples(command: click.Command) -> Iterator[str]:
    examples = getattr(command, "examples", ())
    if examples:
        yield "Examples:\n"
        yield "```text\n" + "\n".join(examples) + "\n```\n"
