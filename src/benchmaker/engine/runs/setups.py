"""The setups of a run: models × prompts × efforts of its suite, with their parameters merged."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from msgspec.structs import replace
from pydantic import ValidationError

from benchmaker.engine.runs.logprobs import requested_parameters
from benchmaker.errors import SpecError
from benchmaker.record import Run, Setup, setup_name
from benchmaker.spec import Parameters, Suite, effective_parameters
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.parameters import EFFORTS
from benchmaker.spec.suites.prompts import ModelSpec, find_repeated


def models_named(suite: Suite, models: Sequence[str]) -> tuple[ModelSpec, ...]:
    """Return the models of these names: labels of the suite, else model strings.

    Without names they are the suite's.
    """
    known = {one.name: one for one in suite.models}
    if not models:
        return suite.models
    return tuple(known.get(name) or ModelSpec(model=name) for name in dict.fromkeys(models))


def setups_of(
    suite: Suite,
    models: Sequence[ModelSpec],
    *,
    prompts: Sequence[str] = (),
    efforts: Sequence[str] = (),
    overrides: Mapping[str, Any] | None = None,
) -> tuple[Setup, ...]:
    """Return the setups of these models, model by model; empty if each is only a model.

    Args:
        suite: the suite with its prompts, efforts and parameters.
        models: the models with their labels and parameters.
        prompts: the ids of the chosen prompts; by default all.
        efforts: the efforts, instead of the suite's.
        overrides: parameters of the call, which take precedence over all others.

    Raises:
        SpecError: an unknown prompt or effort, parameters that exclude one another, or two setups
            of one name.
    """
    ids = _chosen_prompts(suite, prompts)
    levels = _chosen_efforts(suite, efforts)
    are_plain = all(not one.label and not one.parameters.model_fields_set for one in models)
    if are_plain and ids == (None,) and levels == (None,):
        return ()
    found = tuple(
        make_setup(suite, model, prompt_id, effort, overrides or {})
        for model, prompt_id, effort in product(models, ids, levels)
    )
    _refuse_repeated(one.name for one in found)
    return found


def _chosen_prompts(suite: Suite, wanted: Sequence[str]) -> tuple[str | None, ...]:
    chosen = [suite.prompt(one) for one in dict.fromkeys(wanted)] or suite.prompts
    return tuple(one.id for one in chosen) or (None,)


def _chosen_efforts(suite: Suite, wanted: Sequence[str]) -> tuple[str | None, ...]:
    for one in wanted:
        if one not in EFFORTS:
            hint = did_you_mean(one, EFFORTS) or f"Choose {', '.join(EFFORTS)}."
            raise SpecError(f"unknown effort {one!r}.", hint=hint)
    return tuple(dict.fromkeys(wanted)) or suite.efforts or (None,)


def make_setup(
    suite: Suite,
    model: ModelSpec,
    prompt_id: str | None,
    effort: str | None,
    overrides: Mapping[str, Any],
) -> Setup:
    """Return one setup; its parameters are merged, and locked in benchmark mode.

    Raises:
        SpecError: the merged parameters exclude one another.
    """
    name = setup_name(model.name, prompt_id, effort)
    merged = merged_parameters(suite, model, prompt_id, effort, overrides, name=name)
    return Setup(
        name=name,
        model=model.model,
        label=model.label or "",
        prompt_id=prompt_id,
        effort=effort,
        parameters=effective_parameters(merged).model_dump(mode="json"),
    )


def merged_parameters(
    suite: Suite,
    model: ModelSpec,
    prompt_id: str | None,
    effort: str | None,
    overrides: Mapping[str, Any],
    *,
    name: str,
) -> Parameters:
    """Return the parameters of a setup.

    Those of the call take precedence over the model's, these over the prompt's, these over the
    suite's. The effort of the setup is its ``reasoning_effort``.
    """
    of_prompt = {} if prompt_id is None else suite.prompt(prompt_id).parameters.written_values
    values = {**of_prompt, **model.parameters.written_values, **overrides}
    if effort is not None:
        values["reasoning_effort"] = effort
    try:
        return requested_parameters(suite).override(values)
    except ValidationError as exc:
        faults = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in exc.errors())
        raise SpecError(f"invalid parameters of setup {name!r}: {faults}.") from exc


def added_setups(
    run: Run,
    suite: Suite,
    *,
    models: Sequence[str] = (),
    prompts: Sequence[str] = (),
    efforts: Sequence[str] = (),
) -> tuple[Setup, ...]:
    """Return the setups that a run lacks with further models, prompts or efforts.

    They combine the run's present models, prompts and efforts with the further ones. The call's
    parameters are those of the run.

    Raises:
        SpecError: an unknown prompt or effort, or two setups of one name.
    """
    present = [run.setup(name) for name in run.models]
    labels = {one.model_label: one for one in present}
    own = {one.name: one for one in suite.models}
    specs = {label: own.get(label) or _spec_of(one) for label, one in labels.items()}
    specs |= {one.name: one for one in (models_named(suite, models) if models else ())}
    ids = dict.fromkeys(one.prompt_id for one in present)
    ids |= dict.fromkeys(_chosen_prompts(suite, prompts) if prompts else ())
    levels = dict.fromkeys(one.effort for one in present)
    levels |= dict.fromkeys(_chosen_efforts(suite, efforts) if efforts else ())
    overrides = call_parameters(run, suite)
    known = {(one.model_label, one.prompt_id, one.effort) for one in present}
    added = tuple(
        make_setup(suite, spec, prompt_id, effort, overrides)
        for spec, prompt_id, effort in product(specs.values(), ids, levels)
        if (spec.name, prompt_id, effort) not in known
    )
    _refuse_repeated((*run.models, *(one.name for one in added)))
    return added


def _refuse_repeated(names: Iterable[str]) -> None:
    for _, name in find_repeated(names):
        hint = "Give the models labels, or the prompts other ids."
        raise SpecError(f"two setups are named {name!r}.", hint=hint)


def call_parameters(run: Run, suite: Suite) -> dict[str, Any]:
    """Return the parameters of a run's call; those that differ from the suite's if not recorded."""
    if run.overrides:
        return run.overrides
    own = effective_parameters(requested_parameters(suite)).model_dump(mode="json")
    known = Parameters.model_fields
    return {
        it: value for it, value in run.parameters.items() if it in known and value != own.get(it)
    }


def _spec_of(setup: Setup) -> ModelSpec:
    return ModelSpec(model=setup.model, label=setup.label or None)


def with_setups(run: Run, new: Sequence[Setup]) -> Run:
    """Return the run extended by these setups, with the resulting plan."""
    if not new:
        return run
    each = 0 if run.selection.ids_by_setup is not None else run.planned // len(run.models)
    is_plain = not run.setups and all(_is_plain(one, run) for one in new)
    return replace(
        run,
        models=(*run.models, *(one.name for one in new)),
        setups=() if is_plain else (*(_with_parameters(run, name) for name in run.models), *new),
        planned=run.planned + each * len(new),
    )


def _is_plain(setup: Setup, run: Run) -> bool:
    """True if the setup is a model with the parameters of the run."""
    return setup.name == setup.model and setup.parameters == run.parameters


def _with_parameters(run: Run, name: str) -> Setup:
    """The setup of a run, with its parameters also where none was recorded."""
    setup = run.setup(name)
    return setup if run.setups else replace(setup, parameters=run.parameters)
