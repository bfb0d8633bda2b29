"""What could not be read, gathered: counted in full, listed as far as anybody would read."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.options import Skipped
from benchmaker.arenas.agentic.secret_scan import cleaned

LISTED_OF_FILE = 100
LISTED = 10_000


@dataclass(slots=True)
class Skips:
    """Call it with each :class:`~.options.Skipped`; it keeps count by file, notes apart."""

    listed: list[Skipped] = field(default_factory=list)
    notes: list[Skipped] = field(default_factory=list)
    by_file: "Counter[Path]" = field(default_factory=Counter)
    rows: list[Path] = field(default_factory=list)
    """The file of each row that was refused."""
    impossible: int = 0
    """How many figures so far are negative or not finite."""

    def __call__(self, skipped: Skipped) -> None:
        """Take one; what looks like a key in its reason is cut out."""
        skipped = skipped._replace(reason=cleaned(skipped.reason).text)
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
        """How many there were."""
        return self.by_file.total()

    def of(self, path: Path) -> int:
        """How many there were in a file."""
        return self.by_file[path]
