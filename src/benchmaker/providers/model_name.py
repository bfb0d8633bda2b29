"""Whether the model that a reply names is the one that was asked for."""

import re
from functools import lru_cache

_ALIAS = re.compile(r"-(?:latest|0)$")
_DATE = re.compile(r"-(\d{3,4}|\d{6}|\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{2}|\d{2}-\d{4})$|@([\w-]+)$")
_TAG = re.compile(r":(?:latest|free|beta|nitro|floor|online|extended)$")


@lru_cache(maxsize=1024)
def is_same_model(asked: str, named: str) -> bool:
    """Whether both names mean one model: the owner, a date and an alias's ending are harmless.

    Two names with different dates are two models.

    >>> is_same_model("gpt-x", "gpt-x-2025-04-14"), is_same_model("gpt-x", "gpt-x-mini")
    (True, False)
    """
    if asked == named:
        return True
    (one, day), (other, other_day) = _parts(asked), _parts(named)
    return one == other and (not day or not other_day or day == other_day)


def _parts(name: str) -> tuple[str, str]:
    """A name without owner, tag and alias's ending, and its date."""
    bare = _ALIAS.sub("", _TAG.sub("", name.casefold().rpartition("/")[2]))
    date = _DATE.search(bare)
    if date is None:
        return bare, ""
    return bare[: date.start()], (date.group(1) or date.group(2)).replace("-", "")
