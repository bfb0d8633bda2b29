"""Money: the amount spent, in flight, and the room for another request."""

from collections.abc import Iterable
from enum import Enum
from math import fsum

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.base import Provider, Request, describe
from benchmaker.providers.prices.price_file import price_advice
from benchmaker.record.counts import count
from benchmaker.record.dollars import dollars
from benchmaker.spec import Message, Parameters

_NO_MOST_USD = (
    "Give it a method most_usd(request) that returns the maximum cost of a request in dollars. "
    "Or run without a budget."
)


class BudgetDecision(Enum):
    """The decision on a request: now, perhaps after others return, or never."""

    YES = "yes"
    LATER = "later"
    NO = "no"


class Budget:
    """Keeps spending within ``most_usd`` for any length of the answers.

    Before each request, the amount spent, the worst case of all requests in flight and that of the
    request itself must fit. ``spent_usd`` is the earlier spending. A request of unknown cost counts
    with its worst case.

    >>> budget = Budget(1.0)
    >>> budget.take(0.75)
    >>> budget.decide(0.5).value, budget.decide(2.0).value
    ('later', 'no')

    ``refusal`` is the reason why no further request fits, once one did not; requests that return
    after it are in its amount spent.
    """

    def __init__(self, most_usd: float, *, spent_usd: float = 0.0) -> None:
        if not most_usd >= 0.0:
            raise SpecError(f"invalid budget of {most_usd} dollars.", hint="Use 0 or more.")
        self.most_usd = most_usd
        self.spent_usd = spent_usd
        self.refusal = ""
        self._refused_usd: float | None = None
        self._flying: dict[float, int] = {}
        self._unknown: list[float] = []

    @property
    def in_flight_usd(self) -> float:
        """The worst case of all requests in flight."""
        return sum(usd * number for usd, number in self._flying.items())

    def decide(self, worst_usd: float) -> BudgetDecision:
        """Decide if a request with this maximum cost fits."""
        if self.spent_usd + self.in_flight_usd + worst_usd <= self.most_usd:
            return BudgetDecision.YES
        is_alone = not self._flying or self.spent_usd + worst_usd > self.most_usd
        return BudgetDecision.NO if is_alone else BudgetDecision.LATER

    def admit(self, worst_usd: float) -> BudgetDecision:
        """Decide on a request; one that fits is taken, one that never will is refused."""
        decision = self.decide(worst_usd)
        if decision is BudgetDecision.YES:
            self.take(worst_usd)
        elif decision is BudgetDecision.NO:
            self.refuse(worst_usd)
        return decision

    def take(self, worst_usd: float) -> None:
        """A request goes out."""
        self._flying[worst_usd] = self._flying.get(worst_usd, 0) + 1

    def change(self, most_usd: float) -> None:
        """Set another maximum; below the amount spent, no further request fits."""
        self.most_usd = most_usd
        self.refusal, self._refused_usd = "", None

    def settle(self, worst_usd: float, cost_usd: float | None) -> None:
        """Settle a returned request; None for unknown cost."""
        left = self._flying[worst_usd] - 1
        if left:
            self._flying[worst_usd] = left
        else:
            del self._flying[worst_usd]
        self.spent_usd += worst_usd if cost_usd is None else cost_usd
        if cost_usd is None and worst_usd:
            self._unknown.append(worst_usd)
        if self._refused_usd is not None:
            self.refuse(self._refused_usd)

    def refuse(self, worst_usd: float) -> None:
        """Refuse a request with this worst case for good."""
        self._refused_usd = worst_usd
        spent = f"{dollars(self.spent_usd)} spent" if self.spent_usd else "nothing spent yet"
        self.refusal = (
            f"the budget of {dollars(self.most_usd)} does not cover another request: "
            f"{spent}{self._unknown_share()}, and the next request may cost up to "
            f"{dollars(worst_usd)}"
        )

    def _unknown_share(self) -> str:
        """The part of the spending that stands for requests of unknown cost, in brackets."""
        if not self._unknown:
            return ""
        number = len(self._unknown)
        requests = f"{count(number, 'request')} of unknown cost"
        verb = "counts with its" if number == 1 else "count with their"
        return f" ({requests} {verb} maximum, {dollars(fsum(self._unknown))})"


def refuse_unpriced(provider: Provider, models: Iterable[str], *, embeds: bool = False) -> None:
    """Raise an error for unknown prices, without which no budget can be kept.

    With ``embeds``, the models are queried for embeddings. May load the list of prices, which takes
    a few tenths of a second.

    Raises:
        PrerequisiteError: some models have no known price; each is named.
    """
    unknown = [model for model in models if not is_priced(provider, model, embeds=embeds)]
    if not unknown:
        return
    if not hasattr(provider, "most_usd"):
        raise PrerequisiteError(
            "the provider states no prices, so a budget can't be enforced.", hint=_NO_MOST_USD
        )
    setups = describe(provider).get("setups", {})
    names = list(dict.fromkeys(setups.get(model, model) for model in unknown))
    raise PrerequisiteError(
        f"the price of {', '.join(names)} is unknown, so a budget can't be enforced.",
        hint=f"{price_advice(names[0])} Or run without a budget.",
    )


def is_priced(provider: Provider, model: str, *, embeds: bool = False) -> bool:
    """True if the model's price is known; may load the list of prices."""
    most = getattr(provider, "most_usd", None)
    return most is not None and most(_sample(model, embeds=embeds)) is not None


def is_unpriced(provider: Provider, model: str, *, embeds: bool = False) -> bool:
    """True if the provider has prices, but none for the model.

    One without ``most_usd`` states the cost of each answer itself.
    """
    return hasattr(provider, "most_usd") and not is_priced(provider, model, embeds=embeds)


def _sample(model: str, *, embeds: bool) -> Request:
    return Request(
        model=model,
        case_id="",
        messages=(Message(role="user", content="?"),),
        parameters=Parameters(),
        texts=("?",) if embeds else (),
    )
