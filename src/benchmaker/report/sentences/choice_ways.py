"""Sentences on choices by the likelihood of letters and by the generated letter."""

from collections.abc import Mapping, Sequence

from benchmaker.analysis import ModelSummary
from benchmaker.record.counts import count
from benchmaker.record.score import BY_GENERATED, BY_LIKELIHOOD
from benchmaker.report.tables.sanitize import sanitise, truncate

_NAMED = 6


def mixed_choices(models: Sequence[ModelSummary]) -> str:
    """A warning if some choices of a table are by likelihood and others by the generated letter."""
    likely, generated = _counts(models, BY_LIKELIHOOD), _counts(models, BY_GENERATED)
    if not likely or not generated:
        return ""
    return (
        f"Mixed choices, not comparable: by likelihood {_model_list(likely)}; "
        f"by the generated letter {_model_list(generated)}."
    )


def choice_way(models: Sequence[ModelSummary]) -> str:
    """The way of the choices in a table where all are alike; empty if nothing is to be said."""
    likely, generated = _counts(models, BY_LIKELIHOOD), _counts(models, BY_GENERATED)
    if likely and not generated:
        return "Choices by the likelihood of the letters at the first token of the answer."
    if generated and not likely:
        total = count(sum(generated.values()), "trial")
        return f"Choices by the generated letter, because no log probabilities decide ({total})."
    return ""


def _counts(models: Sequence[ModelSummary], flag: str) -> dict[str, int]:
    return {it.model: it.flags[flag] for it in models if it.flags.get(flag)}


def _model_list(counted: Mapping[str, int]) -> str:
    named = [
        f"{truncate(sanitise(model), 120)} ({count(number, 'trial')})"
        for model, number in list(counted.items())[:_NAMED]
    ]
    more = [f"{len(counted) - _NAMED} more"] if len(counted) > _NAMED else []
    return ", ".join([*named, *more])
