"""Every page of the Agentic Arena."""

from fastapi import APIRouter

from benchmaker.web.pages import (
    agentic_analysis,
    agentic_board,
    agentic_compare,
    agentic_review,
    agentic_search,
    agentic_submission,
    agentic_submissions,
    agentic_submit,
    agentic_tasks,
    agentic_trace,
    agentic_usage,
)
from benchmaker.web.parted import part

router = APIRouter(include_in_schema=False)
for _module in (
    agentic_board,
    agentic_search,
    agentic_submissions,
    agentic_submission,
    agentic_trace,
    agentic_submit,
    agentic_usage,
    agentic_tasks,
    agentic_analysis,
    agentic_review,
    agentic_compare,
):
    router.include_router(part(_module.router))
