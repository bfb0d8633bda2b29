"""Answers as pages show them: harmless, cut to size, the same ones once, marked against another."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmaker.record import Extraction, Run, Trial
from benchmaker.redact import Redactor
from benchmaker.report.runs.explain import explain, extraction_words
from benchmaker.report.sentences.check_words import check_name, check_verdict
from benchmaker.report.sentences.transcript_words import call_lines
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.scoring.extract.span import extraction_span
from benchmaker.spec import Case
from benchmaker.web.results.word_diff import LARGEST, Piece, word_diff

ALTOGETHER = 36_000
"""Maximum number of characters of answers on a page."""

LEAST, MOST = 600, 8_000
"""Limits of the number of characters of one answer."""

_PIECES = 400
_AFTER = 200
"""Number of characters shown after a mark that is far from the beginning."""

_STEPS = 12
_STEP = 300
_SUM = 2
"""Number of lines at the end of an explanation with its sum."""


@dataclass(frozen=True, slots=True)
class DistinctAnswer:
    """One distinct answer of a model, and the trials that gave it."""

    trials: tuple[Trial, ...]

    @property
    def first_trial(self) -> Trial:
        """The trial that represents the others."""
        return self.trials[0]


def distinct_answers(trials: Sequence[Trial]) -> tuple[DistinctAnswer, ...]:
    """The same answers, with the same tool calls, together, the most frequent first."""
    found: dict[tuple[Any, ...], list[Trial]] = {}
    for trial in trials:
        lines = tuple(call_lines(trial))
        found.setdefault((trial.outcome, trial.text, trial.error, lines), []).append(trial)
    return tuple(
        DistinctAnswer(tuple(same)) for same in sorted(found.values(), key=len, reverse=True)
    )


def length_limit(blocks: int) -> int:
    """Return the number of characters shown per answer, by the number of answers."""
    return max(LEAST, min(MOST, ALTOGETHER // max(1, blocks)))


def safe_text(text: str, redactor: Redactor) -> str:
    """A text without secrets and without anything that acts, its lines kept."""
    return sanitise(redactor.text(text), lines=True)


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in pieces; ``left_out`` characters are omitted, ``note`` explains missing marks."""

    pieces: tuple[Piece, ...]
    left_out: int = 0
    note: str = ""


def mark_differences(text: str, base: str | None, limit: int) -> MarkedText:
    """Return the text with marked differences, truncated; unmarked without a reference."""
    if base is None:
        return _cut((Piece("same", text),), len(text), limit)
    found = word_diff(base, text)
    if found is None:
        note = f"No diff: the text has more than {LARGEST:,} characters or too many words."
        plain = _cut((Piece("same", text),), len(text), limit)
        return MarkedText(plain.pieces, plain.left_out, note)
    return _cut(found, sum(len(piece.text) for piece in found), limit)


def mark_extraction(text: str, trial: Trial, redactor: Redactor, limit: int) -> MarkedText:
    """Return an answer with the extracted text marked, truncated; around the mark if it is far."""
    taken = trial.score.extraction if trial.score else None
    span = None
    if taken is not None and len(text) <= LARGEST:
        shown = Extraction(rule=taken.rule, text=safe_text(taken.text, redactor))
        span = extraction_span(text, shown, trial.score.scorer if trial.score else "")
    if span is None:
        return _cut((Piece("same", text),), len(text), limit)
    start = max(0, span.end - limit + _AFTER) if span.end > limit else 0
    pieces = (
        Piece("same", f"{'…' if start else ''}{text[start : span.start]}"),
        Piece("mark", text[span.start : span.end]),
        Piece("same", text[span.end :]),
    )
    return _cut(tuple(piece for piece in pieces if piece.text), len(text), limit)


