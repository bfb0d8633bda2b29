"""Sampling parameters, from options."""

from collections.abc import Mapping
from typing import Any

NONE = "none"
"""The word by which an option sends no value at all."""

SAMPLED = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty")
"""The options that replace the suite's parameters."""


def sampling_parameters(options: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the parameters that override the suite's; None without any.

    >>> sampling_parameters({"temperature": "none", "top_p": None, "max_tokens": 7})
    {'temperature': None, 'max_tokens': 7}
    """
    given = {
        name: None if given == NONE else given
        for name in SAMPLED
        if (given := options.get(name)) is not None
    }
    return given or None
