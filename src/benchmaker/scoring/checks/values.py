"""The values that checks compare an answer with: their own, or the case's expected texts."""

import json
import math
from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from benchmaker.errors import ScorerError, SpecError
from benchmaker.scoring.base import Objection
from benchmaker.spec import Case

TEXT_LENGTH = 1_000_000
"""Maximum length of an answer for checks whose time grows faster than its length."""


class Unset(Enum):
    """The default of a parameter for which ``null`` is a value."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "not set"


UNSET = Unset.UNSET

_EMPTY = "an empty text is in every answer."


def _as_texts(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    """A text, a number or a list of them as a tuple of texts; other values unchanged."""
    if isinstance(given, (str, int, float)):
        return (_as_text(given),)
    if isinstance(given, (list, tuple)):
        return tuple(_as_text(it) if isinstance(it, (int, float)) else it for it in given)
    return given


def _as_text(given: str | float) -> str:
    return given if isinstance(given, str) else json.dumps(given)


_KINDS = ["string", "number", "boolean"]
Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(_as_texts),
    WithJsonSchema({"anyOf": [{"type": _KINDS}, {"type": "array", "items": {"type": _KINDS}}]}),
]
"""One text or several; numbers are written as in JSON."""


def texts_of(value: Sequence[str], case: Case) -> tuple[str, ...]:
    """Return the texts to compare with.

    Raises:
        SpecError: there are none.
    """
    texts = tuple(value) or case.expectations
    if not texts:
        raise SpecError("no value given.", hint="Set value of the check, or expected of the case.")
    return texts


def value_faults(value: Sequence[str]) -> list[Objection]:
    """Return the empty texts of a value, with their places."""
    return [Objection(("value", at), _EMPTY) for at, text in enumerate(value) if not text]


def case_faults(kind: str, value: Sequence[str], case: Case, *, empty: bool = True) -> list[str]:
    """Return what a case lacks for a check; an empty expected text too unless ``empty``."""
    if value:
        return []
    if not case.expectations:
        return [f"{kind} has nothing to compare with. Set its value, or expected of the case."]
    if not empty and "" in case.expectations:
        return [f"{kind} expects an empty text, and {_EMPTY}"]
    return []


class BeyondLimit(ScorerError):
    """An answer beyond a documented limit of a check, which then has no verdict."""


def require_length(text: str) -> None:
    """Reject an answer that is too long.

    Raises:
        BeyondLimit: it is longer than :data:`TEXT_LENGTH`.
    """
    if len(text) > TEXT_LENGTH:
        raise BeyondLimit(f"the answer is longer than {TEXT_LENGTH:,} characters.")


def is_share(value: object) -> bool:
    """True if a value is a number from 0 to 1."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return is_number and math.isfinite(value) and 0 <= value <= 1  # type: ignore[arg-type,operator]  # a number