def _cut(pieces: Sequence[Piece], total: int, limit: int) -> MarkedText:
    kept, room = [], limit
    for piece in pieces[:_PIECES]:
        if room <= 0:
            break
        kept.append(Piece(piece.kind, piece.text[:room]))
        room -= len(piece.text)
    return MarkedText(tuple(kept), max(0, total - sum(len(piece.text) for piece in kept)))


def score_words(said: DistinctAnswer) -> str:
    """The score of the trials that gave an answer; all of them where they differ."""
    scores = {trial.score.score if trial.score else None for trial in said.trials}
    known = sorted(score for score in scores if score is not None)
    words = [numbers.score(score) for score in known]
    if len(words) > 1:
        return f"{words[0]} to {words[-1]}"
    return words[0] if words else "unscored"


@dataclass(frozen=True, slots=True)
class ScorePill:
    """A score in words, its kind (``full``, ``partly``, ``zero`` or ``none``), and its percent."""

    words: str
    kind: str
    percent: str = ""


def mean_pill(mean: float) -> ScorePill:
    """The mean score of a cell of cases and setups; NaN is unscored."""
    if math.isnan(mean):
        return ScorePill("unscored", "none")
    words = numbers.score(mean)
    if mean in (0.0, 1.0):
        return ScorePill(words, "full" if mean else "zero")
    return ScorePill(words, "partly", f"{100 * mean:.4g}%")


def score_pill(said: DistinctAnswer) -> ScorePill:
    """The score of the trials that gave an answer; full, partial and no marks look different."""
    known = [trial.score.score for trial in said.trials if trial.score]
    scores = {score for score in known if score is not None}
    words = score_words(said)
    if not scores:
        return ScorePill(words, "none")
    if scores in ({1.0}, {0.0}):
        return ScorePill(words, "full" if scores == {1.0} else "zero")
    return ScorePill(words, "partly", f"{100 * sum(scores) / len(scores):.4g}%")


def checks_of(
    trial: Trial, redactor: Redactor, most: int = _STEPS
) -> tuple[tuple[str, str, str], ...]:
    """The first checks of a score: the verdict, the check, and the reason."""
    listed = trial.score.checks if trial.score else ()
    return tuple(
        (
            check_verdict(one),
            sanitise(redactor.text(check_name(one)))[:_STEP],
            sanitise(redactor.text(one["reason"]))[:_STEP],
        )
        for one in listed[:most]
    )


def calls_of(trial: Trial, redactor: Redactor) -> tuple[str, ...]:
    """The tool calls of a trial with their results, and its number of steps; empty without any."""
    lines = call_lines(trial)
    return tuple(sanitise(redactor.text(line)) for line in lines)


@dataclass(frozen=True, slots=True)
class ScoreSteps:
    """The lines of an explanation: the first ones, and its end with the sum.

    ``total`` counts the lines between them, too.
    """

    first: tuple[str, ...]
    last: tuple[str, ...]
    total: int

    @property
    def is_whole(self) -> bool:
        """True if no line is left out."""
        return self.total == len(self.first) + len(self.last)


def score_steps(trial: Trial, case: Case | None, run: Run, redactor: Redactor) -> ScoreSteps:
    """The arithmetic of a score in a few lines: from its start and from its end."""
    made = explain(trial, case=case, run=run)
    score = trial.score
    taken = score.extraction if score else None
    extracted = [f"Extracted: {extraction_words(taken)}"] if taken else []
    notes = [score.notes] if score and score.notes else []
    start = [*extracted, *made.steps[:-_SUM]]
    end = [*made.steps[-_SUM:], *notes, *made.judges]
    last = end[: max(_SUM + len(notes), _STEPS - len(start))]
    first = start[: max(0, _STEPS - len(last))]
    return ScoreSteps(
        tuple(_line(it, redactor) for it in first),
        tuple(_line(it, redactor) for it in last),
        len(start) + len(end),
    )


def _line(text: str, redactor: Redactor) -> str:
    return truncate(sanitise(redactor.text(text)), _STEP)
