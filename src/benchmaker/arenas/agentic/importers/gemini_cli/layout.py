"""The paths of Gemini CLI's files, and their grouping.

``~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl``; a ``.json`` of the same name is the
same session before it was resumed. Subagents are in ``chats/<session id>/<id>.jsonl``.
"""

from collections.abc import Iterator
from pathlib import Path

from benchmaker.arenas.agentic.importers.gemini_cli.records import ANSWERS, RECORDS, Record
from benchmaker.arenas.agentic.importers.gemini_cli.stream import opening_of
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.lenient_json import loose_document, quiet_options
from benchmaker.arenas.agentic.logs.opening import opened_log
from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.errors import SpecError

_PREFIX = "session-"
_BEGINNING = 64 * 2**10


def first_record(path: Path) -> Record | None:
    """The first line, where it is a record."""
    try:
        with opened_log(path, Options(skip=lambda _: None)) as stream:
            return RECORDS.decode(stream.readline(_BEGINNING))[0]
    except (SpecError, DecodingError):
        return None


def printed_in(path: Path) -> str:
    """The session whose output a file holds; empty for any other file."""
    try:
        with opened_log(path, Options(skip=lambda _: None)) as stream:
            line = opening_of(stream.readline(_BEGINNING))
    except SpecError:
        return ""
    if line is not None or path.suffix == ".jsonl":
        return (line and line.session_id) or ""
    answer = loose_document(path, quiet_options(Options(skip=lambda _: None)), ANSWERS)
    return (answer and answer.stats and answer.session_id) or ""


def is_agent(path: Path) -> bool:
    """True if it is the file of a subagent, by its path."""
    return not path.name.startswith(_PREFIX) and path.parent.parent.name == "chats"


def session_of(path: Path) -> str:
    """The session: by the first line, else by the name."""
    record = first_record(path)
    name = path.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")
    return (record and record.session_id) or name


def files_beside(path: Path, session: str) -> Iterator[Path]:
    """Yield the document that the file continues, and the files of subagents."""
    if path.suffix == ".jsonl" and (older := path.with_suffix(".json")).is_file():
        yield older
    if not is_agent(path) and path.parent.name == "chats" and "/" not in session:
        yield from sorted((path.parent / session).glob("*.jsonl"))
