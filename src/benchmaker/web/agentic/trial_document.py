"""An agent trial with its tries as data."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

from benchmaker.arenas.agentic.series.series_results import (
    AgentTrialRow,
    known_cost_of,
    known_tokens_of,
)
from benchmaker.documents import Document, Key, NullIfEmpty
from benchmaker.record.agent_trial import AgentTrial, TrialMeter, TrialOutcome, TryEnd
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.live.series_state import AgentSeriesState, place_of


@dataclass(frozen=True, slots=True)
class TryFigures(Document):
    """One try of an attempt: its requests and refusals at the gateway, tokens and cost.

    ``tokens`` and ``cost_usd`` are null without a model, ``tokens`` also if none are known, and
    ``cost_usd`` if the cost of a request is unknown. ``outcome`` and ``detail``, the reason for it,
    are null of a try that was killed or is in progress, and of earlier tries of old series.
    """

    number: Annotated[int, Key("try")]
    requests: int
    refusals: int
    tokens: int | None
    cost_usd: float | None
    outcome: TrialOutcome | None
    detail: NullIfEmpty


class KnownTry(NamedTuple):
    """One try of an attempt: its number, its sums and its end."""

    number: int
    meter: TrialMeter
    end: TryEnd


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
        tries=tuple(_try_figures(it.trial, one) for one in tries_of(state, it)),
    )


def tries_of(state: AgentSeriesState, it: NumberedTrial) -> list[KnownTry]:
    """Each known try of a trial, oldest first."""
    now = state.trials[place_of(it.trial)].trial
    meters = (*now.earlier_meters, now.meter)
    ends = dict(enumerate(now.ends, now.tries - len(now.ends) + 1))
    numbered = enumerate(meters, now.tries - len(meters) + 1)
    return [KnownTry(at, meter, ends.get(at, TryEnd())) for at, meter in numbered]


def _try_figures(trial: AgentTrial, one: KnownTry) -> TryFigures:
    meter = one.meter
    return TryFigures(
        one.number,
        meter.requests,
        meter.refusals,
        known_tokens_of(meter) if trial.model else None,
        known_cost_of(meter) if trial.model else None,
        one.end.outcome,
        one.end.detail,
    )
