"""The most frequent reason for each model's failed or unscored trials."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.cli.output.output import one_line
from benchmaker.redact import Redactor

if TYPE_CHECKING:
    from benchmaker.analysis import ModelSummary
    from benchmaker.arenas.standard import RunResult
    from benchmaker.record import Outcome

_WIDTH = 300
_NAME_WIDTH = 120
_NOT_FOUND = "404"


class _Error(NamedTuple):
    """A failure: its type, "" for a missing score, its message, and the latter for any case."""

    kind: str
    message: str
    form: str


def commonest_errors(result: "RunResult", hide: Redactor) -> list[str]:
    """Return a sentence on the most frequent failure of each model, with its share of them.

    Models stopped for that error are omitted, since its message is printed elsewhere.
    """
    from benchmaker.record import INFRASTRUCTURE, Outcome

    failures = frozenset((*INFRASTRUCTURE, Outcome.SCORER_ERROR, Outcome.UNSCORED))
    told: list[str] = []
    for model in _models_with_failures(result, failures):
        errors = list(_errors(result, model, failures))
        if not errors:
            continue
        (_, form), number = Counter((one.kind, one.form) for one in errors).most_common(1)[0]
        said = list(dict.fromkeys(one.message for one in errors if one.form == form))
        if said[0] not in result.stopped.get(model, ""):
            shown = one_line(hide.text(said[0]), _WIDTH)
            example = ", for example" if len(said) > 1 else ""
            told.append(f"{_how_common(model, number, len(errors))}{example}: {shown}")
    return told


def not_found(result: "RunResult") -> tuple[str, ...]:
    """The models that failed, where all of them did for want of such a model; else none.

    Asking them again is in vain: a run keeps the names of its models.
    """
    unasked = {row.model for row in result.summary.models if _needs_requests(row)}
    if not unasked or not unasked <= set(result.failures):
        return ()
    with result.place.open_store() as store:
        first = (next(store.trials(result.run_ids[0], model=name), None) for name in unasked)
        is_wrong = all(it and it.attempts and it.attempts[-1].status == _NOT_FOUND for it in first)
    return tuple(sorted(unasked)) if is_wrong else ()


def _needs_requests(row: "ModelSummary") -> bool:
    """True if the model has unfinished trials, or infrastructure failures."""
    from benchmaker.record import INFRASTRUCTURE

    is_short = row.n_planned is not None and row.n_done < row.n_planned
    return is_short or any(row.outcomes.get(str(outcome)) for outcome in INFRASTRUCTURE)


def _models_with_failures(result: "RunResult", failures: "frozenset[Outcome]") -> list[str]:
    return [
        row.model
        for row in result.summary.models
        if any(row.outcomes.get(str(outcome)) for outcome in failures)
    ]


def _errors(result: "RunResult", model: str, failures: "frozenset[Outcome]") -> Iterator[_Error]:
    """Every failure of the model's, or the note where a score is missing."""
    with result.place.open_store() as store:
        for run_id in result.run_ids:
            for trial in store.trials(run_id, model=model):
                if trial.outcome not in failures or not trial.weight:
                    continue
                if trial.error:
                    kind = trial.error_type or trial.outcome
                    yield _Error(kind, trial.error, _form(trial.error, trial.case_id))
                elif trial.score is not None and trial.score.notes:
                    yield _Error("", trial.score.notes, trial.score.notes)


def _form(message: str, case_id: str) -> str:
    """The message without the case that it names, so that one reason counts once."""
    return message.replace(repr(case_id), "")


def _how_common(model: str, number: int, failed: int) -> str:
    name = one_line(model, _NAME_WIDTH)
    if failed == 1:
        return f"Failure of {name}"
    if number == 1:
        return f"One of {failed:,} different failures of {name}"
    rank = "Failure" if number == failed else "Most frequent failure"
    return f"{rank} of {name} ({number:,} of {failed:,})"
