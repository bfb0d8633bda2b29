"""The members of an object in a reply, with duplicates."""

from collections.abc import Iterable, Iterator
from typing import cast

_DIGITS = 20
_DEEPEST = 4


class Members(dict[str, object]):
    """An object by its names in small letters; ``twice`` are those with two different values."""

    def __init__(self, pairs: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__()
        self.twice: set[str] = set()
        for name, value in pairs:
            key = name.strip().casefold()
            if key in self and repr(self[key]) != repr(value):
                self.twice.add(key)
            self[key] = value

    def carrier(self, nonce: str) -> "Members | None":
        """Return the object with the nonce as a member, itself or nested, outermost first."""
        return next((inner for inner in self.walk() if inner.get("nonce") == nonce), None)

    def walk(self, depth: int = 0) -> Iterator["Members"]:
        """Yield itself and the nested objects, from the outside inwards, a few levels deep."""
        yield self
        if depth < _DEEPEST:
            for value in self.values():
                for item in value if isinstance(value, list) else (value,):
                    if isinstance(item, Members):
                        yield from item.walk(depth + 1)

    def text(self, name: str) -> str:
        """Return a member as text: a list line by line, any other non-text as empty."""
        value = self.get(name, "")
        lines = cast("list[object]", value) if isinstance(value, list) else [value]
        return "\n".join(line for line in lines if isinstance(line, str))


def parse_number(digits: str) -> int | float:
    """A number as written in JSON; absurdly long ones lose their last digits."""
    is_whole = digits.lstrip("-").isdigit() and len(digits) <= _DIGITS
    return int(digits) if is_whole else float(digits)
