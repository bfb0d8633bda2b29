"""Parameters sent to models, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.spec import Parameters

if TYPE_CHECKING:
    from benchmaker.analysis import Summary

_FLAG = "unsent_"
_SHOWN = 3

Refusals = Mapping[str, Sequence[str]]
"""The names of the parameters that are never sent to each model."""


def sent_words(parameters: Parameters, seed: int | None, refusals: Refusals) -> list[str]:
    """Each parameter that is sent with its value, and to whom it is not.

    Temperature and seed are named in any case.

    >>> sent_words(Parameters(temperature=None), None, {"m": ["seed"]})
    ['no temperature', 'max_tokens 2048', 'no seed']
    >>> sent_words(Parameters(), 7, {"m": ["temperature"], "n": []})
    ['temperature 0.7 (not for m)', 'max_tokens 2048', 'seed 7']
    """
    values = {"temperature": None, **parameters.sent_values, "seed": seed}
    return [_word(name, value, refusals) for name, value in values.items()]


def _word(name: str, value: float | None, refusals: Refusals) -> str:
    refusing = [model for model, names in refusals.items() if name in names]
    if value is None or (refusing and len(refusing) == len(refusals)):
        return f"no {name}"
    shown = f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}"
    return f"{shown} (not for {_join_models(refusing)})" if refusing else shown


def refusals_of(routes: Mapping[str, Any]) -> Refusals:
    """Return the parameters refused by each live model, from the routes of the provider."""
    return {
        model: tuple(route.get("refuses", ())) if isinstance(route, Mapping) else ()
        for model, route in routes.items()
    }


def refusals_seen(summary: "Summary") -> Refusals:
    """Return the unsent parameters of a run: by its provider, and by the flags of its answers."""
    routes = summary.run.provider.get("models") if summary.run else None
    known = refusals_of(routes) if isinstance(routes, Mapping) else {}
    return {
        row.model: (*known.get(row.model, ()), *_flagged_parameters(row.flags))
        for row in summary.models
    }


def _flagged_parameters(flags: Mapping[str, int]) -> Iterator[str]:
    return (flag.removeprefix(_FLAG) for flag in flags if flag.startswith(_FLAG))


def _join_models(models: Sequence[str]) -> str:
    names = [truncate(sanitise(model), 120) for model in models[:_SHOWN]]
    more = f" and {len(models) - _SHOWN} more" if len(models) > _SHOWN else ""
    return ", ".join(names) + more
