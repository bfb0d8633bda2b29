"""The decision of a gate in a sentence."""

from benchmaker.analysis.gate import Decision, GateVerdict
from benchmaker.report.numbers import count, told_apart

_VERDICTS = {
    GateVerdict.PASSED: "met",
    GateVerdict.FAILED: "missed",
    GateVerdict.UNDECIDED: "undecided",
}


def threshold_words(threshold: float) -> str:
    """The threshold on the scale of tables.

    >>> threshold_words(0.8)
    'a mean of at least 80 of 100'
    """
    return f"a mean of at least {points(threshold)} of 100"


def points(score: float) -> str:
    """A score from 0 to 1 on the scale of tables, with as many digits as it has.

    >>> points(0.8), points(0.8125), points(1)
    ('80', '81.25', '100')
    """
    return f"{round(score * 100, 10):.12g}"


def decision_words(decision: Decision) -> str:
    """What the gate says of one model, with the figures that it rests on."""
    head = f"Threshold {_VERDICTS[decision.verdict]}: {decision.model}"
    needed = f"{points(decision.threshold)} {'is' if decision.is_sure else 'was'} asked for"
    if decision.mean is None:
        return f"{head} has no mean, at least {needed}."
    words = f"{head} has {told_apart(decision.mean, decision.threshold)}{_rests(decision)}"
    if not decision.is_sure:
        return f"{words}, at least {needed}."
    if decision.low is None or decision.high is None:
        return f"{words}, without limits; at least {needed}."
    low, high = (told_apart(end, decision.threshold) for end in (decision.low, decision.high))
    return (
        f"{words}, exact 95% limits {low} to {high} from {count(decision.n_cases, 'case')}; "
        f"at least {needed}.{_more(decision)}"
    )


def _rests(decision: Decision) -> str:
    """From how many trials the mean is, where that is not all of them."""
    if not decision.is_partial:
        return ""
    return f" from {decision.n_scored:,} of {count(decision.n_trials, 'trial')}"


def _more(decision: Decision) -> str:
    if decision.verdict is not GateVerdict.UNDECIDED:
        return ""
    if decision.more_cases is None:
        return " No number of cases with such scores would decide."
    return f" It takes about {count(decision.more_cases, 'more case')} with such scores to decide."
