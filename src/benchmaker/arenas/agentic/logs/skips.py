"""Collects unreadable parts: all are counted, the first few listed; and notes."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.logs.options import Skipped
from benchmaker.arenas.agentic.secrets.scan import clean_text
from benchmaker.record.counts import count
from benchmaker.record.submissions.submission import Submission

LISTED_OF_FILE = 100
LISTED = 10_000
_INSPECT = "inspect_log"
CALLS_BY_RESULTS = "calls_by_results"
"""The key in a submission's ``extra``: the tool calls that only their results show."""


@dataclass(slots=True)
class Skips:
    """Collects each :class:`~.options.Skipped` it is called with, by file; notes separately."""

    listed: list[Skipped] = field(default_factory=list)
    notes: list[Skipped] = field(default_factory=list)
    by_file: "Counter[Path]" = field(default_factory=Counter)
    rows: list[Path] = field(default_factory=list)
    """The file of each row that was refused."""
    impossible: int = 0
    """Number of negative or non-finite figures so far."""

    def __call__(self, skipped: Skipped) -> None:
        """Add one, with secrets removed from its reason."""
        skipped = skipped._replace(reason=clean_text(skipped.reason).text)
        if skipped.is_note:
            if len(self.notes) < LISTED:
                self.notes.append(skipped)
            return
        self.by_file[skipped.path] += 1
        self.impossible += skipped.is_impossible
        if skipped.is_row:
            self.rows.append(skipped.path)
        if self.by_file[skipped.path] <= LISTED_OF_FILE and len(self.listed) < LISTED:
            self.listed.append(skipped)

    @property
    def total(self) -> int:
        """The number of skipped parts."""
        return self.by_file.total()

    def count_in(self, path: Path) -> int:
        """Return the number of skipped parts in a file."""
        return self.by_file[path]


def answers_to_questions(submissions: Iterable[Submission]) -> Iterator[Skipped]:
    """A note on each log of Inspect with samples that called no tools, so that no agent worked."""
    found: dict[str, list[str]] = {}
    for one in submissions:
        if one.importer == _INSPECT and one.tool_calls == 0 and one.sources:
            found.setdefault(one.sources[0].path, []).append(one.id)
    for path, ids in found.items():
        why = (
            f"{count(len(ids), 'sample')} called no tools: answers to questions, not agent "
            "sessions. Their scores are kept as criteria. "
            f"Show {'them' if len(ids) == 1 else 'those of the first'}: benchmaker show {ids[0]}"
        )
        yield Skipped(Path(path), 0, why, is_note=True)


def calls_by_results(submissions: Iterable[Submission]) -> Iterator[Skipped]:
    """A note on each log with tool results whose calls it does not name."""
    found: dict[str, list[int]] = {}
    for one in submissions:
        number = one.extra.get(CALLS_BY_RESULTS)
        if one.importer == _INSPECT and isinstance(number, int) and one.sources:
            found.setdefault(one.sources[0].path, []).append(number)
    for path, numbers in found.items():
        why = (
            f"Counted by their results: {count(sum(numbers), 'tool call')} of "
            f"{count(len(numbers), 'sample')}. The messages of the log do not name the calls."
        )
        yield Skipped(Path(path), 0, why, is_note=True)
