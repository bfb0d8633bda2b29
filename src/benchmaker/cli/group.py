"""A command with subcommands: help, examples, suggestions, shared options."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import click

from benchmaker.cli.base_command import FOLDER, write_examples


class Subgroup(click.Group):
    """A group within ``benchmaker``; options before its command also apply to it."""

    examples: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str, *, help: str) -> None:  # noqa: A002  Click's name
        passed_on = click.pass_context(_passed_on)
        super().__init__(name, help=help, params=_options(), callback=passed_on)

    def summaries(self) -> Mapping[str, str]:
        """Each command with the first line of its help, as ``--help`` lists them."""
        return {name: (it.help or "").partition("\n")[0] for name, it in self.commands.items()}

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  Click's signature
        """Every command, in the order in which they are used."""
        return list(self.summaries())

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the requested command; an unknown one is refused with a suggestion."""
        known = self.summaries()
        if args and not args[0].startswith("-") and args[0] not in known:
            from benchmaker.spec.documents.suggestions import nearest_name

            near = nearest_name(args[0], tuple(known))
            hint = f" Did you mean {near!r}?" if near else ""
            ctx.fail(f"There is no command {args[0]!r}.{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  Click's signature
        """The commands, each with its whole first sentence."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries().items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples."""
        super().format_epilog(ctx, formatter)
        write_examples(formatter, self.examples)


def _options() -> list[click.Parameter]:
    folder = "Data folder. Every command accepts it."
    fault = "Show the traceback of unexpected errors."
    return [
        click.Option(["--home"], type=FOLDER, metavar="DIR", help=folder),
        click.Option(["--json", "use_json"], is_flag=True, help="Print JSON and nothing else."),
        click.Option(["--debug"], is_flag=True, help=fault),
    ]


def _passed_on(ctx: click.Context, *, home: Path | None, use_json: bool, debug: bool) -> None:
    given = {"home": home, "use_json": use_json or None, "debug": debug or None}
    options = {name: value for name, value in given.items() if value is not None}
    names = ctx.command.list_commands(ctx) if isinstance(ctx.command, Subgroup) else ()
    ctx.default_map = dict.fromkeys(names, options)
