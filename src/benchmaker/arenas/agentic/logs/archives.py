"""Archives of logs, with the limits of an import."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.spec.documents.archives import Archive, ArchiveError, open_archive


@dataclass(frozen=True, slots=True)
class LogArchive:
    """A checked archive of logs; parts are read one at a time."""

    archive: Archive

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parts."""
        return self.archive.names

    def read(self, name: str) -> bytes:
        """Return the whole part; DecodingError if missing, damaged or larger than declared."""
        try:
            return self.archive.read(name)
        except ArchiveError as exc:
            raise DecodingError(str(exc)) from exc


@contextmanager
def opened_archive(path: Path, options: Options) -> Iterator[LogArchive]:
    """Open the archive at the path; DecodingError if it is not one, or unsafe."""
    limits = {"most_bytes": options.max_file_bytes, "part_bytes": options.max_document_bytes}
    try:
        with open_archive(path, **limits) as archive:
            yield LogArchive(archive)
    except ArchiveError as exc:
        raise DecodingError(str(exc)) from exc
