"""Sizes: as readable text, in decimal units, or binary ones for limits; and that of JSON."""

import json
from typing import Any


def readable_size(size: float) -> str:
    """A size.

    >>> readable_size(0), readable_size(48_100), readable_size(2_100_000)
    ('0 B', '48 kB', '2.1 MB')
    """
    if size < 1000:  # noqa: PLR2004  decimal units
        return f"{size:.0f} B"
    if size < 1_000_000:  # noqa: PLR2004
        return f"{size / 1e3:.0f} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"  # noqa: PLR2004


def readable_limit(limit: int) -> str:
    """A limit, which is a round number of binary units.

    >>> readable_limit(16 * 2**20), readable_limit(5)
    ('16 MiB', '5 bytes')
    """
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if limit >= factor:
            return f"{limit / factor:.4g} {unit}"
    return f"{limit} bytes"


def check_json(value: Any, *, most: int) -> None:  # noqa: ANN401  it may be anything
    """Check that a value is JSON of at most ``most`` characters.

    Raises:
        ValueError: it is not. The message never contains the value.

    >>> check_json([1, {"a": None}], most=100)
    """
    try:
        size = len(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as exc:
        raise ValueError("use JSON values: texts, finite numbers, lists, mappings") from exc
    if size > most:
        raise ValueError(f"at most {most} characters of JSON are accepted, not {size}")
