"""Attempts that are registered before the work."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import ConfigDict, Field

from benchmaker.arenas.agentic.evaluation.registered_attempts import (
    MOST,
    attempt_statuses,
    register,
)
from benchmaker.record.submissions.submission import System
from benchmaker.web.accounts.actors import Who, name_of
from benchmaker.web.api.paging import BodyModel, PagedQuery, Word, part
from benchmaker.web.api.routes import Api
from benchmaker.web.api.shapes import agentic as shapes
from benchmaker.web.pages.agentic.submit import refuse_odd
from benchmaker.web.workbench import Bench

api = Api("agentic")
router = api.router

_Name = Annotated[str, Field(min_length=1, max_length=200)]


class AttemptsIn(BodyModel):
    """A task and a system, named as in the log, and a number of attempts."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    task: _Name
    harness: _Name
    model: _Name | None = None
    effort: _Name | None = None
    count: Annotated[int, Field(ge=1, le=MOST)] = 1


class AttemptsQuery(PagedQuery):
    """Filter by task and system, named as on boards."""

    task: Word = ""
    system: Word = ""


@api.post("/attempts", shapes.AttemptsMade, status=201, name="registered")
def register_attempts(bench: Bench, who: Who, wanted: AttemptsIn) -> Any:  # noqa: ANN401  its shape
    """Register attempts before the work begins; none is ever deleted.

    Each result is submitted with its `attempt`. On boards an attempt without a result counts as
    failed once another attempt of the same person with that system has one.
    """
    refuse_odd(wanted.task)
    system = System(harness=wanted.harness, model=wanted.model, effort=wanted.effort)
    by = name_of(who, "local")
    return {"attempts": register(bench.store, wanted.task, system, count=wanted.count, by=by)}


@api.get("/attempts", shapes.AttemptPage)
def attempts(bench: Bench, query: Annotated[AttemptsQuery, Query()]) -> Any:  # noqa: ANN401  its shape
    """List registered attempts with their results, oldest first."""
    found = attempt_statuses(bench.store, task=query.task or None, system=query.system or None)
    return part(list(found), query, lambda one: one.to_dict())
