"""Every page of the Agentic Arena."""

from fastapi import APIRouter

from benchmaker.web.pages.agentic import (
    analysis,
    board,
    compare,
    review,
    search,
    submission,
    submissions,
    submit,
    tasks,
    trace,
    usage,
)
from benchmaker.web.subrouters import subrouter

router = APIRouter(include_in_schema=False)
for _module in (
    board,
    search,
    submissions,
    submission,
    trace,
    submit,
    usage,
    tasks,
    analysis,
    review,
    compare,
):
    router.include_router(subrouter(_module.router))
