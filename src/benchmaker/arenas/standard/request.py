"""What was asked for: the suite, and the run as it is written down before it starts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
from pydantic import ValidationError

from benchmaker.arenas.standard.answers import Answers
from benchmaker.engine.judges.judge_makers import JUDGE
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.engine.trials.plan import count_selected
from benchmaker.errors import SpecError
from benchmaker.record import Run, Selection
from benchmaker.scoring.check import check_suite, load_checked
from benchmaker.spec import Parameters, Suite, effective_parameters, metric_named
from benchmaker.spec import profile as profile_named
from benchmaker.structs import resolve_type
from benchmaker.version import __version__


def runnable_suite(
    suite: Suite | str | Path, *, profile: str | None = None, judged: bool = False
) -> Suite:
    """The suite, read where a path was given, and found fit to be run under the profile.

    Where it is ``judged`` and names no scorer, ``llm_judge`` is its scorer. Its own profile stays
    written in it, so that it is the same suite whatever it is run under.

    Raises:
        SpecError: something in it is wrong; ``findings`` lists everything at once.
    """
    wanted = profile_named(profile).id if profile else None
    if isinstance(suite, Suite):
        if judged and suite.scorer is None:
            suite = replace(suite, scorer=JUDGE)
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
    parameters: Parameters,
    judge: Mapping[str, Any] = MappingProxyType({}),
    calibration_id: str | None = None,
) -> Run:
    """The run that asks the selected cases of every model: all that is needed to do it again.

    Raises:
        SpecError: no case passes the selection, or there is no such metric.
    """
    selection = selection_of(options.limit, options.categories, options.tags)
    cases = count_selected(suite.cases, selection)
    if not cases:
        raise SpecError(
            f"no selected cases in suite {suite.name!r}.",
            where=suite.source or "",
            hint=_selection_hint(selection),
        )
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
        planned=cases * len(answers.models),
        started_at=(options.clock or SystemClock()).now_utc(),
        package_version=__version__,
        price_version=answers.price_version,
        notes=(*answers.notes_on(suite.cases), *_locked_note(parameters, effective)),
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
    """The suite's parameters with what was asked for instead.

    Raises:
        SpecError: there is no such parameter, or its value is out of range.
    """
    given = overrides.written_values if isinstance(overrides, Parameters) else dict(overrides or {})
    if benchmark_mode is not None:
        given["benchmark_mode"] = benchmark_mode
    try:
        return suite.parameters.override(given)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
        raise SpecError(
            f"invalid parameters: {faults}.",
            hint=f"Use {', '.join(Parameters.model_fields)}.",
        ) from exc


def _locked_note(parameters: Parameters, effective: Parameters) -> tuple[str, ...]:
    """What benchmark mode made of the parameters that were asked for."""
    changed = [
        f"{name} {before:g}"
        for name in Parameters.model_fields
        if (before := getattr(parameters, name)) != getattr(effective, name)
    ]
    return (f"Benchmark Mode: set to 0 instead of {', '.join(changed)}",) if changed else ()


def selection_of(
    limit: int | None, categories: Sequence[str] | str, tags: Sequence[str] | str
) -> Selection:
    """The selection; one word stands for a list of one.

    Raises:
        SpecError: the limit is not positive.
    """
    if limit is not None and limit < 1:
        raise SpecError(f"a limit of {limit} cases leaves no case.", hint="Use 1 or more.")
    return Selection(limit=limit, categories=_words(categories), tags=_words(tags))


def _words(given: Sequence[str] | str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _selection_hint(selection: Selection) -> str:
    filters = {"category": selection.categories, "tag": selection.tags}
    given = "; ".join(f"{name}: {', '.join(words)}" for name, words in filters.items() if words)
    return f"Check the filters ({given})." if given else "Add a case to the suite."
