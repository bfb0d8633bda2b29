"""Facts on both pages shown after the vote: the probe's facts, and scores."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from benchmaker.arenas.code.duels import Duel
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.record.probe import ProbeReport
from benchmaker.report.arenas.code_scores import CriterionLine, criterion_lines
from benchmaker.report.sentences.code_words import checks_of, state_of
from benchmaker.web.code.subject import CodeRun


class Fact(NamedTuple):
    """One line of the report on both pages; ``kind`` is the icon next to each value."""

    name: str
    values: tuple[str, str]
    kinds: tuple[str, str]


class RevealedPair(NamedTuple):
    """Both models with the facts of their pages and the totals, left before right."""

    models: tuple[str, str]
    facts: tuple[Fact, ...]
    criteria: tuple[CriterionLine, ...]


def reveal_pair(subject: CodeRun, pair: Duel) -> RevealedPair:
    """Both pages of a pair, names and figures shown."""
    made = [subject.prepared_pages.get((pair.case_id, model)) for model in (pair.left, pair.right)]
    scores = [subject.score(pair.case_id, model) for model in (pair.left, pair.right)]
    return RevealedPair((pair.left, pair.right), _facts(made), criterion_lines(scores))


def _facts(made: Sequence[PreparedAnswer | None]) -> tuple[Fact, ...]:
    left, right = made
    return tuple(
        Fact(name, (first[0], second[0]), (first[1], second[1]))
        for name, label in _LINES
        for first, second in [(label(left), label(right))]
    )


def _state(made: PreparedAnswer | None) -> tuple[str, str]:
    state = state_of(made)
    return state, "ok" if state == "rendered" else "bad"


def _checks(made: PreparedAnswer | None) -> tuple[str, str]:
    return checks_of(made) or "no checks", ""


def _count_cell(
    count: Callable[[ProbeReport], int | None],
) -> Callable[[PreparedAnswer | None], tuple[str, str]]:
    def cell(made: PreparedAnswer | None) -> tuple[str, str]:
        number = count(made.report) if made and made.report and made.report.is_rendered else None
        return ("unknown", "none") if number is None else (str(number), "")

    return cell


def _overflow(width: str) -> Callable[[PreparedAnswer | None], tuple[str, str]]:
    def cell(made: PreparedAnswer | None) -> tuple[str, str]:
        if not made or not made.report or width not in made.report.overflow_px:
            return "unknown", "none"
        over = made.report.overflow_px[width]
        return (f"{over} px", "bad") if over else ("none", "ok")

    return cell


_LINES: tuple[tuple[str, Callable[[PreparedAnswer | None], tuple[str, str]]], ...] = (
    ("Renders", _state),
    ("Task checks", _checks),
    ("Overflow at 375 px", _overflow("375")),
    ("Overflow at 768 px", _overflow("768")),
    ("Page errors", _count_cell(lambda it: len(it.page_errors))),
    ("Controls that do nothing", _count_cell(lambda it: it.click.dead if it.click else None)),
    ("Axe findings", _count_cell(lambda it: len(it.axe) if it.axe is not None else None)),
    ("Missing files", _count_cell(lambda it: len(it.missing))),
)
