"""How a run asks: what a person may choose beside what is asked of whom."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """Streamed or not, from the cache or not, within which budget.

    A run records it, and a resumed run goes on in the same manner unless told otherwise.
    ``timeout_s`` and ``retries`` are None where they are as usual. ``retry_failed`` asks again
    what infrastructure spoiled; it is a matter of one sitting.
    """

    stream: bool = True
    cache: bool = False
    max_cost_usd: float | None = None
    timeout_s: float | None = None
    retries: int | None = None
    retry_failed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """What a run records: what differs from the defaults."""
        told = {name: value for name, value in asdict(self).items() if name != "retry_failed"}
        usual = asdict(Manner())
        return {name: value for name, value in told.items() if value != usual[name]}

    @classmethod
    def of(cls, recorded: Mapping[str, Any]) -> Self:
        """The manner that a run recorded; what is not known here is left aside."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in recorded.items() if name in known})
