"""Estimated tokens and cost of a run, before anything is sent."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Literal, NamedTuple

from benchmaker.documents import FIRST, OMITTED, Document, Key, listed
from benchmaker.providers.prices.rates import RateCard
from benchmaker.record import Usage
from benchmaker.spec import Case, Suite
from benchmaker.spec.suites.rendering import case_with_prompt

ASSUMED = (
    "From answers as short as the expected ones to answers that use all of max_tokens, without "
    "retries and prompt caches."
)
"""The meaning of the range."""

WITH_TOOLS = (
    "A case with tools sends from 1 to max_steps requests, each with all messages before it, where "
    "the results of Python functions are not counted."
)
"""The meaning of the range for cases with tools."""

SAMPLE = 200
"""Number of cases sampled for a quick estimate."""


@dataclass(frozen=True, slots=True)
class Span:
    """Two ends between which something is expected to lie."""

    low: float = 0.0
    high: float = 0.0

    def plus(self, other: "Span") -> "Span":
        """End by end."""
        return Span(self.low + other.low, self.high + other.high)

    def times(self, factor: float) -> "Span":
        """Return both ends multiplied by ``factor``."""
        return Span(self.low * factor, self.high * factor)

    def to_ints(self) -> tuple[int, int]:
        """Both ends as whole numbers, for JSON."""
        return round(self.low), round(self.high)

    def to_floats(self) -> tuple[float, float]:
        """Both ends, for JSON."""
        return self.low, self.high


TokenRange = Annotated[Span, Key(form=Span.to_ints)]
"""A range that is a pair of whole numbers in documents."""


_BYTES_PER_TOKEN = Span(5.0, 2.0)
"""The longest and the shortest that tokens are on average: plain English has about 4.5 bytes a
token, code about 3, Chinese and Japanese between 2 and 3."""

_TURN_TOKENS = Span(3, 16)
"""What a chat template puts around a message, at least and at most."""


@dataclass(frozen=True, slots=True)
class ModelEstimate(Document):
    """The part of one model, judge or embedding model; ``reason`` explains a missing ``cost_usd``.

    ``requests`` is the number of trials of a model, ``most_requests`` the maximum of its requests
    if cases with tools may send several. ``basis`` is the basis of the length of replies, if not
    the limits. ``embeds`` is true for the
    embeddings of a model, for which ``requests`` is the maximum number.
    """

    model: str
    requests: int
    input_tokens: TokenRange
    output_tokens: TokenRange
    cost_usd: Annotated[Span | None, Key(form=Span.to_floats)]
    reason: str = ""
    basis: str = ""
    embeds: Annotated[bool, OMITTED] = False
    most_requests: Annotated[int | None, Key(after="requests", omit_if_empty=True)] = None


@dataclass(frozen=True, slots=True)
class Estimate(Document):
    """The parts of all models; ``max_tokens`` limits every answer.

    ``sampled`` is the number of cases read if extrapolated; None if every case was read. ``suite``
    and ``price_version`` identify the suite and the prices. ``judges`` are the parts of the judges,
    ``embeddings`` those of the embedding models. If only uncertain cases are repeated,
    ``runs_at_least`` is the number of runs of the others: lower ends are for that number, upper
    ends and ``requests`` for all ``runs``.
    """

    cases: int
    runs: int
    max_tokens: int
    models: tuple[ModelEstimate, ...]
    sampled: Annotated[int | None, Key(after="cases")] = None
    suite: Annotated[str, Key(after="estimate")] = ""
    price_version: Annotated[str, Key(after="assumed")] = ""
    judges: tuple[ModelEstimate, ...] = ()
    embeddings: tuple[ModelEstimate, ...] = ()
    runs_at_least: Annotated[int | None, Key(after="runs", omit_if_empty=True)] = None

    @property
    def parts(self) -> tuple[ModelEstimate, ...]:
        """The parts of models, judges and embedding models."""
        return (*self.models, *self.judges, *self.embeddings)

    @property
    @listed("estimate", after=FIRST)
    def is_estimate(self) -> Literal[True]:
        """Always true; the summary of a run has no such field."""
        return True

    @property
    @listed("cost_usd", after="max_tokens")
    def whole_cost(self) -> tuple[float, float] | None:
        """Lower and upper end of the cost; None if the prices of a model are unknown."""
        return None if self.unpriced_models else self.priced_cost

    @property
    @listed("cost_usd_of_priced", after="cost_usd")
    def priced_cost(self) -> tuple[float, float] | None:
        """Lower and upper end of the cost of all parts with known prices; None without."""
        return self.cost_usd.to_floats() if self.cost_usd else None

    @property
    @listed("unpriced", after="cost_usd_of_priced")
    def unpriced_models(self) -> tuple[str, ...]:
        """The models, judges and embedding models with unknown prices."""
        return tuple(one.model for one in self.parts if one.cost_usd is None)

    @property
    def cost_usd(self) -> Span | None:
        """The cost of all parts with known prices together; None without any."""
        priced = [one.cost_usd for one in self.parts if one.cost_usd is not None]
        return _sum(priced) if priced else None

    @property
    @listed(after="embeddings")
    def assumed(self) -> str:
        """The meaning of the range."""
        has_tools = any(one.most_requests for one in self.models)
        return f"{ASSUMED} {WITH_TOOLS}" if has_tools else ASSUMED


def estimate_of(
    cases: Iterable[Case],
    cards: Mapping[str, RateCard | None],
    *,
    max_tokens: int,
    system_prompt: str | None = None,
    suite: Suite | None = None,
    runs: int = 1,
    number: int | None = None,
    sample: int | None = None,
    reasons: Mapping[str, str] | None = None,
) -> Estimate:
    """Estimate tokens and cost of sending each case to each model; nothing is sent.

    Tokens are counted from the bytes of the texts, since every model has its own tokenizer: the
    range is valid for prose, code and most scripts.

    Args:
        cases: the cases, read once.
        cards: the models, each with its rates in dollars per million tokens, None without any.
        max_tokens: limit of every answer.
        system_prompt: sent with cases without their own.
        suite: the suite, for the tools of its cases.
        runs: number of runs.
        number: number of cases, if known.
        sample: number of cases to read and extrapolate from; requires ``number``.
        reasons: reasons for models without rates.
    """
    most = sample if sample is not None and number is not None and number > sample else None
    sums = _Sums(cards)
    for case in islice(cases, most):
        sums.add(_shape_of(case, case, system_prompt, suite, max_tokens))
    number_of_cases = sums.cases if most is None or number is None else number
    why = reasons or {}
    models = tuple(
        sums.estimate(model, number_of_cases, runs, why.get(model, NOT_KNOWN)) for model in cards
    )
    return Estimate(number_of_cases, runs, max_tokens, models, most)


NOT_KNOWN = "price unknown"


class RequestShape(NamedTuple):
    """The parts of a request on which its estimate depends: its prompt, and its output bound."""

    prompt_id: str | None
    max_tokens: int


def estimate_setups(
    cases: Iterable[Case],
    cards: Mapping[str, RateCard | None],
    shapes: Mapping[str, RequestShape],
    *,
    suite: Suite,
    runs: int = 1,
    number: int | None = None,
    sample: int | None = None,
    reasons: Mapping[str, str] | None = None,
) -> Estimate:
    """Estimate tokens and cost of sending each case with each setup; nothing is sent.

    ``cards`` and ``shapes`` are by the setup's name; for the rest see :func:`estimate_of`. The
    estimate's ``max_tokens`` is the highest of the setups.
    """
    most = sample if sample is not None and number is not None and number > sample else None
    sums = {shape: _Sums(_cards_of(shape, cards, shapes)) for shape in set(shapes.values())}
    for case in islice(cases, most):
        for shape, added in sums.items():
            asked = case_with_prompt(suite, case, shape.prompt_id)
            added.add(_shape_of(case, asked, suite.system_prompt, suite, shape.max_tokens))
    read = max((one.cases for one in sums.values()), default=0)
    number_of_cases = read if most is None or number is None else number
    why = reasons or {}
    models = tuple(
        sums[shape].estimate(name, number_of_cases, runs, why.get(name, NOT_KNOWN))
        for name, shape in shapes.items()
    )
    bound = max((shape.max_tokens for shape in sums), default=0)
    return Estimate(number_of_cases, runs, bound, models, most)


def with_least_runs(estimate: Estimate, least: int) -> Estimate:
    """Return the estimate if each case runs at least ``least`` of its runs.

    >>> part = ModelEstimate("m", 10, Span(100, 200), Span(10, 50), Span(1, 2))
    >>> made = with_least_runs(Estimate(2, 5, 300, (part,)), 2)
    >>> made.models[0].input_tokens, made.models[0].cost_usd, made.runs_at_least
    (Span(low=40.0, high=200), Span(low=0.4, high=2), 2)
    """
    share = least / estimate.runs

    def fewer(span: Span) -> Span:
        return Span(span.low * share, span.high)

    def part(one: ModelEstimate) -> ModelEstimate:
        return replace(
            one,
            input_tokens=fewer(one.input_tokens),
            output_tokens=fewer(one.output_tokens),
            cost_usd=None if one.cost_usd is None else fewer(one.cost_usd),
        )

    return replace(
        estimate,
        models=tuple(map(part, estimate.models)),
        judges=tuple(map(part, estimate.judges)),
        embeddings=tuple(map(part, estimate.embeddings)),
        runs_at_least=least,
    )


def _cards_of(
    shape: RequestShape,
    cards: Mapping[str, RateCard | None],
    shapes: Mapping[str, RequestShape],
) -> dict[str, RateCard | None]:
    return {name: cards[name] for name, its in shapes.items() if its == shape}


class _Sums:
    """Adds up cases; a model of which one case has no known cost has none."""

    def __init__(self, cards: Mapping[str, RateCard | None]) -> None:
        self.cases, self.requests, self.given, self.made = 0, 0, Span(), Span()
        self.costs = {model: Span() if card else None for model, card in cards.items()}
        self._cards = {model: card for model, card in cards.items() if card}

    def add(self, sent: "_TrialShape") -> None:
        given, made = sent.given, sent.made
        self.cases += 1
        self.requests += sent.requests
        self.given, self.made = self.given.plus(given), self.made.plus(made)
        for model, card in self._cards.items():
            so_far, cost = self.costs[model], cost_of(card, given, made)
            self.costs[model] = so_far.plus(cost) if so_far and cost else None

    def estimate(self, model: str, cases: int, runs: int, reason: str) -> ModelEstimate:
        """Return a model's part for ``cases`` cases, of which the added ones are typical."""
        cost = self.costs[model]
        factor = runs * (cases / self.cases if self.cases else 1)
        return ModelEstimate(
            model,
            cases * runs,
            self.given.times(factor),
            self.made.times(factor),
            None if cost is None else cost.times(factor),
            reason if cost is None else "",
            most_requests=round(self.requests * factor) if self.requests > self.cases else None,
        )


