"""``benchmaker code``: the commands of the Code Arena, each in its own module."""

import importlib
from collections.abc import Mapping

import click

from benchmaker.cli.group import Subgroup

COMMANDS = {
    "run": "Run a suite of page prompts; render, exercise, measure and judge the pages.",
    "improve": "Improve a page of a stored run in a second turn.",
    "extract": "Extract code from answers and write it as offline pages.",
    "probe": "Render untrusted pages and report their behaviour.",
    "judge": "Judge the pages of a stored run, or pages in files.",
    "rate": "Rate models by people's votes on their pages.",
    "export": "Export the pages of a run to a file.",
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
    help="""Generate pages with models; render, judge and compare them.

    Options before the command also apply to it.
    """,
)
