"""Sentences on models with failed requests: how many trials, and why."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from benchmaker.analysis import ModelSummary, Summary
from benchmaker.providers.endpoints.advice import CHECK_NAME
from benchmaker.providers.recordings.unmatched import is_unmatched_note
from benchmaker.record import INFRASTRUCTURE
from benchmaker.record.counts import count
from benchmaker.record.failure import FailedTool, FailureCause
from benchmaker.record.outcome import outcome_count
from benchmaker.report.sentences.outcomes import NOT_RUN
from benchmaker.report.tables.sanitize import sanitise, truncate

_NAME, _REASON = 120, 300
_SENTENCES = 6
"""Maximum number of models with a sentence of their own."""


def failure_sentences(
    summary: Summary, stopped: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Return a sentence for each model with failed requests, and for each stopped judge.

    Recorded answers that belong to no case follow.

    ``stopped`` are the models and judges that an execution has just stopped, with the reasons; the
    others are in the summary.
    """
    reasons = {**summary.stopped, **stopped}
    causes = {cause.model: cause for cause in summary.failed}
    judges = [it for it in reasons if all(it != one.model for one in summary.models)]
    on_models = [
        sentence
        for one in summary.models
        if (sentence := _on_model(one, reasons.get(one.model, ""), causes.get(one.model)))
    ]
    more, noun = len(on_models) - _SENTENCES, f"more {summary.noun}"
    return [
        *(f"Stopped querying {_name(it)}: {_reason(reasons[it])}" for it in judges),
        *on_models[:_SENTENCES],
        *([f"{count(more, noun)} with failed trials."] if more > 0 else []),
        *stray_answers(summary),
    ]


def stray_answers(summary: Summary) -> list[str]:
    """Return the notes on recorded answers that belong to no case."""
    found = dict.fromkeys(filter(is_unmatched_note, summary.notes))
    return [sanitise(note if note.endswith("?") else f"{note}.") for note in found]


def fails_by_name_only(summary: Summary) -> bool:
    """True if every failed model is one that its endpoint does not have.

    Another request to such a model fails as well.
    """
    failed = {one.model for one in summary.models if failed_trials(one) or one.is_given_up}
    unknown = {cause.model for cause in summary.failed if CHECK_NAME in cause.message}
    return bool(failed) and failed <= unknown


def unscored_causes(summary: Summary) -> list[str]:
    """Return a sentence on the most frequent reason for each model's missing scores."""
    return [f"{_share(cause)}: {_reason(cause.words)}" for cause in summary.unscored]


def failed_tool_sentences(summary: Summary) -> list[str]:
    """Return a sentence for each tool of which every call failed."""
    return [_on_tool(it) for it in summary.failed_tools]


def _on_tool(failed: FailedTool) -> str:
    name, reason = _name(failed.tool), _reason(failed.reason)
    if failed.calls == 1:
        return f"The only call of the tool {name} failed: {reason}"
    return f"All {failed.calls:,} calls of the tool {name} failed, the first with: {reason}"


def failed_trials(model: ModelSummary) -> int:
    """Return the number of trials with failed requests that could be in the mean."""
    return sum(_kinds(model).values())


def _kinds(model: ModelSummary) -> dict[str, int]:
    wanted = [outcome.value for outcome in INFRASTRUCTURE]
    return {kind: n for kind, n in model.counted_outcomes.items() if kind in wanted}


def _on_model(model: ModelSummary, stopped: str, cause: FailureCause | None) -> str:
    failed, name = failed_trials(model), _name(model.model)
    if stopped or model.is_given_up:
        why = stopped or (cause.words if cause else "")
        counted = ", ".join(_counts(model, failed))
        head = f"Stopped querying {name}{f' ({counted})' if counted else ''}"
        return f"{head}: {_reason(why)}" if why else f"{head}."
    if not failed:
        return ""
    if cause is None:
        return f"{_failure_sentence(model, failed, _kind_words(model))}."
    return f"{_failure_sentence(model, failed)}{_why(cause)}"


def _counts(model: ModelSummary, failed: int) -> Iterator[str]:
    """Yield the numbers of failed trials and of those not run, both of all."""
    of = count(model.n_counted, "trial")
    if failed:
        yield f"{failed:,} of {of} failed"
    if model.n_absent > 0:
        yield f"{model.n_absent:,}{'' if failed else f' of {of}'} {NOT_RUN}"


def _failure_sentence(model: ModelSummary, failed: int, kinds: str = "") -> str:
    name, of = _name(model.model), count(model.n_counted, "trial")
    if failed == model.n_counted:
        some = f"The only trial of {name}" if failed == 1 else f"All {of} of {name}"
        return f"{some} failed{kinds}"
    verb = "is" if failed == 1 else "are"
    return f"{failed:,} of {of} of {name} failed{kinds} and {verb} excluded from the mean"


def _kind_words(model: ModelSummary) -> str:
    """Return the kinds of failure in brackets, counted if there are several."""
    kinds = _kinds(model)
    counted = [outcome_count(kind, n) for kind, n in kinds.items()]
    words = counted if len(kinds) > 1 else [kind.replace("_", " ") for kind in kinds]
    return f" ({', '.join(words)})"


def _why(cause: FailureCause) -> str:
    if cause.trials < cause.of:
        few = f"{cause.trials:,} of them with" if cause.trials > 1 else "for example with"
        return f", {few}: {_reason(cause.words)}"
    return f"{', for example' if cause.is_example else ''}: {_reason(cause.words)}"


def _share(cause: FailureCause) -> str:
    """Return the number of unscored trials with this reason."""
    of = count(cause.of, "unscored trial")
    example = ", for example" if cause.is_example or cause.trials == 1 < cause.of else ""
    if cause.trials in {1, cause.of}:
        return f"{of} of {_name(cause.model)}{example}"
    return f"{cause.trials:,} of {of} of {_name(cause.model)}{example}"


def _name(text: str) -> str:
    return truncate(sanitise(text), _NAME)


def _reason(text: str) -> str:
    return truncate(" ".join(sanitise(text).split()), _REASON)
