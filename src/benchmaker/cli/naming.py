"""What a person named: a model of a run."""

from typing import TYPE_CHECKING

from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.record import Run


def asked_model(run: "Run", name: str) -> str:
    """The model of that name; SpecError with the nearest when it was not asked in the run."""
    if name in run.models:
        return name
    from benchmaker.spec.nearest import did_you_mean  # noqa: PLC0415  only where something is wrong

    hint = did_you_mean(name, run.models) or f"Asked were: {', '.join(run.models)}."
    raise SpecError(f"model {name!r} was not asked in run {run.id}.", hint=hint)


def only_model(run: "Run") -> str:
    """The run's one model; SpecError when there are several to choose from."""
    if len(run.models) == 1:
        return run.models[0]
    raise SpecError(
        f"{len(run.models)} models were asked: {', '.join(run.models)}.",
        hint="Name one with --model.",
    )
