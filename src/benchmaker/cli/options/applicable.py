"""Checks if options fit the kind of answers."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from benchmaker.cli.options.request_limits import LIMITS
from benchmaker.cli.options.sampling import SAMPLED
from benchmaker.engine.requests.option_declaration import OptionKind
from benchmaker.engine.requests.run_options import OPTIONS
from benchmaker.errors import SpecError

_PARTS: Mapping[str, tuple[str, ...]] = {
    "parameters": SAMPLED,
    "timeouts": tuple(LIMITS),
    "limits": ("max_wait",),
}
"""The options of a command that make up one of a run."""


def _names(*, for_judges: bool = False) -> Iterator[str]:
    for name, declared in OPTIONS.items():
        if declared.for_live and (declared.for_judges or not for_judges):
            yield from _PARTS.get(name, (name,))


FOR_LIVE = tuple(_names())
"""Options that apply only to live models."""

FOR_RECORDED = ("fields", "fields_file")
"""Options that apply only to answers from a file."""


FOR_JUDGES = frozenset(_names(for_judges=True))
"""Options that also apply to live judges."""


def refuse_unused_options(
    options: Mapping[str, Any], *, recorded: bool, judged: bool = False
) -> None:
    """Refuse options without effect; ``judged``: a judge is queried now.

    Raises:
        SpecError: an option without effect; the message names all of them.
    """
    if recorded:
        _refuse(
            options,
            [name for name in FOR_LIVE if name not in _effective_options(options, judged=judged)],
            "no effect on recorded answers: {}.",
            "Remove it, or query live models: --model endpoint/model without --recorded.",
        )
    else:
        _refuse(
            options,
            FOR_RECORDED,
            "only for recorded answers: {}.",
            "Add --recorded FILE, or remove it.",
        )


def _effective_options(options: Mapping[str, Any], *, judged: bool) -> frozenset[str]:
    """The options for live models with an effect on recorded answers."""
    seeds_sample = options.get("sample") is not None and options.get("sample_seed") is None
    return (FOR_JUDGES if judged else frozenset()) | ({"seed"} if seeds_sample else frozenset())


def _refuse(options: Mapping[str, Any], names: Iterable[str], message: str, hint: str) -> None:
    unfit = [flag_of(name) for name in names if _is_set(name, options.get(name))]
    if unfit:
        raise SpecError(message.format(", ".join(unfit)), hint=hint)


def flag_of(name: str) -> str:
    """Return the option as written on the command line."""
    return OPTIONS[name].command_flag if name in OPTIONS else f"--{name.replace('_', '-')}"


def _is_set(name: str, value: object) -> bool:
    if name in OPTIONS and OPTIONS[name].kind is OptionKind.SWITCH:
        return value is not None
    return value is not None and value != ()
