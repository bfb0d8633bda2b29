"""The variables of a call: those of the environment, and behind them the ``.env`` file's."""

from collections.abc import Mapping

from benchmaker.cli.context import Context


def variables(context: Context) -> Mapping[str, str]:
    """All of them; those of the environment go first."""
    from benchmaker.providers.endpoints.dotenv import read_dotenv  # noqa: PLC0415  --help needs none of it

    return {**read_dotenv(context.dotenv), **context.environ}
