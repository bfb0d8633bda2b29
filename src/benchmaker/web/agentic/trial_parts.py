"""The parts of the page of an agent trial, which a stream replaces one by one."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from benchmaker.record.agent_trial import AgentTrial, TrialMeter, TryEnd
from benchmaker.store import Store
from benchmaker.store.agentic.agent_trial_pages import NumberedTrial
from benchmaker.web.agentic.gateway_requests import request_mark, request_tokens
from benchmaker.web.agentic.series_grid import cost_text, trial_mark
from benchmaker.web.agentic.trial_document import tries_of
from benchmaker.web.listing import RowPage
from benchmaker.web.live.series_state import AgentSeriesState, place_of
from benchmaker.web.query import View
from benchmaker.web.rendering import fragment

REQUESTS: Final = 100
"""Requests of a page."""

_KINDS: Final = (
    ("Uncached input", "input_tokens"),
    ("Cache read", "cache_read_tokens"),
    ("Cache write, 5 min", "cache_write_5m_tokens"),
    ("Cache write, 1 h", "cache_write_1h_tokens"),
    ("Output", "output_tokens"),
    ("Reasoning in output", "reasoning_tokens"),
)


class TryRow(NamedTuple):
    """One try of an attempt, with its cost in words, its outcome and the reason."""

    number: int
    meter: TrialMeter
    cost: str
    end: TryEnd


@dataclass(frozen=True, slots=True)
class TrialPieces:
    """The parts of a page by name."""

    parts: dict[str, str]

    def changes_since(self, before: "TrialPieces | None") -> str:
        """Return the parts that differ from the last state of the page."""
        known = before.parts if before else {}
        return "".join(it for name, it in self.parts.items() if known.get(name) != it)


def trial_content(
    store: Store, state: AgentSeriesState, it: NumberedTrial, view: View
) -> dict[str, Any]:
    """Return the values of the templates of the page."""
    now = state.trials[place_of(it.trial)]
    kind, word = trial_mark(state, now)
    page = store.agent_trial_pages.requests(now.trial.key, after=view.after, limit=REQUESTS)
    meter = now.trial.meter_of_tries
    return {
        "state": state,
        "it": now.trial,
        "number": now.number,
        "kind": kind,
        "word": word,
        "meter": meter,
        "cost": cost_text(meter),
        "tries": [TryRow(at, one, cost_text(one), end) for at, one, end in tries_of(state, now)],
        "kinds": _KINDS,
        "took": _duration_s(now.trial),
        "requests": RowPage(page.rows, page.after),
        "request_mark": request_mark,
        "request_tokens": request_tokens,
        "view": view,
        "oob": False,
    }


def trial_pieces(
    store: Store,
    state: AgentSeriesState,
    it: NumberedTrial,
    view: View,
    hide: Callable[[str], str],
) -> TrialPieces:
    """Return the parts of a page as a stream sends them; a later page of requests stays."""
    content = trial_content(store, state, it, view) | {"oob": True, "hide": hide}
    names = ("trial", "tries", *(() if view.after else ("requests",)))
    return TrialPieces({name: fragment(f"agent_series/{name}", **content) for name in names})


def _duration_s(trial: AgentTrial) -> float | None:
    """The seconds of the newest try; None before its end."""
    if not trial.finished_at:
        return None
    started, finished = map(datetime.fromisoformat, (trial.started_at, trial.finished_at))
    return (finished - started).total_seconds()


def is_over(state: AgentSeriesState, it: NumberedTrial) -> bool:
    """True if nothing about a trial can change."""
    return not state.is_live or state.trials[place_of(it.trial)].trial.is_finished
