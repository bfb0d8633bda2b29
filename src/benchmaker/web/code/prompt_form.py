"""The form for a page: a prompt, two to six models, a judge; and the run that it starts."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmaker.arenas.code.prompt_suite import suite_of_prompt
from benchmaker.arenas.standard.job_handlers import RUN, ask_for
from benchmaker.arenas.standard.queued_runs import enqueue_runs
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import BenchmakerError, PrerequisiteError, SpecError
from benchmaker.record import Run
from benchmaker.record.job import Job
from benchmaker.spec import Suite
from benchmaker.store.runs.change_feed import has_words
from benchmaker.web.arena import model_choices
from benchmaker.web.arena.costs import Costs, costs_of
from benchmaker.web.arena.setup import Setup, program_fault
from benchmaker.web.form_body import FieldLists
from benchmaker.web.workbench import Workbench

FEWEST_MODELS, MOST_MODELS = 2, 6
"""The number of models whose pages are compared."""

_LONGEST = 300


@dataclass(frozen=True, slots=True)
class PromptForm:
    """The entered values.

    ``models`` are chosen; ``typed`` is the text of the field *Models*: names, separated by commas,
    or words to search for. ``judges`` are the judges; without any, pages are not judged.
    """

    prompt: str = ""
    models: tuple[str, ...] = ()
    typed: str = ""
    judges: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: FieldLists) -> "PromptForm":
        """Return the values of a submitted form."""
        return cls(
            prompt=given.first("prompt"),
            models=_unique(given["models"]),
            typed=given.first("typed").strip()[: 10 * _LONGEST],
            judges=_unique(_parts(given.first("judges"))),
        )

    @property
    def search(self) -> str:
        """The words to search for: the last part of the typed text."""
        return self.typed.replace("\n", ",").rpartition(",")[2].strip()[:_LONGEST]


@dataclass(frozen=True, slots=True)
class ModelField:
    """The chosen models, and the other ones that a search found; ``n_found`` counts all of them."""

    chosen: tuple[model_choices.ModelChoice, ...] = ()
    found: tuple[model_choices.ModelChoice, ...] = ()
    n_found: int = 0
    more: int = 0
    error: str = ""


@dataclass(frozen=True, slots=True)
class ReadForm:
    """A form with everything that the page shows of it.

    ``is_named`` is true if every typed part was the name of a model, which then is chosen.
    """

    form: PromptForm
    models: ModelField = field(default_factory=ModelField)
    costs: Costs | None = None
    is_named: bool = True


def read_form(bench: Workbench, form: PromptForm, *, names: bool = False) -> ReadForm:
    """Return a form with the models that its text names or finds, and the estimate.

    With ``names`` the last part of the text may be a whole name too; otherwise it is a search.
    Words that found a chosen model are then no name.
    """
    whole = _parts(form.typed) if names else _parts(form.typed)[:-1] if form.search else ()
    whole = _parts(form.typed) if form.typed.endswith(",") else whole
    known = [it.name for it in model_choices.describe_models(bench, _unique(whole)) if not it.note]
    chosen = _unique([*form.models, *known])
    rest = [it for it in _parts(form.typed) if it not in known]
    rest = [it for it in rest if not names or not any(has_words(name, it) for name in chosen)]
    made = replace(form, models=chosen, typed=", ".join(rest))
    return ReadForm(made, _model_field(bench, made), estimate_of(bench, made), not rest)


def estimate_of(bench: Workbench, form: PromptForm) -> Costs | None:
    """Return the estimated cost and duration; None without a prompt or a model."""
    if not form.prompt.strip() or not form.models:
        return None
    try:
        suite = suite_of_prompt(form.prompt)
    except SpecError as exc:
        return Costs(error=f"{exc.message} {exc.hint}")
    setup = Setup(models=form.models, judges=form.judges, no_judge=not form.judges)
    return costs_of(bench, setup, suite)


def refuse_unready(bench: Workbench, form: PromptForm) -> None:
    """Raise the reason why no run can start.

    Raises:
        SpecError: too few or too many models, one that is a program, or a prompt that is unfit.
        PrerequisiteError: an API key is missing.
    """
    suite_of_prompt(form.prompt)
    n = len(form.models)
    if not FEWEST_MODELS <= n <= MOST_MODELS:
        raise SpecError(
            f"{n} model{'' if n == 1 else 's'} chosen.",
            where="body.models",
            hint=f"Choose {FEWEST_MODELS} to {MOST_MODELS} models.",
        )
    every = (*form.models, *form.judges)
    if fault := program_fault(every):
        raise SpecError(fault, where="body.models")
    if missing := model_choices.missing_keys(bench, every):
        raise PrerequisiteError(
            f"API keys are missing. {'; '.join(missing)}.",
            hint="Set them in the server's environment or .env file, then restart the server.",
        )


def start_run(
    bench: Workbench, suite: Suite, *, models: Sequence[str], judges: Sequence[str] = ()
) -> tuple[Run, Job]:
    """Create a run over a suite of pages, and queue a job for it; nothing is sent yet.

    Raises:
        BenchmakerError: an unknown model, or a missing requirement.
    """
    options = RunOptions(judge=list(judges), dotenv=bench.settings.dotenv)
    making = enqueue_runs(
        bench.store,
        suite,
        options,
        home=bench.home,
        models=tuple(models),
        environ=bench.settings.environ,
    )
    (run,) = asyncio.run(making)
    return run, ask_for(bench.store, RUN, run.id, options.to_job())


def _model_field(bench: Workbench, form: PromptForm) -> ModelField:
    chosen = model_choices.describe_models(bench, form.models[: 2 * MOST_MODELS])
    try:
        found = model_choices.find_models(bench, form.search, "")
    except BenchmakerError as exc:
        return ModelField(chosen, error=f"{exc.message} {exc.hint}")
    new = tuple(it for it in found.choices if it.name not in form.models)
    error = found.error or ("" if found.choices else model_choices.name_fault(bench, form.search))
    return ModelField(chosen, new, len(found.choices), found.more, error)


def _parts(text: str) -> tuple[str, ...]:
    return tuple(_nonempty(text.replace("\n", ",").split(",")))


def _nonempty(texts: Sequence[str]) -> Iterator[str]:
    yield from (part for text in texts if (part := text.strip()[:_LONGEST]))


def _unique(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_nonempty(texts)))


def form_content(read: ReadForm) -> dict[str, Any]:
    """The form as content of a template."""
    return {"form": read.form, "models": read.models, "costs": read.costs}
