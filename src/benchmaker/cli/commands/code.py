"""``benchmaker code``: the commands of the Code Arena, each in its own module."""

import importlib
from collections.abc import Mapping

import click

from benchmaker.cli.group import Subgroup

COMMANDS = {
    "run": "Put prompts for pages to models; render, use, measure and judge the pages.",
    "extract": "Find the code in answers, and write it as pages that need no network.",
    "probe": "Render pages that nobody trusts, and print what they do.",
    "judge": "Judge pages: those of a stored run again, or those in files.",
    "rate": "Rate models by people's votes on their pages.",
    "export": "Write the pages of a run as a file.",
}
"""The commands as ``--help`` lists them, none loaded; ``x`` is in the module ``code_x``."""


class CodeGroup(Subgroup):
    """The group, which loads a command's module on demand."""

    examples = (
        "benchmaker code run pages.yaml --model openai/gpt-4o-mini --no-judge",
        "benchmaker code extract answer.md --out pages",
        "benchmaker code probe pages/answer/page/index.html",
    )

    def summaries(self) -> Mapping[str, str]:
        """Every command, none loaded."""
        return COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  Click's signature
        """The command of that name, its module imported now."""
        if cmd_name not in COMMANDS:
            return None
        found = importlib.import_module(f"benchmaker.cli.commands.code_{cmd_name}").command
        return found if isinstance(found, click.Command) else None


command = CodeGroup(
    "code",
    help="""Have models write pages; render, judge and compare these.

    What stands before the command counts as if it stood behind it.
    """,
)
