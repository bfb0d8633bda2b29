"""Scoring profiles: those of suites, and those of the Agentic Arena with their weights."""

from typing import ClassVar

from fastapi import APIRouter, Request, Response

from benchmaker.plugins import list_plugins, web_page
from benchmaker.spec import Family
from benchmaker.spec import profile as profile_of
from benchmaker.spec.tasks.agentic_profile import BUILT_IN
from benchmaker.web.rendering import Crumb, page

router = APIRouter(include_in_schema=False)


@web_page(id="scoring_profiles")
class ScoringProfilesPage:
    """Scoring profiles and their weights."""

    routes: ClassVar = router
    title: ClassVar = "Profiles"


SAID = {
    Family.CLASSIC: "Scores the whole reply, with the definitions of the published method.",
    Family.ROBUST: "Extracts and normalises the answer first; the rule that matched is stored.",
}
"""A description of each profile of suites."""


@router.get("/settings/profiles")
def profiles_page(request: Request) -> Response:
    """Show each profile's meaning, and the weights of its parts."""
    return page(
        request,
        "settings/profiles",
        title="Profiles",
        here="Settings",
        crumbs=(Crumb("Settings", "/settings/about"), Crumb("Profiles")),
        suites=[(profile_of(str(family)), SAID[family]) for family in Family],
        scorers=[one for one in list_plugins("scorer") if not one.error],
        agentic=list(BUILT_IN.values()),
    )
