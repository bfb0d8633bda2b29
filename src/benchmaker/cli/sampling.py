"""What is sent beside the question, as options give it."""

from collections.abc import Mapping
from typing import Any

SAMPLED = ("temperature", "top_p", "max_tokens", "frequency_penalty", "presence_penalty")
"""The options that stand in for the suite's parameters."""


def sampling_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords of :func:`benchmaker.run` for the sampling options.

    >>> sampling_of({"temperature": 0.2, "top_p": None, "benchmark_mode": False, "seed": 7})
    {'parameters': {'temperature': 0.2}, 'benchmark_mode': None, 'seed': 7}
    """
    given = {name: options[name] for name in SAMPLED if options.get(name) is not None}
    return {
        "parameters": given,
        "benchmark_mode": True if options.get("benchmark_mode") else None,
        "seed": options.get("seed"),
    }
