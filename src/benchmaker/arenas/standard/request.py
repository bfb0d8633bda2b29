"""The requested suite and run, as stored before the start."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from pydantic import ValidationError

from benchmaker.arenas.standard.answers import Answers, Models, function_model
from benchmaker.engine.judges.judge_makers import JUDGE
from benchmaker.engine.requests.run_options import OPTIONS, RunOptions
from benchmaker.engine.runs.case_selection import StoreOpener, resolve_selection
from benchmaker.engine.runs.logprobs import requested_parameters
from benchmaker.engine.runs.setups import models_named, setups_of
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.plan import count_selected
from benchmaker.errors import SpecError
from benchmaker.record import Run, Selection, Setup
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.scoring.fallback_scorer import with_fallback_scorer
from benchmaker.spec import Parameters, Suite, effective_parameters, metric_named
from benchmaker.spec import profile as profile_named
from benchmaker.structs import resolve_type
from benchmaker.version import __version__


def runnable_suite(
    suite: Suite | Mapping[str, Any] | str | Path,
    *,
    profile: str | None = None,
    judged: bool = False,
) -> Suite:
    """Return the suite, read from a path if needed, and checked under the profile.

    If it is ``judged``, ``llm_judge`` scores the cases that have neither a scorer nor checks. Its
    own profile is kept in it, so that the suite is the same under any profile.

    Raises:
        SpecError: an invalid suite; ``findings`` lists all faults together.
    """
    wanted = profile_named(profile).id if profile else None
    if isinstance(suite, Suite):
        if judged:
            suite = with_fallback_scorer(suite, JUDGE)
        _refuse_unfit(suite, wanted or profile_named(suite.profile).id)
        return suite
    read = load_checked(suite, scorer=JUDGE if judged else None)
    if wanted and wanted != profile_named(read.profile).id:
        _refuse_unfit(read, wanted)
    return read


def _refuse_unfit(suite: Suite, profile: str) -> None:
    if profile in suite.sound_under:
        return
    other = replace(suite, profile=profile)
    if findings := check_suite(other):
        raise SpecError.of(findings)
    suite.named_scorers.update(other.named_scorers)


def run_of(
    suite: Suite,
    answers: Answers,
    options: RunOptions,
    *,
    run_id: str,
    selection: Selection,
    parameters: Parameters,
    judge: Mapping[str, Any] = MappingProxyType({}),
    calibration_id: str | None = None,
    setups: Sequence[Setup] = (),
) -> Run:
    """Return the run of the selected cases with every setup: everything needed to repeat it.

    Raises:
        SpecError: unknown metric.
    """
    chosen = profile_named(options.profile or suite.profile)
    effective = effective_parameters(parameters)
    run = Run(
        id=run_id,
        suite_hash=suite.content_hash,
        suite_name=suite.name,
        models=answers.models,
        profile=chosen.name,
        profile_version=chosen.version,
        metric=metric_named(options.metric) or suite.metric,
        selection=selection,
        parameters=effective.model_dump(),
        system_prompt=suite.system_prompt,
        judge_prompt=suite.judge_prompt,
        judge_model=", ".join(judge.get("asked", ())) or None,
        judge=dict(judge),
        calibration_id=calibration_id,
        benchmark_mode=effective.benchmark_mode,
        provider=answers.description,
        options=options.to_record(),
        seed=options.seed,
        planned=count_selected(suite.cases, selection, suite.vars) * len(answers.models),
        started_at=(options.clock or SystemClock()).now_utc(),
        package_version=__version__,
        price_version=answers.price_version,
        notes=(*answers.notes_on(suite.cases), *_locked_note(parameters, effective)),
        setups=tuple(one for one in setups if one.name in answers.models),
        overrides=overrides_of(options.parameters, benchmark_mode=options.benchmark_mode)
        if setups
        else {},
    )
    _refuse_unreadable(run)
    return run


def _refuse_unreadable(run: Run) -> None:
    """Raise SpecError for a run that could not be decoded again after it is stored."""
    try:
        msgspec.json.decode(msgspec.json.encode(run), type=resolve_type(Run))
    except UnicodeEncodeError:
        return  # the store escapes lone surrogates
    except (msgspec.ValidationError, TypeError, ValueError, OverflowError, RecursionError) as exc:
        raise SpecError(
            f"the run contains a value that can't be stored: {exc}.",
            hint="Use text, numbers, lists and mappings.",
        ) from exc


def parameters_of(
    suite: Suite,
    overrides: Parameters | Mapping[str, Any] | None,
    *,
    benchmark_mode: bool | None,
) -> Parameters:
    """Return the suite's parameters with the overrides.

    Raises:
        SpecError: unknown parameter, or a value out of range.
    """
    given = overrides_of(overrides, benchmark_mode=benchmark_mode)
    try:
        return requested_parameters(suite).override(given)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
        raise SpecError(
            f"invalid parameters: {faults}.",
            hint=f"Use {', '.join(Parameters.model_fields)}.",
        ) from exc


def overrides_of(
    overrides: Parameters | Mapping[str, Any] | None, *, benchmark_mode: bool | None
) -> dict[str, Any]:
    """Return the parameters of a call as plain data."""
    given = overrides.written_values if isinstance(overrides, Parameters) else dict(overrides or {})
    return given if benchmark_mode is None else {**given, "benchmark_mode": benchmark_mode}


def requested_setups(suite: Suite, models: "Models", options: RunOptions) -> tuple[Setup, ...]:
    """Return the setups of a call; empty if each is only a model.

    Without ``models`` they are those of the suite. A function stands for its model string.

    Raises:
        SpecError: an unknown prompt or effort, or parameters that exclude one another.
    """
    names = [one if isinstance(one, str) else function_model(one) for one in models]
    return setups_of(
        suite,
        models_named(suite, names),
        prompts=_words(options.prompts),
        efforts=_words(options.efforts),
        overrides=overrides_of(options.parameters, benchmark_mode=options.benchmark_mode),
    )


def _locked_note(parameters: Parameters, effective: Parameters) -> tuple[str, ...]:
    """Return a note on the parameters changed by benchmark mode."""
    changed = [
        f"{name} {before:g}"
        for name in Parameters.model_fields
        if (before := getattr(parameters, name)) != getattr(effective, name)
    ]
    return (f"Benchmark Mode: set to 0 instead of {', '.join(changed)}",) if changed else ()


def selection_of(suite: Suite, options: RunOptions, open_store: StoreOpener) -> Selection:
    """Return the selection of a call; a single word counts as a list.

    The store is opened only for an earlier run that the selection depends on.

    Raises:
        SpecError: an invalid value or expression, an unknown run, or no case passes.
    """
    for name, needed in (("filter_of", "filter"), ("sample_seed", "sample")):
        if getattr(options, name) is not None and getattr(options, needed) is None:
            flag, other = OPTIONS[name].command_flag, OPTIONS[needed].command_flag
            raise SpecError(f"{flag} has no effect without {other}.", hint=f"Add {other}.")
    wanted = Selection(
        limit=options.limit,
        categories=_words(options.categories),
        tags=_words(options.tags),
        cases=_words(options.cases),
        filter=options.filter,
        filter_of=options.filter_of,
        failed_of=options.failed_of,
        sample=options.sample,
        sample_seed=None if options.sample is None else _sample_seed(options),
    )
    return resolve_selection(suite, wanted, open_store)


def _sample_seed(options: RunOptions) -> int:
    """The seed of the sample: its own, else that of the call."""
    seeds = (options.sample_seed, options.seed)
    return next((seed for seed in seeds if seed is not None), 0)


def _words(given: Sequence[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
