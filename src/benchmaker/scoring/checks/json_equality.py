"""The equality of JSON values."""

from typing import Any


def is_same_json(one: Any, other: Any) -> bool:  # noqa: ANN401  JSON
    """True if two JSON values are equal: ``1`` equals ``1.0``, but not ``true``.

    >>> is_same_json({"a": [1, 2.0]}, {"a": [1.0, 2]}), is_same_json(True, 1)
    (True, False)
    """
    pairs = [(one, other)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs += [(value, b[key]) for key, value in a.items()]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs += zip(a, b, strict=True)
        elif _kind(a) != _kind(b) or a != b:
            return False
    return True


def _kind(value: Any) -> type:  # noqa: ANN401  JSON
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float if is_number else type(value)
