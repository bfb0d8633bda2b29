"""Parameters sent to models, in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchmaker.record import Setup
from benchmaker.record.trial import CHANGED, UNSENT
from benchmaker.report.sentences.setup_groups import JoinNames, join_groups, join_some
from benchmaker.report.tables.sanitize import sanitise, truncate
from benchmaker.spec import Parameters
from benchmaker.spec.suites.response_format import JsonSchemaFormat

if TYPE_CHECKING:
    from benchmaker.analysis import Summary

_EFFORT = "reasoning_effort"
_LIMIT = "max_tokens"
_ALWAYS_NAMED = frozenset({"temperature", _EFFORT})
_UNSET = "none"
_SHOWN = 3
_OTHER_VALUES = "{} with other values"

Refusals = Mapping[str, Sequence[str]]
"""The names of the parameters that are never sent to each model."""

Changes = Mapping[str, Mapping[str, str]]
"""The parameters of which each model is sent another value, with that value."""


def sent_words(
    parameters: Parameters,
    seed: int | None,
    refusals: Refusals,
    changes: Changes | None = None,
    *,
    setups: Sequence[Setup] = (),
) -> list[str]:
    """Each parameter that is sent with its value, and to whom it is not.

    Temperature and seed are named in any case. ``seed`` is that of the call, which goes before
    those of the suite and of its setups. Values of ``setups`` that differ from the parameters are
    changes, too. Many setups are grouped by model, effort or prompt.

    >>> sent_words(Parameters(temperature=None), None, {"m": ["seed"]})
    ['no temperature', 'max_tokens 2048', 'no seed']
    >>> sent_words(Parameters(), 7, {"m": ["temperature"], "n": []})
    ['temperature 0.7 (not for m)', 'max_tokens 2048', 'seed 7']
    >>> sent_words(Parameters(reasoning_effort="low"), None, {"m": []})[1]
    'max_tokens 6144 (2048, and 4096 for thinking)'
    """
    values = {
        "temperature": None,
        **({"max_tokens": None} if parameters.max_tokens is None else {}),
        **parameters.sent_values,
        **_extras(parameters),
    }
    values["seed"] = values.pop("seed", None) if seed is None else seed
    room = parameters.thinking_room
    if room and parameters.max_tokens is not None:
        why = f"({parameters.max_tokens}, and {room} for thinking)"
        values["max_tokens"] = f"{parameters.output_bound} {why}"
    if not setups:
        return [
            _word(name, value, refusals, changes or {}, join_some) for name, value in values.items()
        ]
    own = own_values(setups, parameters, refusals, without_seed=seed is not None)
    known = {name: {**own.get(name, {}), **(changes or {}).get(name, {})} for name in own}
    lacking = {name: None for it in own.values() for name in it if name not in values}
    refusals = {name: refusals.get(name, ()) for name in own}
    if any(one.effort and _EFFORT in refusals[one.name] for one in setups):
        values[_EFFORT] = "of each setup"
    join = join_groups(setups)
    return [
        _word(name, value, refusals, known, join, by_value=True)
        for name, value in {**values, **lacking}.items()
    ]


def own_values(
    setups: Sequence[Setup],
    parameters: Parameters,
    refusals: Refusals,
    *,
    without_seed: bool = False,
) -> dict[str, dict[str, str]]:
    """The values by setup and name that differ from the parameters of the run, in words.

    The effort that a setup is named for is left out, and so is the room for thinking of a setup
    to which no effort is sent. A seed of the call replaces those of the setups.
    """
    left_out = {"seed"} if without_seed else set()
    common = _plain_values(parameters)
    found: dict[str, dict[str, str]] = {}
    for one in setups:
        thinks = _EFFORT not in refusals.get(one.name, ())
        sent = Parameters.of_record(one.parameters) if one.parameters else parameters
        own = _plain_values(sent, thinks=thinks)
        found[one.name] = {
            name: _own_words(own.get(name), common.get(name))
            for name in {**common, **own}
            if name not in left_out
            and own.get(name) != common.get(name)
            and not (name == _EFFORT and one.effort is not None)
        }
    return found


def _own_words(own: Any, common: Any) -> str:  # noqa: ANN401  of any parameter
    """A value that differs from the common one; None for a parameter that is not set.

    Additional fields and headers are named without their values.
    """
    if own is None:
        return _UNSET
    words = _value_words(own)
    return _OTHER_VALUES.format(words) if words == _value_words(common) else words


def _plain_values(parameters: Parameters, *, thinks: bool = True) -> dict[str, Any]:
    """The values that are named in full, with the limit of tokens as it is sent."""
    bound = parameters.output_bound if thinks else parameters.max_tokens
    sent = parameters.sent_values | _extras(parameters)
    return sent if parameters.max_tokens is None else {**sent, "max_tokens": bound}


def _extras(parameters: Parameters) -> dict[str, dict[str, Any]]:
    """The additional fields and headers, if any."""
    extras = {"extra_body": parameters.extra_body, "extra_headers": parameters.extra_headers}
    return {name: it for name, it in extras.items() if it}


def _word(
    name: str,
    value: Any,  # noqa: ANN401  of any parameter
    refusals: Refusals,
    changes: Changes,
    join: JoinNames,
    *,
    by_value: bool = False,
) -> str:
    refusing = [model for model, names in refusals.items() if name in names]
    own = {model: it[name] for model, it in changes.items() if name in it}
    is_sent = any(model not in refusing for model in own)
    other = [([model], sent) for model, sent in own.items()] if is_sent else []
    if name == _LIMIT and len(other) == len(refusals) and len(set(own.values())) == 1:
        return f"{name} {other[0][1]}"
    if value is None:
        refusing = [model for model in refusing if own.get(model, _UNSET) != _UNSET]
    if not other and (value is None or (refusing and len(refusing) == len(refusals))):
        return _unsent_word(name, value, own, join(refusing) if refusing else "")
    if by_value:
        values = dict.fromkeys(sent for _, sent in other)
        other = [([it[0] for it, sent in other if sent == one], one) for one in values]
    notes = [f"{sent} for {join(models)}" for models, sent in other[:_SHOWN]]
    notes += [f"not for {join(refusing)}"] if refusing else []
    shown = f"no {name}" if value is None else f"{name} {_value_words(value)}"
    return f"{shown} ({'; '.join(notes)})" if notes else shown


def _unsent_word(name: str, value: Any, own: Mapping[str, str], refusing: str) -> str:  # noqa: ANN401  of any parameter
    """A parameter that is sent to none: with its value, if one was asked for."""
    if name in _ALWAYS_NAMED or not refusing:
        return f"no {name}"
    wanted = ", ".join(dict.fromkeys(own.values())) if value is None else _value_words(value)
    return f"{name} {wanted} is not sent to {refusing}"


def _value_words(value: Any) -> str:  # noqa: ANN401  of any parameter
    match value:
        case float():
            return f"{value:g}"
        case JsonSchemaFormat():
            return f"json_schema {value.json_schema.name}"
        case dict():
            return truncate(sanitise(", ".join(value)), 200)
        case tuple():
            return truncate(sanitise(" ".join(map(repr, value))), 120)
        case _:
            return str(value)


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


def changes_seen(summary: "Summary") -> Changes:
    """Return the parameters sent with another value, by the flags of a run's answers."""
    return {row.model: dict(_flagged_changes(row.flags)) for row in summary.models}


def _flagged_changes(flags: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for flag in flags:
        if flag.startswith(CHANGED):
            name, _, value = flag.removeprefix(CHANGED).rpartition("_")
            yield name, value


def _flagged_parameters(flags: Mapping[str, int]) -> Iterator[str]:
    return (flag.removeprefix(UNSENT) for flag in flags if flag.startswith(UNSENT))
