"""pydantic-evals: reports of an experiment, written as JSON."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from benchmaker.arenas.standard.importers.evaluation import (
    ImportedCase,
    ImportedEvaluation,
    ImportedRow,
    as_score,
    turn,
)
from benchmaker.arenas.standard.importers.reading import (
    Tally,
    a_dict,
    a_list,
    as_text,
    load_json,
    texts_of,
    without,
)
from benchmaker.errors import SpecError
from benchmaker.record import Outcome

ASSERTIONS: Final = "pydantic_evals/assertions"

_REPEAT = re.compile(r"^(?P<name>.*) \[(?P<number>\d+)/\d+\]$", re.DOTALL)
_TRANSLATED = ("name", "inputs", "expected_output", "output", "source_case_name", "metadata")


class PydanticEvals:
    """Reports of pydantic-evals: cases, and the failures that leave its averages."""

    tool = "pydantic_evals"

    def claims(self, path: Path, start: bytes) -> bool:  # noqa: ARG002  by content alone
        """By the keys of a case or a failure."""
        has_cases = b'"cases"' in start and b'"inputs"' in start
        return has_cases and (b'"assertions"' in start or b'"error_stacktrace"' in start)

    def evaluations(self, path: Path, tally: Tally) -> Iterator[ImportedEvaluation]:
        """Yield the evaluation of a report."""
        report = a_dict(load_json(path, tally))
        cases, failures = a_list(report.get("cases")), a_list(report.get("failures"))
        if not cases and not failures:
            raise SpecError("the report has no cases.", where=str(path))
        about = a_dict(report.get("experiment_metadata"))
        model = as_text(about.get("model") or report.get("name")) or "task"
        yield ImportedEvaluation(
            tool="pydantic_evals",
            task=as_text(report.get("dataset_name") or report.get("name")) or "experiment",
            id=as_text(report.get("trace_id")),
            header=without(report, "cases", "failures"),
            files=(path.name,),
            rows=tally.count_all(_rows([*cases, *failures], model, tally)),
        )


def _rows(cases: list[Any], model: str, tally: Tally) -> Iterator[ImportedRow]:
    for number, one in enumerate(cases, 1):
        if not isinstance(one, dict) or "inputs" not in one:
            tally.refuse(f"case {number}: no inputs.")
            continue
        yield _row(one, model)


def _row(given: dict[str, Any], model: str) -> ImportedRow:
    is_failure = "error_message" in given
    name, epoch = _name_and_repeat(given)
    scores = {} if is_failure else _scores(given)
    share = scores.get(ASSERTIONS)
    return ImportedRow(
        case=ImportedCase(
            id=name,
            messages=(turn("user", as_text(given["inputs"])),),
            expected=texts_of(given.get("expected_output")),
            metadata=a_dict(given.get("metadata")),
        ),
        model=model,
        epoch=epoch,
        id=_own_id(given),
        output=None if is_failure else as_text(given.get("output")),
        scores=scores,
        score=share if share is not None else _only_score(scores),
        scorer=ASSERTIONS if share is not None else next(iter(scores), ""),
        outcome=Outcome.PROVIDER_ERROR if is_failure else Outcome.SCORED,
        error=as_text(given.get("error_message")) if is_failure else None,
        latency_s=as_score(given.get("task_duration")),
        rest=without(given, *_TRANSLATED),
    )


def _own_id(given: dict[str, Any]) -> str:
    span, trace = as_text(given.get("span_id")), as_text(given.get("trace_id"))
    return f"{trace}:{span}" if span else ""


def _name_and_repeat(given: dict[str, Any]) -> tuple[str, int]:
    """The name of the case, and the number of the repeat, which stands behind it."""
    name = as_text(given.get("name"))
    source = as_text(given.get("source_case_name"))
    found = _REPEAT.match(name)
    if found and source in ("", found["name"]):
        return found["name"], int(found["number"])
    return source or name, 1


def _scores(given: dict[str, Any]) -> dict[str, float | None]:
    checks = a_dict(given.get("assertions"))
    found = {
        f"pydantic_evals/{name}": as_score(a_dict(one).get("value"))
        for name, one in (*a_dict(given.get("scores")).items(), *checks.items())
    }
    if checks:
        passed = sum(bool(a_dict(one).get("value")) for one in checks.values())
        found = {ASSERTIONS: passed / len(checks), **found}
    return found


def _only_score(scores: dict[str, float | None]) -> float | None:
    """The first score if it is from 0 to 1."""
    first = next(iter(scores.values()), None)
    return first if first is not None and 0 <= first <= 1 else None
