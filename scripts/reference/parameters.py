"""The page of parameters: the field of each one at each endpoint, from the flags."""

import json
from collections.abc import Iterator
from typing import Any

from benchmaker.providers.endpoints.endpoints import ENDPOINTS, Endpoint
from benchmaker.providers.endpoints.thinking_fields import BUDGET, EFFORT
from benchmaker.spec import Parameters
from benchmaker.spec.suites.parameters import THINKING_TOKENS

HEAD = """\
# Parameters at each endpoint

The field that carries each parameter. A parameter without a field is not sent; the run names it
before its first request. Models can differ from their endpoint; the second table lists patterns of
their names. How to set parameters: [Set parameters](../how-to/parameters.md).
"""

EFFORTS = """\
## Tokens of an effort

An effort adds these tokens to the default `max_tokens`. A protocol with thinking budgets alone gets
them as the budget.
"""

_VALUES: dict[str, Any] = {
    "stop": ("END",),
    "top_k": 40,
    "min_p": 0.1,
    "logprobs": 5,
}


def page() -> str:
    """The page's Markdown."""
    return "\n".join([HEAD, *_fields(), "", *_models(), "", EFFORTS, *_efforts()])


def _fields() -> Iterator[str]:
    names = ("max_tokens", "reasoning_effort", "thinking_budget", *_VALUES, "seed")
    yield f"| endpoint | {' | '.join(f'`{name}`' for name in names)} | `response_format` |"
    yield "|---" * (len(names) + 2) + "|"
    for endpoint in ENDPOINTS:
        yield f"| `{endpoint.name}` | {' | '.join(_row(endpoint))} |"


def _row(endpoint: Endpoint) -> Iterator[str]:
    quirks = endpoint.quirks
    yield f"`{quirks.max_tokens_field}`"
    yield _code(quirks.thinking.effort) or ("as a budget" if quirks.thinking.budget else "")
    yield _code(quirks.thinking.budget)
    base = Parameters(temperature=None, max_tokens=None)
    for name, value in _VALUES.items():
        sent = quirks.sent_fields(base.override({name: value}))
        yield ", ".join(f"`{field}`" for field in sent if field != quirks.max_tokens_field)
    yield f"`{quirks.seed_field}`" if quirks.seed_field else ""
    yield ", ".join(f"`{form}`" for form in quirks.formats)


def _models() -> Iterator[str]:
    yield "| endpoint | models | effort | budget | `none` |"
    yield "|---|---|---|---|---|"
    for endpoint in ENDPOINTS:
        for pattern, fields in endpoint.quirks.thinking_models:
            cells = (_code(fields.effort), _code(fields.budget), _code(fields.off))
            shown = pattern.replace("|", "\\|")
            yield f"| `{endpoint.name}` | `{shown}` | {' | '.join(cells)} |"


def _efforts() -> Iterator[str]:
    yield "| effort | tokens |"
    yield "|---|---|"
    yield from (f"| `{effort}` | {tokens:,} |" for effort, tokens in THINKING_TOKENS.items())


def _code(fields: Any) -> str:  # noqa: ANN401  a mapping of a request, or None
    if not fields:
        return ""
    text = json.dumps(fields).replace(f'"{EFFORT}"', "EFFORT").replace(f'"{BUDGET}"', "TOKENS")
    return f"`{text}`"
