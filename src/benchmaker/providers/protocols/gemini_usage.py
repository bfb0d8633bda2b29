"""Gemini's report of tokens, in kinds that do not overlap.

Source: https://ai.google.dev/api/generate-content#UsageMetadata. Counts of zero are omitted there;
the total is zero only if the prompt's is.
"""

from collections.abc import Mapping
from typing import Any

from benchmaker.providers.protocols.usage import NOT_A_NUMBER, read_usage
from benchmaker.record import Usage

_NAMES = (
    "promptTokenCount",
    "cachedContentTokenCount",
    "toolUsePromptTokenCount",
    "candidatesTokenCount",
    "thoughtsTokenCount",
    "totalTokenCount",
)


def read_gemini_usage(reported: Any) -> Usage | None:  # noqa: ANN401  any JSON
    """Return the usage in ``usageMetadata``; None if nothing is reported.

    Cached tokens lie inside the prompt's, thoughts beside the candidates' and are output here; the
    prompts of tools are input. Output is unknown without the candidates' count and the total. An
    implausible report gives a usage without figures, with a flag.

    >>> read_gemini_usage({"promptTokenCount": 9, "candidatesTokenCount": 2}).output_tokens
    2
    """
    if not isinstance(reported, Mapping) or "promptTokenCount" not in reported:
        return None
    values = [reported.get(name) or 0 for name in _NAMES]
    if any(isinstance(it, bool) or not isinstance(it, (int, float)) for it in values):
        return Usage(flags=(NOT_A_NUMBER,))
    prompt, cached, tools, candidates, thoughts, total = values
    is_known = reported.get("candidatesTokenCount") is not None
    if not is_known and total:
        candidates = max(0, total - prompt - tools - thoughts)
    return read_usage(
        {
            "input_tokens": prompt - cached + tools,
            "cache_read_tokens": reported.get("cachedContentTokenCount"),
            "output_tokens": candidates + thoughts if is_known or total or not prompt else None,
            "reasoning_tokens": reported.get("thoughtsTokenCount"),
            "total_tokens": total or None,
        }
    )
