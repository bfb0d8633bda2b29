"""Criterion: one from a plug-in."""

import asyncio
import inspect
from dataclasses import dataclass
from typing import Any, get_args

from benchmaker import plugins
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, Unreadable
from benchmaker.arenas.agentic.verify.finding import Finding, State, error_with, fail_with, tail
from benchmaker.errors import BenchmakerError
from benchmaker.sandbox import CommandResult, wall_limit
from benchmaker.spec.tasks.criterion import PluginCriterion
from benchmaker.spec.tasks.task import Task


@dataclass(frozen=True, slots=True)
class View:
    """A plug-in's view of a submission: reading its files, and running copies."""

    _place: GradingContext
    _seconds: float

    @property
    def task(self) -> Task:
        """The task as in its file."""
        return self._place.spec

    def paths(self, *patterns: str) -> list[str]:
        """The submitted files that the patterns name, in order."""
        return self._place.paths(patterns or ("**",))

    def read(self, path: str) -> bytes:
        """Return a file; Unreadable if it is missing, a link or too large."""
        return self._place.read(path)

    def text(self, path: str) -> str:
        """A file as text; Unreadable where it is not UTF-8."""
        return self._place.text(path)

    async def run(self, *argv: str, stdin: bytes = b"") -> CommandResult:
        """Run a command on a fresh copy, in the isolation of the criterion."""
        return await self._place.run(argv, seconds=self._seconds, stdin=stdin)


async def plugin(criterion: PluginCriterion, place: GradingContext) -> Finding:
    """Build the class from the parameters; its ``check(view)`` returns a Finding."""
    try:
        made = plugins.load("criterion", criterion.use)(**criterion.parameters)
        view = View(place, criterion.timeout_s)
        found = await asyncio.wait_for(_run_check(made, view), wall_limit(criterion.timeout_s))
    except Unreadable as exc:
        return fail_with(str(exc))
    except BenchmakerError as exc:
        return error_with(str(exc))
    except TimeoutError:
        return error_with(f"{criterion.use} did not finish within {criterion.timeout_s:g} s")
    except Exception as exc:  # noqa: BLE001  foreign code may raise anything
        return error_with(f"{criterion.use} failed: {type(exc).__name__}: {exc}")
    if not isinstance(found, Finding) or found.state not in get_args(State):
        return error_with(f"{criterion.use} returned {str(found)[:100]!r} instead of a finding")
    return Finding(found.state, tail(str(found.evidence)))


async def _run_check(made: Any, view: View) -> Any:  # noqa: ANN401  foreign code
    if inspect.iscoroutinefunction(made.check):
        return await made.check(view)
    return await asyncio.to_thread(made.check, view)
