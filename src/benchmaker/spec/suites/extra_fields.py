"""Fields and headers that a suite adds to every request, without secrets."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from benchmaker.redact import Redactor
from benchmaker.spec.documents.sizes import check_json

RESERVED_FIELDS = frozenset({"messages", "model", "stream", "stream_options", "system"})
"""Fields of the body that the request itself determines."""

RESERVED_HEADERS = frozenset(
    {
        "accept", "accept-encoding", "anthropic-version", "connection", "content-encoding",
        "content-length", "content-type", "host", "te", "trailer", "transfer-encoding", "upgrade",
    }
)  # fmt: skip
"""Headers that the protocol determines."""

MOST_BYTES = 100_000
"""Maximum size of the added fields as JSON."""

_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x20-\x7e]{0,4000}")
_SECRET_HEADER = re.compile(
    r"auth|cookie|credential|passw|secret|signature|token|(?:^|[-_])api[-_]?key|(?:^|[-_])key(?:$|[-_])",
    re.IGNORECASE,
)
_SECRET_FIELD = re.compile(
    r"api[-_]?key|authorization|credential|passw|secret|access[-_]?token|auth[-_]?token",
    re.IGNORECASE,
)
_REMEDY = "put the key in the variable of the endpoint"

_redactor = Redactor()


def check_headers(headers: Mapping[str, str]) -> None:
    """Check the names and values of additional headers.

    Raises:
        ValueError: a name or value is invalid, reserved, or may be a secret. The message never
            contains a value.
    """
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"{name[:60]!r} is not a valid header name")
        if name.lower() in RESERVED_HEADERS:
            raise ValueError(f"the header {name} is set by the protocol; remove it")
        if _SECRET_HEADER.search(name) or _is_secret(value):
            raise ValueError(f"the header {name} may hold a secret; {_REMEDY}")
        if not _HEADER_VALUE.fullmatch(value):
            raise ValueError(f"the header {name} must be one line of at most 4000 ASCII characters")


def check_body(fields: Mapping[str, Any]) -> None:
    """Check additional fields of the body.

    Raises:
        ValueError: a field is reserved or may be a secret, or the fields are not JSON. The message
            never contains a value.
    """
    if reserved := sorted(RESERVED_FIELDS & fields.keys()):
        raise ValueError(f"the field {reserved[0]} is set by the request; remove it")
    check_json(fields, most=MOST_BYTES)
    for name in _secret_fields(fields):
        raise ValueError(f"the field {name} may hold a secret; {_REMEDY}")


def merge_fields(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    """Return both mappings as one; ``above`` wins, and mappings inside are merged likewise.

    >>> merge_fields({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}, "d": 4})
    {'a': {'b': 1, 'c': 3}, 'd': 4}
    """
    merged = dict(below)
    for name, value in above.items():
        old = merged.get(name)
        both = isinstance(old, Mapping) and isinstance(value, Mapping)
        merged[name] = merge_fields(old, value) if both else value  # type: ignore[arg-type]
    return merged


def _secret_fields(value: Any, name: str = "") -> Iterator[str]:  # noqa: ANN401  any JSON
    """The names of fields that may hold a secret, at any depth."""
    match value:
        case Mapping():
            for key, inner in value.items():
                if _SECRET_FIELD.search(str(key)):
                    yield str(key)[:60]
                yield from _secret_fields(inner, str(key)[:60])
        case list() | tuple():
            for inner in value:
                yield from _secret_fields(inner, name)
        case str() if _is_secret(value):
            yield name


def _is_secret(value: str) -> bool:
    return _redactor.text(value) != value
