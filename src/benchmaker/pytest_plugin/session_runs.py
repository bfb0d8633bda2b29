"""The runs of suites in a pytest session: each is made once, for all of its processes."""

import fcntl
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

import pytest

from benchmaker.arenas.standard import RunResult, results, resume, run
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.cli.context import DOTENV, Context
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import BenchmakerError
from benchmaker.pytest_plugin.session_folder import folder_of
from benchmaker.report.formats.atomic import open_atomic
from benchmaker.spec import Suite
from benchmaker.store.home import Home

NO_SOURCE: Final = "needs --benchmaker-model MODEL or --benchmaker-recorded FILE"
"""Why cases are skipped in a session without one of these options."""

_RUNS = pytest.StashKey["SessionRuns"]()
_STARTED, _FINISHED, _FAILED = "started", "finished", "failed"


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The source of answers in a session: models, or a file of recorded answers."""

    models: tuple[str, ...] = ()
    recorded: str | None = None
    max_cost_usd: float | None = None

    @classmethod
    def of(cls, config: pytest.Config) -> Self:
        """Return the source that the options of the session name."""
        return cls(
            tuple(config.getoption("benchmaker_models")),
            config.getoption("benchmaker_recorded"),
            config.getoption("benchmaker_max_cost"),
        )

    def __bool__(self) -> bool:
        return bool(self.models or self.recorded)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A suite with the chosen cases, by id, and setups; empty means all."""

    suite: Suite
    source: AnswerSource
    cases: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    efforts: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The same text for the same request, in each process."""
        suite = (self.suite.content_hash, self.suite.source)
        parts = repr((suite, self.source, self.cases, self.prompts, self.efforts))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class RunEntry:
    """The state of a run in the folder of the session: its name, and the error if it failed."""

    state: str
    name: str = ""
    error: str = ""

    @classmethod
    def read(cls, path: Path) -> "RunEntry | None":
        """Return the entry in a file; None if there is none."""
        return cls(**json.loads(path.read_text("utf-8"))) if path.exists() else None

    def write(self, path: Path) -> None:
        """Replace the file by this entry."""
        with open_atomic(path) as stream:
            stream.write(
                json.dumps({"state": self.state, "name": self.name, "error": self.error}).encode()
            )


@dataclass(slots=True)
class SessionRuns:
    """The runs of a session. A process that needs one waits for the process that makes it.

    ``folder`` is shared by the processes of the session, and has an entry for each run. If a
    process ended during its run, the next one resumes the run and repeats no finished request.
    """

    folder: Path
    context: Context
    _results: dict[str, RunResult] = field(default_factory=dict)

    def result(self, request: RunRequest) -> RunResult:
        """Return the result of a request, running it if no process of the session has.

        Raises:
            BenchmakerError: the run failed, in this process or in another one.
            KeyboardInterrupt: Ctrl-C stopped the run; finished trials are stored.
        """
        key = request.key
        if key not in self._results:
            with _lock(self.folder / f"{key}.lock"):
                self._results[key] = self._find_or_run(request, self.folder / f"{key}.json")
        return self._results[key]

    def _find_or_run(self, request: RunRequest, path: Path) -> RunResult:
        entry = RunEntry.read(path)
        if entry is not None and entry.state == _FAILED:
            raise BenchmakerError(entry.error)
        if entry is not None and entry.state == _FINISHED:
            return self.stored_result(entry.name)
        try:
            made = self._run(request, path) if entry is None else self._resume(request, entry)
        except Exception as exc:
            error = str(exc) if isinstance(exc, BenchmakerError) else f"{type(exc).__name__}: {exc}"
            RunEntry(_FAILED, entry.name if entry else "", error).write(path)
            raise
        if made.interrupted:
            raise KeyboardInterrupt(
                f"Resume with: {self.context.line('resume', _result_name(made))}"
            )
        RunEntry(_FINISHED, _result_name(made)).write(path)
        return made

    def _run(self, request: RunRequest, path: Path) -> RunResult:
        return run(
            request.suite,
            recorded=request.source.recorded,
            models=request.source.models,
            prompts=request.prompts,
            efforts=request.efforts,
            home=self.context.home,
            environ=self.context.environ,
            on_progress=_StartedRun(path),
            options=replace(self._options(request), cases=[_literal(it) for it in request.cases]),
        )

    def _resume(self, request: RunRequest, entry: RunEntry) -> RunResult:
        with Home.of(self.context.home, self.context.store_url).open_store() as store:
            name = store.run(entry.name).series_id or entry.name
        return resume(
            name,
            home=self.context.home,
            environ=self.context.environ,
            options=self._options(request),
        )

    def _options(self, request: RunRequest) -> RunOptions:
        return RunOptions(
            store=self.context.store_url,
            dotenv=self.context.dotenv,
            max_cost_usd=request.source.max_cost_usd,
        )

    def stored_result(self, name: str) -> RunResult:
        """Return the result of a run or series in the store."""
        return results(name, home=self.context.home, store=self.context.store_url)

    def read_finished(self) -> Iterator[RunResult]:
        """Yield the results of the finished runs of all processes, by name."""
        entries = [RunEntry.read(path) for path in self.folder.glob("*.json")]
        names = {one.name for one in entries if one is not None and one.state == _FINISHED}
        for name in sorted(names):
            yield self.stored_result(name)


class _StartedRun:
    """Notes the id of a run before its first request."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def on_begin(self, run_id: str) -> None:
        RunEntry(_STARTED, run_id).write(self._path)

    def __call__(self, progress: object) -> None:
        """Progress is not printed."""


def runs_of(config: pytest.Config) -> SessionRuns:
    """Return the runs of a session."""
    if _RUNS not in config.stash:
        context = replace(Context.read(), dotenv=config.invocation_params.dir / DOTENV)
        config.stash[_RUNS] = SessionRuns(folder_of(config), context)
    return config.stash[_RUNS]


def run_whole_suite(request: pytest.FixtureRequest, suite: Suite | str | Path) -> RunResult:
    """Return the result of a suite with the options of the session; skip the test without any.

    A relative path starts at the folder of the test.

    Raises:
        SpecError: an invalid suite.
        BenchmakerError: the run failed.
    """
    source = AnswerSource.of(request.config)
    if not source:
        pytest.skip(NO_SOURCE)
    read = suite if isinstance(suite, Suite) else request.path.parent / suite
    return runs_of(request.config).result(RunRequest(runnable_suite(read), source))


def _result_name(result: RunResult) -> str:
    """Return the name of a result: its series, else its run."""
    return result.series_id or result.run_ids[0]


def _literal(case_id: str) -> str:
    """A pattern that matches this id alone."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in case_id)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Hold a lock between processes; the system releases it if this process ends."""
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
