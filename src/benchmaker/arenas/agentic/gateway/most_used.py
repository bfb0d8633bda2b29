"""Upper bounds of the tokens and the cost of a request."""

from math import inf

from benchmaker.arenas.agentic.gateway.caps import Reservation
from benchmaker.providers.prices.costs import Tariff
from benchmaker.providers.wires.form import Fields, WireForm
from benchmaker.spec.suites.parameters import MOST_OUTPUT_TOKENS

_MEDIA = (b'"image', b'"document"', b'"input_image"', b'"input_file"', b'"inlineData"',
          b'"fileData"', b'"file"')  # fmt: skip
_MEDIA_TOKENS = 3_000
"""More than a picture that fills a window counts."""

_OUTSIDE = frozenset({"cachedContent", "conversation", "previous_response_id", "prompt"})
"""Fields that name input which the endpoint holds."""

_EXTRA_TOKENS = 1_000
"""More than the words that an endpoint adds to a request."""


def most_used(form: WireForm, fields: Fields, body: bytes, tariff: Tariff) -> Reservation:
    """Return the most tokens and dollars of a request.

    Input is bounded by its bytes, since no token is shorter than one, output by the request's own
    limit, and both by the size of the model's context, where the price list has it.
    """
    context = tariff.context_tokens or inf
    if _OUTSIDE & fields.keys():
        sent: float = MOST_OUTPUT_TOKENS
    else:
        media = sum(body.count(mark) for mark in _MEDIA)
        sent = len(body) + _EXTRA_TOKENS + _MEDIA_TOKENS * media
    input_tokens = int(min(sent, context))
    output_tokens = int(min(form.output_limit(fields) or MOST_OUTPUT_TOKENS, context))
    card = tariff.card()
    if card is None:
        return Reservation(input_tokens + output_tokens, None)
    most_usd = card.most_usd(input_tokens=input_tokens, output_tokens=output_tokens)
    return Reservation(input_tokens + output_tokens, most_usd)
