"""Resolution of names in addresses, as on the command line."""

from typing import Annotated

from fastapi import Path

from benchmaker.arenas.agentic.unknown_names import UnknownName
from benchmaker.errors import SpecError
from benchmaker.record import Run
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.store import Store
from benchmaker.store.runs.names import RunReference
from benchmaker.web import run_names
from benchmaker.web.faults import Missing

RunName = Annotated[
    str,
    Path(max_length=300, description="A run's id or its first characters, a series, or `latest`."),
]
"""The name of a run or series as a path parameter."""

Position = Annotated[int, Path(ge=0, le=2**31, description="A case's position, from 0.")]
Rank = Annotated[int, Path(ge=0, le=2**31, description="A model's position, from 0.")]


def resolve_runs(store: Store, name: str) -> RunReference:
    """Return the named run or runs.

    Raises:
        Missing: unknown name.
        SpecError: ambiguous name.
    """
    return run_names.resolve_runs(store, name, hint="See /api/v1/runs.")


def one_run(store: Store, name: str) -> Run:
    """Return the named single run.

    Raises:
        SpecError: a series of several.
    """
    found = resolve_runs(store, name)
    if len(found.run_ids) > 1:
        ids = ", ".join(found.run_ids[:5])
        raise SpecError(f"{name} has {len(found.run_ids)} runs.", hint=f"Name one of them: {ids}.")
    return store.run(found.run_ids[0])


def model_of_run(run: Run, model: str) -> str:
    """Return a model of the run.

    Raises:
        SpecError: not a model of the run, with the nearest name.
    """
    if model not in run.models:
        hint = did_you_mean(model, run.models) or f"It asked {', '.join(run.models[:10])}."
        raise SpecError(f"run {run.id} has no model {model!r}.", where="query.model", hint=hint)
    return model


def refuse_unknown(found: UnknownName | None) -> None:
    """Raise Missing, with the nearest known name, if an unknown name was found."""
    if found is None:
        return
    listed = "tasks" if found.what == "task" else "submissions"
    raise Missing(
        f"there is no {found.what} {found.name!r}.",
        where=f"query.{found.what}",
        hint=did_you_mean(found.name, found.known) or f"See /api/v1/agentic/{listed}.",
    )
