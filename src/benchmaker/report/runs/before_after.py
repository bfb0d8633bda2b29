"""The changes of setups between earlier and later runs, in words and as rows."""

from collections.abc import Sequence

from benchmaker.analysis.comparison.before_after import BeforeAfter, SetupChange
from benchmaker.analysis.comparison.planning import more_cases, why_no_more_cases
from benchmaker.analysis.comparison.results import Comparison
from benchmaker.record.counts import count
from benchmaker.report.result_tables.comparisons import ShownPair
from benchmaker.report.runs.comparison import more_cases_text
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers

_NAMED = 3


def change_of(change: SetupChange) -> ShownPair | None:
    """The later scores less the earlier ones; None if they can't be compared."""
    return ShownPair(change.pair, change.names.before) if change.pair else None


def changes_sentence(made: BeforeAfter, noun: str) -> str:
    """Return the setups that changed significantly, the largest loss first."""
    compared = [one for one in made.changes if one.pair is not None]
    if not compared:
        return f"No {noun} can be compared."
    changed = sorted(
        (one for one in compared if one.pair and one.pair.verdict == "ahead"),
        key=_difference,
    )
    said = [_change_words(one) for one in changed[:_NAMED]]
    if len(changed) > _NAMED:
        said.append(f"{count(len(changed) - _NAMED, f'more {noun}')} changed.")
    rest = len(compared) - len(changed)
    if rest:
        said.append(f"No significant difference for {_rest_words(compared, rest, noun)}.")
    return " ".join(said)


def _rest_words(compared: Sequence[SetupChange], rest: int, noun: str) -> str:
    if len(compared) == 1:
        return name(compared[0].names.setup)
    if rest == len(compared):
        return f"any of the {count(rest, noun)}"
    return f"the other {noun}" if rest == 1 else f"the other {count(rest, noun)}"


def _difference(change: SetupChange) -> float:
    shown = change_of(change)
    return shown.difference[0] if shown else 0.0


def _change_words(change: SetupChange) -> str:
    away, *ends = ShownPair(change.pair, change.names.before).difference if change.pair else (0.0,)
    way = "higher" if away > 0 else "lower"
    interval = f" {numbers.interval((ends[0], ends[1]))}" if ends else ""
    by = numbers.difference(away)
    return f"{name(change.names.setup)} is {way}: {by} points{interval}."


def more_cases_words(comparison: Comparison, change: SetupChange) -> str:
    """Return the additional cases that would make a change significant, or why unknown."""
    if change.pair is None:
        return ""
    found = more_cases(comparison, change.pair)
    if found and found.more:
        return f"about {more_cases_text(found.more)}"
    why = why_no_more_cases(comparison, change.pair)
    return f"unknown: {why}" if why else "none needed"
