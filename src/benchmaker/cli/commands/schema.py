"""``benchmaker schema``: the JSON Schema of suite files."""

from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.output import say


@declare("schema", examples=("benchmaker schema > suite.schema.json",))
def command(context: Context) -> None:  # noqa: ARG001  it is JSON either way
    """Print the JSON Schema of suite files, for editors.

    It covers every installed scorer with its parameters. Point your editor to it with the first
    line of a suite: # yaml-language-server: $schema=suite.schema.json
    """
    say(schema_text().rstrip("\n"))


def schema_text() -> str:
    """The schema as indented JSON."""
    import msgspec  # noqa: PLC0415  --help needs none of it

    from benchmaker.scoring.check import suite_schema  # noqa: PLC0415  loads pydantic

    return msgspec.json.format(msgspec.json.encode(suite_schema()), indent=2).decode() + "\n"
