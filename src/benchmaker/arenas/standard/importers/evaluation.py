"""The neutral form of another tool's evaluation, which every reader makes and one writer stores."""

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from benchmaker.record import FinishReason, Outcome, Usage
from benchmaker.record.imports.imported import TOOL_NAMES

_sorted = msgspec.json.Encoder(order="sorted").encode

_ROLES = ("system", "assistant")
_LONGEST_LABEL = 120


class ImportedCase(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question of an evaluation, with its key.

    ``id`` is the tool's own, and the same for repeats and for every prompt. ``messages`` are pairs
    of role and text. ``expected`` are the right answers; empty if the file has none. ``choices``
    are the options of a multiple-choice question, and ``expected`` then is a letter. ``vars`` are
    the variables of the tool, which identify the question where the text depends on the prompt.
    """

    id: str
    messages: tuple[tuple[str, str], ...] = ()
    expected: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    vars: dict[str, Any] = {}
    category: str | None = None
    group: str | None = None
    metadata: dict[str, Any] = {}


class ImportedJudgment(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The reply of a tool's judge: its text, and what it cost if the tool says so."""

    scorer: str
    judge: str
    text: str
    cost_usd: float | None = None
    error: str | None = None


class ImportedRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer of one model to one case, with everything that the tool recorded of it.

    ``id`` is the tool's own id of the row; without one, the row is known by its content.
    ``prompt`` is the label of the prompt if the evaluation compares prompts. ``epoch`` counts
    repeats from 1; None if the tool does not number them. ``scores`` are in the tool's unit, by the
    name of the scorer, such as ``inspect/match``; ``score`` is the main one, named by ``scorer``,
    from 0 to 1. ``outcome`` is an infrastructure failure where the tool says that it is one; such a
    row has no score. ``identity`` replaces the content that identifies a row without an id;
    ``key`` is what :func:`row_key` made of it, if it is no longer here.
    ``lines`` is the number of rows of the file that this row stands for. ``rest`` holds every field
    that is not translated, as it is in the file.
    """

    case: ImportedCase
    model: str
    prompt: str | None = None
    epoch: int | None = None
    id: str = ""
    output: str | None = None
    scores: dict[str, float | None] = {}
    score: float | None = None
    scorer: str = ""
    notes: str = ""
    outcome: Outcome = Outcome.SCORED
    error: str | None = None
    error_type: str | None = None
    finish: FinishReason = FinishReason.STOP
    usage: Usage | None = None
    cost_usd: float | None = None
    latency_s: float | None = None
    answered_by: str | None = None
    started_at: str = ""
    judgments: tuple[ImportedJudgment, ...] = ()
    identity: Any = None  # any JSON
    key: int | None = None
    lines: int = 1
    rest: dict[str, Any] = {}


class PrintedFigure(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A figure that the tool itself states, for comparison with the one from stored rows.

    ``method`` says how the tool computes it: a metric with its reducer and options.
    """

    scorer: str
    metric: str
    value: float | None = None
    model: str = ""
    prompt: str | None = None
    task: str = ""
    method: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedEvaluation:
    """One evaluation of another tool: its settings, and its rows, which are read once.

    ``id`` is the tool's own id of the evaluation; empty if the file has none. ``known`` are other
    facts that distinguish evaluations, such as the model. Rows of evaluations that differ in their
    id or in such a fact are never taken for copies of each other. ``task`` is
    the name of the benchmark: its evaluations share a suite if their cases are the same.
    With ``has_prompts`` each row names its prompt: one case then has a text for each of them.
    ``header`` holds what the file says
    of the whole evaluation and is not translated. ``files`` are the names of the files read.
    """

    tool: str
    task: str
    rows: Iterable[ImportedRow]
    version: str = ""
    id: str = ""
    known: Mapping[str, str] = field(default_factory=dict)
    created_at: str = ""
    finished_at: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    system_prompt: str | None = None
    has_prompts: bool = False
    figures: tuple[PrintedFigure, ...] = ()
    header: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[str, ...] = ()

    @property
    def suite_name(self) -> str:
        """The name of its suite: the task, and the tool in parentheses."""
        return f"{self.task} ({TOOL_NAMES.get(self.tool, self.tool)})"


def prompt_label(prompt: str) -> str:
    r"""Return the id of a prompt: its label on one line, cut if it is long.

    >>> prompt_label("Answer\n briefly.")
    'Answer briefly.'
    """
    flat = " ".join(prompt.split()) or "prompt"
    return flat if len(flat) <= _LONGEST_LABEL else f"{flat[: _LONGEST_LABEL - 1]}…"


def turn(role: str, text: str) -> tuple[str, str]:
    """Return a message of a case; any other role than system and assistant is the user."""
    return (role if role in _ROLES else "user", text)


def plain_vars(variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables of a case; a list becomes JSON text, since a suite would multiply it."""
    return {
        str(name): msgspec.json.encode(value).decode() if isinstance(value, list) else value
        for name, value in variables.items()
    }


def digest(value: Any) -> bytes:  # noqa: ANN401  any JSON
    """Return 16 bytes that identify a value; the order of keys does not matter."""
    return hashlib.blake2b(_sorted(value), digest_size=16).digest()


def question_digest(case: ImportedCase, *, has_prompts: bool) -> bytes:
    """Return what tells two questions apart; with prompts, the text is not part of it."""
    question = None if has_prompts else case.messages
    return digest((question, case.expected, case.choices, case.vars))


def row_key(tool: str, row: ImportedRow) -> int:
    """Return the 63-bit number by which a row is known: from its own id, else from its content."""
    if row.key is not None:
        return row.key
    known: Any = row.id or row.identity
    if known is None:
        place = (row.case.id, row.model, row.prompt, row.epoch)
        known = (*place, row.output, sorted(row.scores.items()), row.error)
    return key_of((tool, known))


def key_of(value: Any) -> int:  # noqa: ANN401  any JSON
    """Return 63 bits that identify a value, as :func:`digest` does."""
    return int.from_bytes(digest(value)[:8], "big") >> 1


def keys_of(values: Iterable[Any]) -> list[int]:
    """Return the key of each value, as :func:`key_of` does with fewer calls."""
    hashes = [hashlib.blake2b(text, digest_size=16) for text in map(_sorted, values)]
    return [int.from_bytes(found.digest()[:8], "big") >> 1 for found in hashes]


def repeated_key(key: int, number: int) -> int:
    """Return the key of the ``number``-th row with the content of the row of a key."""
    return key_of((key, number))


def as_score(value: Any) -> float | None:  # noqa: ANN401  what stands in a file
    """Return a finite number or truth value as a number; None for anything else.

    >>> as_score(True), as_score("0.5"), as_score(float("nan")), as_score(10**400)
    (1.0, None, None, None)
    """
    if not isinstance(value, (bool, int, float)):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def within_scale(value: float | None) -> float | None:
    """Return a score from 0 to 1; None for any other number, which stays in the tool's unit."""
    return value if value is not None and 0.0 <= value <= 1.0 else None
