"""The variables of a call: those of the environment, and behind them the ``.env`` file's."""

from collections.abc import Mapping

from benchmaker.cli.context import Context


def variables(context: Context) -> Mapping[str, str]:
    """All of them; those of the environment go first."""
    from benchmaker.providers.endpoints.dotenv import read_dotenv

    return {**read_dotenv(context.dotenv), **context.environ}
