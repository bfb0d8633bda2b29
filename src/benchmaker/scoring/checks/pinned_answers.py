"""Checks that only a few texts pass, and which of these texts other checks refuse for certain.

White space at the ends of an answer is left open, as these checks ignore it.
"""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmaker.errors import SandboxError, SpecError, TrialError
from benchmaker.scoring.checks.evaluated_checks import EVALUATED, fails_on
from benchmaker.scoring.checks.json_values import NotJson, is_same_json, read_json
from benchmaker.scoring.pattern import Pattern
from benchmaker.spec import CheckSpec

_LITERAL = r"[^\\^$.|?*+()\[\]{}]+"
_ONLY = re.compile(rf"\^(?:({_LITERAL})|\((?:\?:)?({_LITERAL}(?:\|{_LITERAL})*)\))\$")
_NO_SPACE = re.compile(
    r"(?:[^\s\\.\[(]|\\(?:[dwbS]|[^\w\s])|\[[^\s\\\]^][^\s\\\]]*\]|\((?:\?:|(?!\?)))+"
)
"""Patterns that match no white space and look at none."""


class Pinned(NamedTuple):
    """The texts of which an answer must be one, apart from white space at its ends."""

    texts: tuple[str, ...]
    ignores_case: bool = False


def exclude_each_other(first: CheckSpec, second: CheckSpec, exact: bool) -> bool:  # noqa: FBT001  its check
    """True if it is certain that no answer passes both checks.

    ``exact`` is true if the check ``exact`` passes the expected text alone.
    """
    if first.type == second.type == "equals" and not first.is_negated and not second.is_negated:
        return not _share_value(first, second)
    for one, other in ((first, second), (second, first)):
        pinned = _pinned_by(one, exact)
        if pinned and all(_refuses(other, text, pinned, exact) for text in pinned.texts):
            return True
    return _begin_apart(first, second)


def _pinned_by(check: CheckSpec, exact: bool) -> Pinned | None:  # noqa: FBT001  as above
    """The only texts that pass a check; None if others may pass."""
    if check.is_negated or check.threshold is not None:
        return None
    if check.type == "regex":
        return _pinned_by_pattern(_pattern_of(check))
    values = _values(check)
    is_whole = check.type == "equals" or (check.type == "exact" and exact)
    if not is_whole or not values or not all(isinstance(it, str) for it in values):
        return None
    return Pinned(tuple(values), bool(check.parameters.get("ignore_case", False)))


def _pinned_by_pattern(pattern: Pattern | None) -> Pinned | None:
    if pattern is None or set(pattern.flags) & {"m", "x"}:
        return None
    found = _ONLY.fullmatch(pattern.source)
    if found is None:
        return None
    return Pinned(tuple((found[1] or found[2]).split("|")), "i" in pattern.flags)


def _refuses(check: CheckSpec, text: str, pinned: Pinned, exact: bool) -> bool:  # noqa: FBT001  as above
    """True if a check fails for certain on the text, whatever the white space around it."""
    if check.type in EVALUATED:
        return not pinned.ignores_case and fails_on(check, text)
    if check.threshold is not None:
        return False
    own = bool(check.parameters.get("ignore_case", False))
    if check.is_negated:
        return (own or not pinned.ignores_case) and _surely_passes(check, text, _fold(own))
    return not _may_pass(check, text, exact, ignores_case=pinned.ignores_case or own)


_FITS: dict[str, Callable[[str, list[str]], bool]] = {
    "contains": lambda whole, parts: any(it in whole for it in parts),
    "contains_any": lambda whole, parts: any(it in whole for it in parts),
    "contains_all": lambda whole, parts: all(it in whole for it in parts),
    "starts_with": lambda whole, parts: any(map(whole.startswith, parts)),
    "ends_with": lambda whole, parts: any(map(whole.endswith, parts)),
}


def _may_pass(check: CheckSpec, text: str, exact: bool, *, ignores_case: bool) -> bool:  # noqa: FBT001
    values, fold = _values(check), _fold(ignores_case)
    if check.type == "regex":
        return ignores_case or _is_found(check, text.strip()) is not False
    if not values:
        return True
    if check.type == "equals":
        return any(_is_equal(text, it, ignores_case=ignores_case) for it in values)
    whole, parts = fold(text.strip()), [fold(it.strip()) for it in _texts(values)]
    if check.type == "exact":
        return not exact or whole in parts
    return check.type not in _FITS or _FITS[check.type](whole, parts)


