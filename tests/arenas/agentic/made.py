"""Logs and importers made for tests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from benchmaker.arenas.agentic.importers.base import FileHead, SessionRef
from benchmaker.arenas.agentic.logs.events import Event, LlmCall, Session, Totals, UserTurn
from benchmaker.arenas.agentic.logs.lines import json_lines
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.plugins import importer
from benchmaker.record.submissions.submission import TokenUsage


def options(told: list[Skipped] | None = None, **given: Any) -> Options:
    """Options that keep what is skipped."""
    return Options(skip=(told if told is not None else []).append, **given)


class Row(msgspec.Struct):
    id: str | None = None
    output: Any = None
    model: str | None = None
    session: str = ""
    prompt: bool = False
    fail: bool = False
    counts: dict[str, int] = {}


@importer(id="plain", version="1")
class Plain:
    """Lines with an id and a number of output tokens."""

    id: ClassVar[str]
    version: ClassVar[str]
    title: ClassVar[str] = "Plain"

    def sniff(self, head: FileHead) -> float:
        return 0.9 if head.path.name.startswith("plain") else 0.0

    def scan(self, root: Path) -> Iterator[SessionRef]:
        yield SessionRef(importer=self.id, id=root.name, files=(root, *self.members(root)))

    def members(self, root: Path) -> list[Path]:
        return sorted(root.parent.glob(f"{root.stem}.sub/*"))

    def parse(self, ref: SessionRef, options: Options) -> Iterator[Event]:
        yield Session(harness="Plain")
        for at, path in enumerate(ref.files):
            for number, row in json_lines(path, options, Row):
                if row.fail:
                    raise ValueError("broken reader")
                yield from self.events(row, number, at, path, options)

    def events(
        self, row: Row, number: int, at: int, path: Path, options: Options
    ) -> Iterator[Event]:
        agent = "sub" if at else ""
        if row.session:
            yield Session(session_id=row.session)
        if row.prompt:
            yield UserTurn(line=number, text=options.text("a prompt"))
        if row.counts:
            yield Totals(counts=row.counts)
        output = options.count(row.output, "output", path=path, line=number)
        if output is not None:
            usage = TokenUsage(input_uncached=0, output=output)
            yield LlmCall(
                id=row.id, model=row.model, usage=usage, agent=agent, line=number, file=at
            )


def write(path: Path, *rows: Any) -> Path:
    """A log of these rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return path
