"""The log of a trial: read by the importers of agent logs, alone and apart from the store."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from benchmaker.arenas.agentic.logs.options import Options
from benchmaker.arenas.agentic.logs.skips import Skips
from benchmaker.arenas.agentic.sessions.importing import take_in
from benchmaker.arenas.agentic.sessions.pricing import Pricer
from benchmaker.arenas.agentic.sessions.scan import importers
from benchmaker.errors import BenchmakerError
from benchmaker.record.submissions.submission import Submission
from benchmaker.store.agentic.submissions import NewSubmission


@dataclass(frozen=True, slots=True)
class TrialLog:
    """The main session in the logs of a trial, with the parts of its trace.

    ``fault`` is the reason why nothing was read, if so. ``others`` counts further sessions.
    """

    submission: Submission | None = None
    parts: dict[str, list[bytes]] = field(default_factory=dict)
    others: int = 0
    fault: str = ""


def read_log(paths: Sequence[Path], pricer: Pricer) -> TrialLog:
    """Read the logs that an agent left; the session with the most tokens is the main one.

    Sessions in the store play no part, since a log is hostile input: it may name any of them.
    """
    found: list[tuple[Submission, dict[str, list[bytes]]]] = []

    def keep(given: NewSubmission) -> None:
        parts = given.parts or {}
        found.append((given.submission, {name: list(chunks) for name, chunks in parts.items()}))

    if not paths:
        return TrialLog(fault="the agent left no log")
    skips = Skips()
    try:
        take_in(
            paths,
            nullcontext(),
            readers=importers(),
            options=Options(skip=skips),
            skips=skips,
            pricer=lambda: pricer,
            keep_going=True,
            on_read=keep,
        )
    except BenchmakerError as exc:
        return TrialLog(fault=str(exc))
    if not found:
        return TrialLog(fault="no session in the logs of the agent")
    main = max(found, key=lambda it: it[0].total_tokens or 0)
    return TrialLog(main[0], main[1], len(found) - 1)