class _TrialShape(NamedTuple):
    """The tokens of a trial, and the maximum number of its requests."""

    given: Span
    made: Span
    requests: int = 1


def _shape_of(
    case: Case, as_sent: Case, system_prompt: str | None, suite: Suite | None, max_tokens: int
) -> _TrialShape:
    """The shape of a trial; with tools, from one request to as many as are allowed."""
    given, made = _input(as_sent, system_prompt), output_of(case, max_tokens)
    if suite is None or not case.tools:
        return _TrialShape(given, made)
    steps = suite.most_steps(case)
    known = {tool.name: tool for tool in suite.tools}
    tools = [known[name] for name in case.tools if name in known]
    offered = given.plus(_sum(estimate_tokens(str(it.model_dump())) for it in tools))
    replies = [estimate_tokens(it.reply_text).high for it in tools if it.python is None]
    each = max_tokens + max(replies, default=0.0) + _TURN_TOKENS.high * 2
    again = each * steps * (steps - 1) / 2
    most = Span(offered.low, offered.high * steps + again)
    return _TrialShape(most, Span(made.low, made.high * steps), steps)


def _input(case: Case, system_prompt: str | None) -> Span:
    turns = case.conversation(system_prompt)
    texts = _sum(estimate_tokens(turn.content) for turn in turns)
    return texts.plus(turn_tokens(len(turns)))


