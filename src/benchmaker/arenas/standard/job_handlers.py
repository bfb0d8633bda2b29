"""Handlers of the Standard Arena's jobs, which call the functions behind the commands."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from benchmaker.arenas.standard.controlling import superseded_options
from benchmaker.arenas.standard.rescoring import arescore
from benchmaker.arenas.standard.resuming import continue_runs
from benchmaker.engine.jobs.worker import Work
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.requests.shared_endpoints import SharedEndpoints, sharing_endpoints
from benchmaker.engine.runs.code_runs import refuse_page_scorer
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.ids import new_run_id
from benchmaker.providers.live_text import LISTENING, LiveTexts
from benchmaker.record.job import Job
from benchmaker.spec import Suite
from benchmaker.store import Store
from benchmaker.store.home import Home

RUN, RESUME, RESCORE = "run", "resume", "rescore"
RUNNING = (RUN, RESUME)
"""The kinds of jobs that send requests to models."""


@dataclass(slots=True)
class Standard:
    """Executes runs of one data folder; ``heard`` holds answers being written, by target.

    Jobs that are executed at the same time share ``endpoints``.
    """

    home: Path
    store_url: str | None = None
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    dotenv: Path | None = None
    heard: dict[str, LiveTexts] = field(default_factory=dict)
    endpoints: SharedEndpoints = field(default_factory=SharedEndpoints, repr=False)

    def job_handlers(self) -> dict[str, Work]:
        """Return the handler of each kind of job."""
        return {RUN: self.go_on, RESUME: self.go_on, RESCORE: self.rescore}

    async def go_on(self, job: Job, stop: asyncio.Event) -> None:
        """Complete a run or a series, running only trials without a row; a paused one waits.

        A job on a series with ``run`` in its body works on that run alone, and one with ``add``
        adds these models, dropped ones included.
        """
        heard = self.heard[job.target] = LiveTexts()
        options = await asyncio.to_thread(self._job_options, job)
        token = LISTENING.set(heard)
        try:
            with sharing_endpoints(self.endpoints):
                await continue_runs(
                    job.body.get("run", job.target),
                    home=self.home,
                    environ=self.environ,
                    stop=stop,
                    add_models=tuple(job.body.get("add", ())),
                    options=options,
                )
        finally:
            LISTENING.reset(token)
            self.heard.pop(job.target, None)

    async def rescore(self, job: Job, stop: asyncio.Event) -> str:
        """Rescore stored answers; return the judges that were not queried, with the reason."""
        suite_hash = job.body.get("suite")
        suite = await asyncio.to_thread(self._suite, suite_hash) if suite_hash else None
        given = RunOptions(
            profile=job.body.get("profile"), max_cost_usd=job.body.get("max_cost_usd")
        )
        with sharing_endpoints(self.endpoints):
            done = await arescore(
                job.target,
                suite=suite,
                scorer=job.body.get("scorer"),
                home=self.home,
                environ=self.environ,
                options=self._options(given),
                since=job.body.get("since"),
                ask_judges=job.body.get("asks_judges", True),
                made_as=job.body.get("made_as"),
                stop=stop,
            )
        return " ".join(done.rescoring_notes)

    def _job_options(self, job: Job) -> RunOptions:
        """The options of a job, as later commands to its run have changed them."""
        options = self._options(RunOptions.of_job(job.body))
        with Home.of(self.home, self.store_url).open_store() as store:
            changed = dict(superseded_options(store, job.target, job.created_at))
        return replace(options, **changed)

    def _options(self, options: RunOptions) -> RunOptions:
        """The options of a job, where this store and this file of variables are."""
        return replace(options, store=self.store_url, dotenv=self.dotenv)

    def _suite(self, content_hash: str) -> Suite:
        """A stored suite with its cases read."""
        with Home.of(self.home, self.store_url).open_store() as store:
            suite = store.suite(content_hash)
            return replace(suite, cases=tuple(suite.cases))


def ask_for(
    store: Store,
    kind: str,
    target: str,
    body: Mapping[str, Any] | None = None,
    *,
    random: Random | None = None,
) -> Job:
    """Queue a job on a run or a series.

    Raises:
        Conflict: another job on it is open.
    """
    name = f"j-{new_run_id(SystemClock(), random or SystemRandom())}"
    return store.jobs.add(Job(id=name, kind=kind, target=target, body=dict(body or {})))


def ask_to_resume(
    store: Store, target: str, *, retry_failed: bool, body: Mapping[str, Any] | None = None
) -> Job:
    """Queue a job that resumes a run or a series, with the options of its newest job.

    The budget is that of the run's record, which is the latest. ``retry_failed`` also retries
    infrastructure failures, failed judgments and renders. ``body`` is added to the job.

    Raises:
        Conflict: another job on it is open.
    """
    before = store.jobs.find_newest(target, kinds=RUNNING)
    kept = RunOptions.of_job(before.body if before else {}).to_job(is_next=True)
    kept.pop("max_cost_usd", None)
    options = RunOptions(**kept, retry_failed=retry_failed)
    return ask_for(store, RESUME, target, options.to_job() | dict(body or {}))


def ask_to_rescore(
    store: Store,
    target: str,
    *,
    profile: str | None = None,
    scorer: str | None = None,
    max_cost_usd: float | None = None,
) -> Job:
    """Queue a job that rescores a run or a series; absent options are unchanged.

    The job holds the number of the last row, so that a resuming worker knows what is done.

    Raises:
        SpecError: the scorer of pages for a run that is not of the Code Arena.
        Conflict: another job on it is open.
    """
    refuse_page_scorer(store, store.resolve(target).run_ids, scorer)
    options = {"profile": profile, "scorer": scorer, "max_cost_usd": max_cost_usd}
    body: dict[str, Any] = {name: given for name, given in options.items() if given is not None}
    return ask_for(store, RESCORE, target, body | {"since": store.change_feed.newest_row_number()})


def ask_to_correct(
    store: Store,
    target: str,
    *,
    suite: str,
    asks_judges: bool = True,
    max_cost_usd: float | None = None,
) -> Job:
    """Queue a job that scores a run or a series by a stored suite, as separate runs.

    The job holds the id of the new run, so that a resuming worker does not create a second one.

    Args:
        store: the store of the job, the answers and the suite.
        target: the run or series.
        suite: the content hash of the corrected suite.
        asks_judges: False leaves answers that need a judge without a score.
        max_cost_usd: budget of judges; None for no limit.

    Raises:
        Conflict: another job on it is open.
    """
    made_as = new_run_id(SystemClock(), SystemRandom())
    body: dict[str, Any] = {"suite": suite, "asks_judges": asks_judges, "made_as": made_as}
    if max_cost_usd is not None:
        body["max_cost_usd"] = max_cost_usd
    return ask_for(store, RESCORE, target, body)
