"""Hashes of the files that a submission was read from, and ids of sessions and rows."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from benchmaker.arenas.agentic.logs.events import RowIdentity
from benchmaker.arenas.agentic.logs.opening import reason
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.errors import SpecError
from benchmaker.record.submissions.submission import LOCAL, SourceFile, Submission
from benchmaker.spec.documents.files import open_regular_raw
from benchmaker.spec.documents.limits import Limits

_UNIQUE = re.compile(
    r"(T-)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"  # of most tools
    r"|ses_[0-9a-z]{20,}"  # OpenCode's
    r"|\d{13}_[0-9a-z]{5,}"  # Cline's
    r"|\d{8}_\d+@\d{4}-\d\d-\d\d[T ][\d:.]+Z?",  # Goose's, with the moment it was made
    re.IGNORECASE,
)
"""Session ids that are globally unique."""

_PIECE = 2**20


def source_file(path: Path, options: Options) -> SourceFile | None:
    """Return the file with the SHA-256 of its raw bytes; None if unreadable."""
    digest, size = sha256(), 0
    try:
        with open_regular_raw(path, limits=Limits(data_bytes=options.max_file_bytes)) as stream:
            while piece := stream.read(_PIECE):
                digest.update(piece)
                size += len(piece)
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
        return None
    return SourceFile(path=str(path), sha256=digest.hexdigest(), bytes=size)


def beginning_hashes(path: Path, sizes: Iterable[int], options: Options) -> dict[int, str]:
    """Return the SHA-256 of a file's first bytes, by their number; only sizes up to the file's.

    It is empty if the file is unreadable.
    """
    digest, hashes, at = sha256(), {}, 0
    with (
        suppress(SpecError),
        open_regular_raw(path, limits=Limits(data_bytes=options.max_file_bytes)) as stream,
    ):
        for size in sorted(set(sizes)):
            while at < size and (piece := stream.read(min(_PIECE, size - at))):
                digest.update(piece)
                at += len(piece)
            if at == size:
                hashes[size] = digest.hexdigest()
    return hashes


def source_hash(files: Sequence[SourceFile], part: str) -> str:
    """Return one hash for the content of a session: that of its file, or of its list of files."""
    if len(files) == 1 and not part:
        return files[0].sha256
    return _hash((*(file.sha256 for file in files), part))


def submission_id(
    importer: str, *, session_id: str, source: str, part: str, task: str, submitter: str = ""
) -> str:
    """Return the id of a session's submission, by session, task and submitter.

    A session with a unique id in its log keeps its submission's id when the log grows; any other
    is identified by its content.
    """
    words = (
        importer,
        known_by(session_id, source),
        part,
        task,
        *((submitter,) if submitter else ()),
    )
    return f"{importer}-{_hash(words)[:20]}"


def session_key(submission: Submission) -> str:
    """A key of the session, independent of task and submitter."""
    return known_by(submission.session_id, submission.source_sha256)


def known_by(session_id: str, source: str) -> str:
    """The identity of a session: its unique id, else the hash of its content."""
    return session_id.lower() if is_unique(session_id) else source


def is_unique(session_id: str) -> bool:
    """True if no other session can have this id."""
    return _UNIQUE.fullmatch(session_id) is not None


def row_submission_id(
    importer: str, row: RowIdentity, *, task: str, tool: str, submitter: str = "", source: str = ""
) -> str:
    """Return the id of a row's submission, by row, task, tool, submitter and named source.

    A row with an id in its table keeps its submission's id when it is corrected; any other is
    identified by its content.
    """
    known_by = ("id", row.id) if row.id else ("content", row.digest)
    words = ("row", *known_by, task, tool, submitter or LOCAL, source)
    return f"{importer}-{_hash(words)[:20]}"


def _hash(words: Iterable[str]) -> str:
    return sha256("\0".join(words).encode("utf-8", "replace")).hexdigest()
