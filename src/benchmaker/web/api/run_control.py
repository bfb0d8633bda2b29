"""Runs started, controlled, stopped, resumed and rescored by requests; workers execute them."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Request
from pydantic import ConfigDict, Field, StrictFloat, StrictInt, StrictStr
from starlette.datastructures import ImmutableMultiDict

from benchmaker.arenas import standard
from benchmaker.arenas.standard.controlling import (
    ControlResult,
    end_pause,
    send_commands,
    wanted_commands,
)
from benchmaker.arenas.standard.correction_preview import preview_correction
from benchmaker.arenas.standard.job_handlers import (
    RESUME,
    RUN,
    ask_for,
    ask_to_correct,
    ask_to_rescore,
)
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.arenas.standard.request import runnable_suite
from benchmaker.engine.requests.option_declaration import Calls, OptionKind
from benchmaker.engine.requests.run_options import OPTIONS, RunOptions
from benchmaker.engine.runs.estimate import Estimate
from benchmaker.engine.runs.rescore import nothing_to_rescore
from benchmaker.errors import BenchmakerError, Conflict, Finding, PrerequisiteError, SpecError
from benchmaker.plugins import list_plugins
from benchmaker.record.job import Job
from benchmaker.record.run_command import ControlAction
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.documents.bundled_files import resource_path
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.store.home import Home
from benchmaker.store.runs.names import RunReference
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.accounts.audit import annotate
from benchmaker.web.api.name_lookup import RunName, resolve_runs
from benchmaker.web.api.option_fields import options_in, with_options
from benchmaker.web.api.paging import BodyModel
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import runs as shapes
from benchmaker.web.arena import model_choices
from benchmaker.web.arena.setup import (
    EXAMPLE,
    FIELDS,
    NONE,
    Setup,
    read_setup,
    requested_models,
)
from benchmaker.web.workbench import Bench, Workbench

api = Api("runs")
router = api.router

LOCAL = "local"
"""The actor of commands on a server without accounts."""

_MOST_REQUESTS = 1_000
_MOST_DOLLARS = 1_000_000
_LONGEST_NAME = 300
_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
_SAMPLE = 200

Name = Annotated[str, Field(min_length=1, max_length=300)]
Dollars = Annotated[float, Field(ge=0, le=1_000_000, allow_inf_nan=False)]


class ParametersIn(BodyModel):
    """Parameters instead of the suite's, `null` to send none; Benchmark Mode sets three to 0."""

    model_config = _STRICT

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    frequency_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    presence_penalty: Annotated[float, Field(ge=-2, le=2)] | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None


@with_options(Calls.RUN)
class OrderIn(BodyModel):
    """A requested run: `suite` is a content hash, or `example` for the bundled one.

    `answers: example` scores the bundled answers of the example; then no model is given.
    """

    model_config = _STRICT

    suite: Annotated[str, Field(pattern="^([0-9a-f]{64}|example)$")] = EXAMPLE
    answers: Literal["live", "example"] = "live"
    models: Annotated[list[Name], Field(max_length=40, default_factory=list)]
    runs: Annotated[int, Field(ge=1, le=1_000)] = 1
    parameters: ParametersIn = ParametersIn()
    benchmark_mode: bool | None = None
    judges: Annotated[list[Name], Field(max_length=40, default_factory=list)]
    no_judge: Annotated[bool, Field(description="Use no judge, not even the suite's.")] = False

    def setup(self, usual: Parameters) -> Setup:
        """The same as the form of the page, so that it is checked alike."""
        words: list[tuple[str, str]] = [("set", "1"), ("suite", self.suite)]
        words += [("answers", self.answers)]
        words += [("models", one) for one in self.models]
        words += [("judges", one) for one in self.judges]
        chosen = {name: it for name, it in options_in(self).items() if name in FIELDS}
        words += [
            (OPTIONS[name].form_name, str(it))
            for name, it in chosen.items()
            if OPTIONS[name].kind is not OptionKind.WORDS
        ]
        sampling = self.parameters.model_dump(exclude_unset=True)
        words += [(name, NONE if it is None else repr(it)) for name, it in sampling.items()]
        mode = usual.benchmark_mode if self.benchmark_mode is None else self.benchmark_mode
        words += [("benchmark_mode", "on")] if mode else []
        words += [("no_judge", "on")] if self.no_judge else []
        return read_setup(ImmutableMultiDict(words), defaults=usual)

    def options(self, setup: Setup) -> RunOptions:
        """The options of the run; those of the form are in ``setup``."""
        return replace(setup.options(), runs=self.runs, **options_in(self))


@with_options(Calls.RESUME)
class ResumeIn(BodyModel):
    """Options of resuming; absent ones are unchanged."""

    model_config = _STRICT


