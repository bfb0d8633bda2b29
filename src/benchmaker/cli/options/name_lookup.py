"""Names given by users: a model of a run, a tool, a task, a system."""

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.agentic.unknown_names import UnknownName
    from benchmaker.record import Run

_LISTED = 20


def model_of_run(run: "Run", name: str) -> str:
    """Return the model with that name; SpecError with a suggestion if it is not in the run."""
    if name in run.models:
        return name
    from benchmaker.spec.documents.suggestions import did_you_mean

    hint = did_you_mean(name, run.models) or f"Models of the run: {', '.join(run.models)}."
    raise SpecError(f"run {run.id} has no model {name!r}.", hint=hint)


def only_model(run: "Run") -> str:
    """The run's one model; SpecError when there are several to choose from."""
    if len(run.models) == 1:
        return run.models[0]
    raise SpecError(
        f"the run has {len(run.models)} models: {', '.join(run.models)}.",
        hint="Choose one with --model.",
    )


def unknown_name_error(given: str, known: Iterable[str], what: str) -> SpecError:
    """The error that there is no tool, task or system of that name, with those that are near."""
    from benchmaker.spec.documents.suggestions import did_you_mean

    names = sorted(known)
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    listed = f"Known: {', '.join(names[:_LISTED])}{more}." if names else ""
    return SpecError(f"there is no {what} {given!r}.", hint=did_you_mean(given, names) or listed)


def refuse_unknown(given: str, known: Collection[str], what: str) -> None:
    """Raise SpecError, as by :func:`unknown_name_error`, for an unknown name."""
    if given not in known:
        raise unknown_name_error(given, known, what)


def refuse(found: "UnknownName | None") -> None:
    """Raise SpecError, as :func:`unknown_name_error`, if an unknown name was found."""
    if found is not None:
        raise unknown_name_error(found.name, found.known, found.what)
