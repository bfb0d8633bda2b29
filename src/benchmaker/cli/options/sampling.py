"""What is sent beside the question, as options give it."""

from collections.abc import Mapping
from typing import Any

NONE = "none"
"""What an option says to send no value at all."""

SAMPLED = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty")
"""The options that stand in for the suite's parameters."""


def sampling_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of :func:`benchmaker.run` for the sampling options.

    >>> sampling_of({"temperature": "none", "top_p": None, "benchmark_mode": False, "seed": 7})
    {'parameters': {'temperature': None}, 'benchmark_mode': None, 'seed': 7}
    """
    given = {
        name: None if given == NONE else given
        for name in SAMPLED
        if (given := options.get(name)) is not None
    }
    return {
        "parameters": given,
        "benchmark_mode": True if options.get("benchmark_mode") else None,
        "seed": options.get("seed"),
    }
