"""A check without a verdict, in place of one that could not be carried over."""

from dataclasses import dataclass
from typing import ClassVar

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.spec import Case


@scorer
@dataclass(frozen=True, slots=True)
class NoVerdict:
    """No score for any answer: a place for a check that this program does not carry out.

    A case with such a check is unscored, with ``reason``. ``benchmaker convert`` writes it where a
    check of another tool is not carried over, so that no answer passes without it. Replace it, or
    set its weight to 0 to do without the check.

    Example:
        ``checks: [{type: no_verdict, reason: the Ruby function of the original is not run}]``

        >>> from benchmaker.testing import a_case, a_trial
        >>> NoVerdict("not carried over").score(a_case(), a_trial(text="42")).score is None
        True
    """

    reason: str

    explains_unscored: ClassVar = True

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """Return a missing score with the reason."""
        return Score.unscored(self.reason)
