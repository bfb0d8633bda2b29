"""Plain tables of figures, and submissions as we write them: JSON, JSON lines or CSV."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, SessionRef
from benchmaker.arenas.agentic.importers.rows.document import Damaged, Document
from benchmaker.arenas.agentic.importers.rows.fields import TELLING
from benchmaker.arenas.agentic.importers.rows.given import submission_of
from benchmaker.arenas.agentic.importers.rows.row import Rows
from benchmaker.arenas.agentic.importers.rows.shapes import has_no_rows, names_in, shape_of
from benchmaker.arenas.agentic.importers.sniffing import file_start
from benchmaker.arenas.agentic.logs.decoding import Decoder, DecodingError
from benchmaker.arenas.agentic.logs.events import Event, SessionPart, WholeSubmission
from benchmaker.arenas.agentic.logs.lines import json_lines
from benchmaker.arenas.agentic.logs.opening import opened_log, reason
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.plain_row import PlainRow
from benchmaker.errors import Finding, SpecError
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import SCHEMA, Submission
from benchmaker.spec.documents.files import SAVE_AS_UTF8
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.rows import read_rows

_MARK = f'"{SCHEMA}"'.encode()
_LEAST = 2
_SAVE_AS_CSV = "Save it as UTF-8: Excel's plain “CSV” is in Windows-1252, its “CSV UTF-8” is right."
_NumberedRow: TypeAlias = tuple[int, int, dict[str, Any]]
"""The number of a row, which with its file identifies one without an id, its line, the row."""


@importer(version="2")
class Table:
    """Plain rows of self-reported figures, and ``benchmaker.submission/1`` files.

    A row has fields of the published names: id, task_id, tool, total_tokens, tool_calls,
    iterations, execution_time, estimated_cost, success, files_created; further ones are model,
    effort, started_at, finished_at, llm_calls and the kinds of tokens: usage.input_uncached,
    usage.cache_read, usage.cache_write_5m, usage.cache_write_1h, usage.output, usage.reasoning and
    usage.other. Rows come as a list, in ``{"submissions": […]}``, one per line, or as a table with
    a header. The names of ``benchmaker.leaderboard`` are read, too: task, submission_id, seconds,
    cost, finished_us. Other fields are kept and named, but used for no figure. Scores, ranks and
    evidence levels are ignored: those are assigned here.
    """

    id: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str] = "Plain rows and submissions"

    def sniff(self, head: FileHead) -> float:
        """By our schema's name, by two published field names, or by an empty list of rows."""
        if has_no_rows(head.start):
            return 0.4
        names = names_in(head.start)
        if "schema_version" in names and _MARK in head.start:
            return 0.99
        return 0.4 if len(names & TELLING) >= _LEAST else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        """The whole table; each row becomes a session when it is read."""
        yield SessionRef(importer=self.id, id=root.name, files=(root,))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        """Yield each row as a separate session."""
        path = ref.files[0]
        rows = _reader(path, options)
        for number, line, row in _rows(path, options):
            yield from _events(rows, row, number, line)
        rows.report_notes()

    def plain_rows(self, ref: SessionRef, options: Options) -> Iterator[PlainRow | Event]:
        """Yield each plain row as a whole, and others as in :meth:`parse`."""
        path = ref.files[0]
        rows = _reader(path, options)
        for number, line, row in _rows(path, options):
            is_ours = row.get("schema_version") == SCHEMA
            plain = None if is_ours else rows.to_plain_row(row, number, line)
            if plain is None:
                yield from _events(rows, row, number, line)
            else:
                yield plain
        rows.report_notes()


def _reader(path: Path, options: Options) -> Rows:
    return Rows(path, options, is_document=shape_of(file_start(path)) == "document")


def _events(rows: Rows, row: dict[str, Any], number: int, line: int) -> Iterator[Event]:
    if row.get("schema_version") == SCHEMA:
        where = f"row {number}: " if rows.is_document else ""
        return _submission_events(row, rows.path, line, where, rows.options)
    return rows.events(row, number, line)


def _submission_events(
    row: dict[str, Any], path: Path, line: int, where: str, options: Options
) -> Iterator[Event]:
    try:
        submission = submission_of(row)
    except DecodingError as refused:
        options.skip(Skipped(path, line, f"{where}{refused}"))
        return
    yield SessionPart(id=submission.id)
    yield WholeSubmission(
        submission=_numbers(submission) if options.drop_content else submission, line=line
    )


def _numbers(submission: Submission) -> Submission:
    """The submission without the texts in it: further fields, and the evidence of criteria."""
    ended = submission.outcome
    bare = tuple(msgspec.structs.replace(it, evidence="") for it in ended.criteria)
    return msgspec.structs.replace(
        submission, outcome=msgspec.structs.replace(ended, criteria=bare), extra={}
    )


def _rows(path: Path, options: Options) -> Iterator[_NumberedRow]:
    match shape_of(file_start(path)):
        case "lines":
            return _by_line(json_lines(path, options, dict[str, Any]))
        case "document":
            return _document_rows(path, options)
        case "table":
            return _by_line(_table_rows(path, options))


def _by_line(rows: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[_NumberedRow]:
    return ((line, line, row) for line, row in rows)


def _document_rows(path: Path, options: Options) -> Iterator[_NumberedRow]:
    """The rows of a document, several of which may be on one line, numbered from 1."""
    decode = Decoder(dict[str, Any], max_depth=options.max_depth).decode
    for number, (line, text) in enumerate(_document_parts(path, options), start=1):
        try:
            row = decode(text.encode("utf-8", "replace"))
        except DecodingError as refused:
            options.skip(Skipped(path, line, f"row {number}: not a row: {refused}"))
            continue
        yield number, line, row


def _document_parts(path: Path, options: Options) -> Iterator[tuple[int, str]]:
    try:
        with opened_log(path, options, cap=options.max_document_bytes) as stream:
            text = stream.read().decode("utf-8-sig", "replace")
        yield from Document(text).rows()
    except SpecError as exc:
        options.skip(Skipped(path, 0, reason(exc)))
    except Damaged as exc:
        options.skip(Skipped(path, exc.line, str(exc)))


def _table_rows(path: Path, options: Options) -> Iterator[tuple[int, dict[str, Any]]]:
    def report(found: Sequence[Finding]) -> None:
        for finding in found:
            options.skip(Skipped(path, finding.line, finding.message))

    limits = Limits(data_bytes=options.max_file_bytes, line_bytes=options.max_line_bytes)
    try:
        for row in read_rows(path, limits=limits, report=report, form="csv"):
            yield row.number, row.values
    except SpecError as exc:
        finding = exc.findings[0] if exc.findings else None
        line, why = (finding.line, _complaint(finding)) if finding else (0, exc.message)
        options.skip(Skipped(path, line, why))


def _complaint(finding: Finding) -> str:
    """Return the fault with its remedy, on one line."""
    hint = _SAVE_AS_CSV if finding.hint == SAVE_AS_UTF8 else finding.hint
    return f"{finding.message} {hint}".rstrip()
