"""Import what a tool left as a user would, and collect what was read."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmaker.arenas.agentic import Imported, import_logs
from benchmaker.arenas.agentic.running.scripted.script import Tokens
from benchmaker.arenas.agentic.sessions.collection import collect
from benchmaker.arenas.agentic.traces.steps import StepKind, ToolUse
from benchmaker.arenas.agentic.traces.trace import Trace, trace
from drift.running import Ran
from drift.tool import Form


@dataclass(frozen=True, slots=True)
class Read:
    """The trace of each session, and the files that were read."""

    traces: tuple[Trace, ...]
    files: tuple[Path, ...]
    skipped: int

    @property
    def prompts(self) -> list[str]:
        """The text of each prompt."""
        return [step.text or "" for it in self.traces for step in it.walk() if step.is_prompt]

    @property
    def answers(self) -> list[str]:
        """The text of each answer that counts."""
        return [
            step.text or ""
            for it in self.traces
            for step in it.walk()
            if step.kind is StepKind.ANSWER and step.counted
        ]

    @property
    def thoughts(self) -> list[str]:
        """The reasoning of each step, where the log has it."""
        return [step.reasoning or "" for it in self.traces for step in it.walk()]

    @property
    def calls(self) -> list[ToolUse]:
        """Every call of a tool."""
        return [call for it in self.traces for step in it.walk() for call in step.calls]

    @property
    def tokens(self) -> Tokens:
        """Tokens by kind; missing figures are 0."""
        return sum((_tokens(it) for it in self.traces), Tokens())

    def sum_of(self, name: str) -> int:
        """The sum of a figure over the submissions; missing figures are 0."""
        return sum(getattr(it.submission, name) or 0 for it in self.traces)

    def holds(self, text: str) -> bool:
        """Whether the files hold a text anywhere."""
        return any(text.encode() in path.read_bytes() for path in self.files)


def read(forms: Sequence[Form], ran: Ran) -> Read:
    """Import the forms, one after the other, into a new store."""
    with tempfile.TemporaryDirectory() as home:
        found = [_taken_in(form, ran, home) for form in forms]
        names = dict.fromkeys(it.id for one in found for it in one.submissions)
        traces = tuple(trace(name, home=home) for name in names)
        return Read(traces, tuple(_files(traces)), sum(one.skipped for one in found))


def _taken_in(form: Form, ran: Ran, home: str) -> Imported:
    """Import the logs in the tool's own folder, or named files."""
    if not form.path:
        return collect({"HOME": str(ran.home)}, home=home)
    return import_logs(ran.paths(form.path), home=home)


def _files(traces: Sequence[Trace]) -> Iterator[Path]:
    for it in traces:
        for source in it.submission.sources:
            for path in (Path(source.path), Path(f"{source.path}-wal")):
                if path.is_file():
                    yield path


def _tokens(one: Trace) -> Tokens:
    usage = one.submission.usage
    return Tokens(
        uncached=usage.input_uncached or 0,
        cached=usage.cache_read or 0,
        written=(usage.cache_write_5m or 0) + (usage.cache_write_1h or 0),
        output=usage.output or 0,
        reasoning=usage.reasoning or 0,
    )
