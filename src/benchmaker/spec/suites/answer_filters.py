"""Filters of a check: steps that change the text of an answer before the check reads it."""

from collections.abc import Iterator
from typing import Annotated, Any, Self, TypeAlias

from pydantic import AfterValidator, Field, model_validator

from benchmaker.spec.suites.spec_model import SpecModel

BARE_FILTERS = ("json", "lower", "trim", "upper")
"""Filters without parameters."""

_KINDS = ("find", "replace", "option", "map", "path")
_PATTERNS = ("find", "replace", "option")
_OPTION_KEYS = ("choices", "ignore_case", "ignore_punctuation", "ignore")
_KEYS = {
    "find": ("match", "otherwise"),
    "replace": ("with", "count"),
    "option": ("match", "otherwise", *_OPTION_KEYS),
    "map": ("otherwise",),
    "path": (),
}


class AnswerFilter(SpecModel):
    """One filter: exactly one of ``find``, ``replace``, ``option``, ``map`` and ``path``.

    ``find`` keeps a match of the pattern, by default the first: its first group that is not empty,
    or all of it without groups, without white space at the ends; ``otherwise`` stands for no match.
    ``replace`` puts ``with`` in place of each match, or of the first ``count``. ``option`` keeps a
    match of the pattern, else the letter of the option whose text occurs in the answer, as
    ``(B)``, else a letter after a colon. ``map`` replaces whole texts. ``path`` keeps a value of an
    answer in JSON, by keys and indexes.
    """

    find: str | None = Field(None, min_length=1)
    replace: str | None = Field(None, min_length=1)
    option: str | None = Field(None, min_length=1)
    map: dict[str, str] | None = None
    path: tuple[str | int, ...] | None = Field(None, min_length=1)
    match: int = 0
    otherwise: str = ""
    substitute: str = Field("", alias="with")
    count: int = Field(0, ge=0)
    choices: tuple[str, ...] = ()
    ignore_case: bool = False
    ignore_punctuation: bool = False
    ignore: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        kinds = [name for name in _KINDS if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError(f"give exactly one of {', '.join(_KINDS)}")
        written = {"with" if it == "substitute" else it for it in self.model_fields_set}
        unused = sorted(written - {kinds[0], *_KEYS[kinds[0]]})
        if unused:
            raise ValueError(f"{unused[0]} has no effect on {kinds[0]}")
        return self


def _checked_filter(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    """A filter as it stands in a file; ValueError if it is none."""
    if isinstance(given, str):
        if given not in BARE_FILTERS:
            known = ", ".join(BARE_FILTERS)
            raise ValueError(f"{given!r} is no filter; use {known}, or a mapping")
        return given
    AnswerFilter.model_validate(given)
    return given


FilterInput: TypeAlias = Annotated[str | dict[str, Any], AfterValidator(_checked_filter)]
"""A filter as it stands in a file: a bare name, or a mapping."""


def patterns_of(given: Any) -> Iterator[str]:  # noqa: ANN401  a filter as it stands in the file
    """Yield the regular expressions of a filter.

    >>> list(patterns_of({"option": "[A-D]", "choices": ["a"], "ignore": [","]}))
    ['[A-D]', ',']
    """
    if isinstance(given, dict):
        yield from (given[name] for name in _PATTERNS if name in given)
        yield from given.get("ignore", ())
