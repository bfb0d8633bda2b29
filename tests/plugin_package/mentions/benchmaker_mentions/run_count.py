"""A page that lives outside of Benchmaker, with a template of its own."""

from typing import ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker import web_page
from benchmaker.record.account import Role
from benchmaker.web import Bench, NavigationPlace, page

router = APIRouter()


@router.get("/run-count")
def run_count(request: Request, bench: Bench) -> Response:
    """The number of runs."""
    template = "benchmaker_mentions:run_count"
    return page(request, template, title="Number of runs", here="Count", runs=bench.store.runs())


@router.post("/run-count/seen")
def mark_seen() -> dict[str, bool]:
    """A change that is not kept."""
    return {"seen": True}


@web_page
class RunCount:
    """The number of runs."""

    routes: ClassVar = router
    title: ClassVar = "Number of runs"
    navigation: ClassVar = NavigationPlace("Count")
    role: ClassVar = Role.MEMBER
