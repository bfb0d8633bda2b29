"""``benchmaker code``: the commands of the Code Arena, each in a module of its own."""

import importlib
from pathlib import Path

import click

from benchmaker.cli.command import FOLDER

COMMANDS = {
    "run": "Put prompts for pages to models; render, use, measure and judge the pages.",
    "extract": "Find the code in answers, and write it as pages that need no network.",
    "probe": "Render pages that nobody trusts, and print what they do.",
    "judge": "Judge pages: those of a stored run anew, or those in files.",
    "rate": "Rate models by people's votes on their pages.",
    "export": "Write the pages of a run as a file.",
}
"""The commands as ``--help`` lists them, none loaded; ``x`` is in the module ``code_x``."""

_EXAMPLES = (
    "benchmaker code run pages.yaml --model openai/gpt-4o-mini --no-judge",
    "benchmaker code extract answer.md --out pages",
    "benchmaker code probe pages/answer/page/index.html",
)


class CodeGroup(click.Group):
    """The group: loads a command's module when that command is asked for."""

    examples = _EXAMPLES

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  Click's signature
        """Every command, in the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  Click's signature
        """The command of that name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        found = importlib.import_module(f"benchmaker.cli.commands.code_{cmd_name}").command
        return found if isinstance(found, click.Command) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command asked for; an unknown one is refused with the nearest."""
        if args and not args[0].startswith("-") and args[0] not in COMMANDS:
            from benchmaker.spec.nearest import nearest  # noqa: PLC0415  only where it is wrong

            near = nearest(args[0], COMMANDS)
            ctx.fail(
                f"There is no command {args[0]!r}." + (f" Did you mean {near!r}?" if near else "")
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  Click's signature
        """The commands, without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, one a line, never wrapped."""
        super().format_epilog(ctx, formatter)
        with formatter.section("Examples"):
            for example in self.examples:
                formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


@click.group("code", cls=CodeGroup)
@click.option("--home", type=FOLDER, metavar="DIR", help="The data folder; every command takes it.")
@click.option("--json", "use_json", is_flag=True, help="Print JSON and nothing else.")
@click.option("--debug", is_flag=True, help="Show the traceback when something unexpected fails.")
@click.pass_context
def command(ctx: click.Context, *, home: Path | None, use_json: bool, debug: bool) -> None:
    """Have models write pages; render, judge and compare these.

    What stands before the command counts as if it stood behind it.
    """
    given = {"home": home, "use_json": use_json or None, "debug": debug or None}
    told = {name: value for name, value in given.items() if value is not None}
    ctx.default_map = dict.fromkeys(COMMANDS, told)
