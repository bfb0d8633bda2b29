"""All rules over one submission: one pass over its events."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, Final

from benchmaker.arenas.agentic.flags.answer_lookup import FetchedRule
from benchmaker.arenas.agentic.flags.clue import Clue, Rule, RuleContext
from benchmaker.arenas.agentic.flags.grader_edits import TouchedFilesRule
from benchmaker.arenas.agentic.flags.history_lookup import HistoryRule
from benchmaker.arenas.agentic.flags.idle_success import IdleRule
from benchmaker.arenas.agentic.flags.impossible_times import PaceRule
from benchmaker.arenas.agentic.flags.skipped_tests import SkippedTestsRule
from benchmaker.arenas.agentic.logs.events import (
    Event,
    FileChange,
    LlmCall,
    ToolCall,
    ToolResult,
)
from benchmaker.record.submissions.evaluation import Flag
from benchmaker.record.submissions.metrics import Metrics
from benchmaker.record.submissions.submission import Submission

SOURCE = "rules/1"
"""The name and version of these rules."""

_SHOWN = 3
_LOOKED_AT = (ToolCall, ToolResult, FileChange, LlmCall)
"""The events that the rules look at, beside the times of all."""
_ALL: Final[tuple[Callable[[RuleContext], Rule], ...]] = (
    TouchedFilesRule,
    SkippedTestsRule,
    HistoryRule,
    FetchedRule,
    PaceRule,
    IdleRule,
)
_OF_FIGURES: Final[tuple[Callable[[RuleContext], Rule], ...]] = (
    SkippedTestsRule,
    PaceRule,
    IdleRule,
)
"""The rules that can find something where there is no such event."""


def suspicions(
    submission: Submission, row: Metrics, events: Iterable[Event], *, task: Mapping[str, Any]
) -> tuple[Flag, ...]:
    """Return the suspicions about a submission, one flag per kind, each with its evidence.

    Args:
        submission: the imported submission.
        row: its figures.
        events: its trace; may be empty.
        task: the file of its task as plain data; empty if it is not stored.
    """
    context = RuleContext(submission, row, task)
    looked_at = (it for it in events if it.at is not None or isinstance(it, _LOOKED_AT))
    first = next(looked_at, None)
    kinds = _OF_FIGURES if first is None else _ALL
    clues, rules = _ClueCollector(), [kind(context) for kind in kinds]
    for event in () if first is None else chain((first,), looked_at):
        for rule in rules:
            clues.take(rule.see(event))
    for rule in rules:
        clues.take(rule.end())
    return clues.flags(submission.id)


class _ClueCollector:
    """The first clues of each kind, and how many there were."""

    def __init__(self) -> None:
        self._first: dict[str, list[str]] = {}
        self._count: Counter[str] = Counter()

    def take(self, clues: Iterable[Clue]) -> None:
        for clue in clues:
            first = self._first.setdefault(clue.kind, [])
            if clue.evidence in first:
                continue
            self._count[clue.kind] += 1
            if len(first) < _SHOWN:
                first.append(clue.evidence)

    def flags(self, submission_id: str) -> tuple[Flag, ...]:
        return tuple(
            Flag(
                submission_id=submission_id,
                kind=kind,
                source=SOURCE,
                evidence="; ".join(first) + self._more_note(kind),
            )
            for kind, first in sorted(self._first.items())
        )

    def _more_note(self, kind: str) -> str:
        left = self._count[kind] - _SHOWN
        return f"; and {left:,} more" if left > 0 else ""
