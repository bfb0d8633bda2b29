"""The log probabilities of an answer's first tokens, in any of the known forms."""

from collections.abc import Iterator, Mapping
from math import isfinite
from typing import Any

from benchmaker.record import TokenLogprob

MOST_TOKENS = 16
"""Tokens of an answer that are kept; a choice is decided by the first ones."""

MOST_ALTERNATIVES = 20
MOST_CHARACTERS = 200
"""Of the text of a token."""


def read_logprobs(reported: Any) -> Iterator[TokenLogprob]:  # noqa: ANN401  any JSON
    """Yield the tokens in a report; parts without a token and a number are ignored.

    Known are OpenAI's ``content`` (a list of ``token``, ``logprob``, ``top_logprobs``), and the
    parallel lists ``tokens``, ``token_logprobs`` and ``top_logprobs``.

    >>> [it.token for it in read_logprobs({"tokens": ["B"], "token_logprobs": [-0.1]})]
    ['B']
    """
    if not isinstance(reported, Mapping):
        return
    for token, logprob, alternatives in _entries(reported):
        pair = _pair(token, logprob)
        if pair is not None:
            yield TokenLogprob(*pair, _alternatives(alternatives))


def _entries(reported: Mapping[str, Any]) -> Iterator[tuple[Any, Any, Any]]:
    content = reported.get("content")
    if isinstance(content, list):
        for one in content:
            if isinstance(one, Mapping):
                yield one.get("token"), one.get("logprob"), one.get("top_logprobs")
        return
    tokens, numbers = reported.get("tokens"), reported.get("token_logprobs")
    if isinstance(tokens, list) and isinstance(numbers, list):
        tops = reported.get("top_logprobs")
        several = tops if isinstance(tops, list) else []
        padded = [*several, *[None] * (len(tokens) - len(several))]
        yield from zip(tokens, numbers, padded, strict=False)


def _alternatives(reported: Any) -> tuple[tuple[str, float], ...]:  # noqa: ANN401  any JSON
    """The alternatives, most likely first."""
    if isinstance(reported, Mapping):
        pairs = [_pair(token, logprob) for token, logprob in reported.items()]
    elif isinstance(reported, list):
        maps = [it for it in reported if isinstance(it, Mapping)]
        pairs = [_pair(it.get("token"), it.get("logprob")) for it in maps]
    else:
        return ()
    known = sorted((it for it in pairs if it is not None), key=lambda it: -it[1])
    return tuple(known[:MOST_ALTERNATIVES])


def _pair(token: Any, logprob: Any) -> tuple[str, float] | None:  # noqa: ANN401  any JSON
    is_number = isinstance(logprob, (int, float)) and not isinstance(logprob, bool)
    if not isinstance(token, str) or not is_number or not isfinite(logprob):
        return None
    return token[:MOST_CHARACTERS], float(logprob)
