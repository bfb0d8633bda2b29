"""Names given by users: a model of a run, a tool, a task, a system."""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.unknown_names import UnknownName
    from benchmaker.record import Run

_LISTED = 20
_JOINTS = re.compile(r"[·,]")
_ENDPOINT = re.compile(r"^.*[/#]")
"""The beginning of a model's name up to the endpoint's last mark."""


def model_of_run(run: "Run", name: str) -> str:
    """Return the model or setup of the run with that name.

    A setup is also found by its model's name, with or without the endpoint, by its prompt and by
    its effort, joined by ``·`` or a comma, if no other setup has all of them.

    Raises:
        SpecError: none or several are meant; with the nearest name.
    """
    if name in run.models:
        return name
    wanted = _parts(name)
    found = [it for it in run.models if wanted and wanted <= _parts_of_setup(run, it)]
    if len(found) == 1:
        return found[0]
    noun = "setup" if run.has_dimensions else "model"
    if found:
        listed = _listing(found)
        message = f"{name!r} may be any of {len(found)} {noun}s of run {run.id}: {listed}."
        raise SpecError(message, hint="Add the prompt, the effort or the model.")
    raise SpecError(f"run {run.id} has no {noun} {name!r}.", hint=_suggestion(run, name, noun))


def _parts(text: str) -> frozenset[str]:
    """The parts of a setup's name, in lower case."""
    return frozenset(one.strip().casefold() for one in _JOINTS.split(text)) - {""}


def _parts_of_setup(run: "Run", name: str) -> frozenset[str]:
    """The words that each name a part of a setup, in lower case."""
    one = run.setup(name)
    of_model = (one.label,) if one.label else (one.model, _ENDPOINT.sub("", one.model))
    return frozenset(it.casefold() for it in (*of_model, one.prompt_id, one.effort) if it)


def _suggestion(run: "Run", name: str, noun: str) -> str:
    """The nearest setup, else the nearest word for a part of one, else a list."""
    from benchmaker.spec.documents.suggestions import did_you_mean

    words = frozenset[str]().union(*(_parts_of_setup(run, it) for it in run.models))
    unknown = sorted(_parts(name) - words)
    near = did_you_mean(name, run.models) or (did_you_mean(unknown[0], words) if unknown else "")
    return near or f"{noun.capitalize()}s of the run: {_listing(run.models)}."


def only_model(run: "Run") -> str:
    """The run's one model or setup; SpecError when there are several to choose from."""
    if len(run.models) == 1:
        return run.models[0]
    noun = "setup" if run.has_dimensions else "model"
    raise SpecError(
        f"the run has {len(run.models)} {noun}s: {_listing(run.models)}.",
        hint="Choose one with --model.",
    )


def unknown_name_error(given: str, known: Iterable[str], what: str) -> SpecError:
    """The error that there is no tool, task or system of that name, with those that are near."""
    from benchmaker.spec.documents.suggestions import did_you_mean

    names = sorted(known)
    listed = f"Known: {_listing(names)}." if names else f"No {what} is stored."
    return SpecError(f"there is no {what} {given!r}.", hint=did_you_mean(given, names) or listed)


def _listing(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED])}{more}"


def refuse_unknown(given: str, known: Collection[str], what: str) -> None:
    """Raise SpecError, as by :func:`unknown_name_error`, for an unknown name."""
    if given not in known:
        raise unknown_name_error(given, known, what)


def refuse(found: "UnknownName | None") -> None:
    """Raise SpecError, as :func:`unknown_name_error`, if an unknown name was found."""
    if found is not None:
        raise unknown_name_error(found.name, found.known, found.what)