def _surely_passes(check: CheckSpec, text: str, fold: Callable[[str], str]) -> bool:
    values = _values(check)
    if check.type == "regex":
        pattern = _pattern_of(check)
        has_anchor = pattern is None or bool(set(pattern.source) & {"^", "$"})
        return not has_anchor and _is_found(check, text.strip()) is True
    if check.type == "equals":
        is_case_open = fold is str.casefold
        texts = [it for it in values if isinstance(it, str) or not is_case_open]
        return any(_is_equal(text, it, ignores_case=is_case_open) for it in texts)
    parts = [fold(it) for it in _texts(values)]
    return bool(parts) and check.type in _FITS and _FITS[check.type](fold(text.strip()), parts)


def _share_value(first: CheckSpec, second: CheckSpec) -> bool:
    """True if an answer may equal a value of each of two checks."""
    if first.threshold is not None or second.threshold is not None:
        return True
    ignores_case = any(it.parameters.get("ignore_case", False) for it in (first, second))
    ours, theirs = _values(first), _values(second)
    pairs = ((one, other) for one in ours for other in theirs)
    is_open = not ours or not theirs
    return is_open or any(_have_answer(*pair, ignores_case=ignores_case) for pair in pairs)


def _have_answer(one: Any, other: Any, *, ignores_case: bool) -> bool:  # noqa: ANN401  JSON
    """True if an answer may equal two values."""
    if isinstance(one, str):
        return _is_equal(one, other, ignores_case=ignores_case)
    if isinstance(other, str):
        return _is_equal(other, one, ignores_case=ignores_case)
    return is_same_json(one, other)


def _is_equal(text: str, value: Any, *, ignores_case: bool) -> bool:  # noqa: ANN401  JSON
    """True if the text equals a value of the check ``equals``, or may do so in another case."""
    fold = _fold(ignores_case)
    if isinstance(value, str):
        return fold(text.strip()) == fold(value.strip())
    try:
        return ignores_case or is_same_json(read_json(text), value)
    except NotJson:
        return False


def _begin_apart(first: CheckSpec, second: CheckSpec) -> bool:
    """True if the answer must begin, or end, with two different texts."""
    if first.type != second.type or first.type not in {"starts_with", "ends_with"}:
        return False
    if any(it.is_negated or it.threshold is not None for it in (first, second)):
        return False
    fold = _fold(any(it.parameters.get("ignore_case", False) for it in (first, second)))
    ours, theirs = ([fold(it) for it in _texts(_values(one))] for one in (first, second))
    if not ours or not theirs or any(it != it.strip() for it in (*ours, *theirs)):
        return False
    fits = str.startswith if first.type == "starts_with" else str.endswith
    return not any(fits(a, b) or fits(b, a) for a in ours for b in theirs)


def _values(check: CheckSpec) -> Sequence[Any]:
    value = check.parameters.get("value", ())
    return value if isinstance(value, (list, tuple)) else (value,)


def _texts(values: Sequence[Any]) -> list[str]:
    return [it if isinstance(it, str) else json.dumps(it) for it in values]


def _fold(ignores_case: bool) -> Callable[[str], str]:  # noqa: FBT001  its name says it
    return str.casefold if ignores_case else str


def _pattern_of(check: CheckSpec) -> Pattern | None:
    """The pattern of a regex on the whole answer; None if it is none, or searches a part."""
    text = check.parameters.get("pattern", check.parameters.get("value"))
    if not isinstance(text, str) or {"extract", "normalise"} & check.parameters.keys():
        return None
    try:
        return Pattern.parse(text)
    except SpecError:
        return None


def _is_found(check: CheckSpec, text: str) -> bool | None:
    """True if a regex is found in a text with any white space around it; None if that is open."""
    pattern = _pattern_of(check)
    if pattern is None or "x" in pattern.flags or not pattern.source.isascii():
        return None
    if not _NO_SPACE.fullmatch(pattern.source):
        return None
    try:
        return pattern.search(text) is not None
    except (SpecError, TrialError, SandboxError):
        return None
