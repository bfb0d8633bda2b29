"""Hosts that a task allows its solver and its criteria to reach."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator

_NAME: Final = re.compile(
    r"(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[0-9]{1,5})?"
)
_LAST_PORT: Final = 65_535


def check_host(text: str) -> str:
    """Return a host in small letters: a name, ``*.`` before it for its subdomains, ``:PORT`` after.

    Raises:
        ValueError: an address, a URL, or no name with a dot.

    >>> check_host("PyPI.org"), check_host("*.example.org:8443")
    ('pypi.org', '*.example.org:8443')
    """
    host = text.strip().lower()
    port = host.rpartition(":")[2] if ":" in host else "1"
    if not _NAME.fullmatch(host) or not 1 <= int(port) <= _LAST_PORT:
        msg = f"{text!r} is no host such as pypi.org, *.example.org or example.org:8443"
        raise ValueError(msg)
    return host


Host = Annotated[str, AfterValidator(check_host)]
