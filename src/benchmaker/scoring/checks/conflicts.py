"""Checks that no answer can pass together."""

import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from math import fsum, inf

from benchmaker.scoring.build import ParameterFault
from benchmaker.scoring.checks.call_ranges import have_ranges_apart
from benchmaker.scoring.checks.evaluated_checks import GRADED
from benchmaker.scoring.checks.pinned_answers import exclude_each_other
from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.thresholds import reaches
from benchmaker.spec import CheckSpec, Family
from benchmaker.spec.suites.check_spec import CHECKS

_CONTAINED = ("contains", "contains_all", "starts_with", "ends_with", "equals")
"""Types whose value is part of every answer that passes."""

_LENGTHS = ("word_count", "sentence_count")

_LONGEST = 60
"""Maximum number of characters of a value in a message."""

_SPECIAL = re.compile(r"[\\^$.|?*+()\[\]{}]")


def conflicts(
    checks: Sequence[CheckSpec], threshold: float | None, family: Family
) -> Iterator[ParameterFault]:
    """Yield the faults of checks that can't pass together.

    Without a threshold, these are pairs of which one forbids what the other requires. With a
    threshold, it is one that lies above the weighted share that such pairs leave reachable. The
    check ``exact`` is left out where it gives part marks, or accepts more than the expected text,
    and checks with filters, which read another text.
    """
    exact = family is Family.CLASSIC and threshold is None
    counted = [(at, check) for at, check in enumerate(checks) if check.weight > 0]
    pairs = [
        (first, second)
        for first, second in combinations([it for it in counted if not it[1].filters], 2)
        if not (threshold is not None and {first[1].type, second[1].type} & GRADED)
        and _exclude(first[1], second[1], exact)
    ]
    if threshold is None:
        yield from _unreachable_negations(counted)
        for (_, first), (second, _) in pairs:
            message = f"this check and {_words(first)} cannot both pass."
            yield ParameterFault(CHECKS, message, "Remove one of them.", inside=(second,))
    elif pairs:
        yield from _unreachable(counted, pairs, threshold)


def weight_fault(checks: Sequence[CheckSpec]) -> ParameterFault | None:
    """Return the fault of checks that give no score, as all of them have weight 0."""
    if not checks or any(check.weight > 0 for check in checks):
        return None
    message = "no answer can get a score: all checks have weight 0."
    return ParameterFault(CHECKS, message, "Give one of them a weight above 0.", inside=(0,))


def _words(check: CheckSpec) -> str:
    """A check as a message names it: "not contains 'sorry'"."""
    value = check.parameters.get("value", check.parameters.get("pattern"))
    named = "" if value is None else f" {shorten(repr(value), _LONGEST)}"
    return f"{'not ' if check.is_negated else ''}{check.type}{named}"


def metric_faults(checks: Sequence[CheckSpec]) -> Iterator[ParameterFault]:
    """Yield the faults of metrics with variables, which only texts of checks may have."""
    for at, check in enumerate(checks):
        if check.metric and "{{" in check.metric:
            message = "a metric is a name for all cases, without variables."
            inside = (at, "metric")
            yield ParameterFault(CHECKS, message, "Write the name itself.", inside=inside)


def _unreachable_negations(counted: Sequence[tuple[int, CheckSpec]]) -> Iterator[ParameterFault]:
    for at, check in counted:
        if check.is_negated and check.threshold == 0:
            message = "no answer can pass: not requires a score below the threshold 0."
            inside = (at, "threshold")
            yield ParameterFault(CHECKS, message, "Set a threshold above 0.", inside=inside)


