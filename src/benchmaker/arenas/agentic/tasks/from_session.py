"""A task out of a session that ended in a commit."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmaker.arenas.agentic.tasks.from_commit import CommitOptions, MadeTask, task_from_commit
from benchmaker.arenas.agentic.traces.trace import Trace, trace
from benchmaker.errors import SpecError

_COMMITS: Final = re.compile(r"\bgit\b.*\bcommit\b", re.DOTALL)
_PRINTED: Final = re.compile(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\] ", re.MULTILINE)
"""The line that git prints after a commit: ``[main 1a2b3c4] Subject``."""


def task_from_session(
    what: str,
    out: str | Path | None,
    options: CommitOptions,
    *,
    repository: str | Path | None = None,
    home: Path | None = None,
    store: str | None = None,
) -> MadeTask:
    """Make a task out of the last commit of a session: a log, or the id of a stored one.

    The repository is the session's working folder unless it is given. The instruction is the first
    prompt unless it is given.

    Raises:
        SpecError: the session records no commit, or no repository that is on this machine, or the
            commit gives no sound task.
    """
    made = trace(what, home=home, store=store)
    commit = _last_commit(made, what)
    folder = repository or made.submission.project
    if not folder:
        hint = "Give it: --repository FOLDER"
        raise SpecError("the session records no working folder.", where=what, hint=hint)
    if not Path(folder).is_dir():
        missing = f"the session's working folder {folder} is not on this machine."
        raise SpecError(missing, where=what, hint="Give the repository: --repository FOLDER")
    if options.instruction is None:
        options = replace(options, instruction=_first_prompt(made))
    return task_from_commit(folder, commit, out, options)


def _last_commit(made: Trace, what: str) -> str:
    if not made.has_content:
        hint = "Give its log instead of its id."
        raise SpecError("the texts of the session were not stored.", where=what, hint=hint)
    found = list(_commits(made))
    if not found:
        hint = "If you know the commit: benchmaker task from-commit REPOSITORY COMMIT"
        raise SpecError("the session records no successful git commit.", where=what, hint=hint)
    return found[-1]


def _commits(made: Trace) -> Iterator[str]:
    """The ids that git printed after commits, in the order of the session."""
    for step in made.walk():
        for call in step.calls:
            if not call.is_error and _COMMITS.search(call.arguments or ""):
                yield from _PRINTED.findall(call.output or "")


def _first_prompt(made: Trace) -> str | None:
    return next((step.text for step in made.walk() if step.is_prompt and step.text), None)
