"""The keys that this call could read, so that nothing it writes holds one."""

from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.errors import BenchmakerError
from benchmaker.redact import Redactor

if TYPE_CHECKING:
    from benchmaker.providers.endpoints.endpoints import Endpoint
    from benchmaker.providers.endpoints.keys import Keys


def redactor_of(context: Context | None) -> Redactor:
    """Takes the known keys, and whatever looks like one, out of texts.

    Without a context, what looks like a key alone.
    """
    return Redactor(known_keys(context)) if context else Redactor()


def known_keys(context: Context) -> tuple[str, ...]:
    """The keys to all endpoints that the environment and the ``.env`` file hold.

    A file that can't be read gave nobody a key: it is left aside here, and refused by whoever
    needs it.
    """
    return _keys(context).without_keys({}, _endpoints(context))[1]


def _keys(context: Context) -> "Keys":
    from benchmaker.providers.endpoints.keys import Keys

    try:
        return Keys(context.environ, context.dotenv)
    except (BenchmakerError, OSError):
        return Keys(context.environ)


def _endpoints(context: Context) -> "list[Endpoint]":
    from benchmaker.providers.endpoints.endpoint_file import endpoints_of
    from benchmaker.providers.endpoints.endpoints import endpoint_table

    try:
        return list(endpoints_of(context.home).values())
    except (BenchmakerError, OSError):
        return list(endpoint_table().values())
