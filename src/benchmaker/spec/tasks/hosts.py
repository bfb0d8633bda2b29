"""Hosts that a task allows its solver and its criteria to reach."""

import re
from typing import Annotated, Any, Final

from pydantic import BeforeValidator

_NAME: Final = re.compile(
    r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[0-9]{1,5})?"
)
_LAST_PORT: Final = 65_535


def check_host(text: str) -> str:
    """Return a host in small letters: a name, ``*.`` before it for its subdomains, ``:PORT`` after.

    Raises:
        ValueError: an address, a URL, or no name with a dot.

    >>> check_host("Own.Example"), check_host("*.example.org:8443")
    ('own.example', '*.example.org:8443')
    """
    host = text.strip().lower()
    port = host.rpartition(":")[2] if ":" in host else "1"
    if not _NAME.fullmatch(host) or not 1 <= int(port) <= _LAST_PORT:
        msg = f"{text!r} is no host such as own.example, *.example.org or example.org:8443"
        raise ValueError(msg)
    return host


def _check_network(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    if isinstance(given, (list, tuple)):
        return tuple(check_host(str(one)) for one in given)
    if not isinstance(given, bool):
        msg = "it must be true, false, or a list of hosts"
        raise ValueError(msg)  # noqa: TRY004  a TypeError would pass pydantic by
    return given


Network = Annotated[bool | tuple[str, ...], BeforeValidator(_check_network)]
"""False for none, True for all of it, or the hosts to which it is limited."""
