"""The decision of a gate against a baseline in sentences."""

from collections.abc import Iterator

from benchmaker.analysis.gates import further
from benchmaker.analysis.gates.gate_results import (
    BaselineGate,
    CaseChange,
    GatedModel,
    UnscoredModel,
)
from benchmaker.analysis.summary.decisions import GateVerdict
from benchmaker.record.counts import count
from benchmaker.record.points import exact_points, points
from benchmaker.report.sentences.notes import name
from benchmaker.report.tables import numbers
from benchmaker.report.tables.sanitize import sanitise, truncate

_HEADS = {
    GateVerdict.PASSED: "Gate passed",
    GateVerdict.FAILED: "Gate failed",
    GateVerdict.UNDECIDED: "Gate undecided",
}
_ANSWER = 120
_MANY = 100
"""Up to so many times the cases there are, the number of further cases is said."""


def gate_headline(made: BaselineGate) -> str:
    """The verdict with its reason, in one sentence."""
    head = _HEADS[made.verdict]
    if made.unscored_models and all(one.verdict is GateVerdict.PASSED for one in made.models):
        return f"{head}: {_unscored_words(made)}."
    if len(made.models) == 1:
        return f"{head}: {model_sentence(made.models[0], made)}"
    nouns = f"{made.noun}s"
    is_passed = made.verdict is GateVerdict.PASSED
    if is_passed and all(one.is_unchanged and not one.missing for one in made.models):
        return f"{head}: no answer changed, for any of {len(made.models)} {nouns}."
    limit = _limit(made)
    match made.verdict:
        case GateVerdict.PASSED:
            return f"{head}: none of {len(made.models)} {nouns} dropped by more than {limit}."
        case GateVerdict.FAILED:
            failed = ", ".join(name(one.model) for one in made.models if one.is_sure_drop)
            return f"{head}: more than {limit} lost by {failed}, of {len(made.models)} {nouns}."
        case GateVerdict.UNDECIDED:
            open_models = sum(one.is_open for one in made.models)
            return f"{head} for {open_models} of {len(made.models)} {nouns}: {_open_words(made)}."


def _unscored_words(made: BaselineGate) -> str:
    """The models of the baseline without a score in the run, with the reasons."""
    named = ", ".join(f"{name(one.model)} ({one.reason})" for one in made.unscored_models)
    if not made.models:
        reasons = {one.reason for one in made.unscored_models}
        said = reasons.pop() if len(reasons) == 1 else named
        return f"no answer of the run has a score: {said}"
    return f"the run has no score of {named}"


def _open_words(made: BaselineGate) -> str:
    if any(one.verdict is GateVerdict.FAILED for one in made.models):
        return "a drop is not significant once adjusted for their number"
    if all(one.passes_without_missing for one in made.models if one.is_open):
        return f"cases without a score can hide a drop of more than {_limit(made)}"
    return f"a drop of more than {_limit(made)} is neither shown nor ruled out"


def gate_sentences(made: BaselineGate) -> list[str]:
    """The verdict, then a sentence for each model that does not pass, if there are several."""
    several = len(made.models) + len(made.unscored_models) > 1
    others = [
        model_sentence(one, made)
        for one in made.models
        if several and one.verdict is not GateVerdict.PASSED
    ]
    first = gate_headline(made)
    unscored = f"{_unscored_words(made)}." if made.unscored_models else ""
    rest = [one for one in (*others, unscored) if one and not first.endswith(f": {one}")]
    return [first, *rest]


def model_sentence(one: GatedModel, made: BaselineGate) -> str:
    """The verdict on a model with its figures."""
    shown = name(one.model)
    if one.passes_without_missing:
        return _held_sentence(one, made)
    if one.is_unchanged and not one.missing:
        return f"no answer of {shown} changed in {count(one.n, 'case')}."
    figures = f"{_change(one)} ({_interval(one, made)})"
    match one.verdict:
        case GateVerdict.PASSED:
            return f"{shown} {figures}; a drop of more than {_limit(made)} is ruled out."
        case GateVerdict.FAILED if not one.is_sure_drop:
            return (
                f"{shown} {figures}, more than {_limit(made)}, but not once adjusted for "
                f"{len(made.models)} {made.noun}s."
            )
        case GateVerdict.FAILED:
            return f"{shown} {figures}, more than the {_limit(made)} allowed."
        case GateVerdict.UNDECIDED:
            return (
                f"{shown} {figures}; a drop of more than {_limit(made)} is neither shown nor "
                "ruled out."
            )


