"""The steps of ATIF trajectories as events."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from benchmaker.arenas.agentic.importers.atif_format.document import (
    DOCUMENTS,
    STEPS,
    Document,
    Extra,
    FinalMetrics,
    Step,
    total_of,
    usage_of,
)
from benchmaker.arenas.agentic.logs.decoding import DecodingError
from benchmaker.arenas.agentic.logs.digests import call_digest
from benchmaker.arenas.agentic.logs.event_place import EventPlace
from benchmaker.arenas.agentic.logs.events import (
    Event,
    LlmCall,
    Session,
    SubagentStart,
    ToolCall,
    ToolResult,
    Totals,
    UserTurn,
)
from benchmaker.arenas.agentic.logs.options import Options, Skipped
from benchmaker.arenas.agentic.logs.timestamps import seconds
from benchmaker.arenas.agentic.logs.tooltext import raw_text, result_text
from benchmaker.record.submissions.submission import COUNTED_ROWS


@dataclass(slots=True)
class Trajectory:
    """Reads the documents of one run.

    Steps copied for context have no tokens, model calls or prompts; their tool calls count unless
    the run has them already.
    """

    options: Options
    run: str
    path: Path = Path()
    """The file that is being read."""
    _called: set[str] = field(default_factory=set)

    def events(self, document: Document, *, file: int, agent: str) -> Iterator[Event]:
        """Yield the events of one document, with its final metrics as a separate event."""
        who = document.agent
        if agent:
            yield SubagentStart(id=agent, name=who.name if who else None, file=file)
        else:
            yield self._session(document, file)
        model = (who.model_name if who else None) or self.options.model
        for number, raw in enumerate(document.steps or (), start=1):
            step = self._step(raw, number)
            if step is not None:
                place = EventPlace(at=seconds(step.timestamp), agent=agent, line=0, file=file)
                yield from self._of_step(step, call_digest(self.run, bytes(raw)), place, model)
        yield from self._embedded_subagents(document, file=file, agent=agent)

    def _session(self, document: Document, file: int) -> Session:
        who = document.agent
        return Session(
            file=file,
            session_id=document.session_id or document.trajectory_id or "",
            harness=who.name if who else None,
            harness_version=who.version if who else None,
            model=(who.model_name if who else None) or self.options.model,
            mode="headless",
            records=frozenset({"llm_calls", "tool_calls"}),
        )

    def _embedded_subagents(self, document: Document, *, file: int, agent: str) -> Iterator[Event]:
        for number, raw in enumerate(document.subagent_trajectories or (), start=1):
            try:
                child, left_out = DOCUMENTS.decode(raw)
            except DecodingError as refused:
                self._tell(f"subagent trajectory {number}: {refused}")
                continue
            for complaint in left_out:
                self._tell(f"subagent trajectory {number}: skipped {complaint}")
            name = child.trajectory_id or child.session_id or f"{agent or 'subagent'}-{number}"
            yield from self.events(child, file=file, agent=name)

    def _step(self, raw: msgspec.Raw, number: int) -> Step | None:
        try:
            step, left_out = STEPS.decode(raw)
        except DecodingError as refused:
            self._tell(f"step {number}: {refused}")
            return None
        for complaint in left_out:
            self._tell(f"step {number}: skipped {complaint}")
        return step

    def _tell(self, reason: str) -> None:
        self.options.skip(Skipped(self.path, 0, reason))

    def _of_step(
        self, step: Step, digest: str, place: EventPlace, model: str | None
    ) -> Iterator[Event]:
        if not step.is_copied_context:
            yield from self._message_events(step, f"{self.run}:{digest}", place, model)
        yield from self._calls(step, digest, place)

    def _message_events(
        self, step: Step, name: str, place: EventPlace, model: str | None
    ) -> Iterator[Event]:
        text = result_text(step.message, self.options)
        if step.source == "user":
            yield UserTurn(**place, id=name, text=text)
        elif step.source == "agent" and step.llm_call_count != 0:
            metrics = step.metrics
            yield LlmCall(
                **place,
                id=name,
                model=step.model_name or model,
                usage=usage_of(metrics) if metrics else None,
                cost_usd=metrics.cost_usd if metrics else None,
                requests=step.requests,
                text=text,
            )

    def _calls(self, step: Step, digest: str, place: EventPlace) -> Iterator[Event]:
        """Calls with their results; ids of calls are unique within a run only."""
        known = frozenset(self._called)
        ids: dict[str, str] = {}
        for number, call in enumerate(step.tool_calls or ()):
            own = call.tool_call_id or f"{digest}:{number}"
            if step.is_copied_context and own in known:
                continue
            self._called.add(own)
            ids[own] = f"{self.run}:{digest}:{own}"
            name = call.function_name or "unknown"
            yield ToolCall(
                **place,
                id=ids[own],
                name=name,
                arguments=raw_text(call.arguments, self.options),
                digest=call_digest(name, bytes(call.arguments)),
            )
        results = step.observation.results if step.observation else None
        only = next(iter(ids.values()), "") if len(ids) == 1 else ""
        for result in results or ():
            call_id = ids.get(result.source_call_id or "", only)
            if call_id:
                text = result_text(result.content, self.options)
                is_error = result.extra is not None and bool(result.extra.is_error)
                yield ToolResult(**place, call_id=call_id, is_error=is_error, text=text)


def totals_of(final: FinalMetrics | None) -> Iterator[Totals]:
    """The run's own totals; those of 0 tokens are none, unless only some kinds are known."""
    if final is None:
        return
    usage, extra = total_of(final), final.extra or Extra()
    counts = {name: n for name in COUNTED_ROWS if (n := getattr(extra, name)) is not None}
    total, usd = extra.total_tokens, final.total_cost_usd
    is_partial = extra.is_usage_partial or None
    has_usage = usage.total if is_partial is None else usage.total is not None
    if has_usage or usd or counts or total is not None:
        yield Totals(
            usage=usage if has_usage else None,
            is_usage_partial=is_partial,
            total_tokens=total,
            cost_usd=usd,
            counts=counts,
        )