def turn_tokens(turns: int) -> Span:
    """Return the tokens that a chat template adds to a number of messages."""
    return _TURN_TOKENS.times(turns)


def output_of(case: Case, max_tokens: int) -> Span:
    """The tokens of an answer, from one as short as the expected one to all that is allowed."""
    least = estimate_tokens(case.expected or "").low
    return Span(min(max(1.0, least), max_tokens), max_tokens)


def add_sample(
    cases: Iterable[Case], add: Callable[[Case], None], *, number: int | None, sample: int | None
) -> float:
    """Add the first ``sample`` cases, or all, and return the factor from them to ``number`` cases.

    >>> seen: list[Case] = []
    >>> add_sample([Case(id="a", prompt="p")] * 5, seen.append, number=5, sample=2), len(seen)
    (2.5, 2)
    """
    is_sampled = sample is not None and number is not None and number > sample
    added = 0
    for case in islice(cases, sample if is_sampled else None):
        add(case)
        added += 1
    return number / added if is_sampled and number and added else 1.0


def estimate_tokens(text: str) -> Span:
    """The tokens of a text, counted from its bytes."""
    size = len(text.encode("utf-8", "surrogatepass"))
    return Span(size / _BYTES_PER_TOKEN.low, size / _BYTES_PER_TOKEN.high)


def cost_of(card: RateCard, given: Span, made: Span) -> Span | None:
    """Return the dollars for these tokens; None if a rate is missing."""
    low = card.cost_usd(Usage(input_tokens=round(given.low), output_tokens=round(made.low)))
    high = card.cost_usd(Usage(input_tokens=round(given.high), output_tokens=round(made.high)))
    return None if low is None or high is None else Span(low, high)


def _sum(spans: Iterable[Span]) -> Span:
    total = Span()
    for span in spans:
        total = total.plus(span)
    return total
