"""All of the API on an application."""

from functools import cache
from typing import Any

from fastapi import FastAPI

from benchmaker.web.api import (
    agent_trials,
    attempts,
    boards,
    calibrations,
    cases,
    code,
    comparing,
    jobs,
    labels,
    moderation,
    run_control,
    runs,
    submissions,
    suites,
    system,
    tasks,
    trials,
    uploads,
    voting,
)
from benchmaker.web.api.document import document
from benchmaker.web.subrouters import subrouter

_PARTS = (
    boards,
    system,
    suites,
    cases,
    run_control,
    runs,
    trials,
    jobs,
    comparing,
    calibrations,
    labels,
    code,
    voting,
    uploads,
    submissions,
    moderation,
    attempts,
    tasks,
    agent_trials,
)


@cache
def openapi_document() -> dict[str, Any]:
    """The OpenAPI document of the API."""
    return document([route for one in _PARTS for route in one.router.routes])


def add_api(app: FastAPI) -> None:
    """Mount the API under ``/api/v1``, with its OpenAPI document."""
    for one in _PARTS:
        app.include_router(subrouter(one.router))
    app.openapi = openapi_document  # type: ignore[method-assign]  # so is it extended