def _unreachable(
    counted: Sequence[tuple[int, CheckSpec]],
    pairs: Sequence[tuple[tuple[int, CheckSpec], tuple[int, CheckSpec]]],
    threshold: float,
) -> Iterator[ParameterFault]:
    """Yield the fault of a threshold above the share that disjoint pairs leave reachable."""
    used: set[int] = set()
    lost = []
    for first, second in pairs:
        if not used & {first[0], second[0]}:
            used |= {first[0], second[0]}
            lost.append(min(first[1].weight, second[1].weight))
    reachable = 1 - fsum(lost) / fsum(check.weight for _, check in counted)
    if not reaches(reachable, threshold):
        message = f"no answer can reach {threshold:g}: at most {reachable:.4g} is possible."
        hint = "Lower the threshold, or remove one of the checks that exclude each other."
        yield ParameterFault("threshold", message, hint)


def _exclude(first: CheckSpec, second: CheckSpec, exact: bool) -> bool:  # noqa: FBT001  its check
    """True if one check forbids what the other requires."""
    return (
        _is_opposite(first, second)
        or _have_lengths_apart(first, second)
        or have_ranges_apart(first, second)
        or exclude_each_other(first, second, exact)
    )


def _have_lengths_apart(first: CheckSpec, second: CheckSpec) -> bool:
    """True if both bound the same length, and no length lies within both."""
    if first.type != second.type or first.type not in _LENGTHS:
        return False
    if first.is_negated or second.is_negated or first.threshold or second.threshold:
        return False
    bounds = (first.parameters, second.parameters)
    least = max(it.get("min") or 0 for it in bounds)
    most = min(inf if it.get("max") is None else it["max"] for it in bounds)
    return bool(least > most)


def _is_opposite(first: CheckSpec, second: CheckSpec) -> bool:
    """True if a check with ``not`` forbids what another requires."""
    if first.is_negated == second.is_negated:
        return False
    positive, negated = (second, first) if first.is_negated else (first, second)
    if _question(positive) == _question(negated):
        return True
    return any(_forbids(negated, text, positive) for text in _required_texts(positive))


def _question(check: CheckSpec) -> str:
    """What a check asks of an answer, apart from ``not``, its weight and its metric.

    It is a text, in which 1 and true differ.
    """
    return repr((check.scorer.model_dump(), check.threshold))


def _required_texts(check: CheckSpec) -> Iterator[str]:
    """Yield texts that every answer contains which passes the check."""
    value = check.parameters.get("value")
    if check.type in _CONTAINED and check.threshold is None:
        if isinstance(value, str):
            yield value.strip() if _ignores_spaces(check) else value
        elif check.type == "contains_all" and isinstance(value, (list, tuple)):
            yield from (it for it in value if isinstance(it, str))
    if check.type == "regex" and isinstance(literal := _literal_pattern(check), str):
        yield literal


def _literal_pattern(check: CheckSpec) -> str | None:
    """The pattern of a regex that matches only itself."""
    pattern = check.parameters.get("pattern", check.parameters.get("value"))
    is_plain = isinstance(pattern, str) and not _SPECIAL.search(pattern)
    return pattern if is_plain and not str(pattern).startswith("/") else None


def _forbids(negated: CheckSpec, text: str, positive: CheckSpec) -> bool:
    """True if an answer that contains ``text`` can't pass a negated check."""
    if negated.threshold is not None:
        return False
    if negated.type == "regex":
        literal = _literal_pattern(negated)
        return bool(literal) and str(literal) in text and not _ignores_case(positive)
    if negated.type not in {"contains", "contains_any"}:
        return False
    value = negated.parameters.get("value")
    parts = value if isinstance(value, (list, tuple)) else (value,)
    return any(_has_part(text, part, negated, positive) for part in parts)


def _has_part(text: str, part: object, negated: CheckSpec, positive: CheckSpec) -> bool:
    """True if every answer with ``text`` has a part that the negated check forbids."""
    if not isinstance(part, str) or not part:
        return False
    if _ignores_case(negated):
        return part.casefold() in text.casefold()
    return part in text and not _ignores_case(positive)


def _ignores_spaces(check: CheckSpec) -> bool:
    """True if spaces around its value are not required of an answer."""
    return check.type == "equals" and not check.parameters.get("keep_spaces", False)


def _ignores_case(check: CheckSpec) -> bool:
    return bool(check.parameters.get("ignore_case", False))
