"""Reported token counts, whatever a provider calls them, in kinds that do not overlap."""

from collections.abc import Mapping
from typing import Any

from benchmaker.record import Usage

MOST_TOKENS = 10**9
"""Maximum plausible number of tokens in one answer."""

NEGATIVE = "usage_negative"
NOT_A_NUMBER = "usage_not_a_number"
ABSURD = "usage_absurd"
INCONSISTENT = "usage_inconsistent"

_Counts = dict[str, int]
_NONE = Usage()


class _Untrue(Exception):
    """A count that can't be true; its argument is the flag."""


def read_usage(reported: Any) -> Usage | None:  # noqa: ANN401  any JSON
    """Return the usage in a report, or None if nothing is reported.

    Supported are our own names; OpenAI's, where cached tokens lie inside the prompt's
    (``prompt_tokens``, or ``input_tokens`` with ``input_tokens_details``) and reasoning inside the
    completion's; and Anthropic's, where the kinds are disjoint (``cache_read_input_tokens``,
    ``cache_creation_input_tokens``; without ``cache_creation`` the writes count as 5-minute ones,
    the default there). Unknown names are ignored.

    An implausible report (negative, not a number, more than 10⁹, parts or totals that do not add
    up) gives a usage without figures, with a flag.

    >>> read_usage({"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}).input_tokens
    9
    """
    if reported is None or reported == {}:
        return None
    if not isinstance(reported, Mapping):
        return Usage(flags=(NOT_A_NUMBER,))
    try:
        usage, total = _disjoint_usage(reported)
        _check_total(usage, total)
    except _Untrue as exc:
        return Usage(flags=(str(exc),))
    return None if usage == _NONE else usage


def _disjoint_usage(reported: Mapping[str, Any]) -> tuple[Usage, int | None]:
    counts = _counts(reported)
    if "prompt_tokens" in counts or "completion_tokens" in counts:
        usage = _from_inclusive_counts(reported, counts, ("prompt_tokens", "completion_tokens"))
    elif "input_tokens_details" in reported or "output_tokens_details" in reported:
        usage = _from_inclusive_counts(reported, counts, ("input_tokens", "output_tokens"))
    else:
        usage = _from_separate_counts(reported, counts)
    _check_within(usage.reasoning_tokens, usage.output_tokens)
    return usage, counts.get("total_tokens")


def _counts(reported: Mapping[str, Any]) -> _Counts:
    """The figures of a report whose names end in ``tokens``, each looked at."""
    return {
        name: _count(value)
        for name, value in reported.items()
        if name.endswith("tokens") and value is not None
    }


def _count(value: Any) -> int:  # noqa: ANN401  any JSON
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value // 1:
        raise _Untrue(NOT_A_NUMBER)
    if value < 0:
        raise _Untrue(NEGATIVE)
    if value > MOST_TOKENS:
        raise _Untrue(ABSURD)
    return int(value)


def _inner_counts(reported: Mapping[str, Any], name: str) -> _Counts:
    inner = reported.get(name)
    return _counts(inner) if isinstance(inner, Mapping) else {}


def _from_inclusive_counts(
    reported: Mapping[str, Any], counts: _Counts, names: tuple[str, str]
) -> Usage:
    """OpenAI's way: the prompt's tokens include cached ones, the completion's reasoning."""
    prompt, completion = names
    cached = _inner_counts(reported, f"{prompt}_details").get("cached_tokens")
    given = counts.get(prompt)
    _check_within(cached, given)
    inner = _inner_counts(reported, f"{completion}_details")
    return Usage(
        input_tokens=given if given is None else given - (cached or 0),
        cache_read_tokens=cached,
        output_tokens=counts.get(completion),
        reasoning_tokens=inner.get("reasoning_tokens", counts.get("reasoning_tokens")),
    )


def _from_separate_counts(reported: Mapping[str, Any], counts: _Counts) -> Usage:
    """Our own way and Anthropic's: each kind apart."""
    written = counts.get("cache_creation_input_tokens")
    spans = _inner_counts(reported, "cache_creation")
    short = spans.get("ephemeral_5m_input_tokens", counts.get("cache_write_5m_tokens"))
    long = spans.get("ephemeral_1h_input_tokens", counts.get("cache_write_1h_tokens"))
    if written is not None:
        if short is None:
            short = written - (long or 0)
        if short < 0 or short + (long or 0) != written:
            raise _Untrue(INCONSISTENT)
    return Usage(
        input_tokens=counts.get("input_tokens"),
        cache_read_tokens=counts.get("cache_read_input_tokens", counts.get("cache_read_tokens")),
        cache_write_5m_tokens=short,
        cache_write_1h_tokens=long,
        output_tokens=counts.get("output_tokens"),
        reasoning_tokens=counts.get("reasoning_tokens"),
    )


def _check_within(part: int | None, whole: int | None) -> None:
    if part is not None and whole is not None and part > whole:
        raise _Untrue(INCONSISTENT)


def _check_total(usage: Usage, total: int | None) -> None:
    """The total is the sum of the disjoint kinds, where the two main ones are known."""
    if total is None:
        return
    kinds = (
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_5m_tokens,
        usage.cache_write_1h_tokens,
        usage.output_tokens,
    )
    known = sum([kind or 0 for kind in kinds])
    is_complete = usage.input_tokens is not None and usage.output_tokens is not None
    if known > total or (is_complete and known != total):
        raise _Untrue(INCONSISTENT)
