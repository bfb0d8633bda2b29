"""Sums over what one session counts, for the whole and for the main agent alone."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import fsum

from benchmaker.arenas.agentic.seen import Call, Change, Origin, Request, Seen
from benchmaker.record.submission import ModelUsage, TokenUsage

_KINDS = TokenUsage.__struct_fields__


class UsageSum:
    """Adds usages up; a kind that none of them knows stays unknown."""

    __slots__ = ("_sums",)

    def __init__(self) -> None:
        self._sums: list[int | None] = [None] * len(_KINDS)

    def add(self, usage: TokenUsage) -> None:
        """Add one."""
        for at, kind in enumerate(_KINDS):
            n = getattr(usage, kind)
            if n is not None:
                self._sums[at] = (self._sums[at] or 0) + n

    @property
    def value(self) -> TokenUsage:
        """The sum."""
        return TokenUsage(**dict(zip(_KINDS, self._sums, strict=True)))


@dataclass(slots=True)
class Share:
    """What one session counts, of everything that was seen."""

    requests: list[Request] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    errors: list[Origin] = field(default_factory=list)
    turns: list[Origin] = field(default_factory=list)
    compactions: list[Origin] = field(default_factory=list)
    interruptions: list[Origin] = field(default_factory=list)
    keys: "array[int]" = field(default_factory=lambda: array("Q"))
    """The keys of all this that mean the same everywhere."""

    def of_main(self) -> "Share":
        """What the main agent did itself."""
        return Share(
            requests=[it for it in self.requests if it.is_main],
            calls=[it for it in self.calls if it.is_main],
            errors=[it for it in self.errors if it.is_main],
            turns=[it for it in self.turns if it.is_main],
            compactions=[it for it in self.compactions if it.is_main],
            interruptions=[it for it in self.interruptions if it.is_main],
        )

    @property
    def usage(self) -> TokenUsage:
        """The tokens of all requests."""
        return _usage(self.requests)

    @property
    def llm_calls(self) -> int | None:
        """How many requests there were; None where an event stands for an unknown number."""
        numbers = [it.requests for it in self.requests]
        return None if None in numbers else sum(n or 0 for n in numbers)

    @property
    def reported_usd(self) -> float | None:
        """The sum of the costs that are reported; None where none is."""
        known = [it.cost_usd for it in self.requests if it.cost_usd is not None]
        return fsum(known) if known else None

    @property
    def latency_s(self) -> float | None:
        """The seconds that models took; None where none is reported."""
        known = [it.latency_s for it in self.requests if it.latency_s is not None]
        return fsum(known) if known else None

    @property
    def tools_by_name(self) -> dict[str, int]:
        """How often each tool was called, by name."""
        return dict(sorted(Counter(it.name for it in self.calls).items()))

    @property
    def repeated_calls(self) -> int | None:
        """Calls that another had made before, word for word; None where no call has a digest."""
        digests = [it.digest for it in self.calls if it.digest != _NO_DIGEST]
        return len(digests) - len(set(digests)) if digests else None

    def by_model(self, price: Callable[[list[Request]], float | None]) -> tuple[ModelUsage, ...]:
        """The usage of each model, by name; requests of no known model last."""
        models: dict[str | None, list[Request]] = {}
        for it in self.requests:
            models.setdefault(it.model, []).append(it)
        return tuple(
            _model_usage(model, models[model], price)
            for model in sorted(models, key=lambda name: (name is None, name or ""))
        )


_NO_DIGEST = hash("")


def shares(seen: Seen, sessions: int) -> list[Share]:
    """What each session counts, by its number."""
    found = [Share() for _ in range(sessions)]
    for request in seen.requests.values():
        found[request.session].requests.append(request)
    for call in seen.calls.values():
        found[call.session].calls.append(call)
    for change in seen.changes.values():
        found[change.session].changes.append(change)
    for key, error in seen.errors.items():
        call_of = seen.calls.get(key)
        origin = Origin(call_of.session, call_of.is_main) if call_of else error
        found[origin.session].errors.append(origin)
    for name in ("turns", "compactions", "interruptions"):
        for origin in getattr(seen, name).values():
            getattr(found[origin.session], name).append(origin)
    for table in seen.tables:
        for key, it in table.items():
            is_of_call = table is seen.errors and key in seen.calls
            if key & 1 and not is_of_call:
                found[it.session].keys.append(key)
    return found


def _usage(requests: Iterable[Request]) -> TokenUsage:
    total = UsageSum()
    for it in requests:
        if it.usage is not None:
            total.add(it.usage)
    return total.value


def _model_usage(
    model: str | None, requests: list[Request], price: Callable[[list[Request]], float | None]
) -> ModelUsage:
    costs = [it.cost_usd for it in requests if it.cost_usd is not None]
    return ModelUsage(
        model=model,
        usage=_usage(requests),
        llm_calls=sum(it.requests or 0 for it in requests),
        cost_usd=fsum(costs) if costs else None,
        computed_usd=price(requests),
    )
