"""``benchmaker schema``: the JSON Schema of suites, tasks, agents, submissions and baselines."""

from typing import Any

import click

from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output.output import say

_OF = ("suite", "task", "agent", "submission", "baseline")


@declare(
    "schema",
    examples=("benchmaker schema > suite.schema.json", "benchmaker schema submission"),
)
@click.argument("of", metavar=f"[{'|'.join(_OF)}]", type=click.Choice(_OF), default=_OF[0])
def command(context: Context, *, of: str) -> None:  # noqa: ARG001  it is JSON either way
    """Print the JSON Schema of suites, tasks, agents, submissions or baselines.

    Editors use it for completion and checks. The schema of suites covers every installed scorer and
    its parameters. Point your editor to it in the first line of a file: # yaml-language-server:
    $schema=suite.schema.json
    """
    texts = {
        "suite": schema_text,
        "task": task_schema_text,
        "agent": agent_schema_text,
        "submission": submission_schema_text,
        "baseline": baseline_schema_text,
    }
    say(texts[of]().rstrip("\n"))


def schema_text() -> str:
    """The schema of suites as indented JSON."""
    from benchmaker.scoring.check import suite_schema

    return _indented_json(suite_schema())


def task_schema_text() -> str:
    """The schema of a task's file as indented JSON."""
    from benchmaker.spec.tasks.task_file import task_schema

    return _indented_json(task_schema())


def agent_schema_text() -> str:
    """The schema of an agent's adapter file as indented JSON."""
    from benchmaker.spec.agents.adapter import adapter_schema

    return _indented_json(adapter_schema())


def submission_schema_text() -> str:
    """The schema of submissions as indented JSON."""
    from benchmaker.record.submissions.submission_schema import submission_schema

    return _indented_json(submission_schema())


def baseline_schema_text() -> str:
    """The schema of baselines of runs as indented JSON."""
    from benchmaker.record.baselines.run_baseline import baseline_schema

    return _indented_json(baseline_schema())


def _indented_json(schema: dict[str, Any]) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(schema), indent=2).decode() + "\n"