def _held_sentence(one: GatedModel, made: BaselineGate) -> str:
    """The verdict on a model that its missing cases keep from passing."""
    return (
        f"{one.missing:,} of {count(one.missing + one.n, 'case')} of {name(one.model)} "
        f"{'has' if one.missing == 1 else 'have'} no score ({one.missing_reason}). They can hide a "
        f"drop of more than {_limit(made)}; the scored cases pass."
    )


def unscored_sentence(one: UnscoredModel) -> str:
    """Why a model of the baseline has no verdict."""
    return f"{name(one.model)} has no score in the run: {one.reason}."


def _change(one: GatedModel) -> str:
    if points(one.diff) == "0.0":
        return "kept its score"
    verb = "dropped" if one.diff < 0 else "gained"
    number = points(abs(one.diff))
    return f"{verb} {'by ' if one.diff < 0 else ''}{number} points"


def _interval(one: GatedModel, made: BaselineGate) -> str:
    if one.low is None or one.high is None:
        return f"no interval: {one.reason or 'too few cases'}"
    return (
        f"{100 * made.level:g}% CI of the difference {numbers.end(one.low)} to "
        f"{numbers.end(one.high)}"
    )


def _limit(made: BaselineGate) -> str:
    shown = exact_points(made.max_drop).removesuffix(".0")
    return f"{shown} {'point' if shown == '1' else 'points'}"


def what_decides(made: BaselineGate) -> list[str]:
    """The further cases or runs that would decide an undecided gate, or the reason for none."""
    if made.verdict is not GateVerdict.UNDECIDED:
        return []
    if made.more_cases_reason in {further.MISSING, further.NOT_IN_RUN}:
        return [f"To decide, {made.more_cases_reason}."]
    return [_cases_sentence(made), *_runs_sentences(made)]


def _cases_sentence(made: BaselineGate) -> str:
    if made.more_cases is None:
        return f"No number of further cases is known to decide: {made.more_cases_reason}."
    if made.more_cases > _MANY * made.n_common:
        return (
            f"To decide, you need about {count(made.more_cases, 'more case')} like these, which "
            "is not realistic: the change is too close to the limit."
        )
    return f"To decide, you need about {count(made.more_cases, 'more case')} like these."


def _runs_sentences(made: BaselineGate) -> Iterator[str]:
    if made.more_runs is not None:
        yield f"About {count(made.more_runs, 'more run')} of these cases would also decide."
    elif made.more_runs_reason in {further.CASES_DOMINATE, further.SAME_RUNS}:
        yield f"Further runs do not help: {made.more_runs_reason}."


def changed_sentence(one: CaseChange, made: BaselineGate) -> str:
    """A changed case with both scores and both answers, on one line."""
    model = f" of {name(one.model)}" if len(made.models) > 1 else ""
    said = f"{name(one.case_id)}{model}: {numbers.score(one.before)} to {numbers.score(one.after)}"
    answers = [
        f"{label} {_quote(text)}"
        for label, text in (("before", one.answer_before), ("now", one.answer_after))
        if text is not None
    ]
    return f"{said}; {', '.join(answers)}" if answers else said


def _quote(text: str) -> str:
    return f'"{truncate(sanitise(text), _ANSWER)}"'


def facts(made: BaselineGate) -> str:
    """The compared cases, and the suite."""
    common = count(made.n_common, "common case")
    of = f", {made.n_run:,} in the run and {made.n_baseline:,} in the baseline"
    same = made.n_run == made.n_baseline == made.n_common
    return f"{name(made.suite)}: {common}{'' if same else of}."
