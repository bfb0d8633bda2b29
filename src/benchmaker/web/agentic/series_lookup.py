"""The series of agent trials, or the trial, that an address names."""

from typing import Annotated

from fastapi import Path

from benchmaker.record.agent_trial import AgentSeries
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.faults import Missing
from benchmaker.web.rendering import Crumb
from benchmaker.web.workbench import Workbench

LATEST = "latest"
SeriesId = Annotated[str, Path(max_length=300, description="A series' id, or `latest`.")]
TrialNumber = Annotated[int, Path(ge=1, lt=2**53, description="A trial's number.")]

CRUMBS = (Crumb("Agentic", "/agentic"), Crumb("Series", "/agentic/run"))


def lookup_agent_series(bench: Workbench, name: str) -> AgentSeries:
    """Return the series with this id; ``latest`` is the newest.

    Raises:
        Missing: there is none.
    """
    every = bench.store.agent_trials.every_series()
    found = every[:1] if name == LATEST else [it for it in every if it.id == name]
    if not found:
        raise Missing("there is no such series of agent trials.", hint="See Agentic, Series.")
    return found[0]


def lookup_trial(bench: Workbench, number: int) -> NumberedTrial:
    """Return the trial with this number.

    Raises:
        Missing: there is none.
    """
    found = bench.store.agent_trial_pages.find(number)
    if found is None:
        raise Missing("there is no such agent trial.", hint="Open its series: Agentic, Series.")
    return found
