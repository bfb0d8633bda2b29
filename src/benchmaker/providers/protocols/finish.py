"""The finish reasons of all providers, unified."""

from typing import Any

from benchmaker.record import FinishReason

_FINISHES = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "completed"), FinishReason.STOP),
    **dict.fromkeys(
        ("length", "max_tokens", "max_output_tokens", "model_length",
         "model_context_window_exceeded"),
        FinishReason.LENGTH,
    ),
    **dict.fromkeys(("content_filter", "filter", "safety"), FinishReason.FILTER),
    **dict.fromkeys(("refusal", "refused"), FinishReason.REFUSAL),
    "context_overflow": FinishReason.CONTEXT_OVERFLOW,
}  # fmt: skip


def finish_of(said: Any) -> FinishReason:  # noqa: ANN401  any JSON
    """Return the finish reason for a provider's word.

    >>> finish_of("max_tokens")
    <FinishReason.LENGTH: 'length'>
    """
    known = said.lower() if isinstance(said, str) else ""
    return _FINISHES.get(known, FinishReason.UNKNOWN)
