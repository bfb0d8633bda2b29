"""The decision of a gate in a sentence."""

from benchmaker.analysis.metric import FigureName
from benchmaker.analysis.summary.decisions import Decision, GateResult, GateVerdict
from benchmaker.record.counts import count
from benchmaker.report.sentences.figure_words import WORDS
from benchmaker.report.tables.numbers import score_near_bound

_VERDICTS = {
    GateVerdict.PASSED: "met",
    GateVerdict.FAILED: "missed",
    GateVerdict.UNDECIDED: "undecided",
}

_REALISTIC = 100
"""Up to so many times the cases there are, the number of further cases is said."""


def threshold_words(threshold: float, figure: FigureName) -> str:
    """The threshold on the scale of tables.

    >>> threshold_words(0.8, "mean"), threshold_words(0.8, "accuracy")
    ('a mean of at least 80 of 100', 'an accuracy of at least 80%')
    """
    scale = " of 100" if WORDS[figure].unit else "%"
    return f"{_with_article(figure)} of at least {score_points(threshold)}{scale}"


def _with_article(figure: FigureName) -> str:
    noun = WORDS[figure].noun
    return f"an {noun}" if noun.startswith("a") else f"a {noun}"


def score_points(score: float) -> str:
    """A score from 0 to 1 on the scale of tables, with as many digits as it has.

    >>> score_points(0.8), score_points(0.8125), score_points(1)
    ('80', '81.25', '100')
    """
    return f"{round(score * 100, 10):.12g}"


def decision_words(decision: Decision) -> str:
    """Return the gate's decision on one model, with its figures."""
    head = f"Threshold {_VERDICTS[decision.verdict]}: {decision.model}"
    named = WORDS[decision.figure]
    sign = "" if named.unit else "%"
    needed = f"threshold {score_points(decision.threshold)}{sign}"
    if decision.mean is None:
        return f"{head} has no {_noun(decision)}, because no answer has a score; {needed}."
    reached = f"{score_near_bound(decision.mean, decision.threshold)}{sign}"
    words = f"{head} has {_reached_words(decision, reached)}{_rests(decision)}"
    if not decision.is_sure:
        return f"{words}, {needed}."
    if decision.low is None or decision.high is None:
        return f"{words}, without an interval; {needed}."
    ends = (score_near_bound(end, decision.threshold) for end in (decision.low, decision.high))
    low, high = (f"{end}{sign}" for end in ends)
    return (
        f"{words}, {_limits(decision)} {low} to {high} from {_cases(decision)}; "
        f"{needed}.{_more_cases_note(decision)}"
    )


def _reached_words(decision: Decision, reached: str) -> str:
    """A value with the name of what has it: the figure, or the metric of checks."""
    if decision.metric:
        return f"{reached} in the metric {decision.metric}"
    return f"{_with_article(decision.figure)} of {reached}"


def _noun(decision: Decision) -> str:
    metric = decision.metric
    return f"value of the metric {metric}" if metric else WORDS[decision.figure].noun


def gate_sentences(decided: GateResult) -> list[str]:
    """Return the gate's decisions on models that do not pass, or on all if certainty is required.

    If all pass, the requirement comes first.
    """
    made, gate = decided.decisions, decided.gate
    said = []
    if made and decided.verdict is GateVerdict.PASSED:
        asked = _requirement(made[0], gate.threshold)
        said.append(f"Threshold met by all {decided.noun}s: {asked}.")
    shown = (one for one in made if gate.is_sure or one.verdict is not GateVerdict.PASSED)
    return [*said, *map(decision_words, shown)]


def _requirement(decision: Decision, threshold: float) -> str:
    if not decision.metric:
        return threshold_words(threshold, decision.figure)
    scale = " of 100" if WORDS[decision.figure].unit else "%"
    return f"at least {score_points(threshold)}{scale} in the metric {decision.metric}"


def _rests(decision: Decision) -> str:
    """From how many trials the mean is, where that is not all of them."""
    if not decision.is_partial:
        return ""
    return f" from {decision.n_scored:,} of {count(decision.n_trials, 'trial')}"


def _limits(decision: Decision) -> str:
    """Limits at an effective n are not exact."""
    return "95% limits" if decision.is_discounted else "exact 95% limits"


def _cases(decision: Decision) -> str:
    """From how many cases the limits are, and how many they were computed with."""
    cases, size = count(decision.n_cases, "case"), decision.n_effective
    if size is None or not decision.is_discounted:
        return cases
    return f"{cases} at an effective n of {size:.1f}, by weights and groups"


def _more_cases_note(decision: Decision) -> str:
    if decision.verdict is not GateVerdict.UNDECIDED:
        return ""
    if decision.more_cases is None:
        return " No number of cases with such scores would decide the gate."
    if decision.more_cases > _REALISTIC * decision.n_cases:
        noun = _noun(decision)
        return (
            f" The {noun} is too close to the threshold to decide the gate with a realistic number "
            "of cases."
        )
    return (
        f" To decide the gate, you need about {count(decision.more_cases, 'more case')} like these."
    )
