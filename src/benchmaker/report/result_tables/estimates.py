"""The table of an estimate: a row for each setup, judge and embedding model."""

from benchmaker.engine.runs.estimate import Estimate, ModelEstimate, Span
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollar_range
from benchmaker.report.sentences import missing_figures
from benchmaker.report.tables import numbers
from benchmaker.report.tables.declaration import TableColumn, TableDeclaration
from benchmaker.report.tables.sanitize import sanitise

_INPUT, _OUTPUT, _REQUESTS = 1, 2, 3
"""What gives way first on a narrow terminal."""


def money_range(span: Span) -> str:
    """An estimate in dollars.

    >>> money_range(Span(0.1, 2.5)), money_range(Span(0.0001, 0.0021))
    ('$0.10 to $2.50', '$0.0001 to $0.0021')
    """
    return dollar_range(span.low, span.high)


def _token_range(span: Span) -> str:
    low, high = (numbers.tokens(it).replace(" k", ",000") for it in span.to_ints())
    return f"{low} to {high}"


def _cost(one: ModelEstimate, _: Estimate) -> str:
    return missing_figures.NOT_KNOWN if one.cost_usd is None else money_range(one.cost_usd)


def _requests(one: ModelEstimate, made: Estimate) -> str:
    least = made.runs_at_least
    fewest = one.requests * least // made.runs if least else one.requests
    most = one.most_requests or one.requests
    if one.embeds:
        return f"up to {most:,} ({count(most, 'text')})"
    return f"{fewest:,} to {most:,}" if fewest < most else f"{most:,}"


def _name(one: ModelEstimate, made: Estimate) -> str:
    if one.embeds:
        return f"embeddings {sanitise(one.model)}"
    return f"judge {sanitise(one.model)}" if one in made.judges else sanitise(one.model)


ESTIMATES: TableDeclaration[Estimate, ModelEstimate] = TableDeclaration(
    "estimates",
    (
        TableColumn(
            name="model",
            title=lambda made: "Setup" if any(" · " in it.model for it in made.models) else "Model",
            text=_name,
            is_right=False,
        ),
        TableColumn(
            name="requests",
            title="Requests",
            text=_requests,
            gives_way=_REQUESTS,
        ),
        TableColumn(
            name="input_tokens",
            title="Input\ntokens",
            text=lambda one, _: _token_range(one.input_tokens),
            gives_way=_INPUT,
        ),
        TableColumn(
            name="output_tokens",
            title="Output\ntokens",
            text=lambda one, _: _token_range(one.output_tokens),
            gives_way=_OUTPUT,
        ),
        TableColumn(name="cost_usd", title="Cost\nestimated", text=_cost),
    ),
    rows=lambda made: made.parts,
)
"""Requests, tokens and cost of each setup, judge and embedding model, lowest to highest."""
