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


def label_interactively(desk: LabellingQueue, read: Read, say: Say) -> LabellingSummary:
    """Show the waiting answers one after the other; ``q`` or the end of input stops.

    ``s`` skips one, ``u`` returns to the previous one and withdraws its label.
    """
    waiting = desk.open_items
    labelled: set[int] = set()
    skipped: set[int] = set()
    at = 0
    while at < len(waiting):
        say(_page(desk.blind_answer(waiting[at]), desk.labelled_count + 1, len(desk.items)))
        said = _prompt_score(desk, read, say)
        if said is None:
            break
        if said == "u":
            at = _back(desk, waiting, at, say)
            labelled.discard(at)
            skipped.discard(at)
        elif isinstance(said, LabelInput):
            desk.keep(waiting[at], said)
            labelled.add(at)
            at += 1
        else:
            skipped.add(at)
            at += 1
    return LabellingSummary(labelled=len(labelled), skipped=len(skipped))


def _prompt_score(desk: LabellingQueue, read: Read, say: Say) -> LabelInput | str | None:
    """A score, or one of the letters; None to quit."""
    while True:
        line = read(f"Score {desk.scale}, pass or fail [s skip, u undo, q quit]: ")
        word = "q" if line is None else line.strip()
        if word.casefold() == "q":
            return None
        if word.casefold() in {"s", "u"}:
            return word.casefold()
        if not word:
            continue
        try:
            return desk.read(word)
        except SpecError as exc:
            say(f"{exc.message} {exc.hint}")


def _back(desk: LabellingQueue, waiting: tuple[Item, ...], at: int, say: Say) -> int:
    if at == 0:
        say("There is nothing to undo in this sitting.")
        return 0
    desk.withdraw(waiting[at - 1])
    return at - 1


def _page(shown: BlindAnswer, number: int, total: int) -> str:
    """Return the displayed text of an answer, with terminal control characters made visible."""
    parts = [("Question", shown.question), ("Answer", shown.answer or "(empty)")]
    if shown.expected is not None:
        parts.insert(1, ("Expected", shown.expected))
    texts = [f"{head}\n{escape_controls(truncate(text, _LONGEST))}\n" for head, text in parts]
    return "\n".join([f"\n── {number} of {total} · {shown.blind_id} ──", *texts])


def label_from_lines(desk: LabellingQueue, lines: Iterable[str]) -> LabellingSummary:
    """Store the labels in lines ``id,score`` (with optional remarks): all of them, or none.

    Raises:
        SpecError: all faults together: an unknown id, or not a score on the scale.
    """
    findings = Findings(200)
    given: dict[str, tuple[Item, LabelInput]] = {}
    for number, cells in _cells(lines):
        try:
            item, said = _parse_line(desk, cells)
        except BenchmakerError as exc:
            findings.put(Finding(STDIN, number, 1, exc.message, exc.hint))
            continue
        given[item.blind_id] = (item, said)
    findings.raise_if_any()
    kept = desk.keep_all(given.values())
    return LabellingSummary(labelled=len(kept), unchanged=len(given) - len(kept))


def _cells(lines: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """The cells of each line that has some, without a head."""
    table = csv.reader(lines)
    for cells in table:
        words = [cell.strip() for cell in cells]
        is_head = table.line_num == 1 and words[:1] and words[0].casefold() in _HEADS
        if any(words) and not is_head:
            yield table.line_num, words


def _parse_line(desk: LabellingQueue, cells: list[str]) -> tuple[Item, LabelInput]:
    if len(cells) < _LEAST_CELLS:
        raise SpecError("a line has an id and a score.", hint="Write lines such as: 62e47f58e3,8")
    item = desk.find(cells[0])
    if item is None:
        raise SpecError(
            f"there is no answer {cells[0]!r}.",
            hint="See the ids with: benchmaker label RUN --queue",
        )
    said = desk.read(cells[1])
    note = " ".join(cells[2:])
    return item, LabelInput(said.raw, note or said.note)
