"""A person labels answers, in a terminal or by lines on stdin."""

import csv
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmaker.cli.output.output import escape_controls
from benchmaker.errors import BenchmakerError, Finding, SpecError
from benchmaker.judging.label_queue import Item
from benchmaker.judging.labelling import BlindAnswer, LabelInput, LabellingQueue
from benchmaker.report.tables.sanitize import truncate
from benchmaker.spec.documents.findings import Findings

STDIN = "stdin"

_LONGEST = 40_000
_HEADS = frozenset({"id", "blind_id"})
_LEAST_CELLS = 2

Read = Callable[[str], str | None]
"""Reads a line from the user; None at the end of input."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LabellingSummary:
    """The result of a labelling session; ``labelled`` counts new labels, including changes."""

    labelled: int = 0
    unchanged: int = 0
    skipped: int = 0


def label_interactively(queue: LabellingQueue, read: Read, say: Say) -> LabellingSummary:
    """Show the waiting answers one after the other; ``q`` or the end of input stops.

    ``s`` skips one, ``u`` returns to the previous one and withdraws its label.
    """
    waiting = queue.open_items
    labelled: set[int] = set()
    skipped: set[int] = set()
    at = 0
    while at < len(waiting):
        say(_page(queue.blind_answer(waiting[at]), queue.labelled_count + 1, len(queue.items)))
        said = _prompt_score(queue, read, say)
        if said is None:
            break
        if said == "u":
            at = _back(queue, waiting, at, say)
            labelled.discard(at)
            skipped.discard(at)
        elif isinstance(said, LabelInput):
            queue.keep(waiting[at], said)
            labelled.add(at)
            at += 1
        else:
            skipped.add(at)
            at += 1
    return LabellingSummary(labelled=len(labelled), skipped=len(skipped))


def _prompt_score(queue: LabellingQueue, read: Read, say: Say) -> LabelInput | str | None:
    """A score, or one of the letters; None to quit."""
    while True:
        line = read(f"Score {queue.scale}, pass or fail [s skip, u undo, q quit]: ")
        word = "q" if line is None else line.strip()
        if word.casefold() == "q":
            return None
        if word.casefold() in {"s", "u"}:
            return word.casefold()
        if not word:
            continue
        try:
            return queue.read(word)
        except SpecError as exc:
            say(f"{exc.message} {exc.hint}")


def _back(queue: LabellingQueue, waiting: tuple[Item, ...], at: int, say: Say) -> int:
    if at == 0:
        say("Nothing to undo.")
        return 0
    queue.withdraw(waiting[at - 1])
    return at - 1


def _page(shown: BlindAnswer, number: int, total: int) -> str:
    """Return the displayed text of an answer, with terminal control characters made visible."""
    parts = [("Question", shown.question), ("Answer", shown.answer or "(empty)")]
    if shown.expected is not None:
        parts.insert(1, ("Expected", shown.expected))
    texts = [f"{head}\n{escape_controls(truncate(text, _LONGEST))}\n" for head, text in parts]
    return "\n".join([f"\n── {number:,} of {total:,} · {shown.blind_id} ──", *texts])


def label_from_lines(queue: LabellingQueue, lines: Iterable[str]) -> LabellingSummary:
    """Store the labels in lines ``id,score`` (with optional remarks): all of them, or none.

    Raises:
        SpecError: all faults together: an unknown id, or not a score on the scale.
    """
    findings = Findings(200)
    given: dict[str, tuple[Item, LabelInput]] = {}
    for number, cells in _cells(lines):
        try:
            item, said = _parse_line(queue, cells)
        except BenchmakerError as exc:
            findings.put(Finding(STDIN, number, 1, exc.message, exc.hint))
            continue
        given[item.blind_id] = (item, said)
    findings.raise_if_any()
    kept = queue.keep_all(given.values())
    return LabellingSummary(labelled=len(kept), unchanged=len(given) - len(kept))


def _cells(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that has some, without a head."""
    table = csv.reader(lines)
    for cells in table:
        words = [cell.strip() for cell in cells]
        is_head = table.line_num == 1 and words[:1] and words[0].casefold() in _HEADS
        if any(words) and not is_head:
            yield table.line_num, words


def _parse_line(queue: LabellingQueue, cells: list[str]) -> tuple[Item, LabelInput]:
    if len(cells) < _LEAST_CELLS:
        raise SpecError(
            "the line has no score.", hint="Use lines of id and score, such as: 62e47f58e3,8"
        )
    item = queue.find(cells[0])
    if item is None:
        raise SpecError(
            f"there is no answer {cells[0]!r}.",
            hint="List the ids with: benchmaker label RUN --queue",
        )
    said = queue.read(cells[1])
    note = " ".join(cells[2:])
    return item, LabelInput(said.raw, note or said.note)
