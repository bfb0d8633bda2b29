"""Which options fit the answers that were asked for."""

from collections.abc import Iterable, Mapping
from typing import Any

from benchmaker.errors import SpecError

FOR_LIVE = (
    "benchmark_mode", "temperature", "top_p", "max_tokens", "frequency_penalty",
    "presence_penalty", "seed", "max_cost", "timeout", "connect_timeout", "first_byte_timeout",
    "idle_timeout", "retries", "max_wait", "cache", "no_stream", "skip_unavailable",
)  # fmt: skip
"""What only a model that is asked now can heed."""

FOR_RECORDED = ("fields", "fields_file")
"""What only answers in a file can heed."""


FOR_JUDGES = frozenset({
    "max_cost", "timeout", "connect_timeout", "first_byte_timeout", "idle_timeout", "retries",
    "max_wait",
})  # fmt: skip
"""What a judge that is asked now can heed, too."""


def refuse_unfit(options: Mapping[str, Any], *, recorded: bool, judged: bool = False) -> None:
    """See to it that every option given has an effect; ``judged``: a judge is asked now.

    Raises:
        SpecError: one has none; the message names all of them.
    """
    if recorded:
        _refuse(
            options,
            [name for name in FOR_LIVE if not (judged and name in FOR_JUDGES)],
            "recorded answers are as they are: {} can change nothing.",
            "Leave it out, or ask live models: --model endpoint/model without --recorded.",
        )
    else:
        _refuse(
            options,
            FOR_RECORDED,
            "{} is about recorded answers, and none are given.",
            "Name their file with --recorded, or leave it out.",
        )


def _refuse(options: Mapping[str, Any], names: Iterable[str], message: str, hint: str) -> None:
    unfit = [f"--{name.replace('_', '-')}" for name in names if _is_given(options.get(name))]
    if unfit:
        raise SpecError(message.format(", ".join(unfit)), hint=hint)


def _is_given(value: object) -> bool:
    return value is not None and value is not False and value != ()