class RescoreIn(BodyModel):
    """The basis of rescoring stored answers; `max_cost_usd` is the budget for judges.

    `suite` is the content hash of a corrected suite: its scores become a separate run; with
    `ask_judges: false` no judge is queried.
    """

    model_config = _STRICT

    profile: Literal["classic", "robust"] | None = None
    scorer: Name | None = None
    suite: Name | None = None
    ask_judges: bool = True
    max_cost_usd: Dollars | None = None


class ControlIn(BodyModel):
    """A command to a run in progress.

    `value` is the number of parallel requests for `concurrency`, the budget in dollars for
    `max_cost`, the name of a setup or model for `drop_model`, and absent for other actions.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    action: ControlAction
    value: StrictInt | StrictFloat | StrictStr | None = None

    def arguments(self) -> dict[str, Any]:
        """The command as an argument of :func:`benchmaker.control`.

        Raises:
            SpecError: the value does not fit the action.
        """
        value = self.value
        match self.action:
            case ControlAction.CONCURRENCY:
                if not isinstance(value, int) or not 1 <= value <= _MOST_REQUESTS:
                    raise _unfit(self.action, f"a whole number from 1 to {_MOST_REQUESTS:,}")
                return {"concurrency": value}
            case ControlAction.MAX_COST:
                if not isinstance(value, int | float) or not 0 <= value <= _MOST_DOLLARS:
                    raise _unfit(self.action, f"dollars from 0 to {_MOST_DOLLARS:,}")
                return {"max_cost_usd": float(value)}
            case ControlAction.DROP_MODEL:
                if not isinstance(value, str) or not 1 <= len(value) <= _LONGEST_NAME:
                    raise _unfit(self.action, "the name of a setup or model")
                return {"drop_models": (value,)}
            case _:
                if value is not None:
                    raise _unfit(self.action, "absent")
                return {str(self.action): True}


@api.post("/runs", shapes.Begun, status=202)
def begin(bench: Bench, order: OrderIn) -> Any:  # noqa: ANN401  its shape
    """Create a run or a series, and queue a job for it."""
    suite, setup = _require_ready(bench, order)
    options = replace(order.options(setup), dotenv=bench.settings.dotenv)
    making = enqueue_runs(
        bench.store,
        suite,
        options,
        home=bench.home,
        recorded=Path(str(resource_path("demo", "answers.jsonl"))) if setup.uses_example else None,
        models=()
        if setup.uses_example
        else tuple(one.name for one in requested_models(suite, setup)),
        environ=bench.settings.environ,
    )
    made = asyncio.run(making)
    target = made[0].series_id or made[0].id
    return _job_data(bench, ask_for(bench.store, RUN, target, options.to_job()))


@api.post("/runs/estimate", Estimate, name="estimate")
def estimate_run(bench: Bench, order: OrderIn) -> Any:  # noqa: ANN401  its shape
    """Estimate the tokens and cost of a run; nothing is sent or stored."""
    suite, setup = _suite(bench, order)
    models = requested_models(suite, setup)
    if setup.uses_example or not models:
        raise SpecError("no model is named.", where="body.models", hint="Name one.")
    options = order.options(setup)
    return standard.estimate(
        suite,
        models=[one.name for one in models],
        home=bench.home,
        store=bench.settings.store_url,
        sample=_SAMPLE,
        options=options,
    ).to_dict()


@api.post("/runs/{run}/stop", shapes.Begun, name="stop")
def stop_run(bench: Bench, run: RunName) -> Any:  # noqa: ANN401  its shape
    """Stop the job of the run; finished trials are kept."""
    found = resolve_runs(bench.store, run)
    name = found.series_id or bench.store.run(found.run_ids[0]).series_id or found.run_ids[0]
    for target in dict.fromkeys((name, *found.run_ids)):
        if bench.store.jobs.ask_to_stop(target):
            return _job_data(bench, _job(bench, target))
    raise Conflict(f"no worker has {run}.", hint="There is nothing to stop.")


@api.post("/runs/{run}/resume", shapes.Begun, status=202)
def resume(bench: Bench, run: RunName, how: ResumeIn) -> Any:  # noqa: ANN401  its shape
    """Queue a job that resumes the run, also a paused one without a process.

    Stored answers are not requested again.
    """
    found = resolve_runs(bench.store, run)
    target = found.series_id or found.run_ids[0]
    end_pause(bench.store, found.run_ids[0])
    before = bench.store.jobs.find_newest(target)
    kept = RunOptions.of_job(before.body if before else {}).to_job(is_next=True)
    options = RunOptions(**kept | options_in(how))
    return _job_data(bench, ask_for(bench.store, RESUME, target, options.to_job()))


@api.post("/runs/{run}/control", ControlResult, name="control")
def control_run(request: Request, bench: Bench, who: Who, run: RunName, how: ControlIn) -> Any:  # noqa: ANN401  its shape
    """Pause, resume or change a run in progress; waits up to 5 s for the effect.

    A command to one run of a series applies to the series. Without a process that works on the run,
    pauses, budgets and dropped models take effect at once, other commands with the next resume.
    """
    resolve_runs(bench.store, run)
    wanted = wanted_commands(**how.arguments())
    annotate(request, detail=str(how.action))
    actor = name_of(who, LOCAL)
    return send_commands(bench.store, run, wanted, actor=actor).to_dict()


@api.post("/runs/{run}/rescore", shapes.Begun, status=202)
def rescore(bench: Bench, run: RunName, how: RescoreIn) -> Any:  # noqa: ANN401  its shape
    """Queue a job that rescores stored answers; the old scores are kept as versions."""
    found = resolve_runs(bench.store, run)
    if how.suite is not None:
        return _job_data(bench, _correction_job(bench, found, how, how.suite))
    target = found.series_id or found.run_ids[0]
    if how.profile is None and how.scorer is None:
        raise nothing_to_rescore(target, "Give a profile, a scorer or a suite.")
    known = [one.id for one in list_plugins("scorer") if not one.error]
    if how.scorer is not None and how.scorer not in known:
        hint = did_you_mean(how.scorer, known) or f"Choose one of: {', '.join(known)}."
        raise SpecError(f"unknown scorer {how.scorer!r}.", where="body.scorer", hint=hint)
    asks_judges = how.scorer == _JUDGES or bench.store.run(found.run_ids[0]).judge
    limit = (how.max_cost_usd or 0.0) if asks_judges else None
    job = ask_to_rescore(
        bench.store, target, profile=how.profile, scorer=how.scorer, max_cost_usd=limit
    )
    return _job_data(bench, job)


def _correction_job(bench: Workbench, found: RunReference, how: RescoreIn, suite: str) -> Job:
    """The job that scores by a corrected suite, once it is known that it can be done."""
    if how.profile is not None or how.scorer is not None:
        raise SpecError(
            "a corrected suite names its scorers and profile itself.",
            where="body.suite",
            hint="Leave profile and scorer out, or the suite.",
        )
    place = Home.of(bench.home, bench.settings.store_url)
    preview_correction(bench.store, place, found.run_ids, suite)
    return ask_to_correct(
        bench.store,
        found.series_id or found.run_ids[0],
        suite=suite,
        asks_judges=how.ask_judges,
        max_cost_usd=how.max_cost_usd or 0.0,
    )


_JUDGES = "llm_judge"


def _suite(bench: Workbench, order: OrderIn) -> tuple[Suite, Setup]:
    """The suite and the checked order.

    Raises:
        SpecError: something in it can't be meant; every fault at once.
    """
    is_example = order.suite == EXAMPLE
    suite = (
        runnable_suite(Path(str(resource_path("demo", "suite.yaml"))))
        if is_example
        else bench.store.suite(order.suite)
    )
    setup = order.setup(suite.parameters)
    if setup.faults:
        faults = [Finding(f"body.{name}", 0, 0, it) for name, it in setup.faults.items()]
        raise SpecError.of(faults)
    return suite, setup


def _require_ready(bench: Workbench, order: OrderIn) -> tuple[Suite, Setup]:
    """The same, where nothing is missing before anything may be sent."""
    suite, setup = _suite(bench, order)
    if setup.uses_example:
        return suite, setup
    models = tuple(one.model for one in requested_models(suite, setup))
    if not models:
        raise SpecError("no model is named.", where="body.models", hint="Name one.")
    missing = model_choices.missing_keys(bench, (*models, *setup.judges))
    if missing:
        hint = "Set them where the server is started, or in .env, and start it again."
        raise PrerequisiteError(f"keys are missing. {'; '.join(missing)}.", hint=hint)
    return suite, setup


def _job(bench: Workbench, target: str) -> Job:
    job = bench.store.jobs.find_newest(target)
    if job is None:
        raise BenchmakerError(f"no work was asked for on {target}.")
    return job


def _job_data(bench: Workbench, job: Job) -> dict[str, Any]:
    found = bench.store.resolve(job.target)
    return {"job": job, "run_ids": list(found.run_ids), "series_id": found.series_id}


def _unfit(action: ControlAction, wanted: str) -> SpecError:
    return SpecError(
        f"the value of {action} must be {wanted}.", where="body.value", hint="Correct the value."
    )
