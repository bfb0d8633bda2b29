"""Live models, opened from their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.providers.base import Provider
from benchmaker.spec.documents.messages import kind

if TYPE_CHECKING:
    from benchmaker.providers.function import Answer
    from benchmaker.providers.network.transport import HttpLimits

KIND = "live"
"""The provider kind recorded by a run."""

_FROM_PYTHON = (
    "From Python, pass environ=os.environ or options=RunOptions(dotenv='.env'); "
    "by default, no keys are read."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveOptions:
    """Options for opening live models, besides their names.

    ``environ`` holds keys and base URLs, ``dotenv`` is a file with further ones; neither is read by
    default. ``timeouts`` are those of each request, or its total in seconds.
    """

    environ: Mapping[str, str] | None = None
    dotenv: str | Path | None = None
    home: Path | None = None
    timeouts: "HttpLimits | float | None" = None
    stream: bool = True
    skip_unavailable: bool = False
    seed: int | None = None

    @classmethod
    def of(cls, options: RunOptions, *, environ: Mapping[str, str] | None, home: Path) -> Self:
        """Return the live options among the options of a call."""
        return cls(
            environ=environ,
            dotenv=options.dotenv,
            home=home,
            timeouts=options.timeouts,
            stream=options.stream,
            skip_unavailable=options.skip_unavailable,
            seed=options.seed,
        )


def open_live(
    models: "Sequence[str | Answer] | Mapping[str, str | Answer]", options: LiveOptions
) -> Provider:
    """Open the models; a mapping gives the model of each setup by the setup's name.

    Raises:
        SpecError: an invalid model name or user file.
        PrerequisiteError: a key or a program is missing; each one is named.
    """
    from benchmaker.providers.live import Live  # noqa: PLC0415  recorded answers need none of it

    try:
        return Live(
            models if isinstance(models, Mapping) else list(models),
            environ=options.environ,
            dotenv=Path(options.dotenv) if options.dotenv is not None else None,
            home=options.home,
            limits=_limits(options.timeouts),
            stream=options.stream,
            skip_unavailable=options.skip_unavailable,
            seed=options.seed,
        )
    except PrerequisiteError as exc:
        if options.environ is None and options.dotenv is None:
            raise PrerequisiteError(
                exc.message, where=exc.where, hint=f"{exc.hint} {_FROM_PYTHON}"
            ) from exc
        raise


def _limits(timeouts: "HttpLimits | float | None") -> "HttpLimits | None":
    if timeouts is None:
        return None
    from benchmaker.providers.network.transport import HttpLimits  # noqa: PLC0415  as above

    if isinstance(timeouts, HttpLimits):
        return timeouts
    if isinstance(timeouts, bool) or not isinstance(timeouts, int | float):
        raise SpecError(f"timeouts must be seconds or HttpLimits, not {kind(timeouts)}.")
    if not timeouts > 0:
        raise SpecError(f"a timeout of {timeouts:g} s leaves no time.", hint="Use more than 0.")
    return HttpLimits(total_s=float(timeouts))
