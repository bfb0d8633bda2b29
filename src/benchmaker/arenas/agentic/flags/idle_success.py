"""Success without any action."""

from collections.abc import Iterator

from benchmaker.arenas.agentic.flags.clue import Clue, RuleContext
from benchmaker.arenas.agentic.logs.events import Event
from benchmaker.arenas.agentic.verify.stored_tasks import wants_files

KIND = "no_tool_call"


class IdleRule:
    """Success with required files but without any tool call."""

    def __init__(self, context: RuleContext) -> None:
        self._context = context

    def see(self, event: Event) -> Iterator[Clue]:  # noqa: ARG002  the figures say it
        """Ignore events."""
        return iter(())

    def end(self) -> Iterator[Clue]:
        """Compare success with calls."""
        context = self._context
        if context.row.success and context.row.tool_calls == 0 and wants_files(dict(context.task)):
            yield Clue(KIND, "solved without any tool call, although the task needs files")
