"""``run --watch``: a run after each change of a suite, its prompts or its cases.

Unchanged requests are answered from the cache, so that only changed ones are sent.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output.output import tell
from benchmaker.errors import PrerequisiteError, SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.standard import RunResult
    from benchmaker.cli.progress.live import Begin, ProgressRelay
    from benchmaker.spec.documents.suite_files import Signatures, SuiteFiles

_POLL_S = 0.25
"""Seconds between two looks at the files; a change counts once two looks agree."""

Prepare = Callable[[Mapping[str, Any]], "Begin"]
Perform = Callable[["Begin"], ExitCode]


@dataclass(slots=True)
class SuiteWatch:
    """Runs a suite whenever one of its files changes, within one budget.

    ``prepare`` returns the run for its options, ``perform`` executes it and prints the result.
    """

    context: Context
    suite: Path
    besides: Sequence[Path]
    options: Mapping[str, Any]
    prepare: Prepare
    perform: Perform
    quiet: bool = False
    run_ids: list[str] = field(default_factory=list)

    def run(self) -> ExitCode:
        """Run until interrupted, and return the exit code of that.

        Raises:
            SpecError: an invalid option.
            PrerequisiteError: a key or a price is missing for the first run.
            KeyboardInterrupt: interrupted between two runs.
        """
        while True:
            files, seen = self._files()
            if self._run_once() is ExitCode.INTERRUPTED:
                return ExitCode.INTERRUPTED
            if not self.quiet:
                self._tell_state(len(seen))
            _wait_for_change(files, seen)

    def _files(self) -> "tuple[SuiteFiles, Signatures]":
        """The files of the suite, with signatures from before they are read."""
        from benchmaker.spec.documents.suite_files import SuiteFiles

        own = SuiteFiles(self.suite).signatures()
        files = SuiteFiles.of(self.suite, besides=self.besides)
        return files, {**files.signatures(), **own}

    def _run_once(self) -> ExitCode:
        """Run the suite as it is now; faults are printed, and do not end the watch."""
        try:
            begin = self.prepare({**self.options, "max_cost_usd": self._left_usd()})
            noted = _Noted(begin, self.run_ids)
            code = self.perform(noted)
        except (SpecError, PrerequisiteError) as error:
            if not self.run_ids and not getattr(error, "findings", ()):
                raise
            return self._tell_failure(error)
        if not self.quiet:
            _tell_reused(noted.result)
        return code

    def _tell_failure(self, error: SpecError | PrerequisiteError) -> ExitCode:
        from benchmaker.cli.output.failure import tell_failure
        from benchmaker.cli.output.key_redaction import redactor_of

        return tell_failure(
            error,
            use_json=self.context.use_json,
            debug=self.context.debug,
            redactor=redactor_of(self.context),
            complete=self.context.complete,
        )

    def _left_usd(self) -> float | None:
        """The rest of the budget; None without one."""
        budget: float | None = self.options["max_cost_usd"]
        return None if budget is None else max(0.0, budget - self._spent_usd())

    def _spent_usd(self) -> float:
        """The cost of all runs of this watch."""
        if not self.run_ids:
            return 0.0
        from benchmaker.cli.database import open_store

        with open_store(self.context) as store:
            names = [store.run(run_id).series_id or run_id for run_id in self.run_ids]
            runs = {run_id for name in names for run_id in store.resolve(name).run_ids}
            return store.spent_usd(sorted(runs))

    def _tell_state(self, files: int) -> None:
        from benchmaker.record.counts import count
        from benchmaker.record.dollars import dollars

        budget = self.options["max_cost_usd"]
        if budget is not None:
            tell(f"Budget of this watch: {dollars(self._spent_usd())} of {dollars(budget)} spent.")
        tell(f"Watching {count(files, 'file')} for changes. Press Ctrl-C to stop.")


@dataclass(slots=True)
class _Noted:
    """The beginning of a run, whose id is noted even if the run fails."""

    begin: "Begin"
    run_ids: list[str]
    result: "RunResult | None" = None

    def __call__(self, *, home: object, on_progress: "ProgressRelay", stop: object) -> "RunResult":
        try:
            self.result = self.begin(home=home, on_progress=on_progress, stop=stop)
            return self.result
        finally:
            if on_progress.run_id:
                self.run_ids.append(on_progress.run_id)


def _tell_reused(result: "RunResult | None") -> None:
    """Print the number of answers from the cache, if there are any."""
    models = result.summary.models if result else ()
    if reused := sum(row.n_reused for row in models):
        tell(f"Unchanged: {reused:,} of {sum(row.n_done for row in models):,} answers.")


def _wait_for_change(files: "SuiteFiles", seen: "Signatures") -> None:
    """Wait until a file differs from its signature, and no file changes any more."""
    now = files.signatures()
    while now == seen:
        time.sleep(_POLL_S)
        now = files.signatures()
    before: Signatures = seen
    while now != before:
        time.sleep(_POLL_S)
        before, now = now, files.signatures()
