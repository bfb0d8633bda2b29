"""An agent trial with its tries as data."""

from dataclasses import dataclass
from typing import Annotated

from benchmaker.arenas.agentic.series.series_results import (
    AgentTrialRow,
    known_cost_of,
    known_tokens_of,
)
from benchmaker.documents import Document, Key
from benchmaker.record.agent_trial import AgentTrial, TrialMeter
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.live.series_state import AgentSeriesState, place_of


@dataclass(frozen=True, slots=True)
class TryFigures(Document):
    """One try of an attempt: its requests and refusals at the gateway, tokens and cost.

    ``tokens`` and ``cost_usd`` are null without a model, ``tokens`` also if none are known, and
    ``cost_usd`` if the cost of a request is unknown.
    """

    number: Annotated[int, Key("try")]
    requests: int
    refusals: int
    tokens: int | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class AgentTrialDocument(Document, scale="0-1"):
    """A trial as `agents show --json` prints it, with its number, its series, and its tries.

    Of a try in progress ``tries`` has the figures so far.
    """

    number: int
    series: str
    trial: AgentTrialRow
    tries: tuple[TryFigures, ...]


def trial_document(state: AgentSeriesState, it: NumberedTrial) -> AgentTrialDocument:
    """A trial of a series with its tries."""
    return AgentTrialDocument(
        number=it.number,
        series=state.series.id,
        trial=AgentTrialRow.of(state.trials[place_of(it.trial)].trial),
        tries=tuple(_try_figures(it.trial, *one) for one in tries_of(state, it)),
    )


def tries_of(state: AgentSeriesState, it: NumberedTrial) -> list[tuple[int, TrialMeter]]:
    """The number and the sums of each known try of a trial, oldest first."""
    now = state.trials[place_of(it.trial)].trial
    meters = (*now.earlier_meters, now.meter)
    return list(enumerate(meters, now.tries - len(meters) + 1))


def _try_figures(trial: AgentTrial, number: int, meter: TrialMeter) -> TryFigures:
    return TryFigures(
        number,
        meter.requests,
        meter.refusals,
        known_tokens_of(meter) if trial.model else None,
        known_cost_of(meter) if trial.model else None,
    )
