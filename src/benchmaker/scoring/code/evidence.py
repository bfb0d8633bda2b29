"""A probe report as the lines that a judge is shown and may cite: ``key = value``."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from benchmaker.record import CheckResult, ProbeReport
from benchmaker.scoring.excerpts import shorten

Evidence = dict[str, str]

_LISTED = 10
_SHOWN = 200
_LEFT_OUT = frozenset(
    {"sha", "screenshots", "version", "browser", "isolation", "self_test", "mapped", "findings"}
)


def evidence_of(report: ProbeReport) -> Evidence:
    """Return every fact by key, in the report's order; a list gives its length, then its items.

    Texts come from the page, truncated to 200 characters; lists to ten items.

    >>> from benchmaker.record import ProbeOutcome
    >>> found = evidence_of(ProbeReport(sha="a", outcome=ProbeOutcome.RENDERED, page_errors=("x",)))
    >>> found["outcome"], found["page_errors"], found["page_errors.1"]
    ('rendered', '1', 'x')
    """
    facts: Evidence = {}
    for name in report.__struct_fields__:
        if name not in _LEFT_OUT:
            facts.update(_flatten(name, getattr(report, name)))
    for check in report.checks:
        facts[f"checks.{check.index}"] = f"{'passed' if check.passed else 'failed'}: {check.text}"
        facts.update(_steps(check))
    facts.update((f"findings.{i}", _shorten(it.message)) for i, it in enumerate(report.findings, 1))
    return facts


def evidence_lines(evidence: Evidence) -> str:
    """Return the evidence as displayed."""
    return "\n".join(f"{key} = {value}" for key, value in evidence.items())


def _steps(check: CheckResult) -> Iterator[tuple[str, str]]:
    """Yield each step of a check with its outcome, and the reason of a failure."""
    for step in check.steps:
        why = f": {step.message}" if step.message else ""
        outcome = step.outcome.value.replace("_", " ")
        yield f"checks.{check.index}.steps.{step.index}", _shorten(f"{outcome}: {step.text}{why}")


def _flatten(name: str, value: object) -> Iterator[tuple[str, str]]:
    match value:
        case None:
            yield name, "unknown"
        case bool():
            yield name, str(value).lower()
        case StrEnum():
            yield name, value.value
        case float():
            yield name, f"{value:.4g}"
        case str() | int():
            yield name, _shorten(str(value))
        case dict() | msgspec.Struct():
            inside = value if isinstance(value, dict) else msgspec.structs.asdict(value)
            for key, inner in inside.items():
                yield from _flatten(f"{name}.{key}", inner)
        case tuple() | list():
            yield name, str(len(value))
            if name != "checks":
                yield from _items(name, value)
        case _:
            raise TypeError(f"a report holds no {type(value).__name__}")


def _items(name: str, values: Iterable[object]) -> Iterator[tuple[str, str]]:
    for number, item in zip(range(1, _LISTED + 1), values, strict=False):
        plain = msgspec.to_builtins(item)
        inside = plain.values() if isinstance(plain, dict) else plain
        words = inside if isinstance(inside, str) else " · ".join(str(it) for it in inside if it)
        yield f"{name}.{number}", _shorten(words)


def _shorten(words: str) -> str:
    return shorten(" ".join(words.split()), _SHOWN)
