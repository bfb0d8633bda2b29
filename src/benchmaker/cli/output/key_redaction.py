"""The keys readable by this call, for redaction of its output."""

from typing import TYPE_CHECKING

from benchmaker.cli.context import Context
from benchmaker.errors import BenchmakerError
from benchmaker.redact import Redactor

if TYPE_CHECKING:
    from benchmaker.providers.endpoints.endpoints import Endpoint
    from benchmaker.providers.endpoints.keys import Keys


def redactor_of(context: Context | None) -> Redactor:
    """Return a redactor of known keys, and of texts that look like one.

    Without a context, it only removes texts that look like keys.
    """
    return Redactor(known_keys(context)) if context else Redactor()


def known_keys(context: Context) -> tuple[str, ...]:
    """Return the keys of all endpoints in the environment and the ``.env`` file.

    An unreadable file provides no key: it is ignored here, and refused where it is needed.
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
