"""Money: what was spent, what is under way, and whether another request still fits."""

from collections.abc import Iterable
from enum import Enum

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.base import Provider, Request
from benchmaker.record.dollars import dollars
from benchmaker.spec import Message, Parameters


class BudgetDecision(Enum):
    """Whether a request may be made: now, perhaps once others have come in, or not at all."""

    YES = "yes"
    LATER = "later"
    NO = "no"


class Budget:
    """Never more than ``most_usd``, however the answers turn out.

    Before each request, what is spent, the worst case of all that is in flight and the worst case
    of the request itself must fit. ``spent_usd`` is what was spent before. A request whose cost
    never becomes known counts with its worst case.

    >>> budget = Budget(1.0)
    >>> budget.take(0.75)
    >>> budget.decide(0.5).value, budget.decide(2.0).value
    ('later', 'no')

    ``refusal`` says why no further request fits, once one did not.
    """

    def __init__(self, most_usd: float, *, spent_usd: float = 0.0) -> None:
        if not most_usd >= 0.0:
            raise SpecError(f"invalid budget of {most_usd} dollars.", hint="Use 0 or more.")
        self.most_usd = most_usd
        self.spent_usd = spent_usd
        self.refusal = ""
        self._flying: dict[float, int] = {}

    @property
    def in_flight_usd(self) -> float:
        """The worst case of all requests in flight."""
        return sum(usd * number for usd, number in self._flying.items())

    def decide(self, worst_usd: float) -> BudgetDecision:
        """Whether a request that may cost so much fits."""
        if self.spent_usd + self.in_flight_usd + worst_usd <= self.most_usd:
            return BudgetDecision.YES
        is_alone = not self._flying or self.spent_usd + worst_usd > self.most_usd
        return BudgetDecision.NO if is_alone else BudgetDecision.LATER

    def take(self, worst_usd: float) -> None:
        """A request goes out."""
        self._flying[worst_usd] = self._flying.get(worst_usd, 0) + 1

    def settle(self, worst_usd: float, cost_usd: float | None) -> None:
        """A request came back; None when nobody knows what it cost."""
        left = self._flying[worst_usd] - 1
        if left:
            self._flying[worst_usd] = left
        else:
            del self._flying[worst_usd]
        self.spent_usd += worst_usd if cost_usd is None else cost_usd

    def refuse(self, worst_usd: float) -> None:
        """No request of this worst case fits any more."""
        spent = f"{dollars(self.spent_usd)} spent" if self.spent_usd else "nothing spent yet"
        self.refusal = (
            f"budget of {dollars(self.most_usd)} reached: {spent}, and the next request may cost "
            f"up to {dollars(worst_usd)}"
        )


def refuse_unpriced(provider: Provider, models: Iterable[str]) -> None:
    """See to it that every price is known, since no budget can be kept otherwise.

    It may load the list of prices, which takes some tenths of a second.

    Raises:
        PrerequisiteError: the prices of some models are not known; each is named.
    """
    most = getattr(provider, "most_usd", None)
    unknown = [model for model in models if most is None or most(_sample(model)) is None]
    if unknown:
        raise PrerequisiteError(
            f"the price of {', '.join(unknown)} is unknown, so a budget can't be enforced.",
            hint="Add the price to prices.yaml in the data folder, or run without a budget.",
        )


def _sample(model: str) -> Request:
    return Request(
        model=model,
        case_id="",
        messages=(Message(role="user", content="?"),),
        parameters=Parameters(),
    )
