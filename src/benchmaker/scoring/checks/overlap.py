"""Checks by the overlap of the answer with a reference text."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.checks.overlap_measures import Overlap, bleu, chrf, f1, rouge_l, rouge_n
from benchmaker.scoring.checks.values import (
    Texts,
    case_faults,
    require_length,
    texts_of,
)
from benchmaker.scoring.excerpts import shorten
from benchmaker.spec import Case

_Measure = Callable[[str, str], Overlap]


@dataclass(frozen=True, slots=True)
class _OverlapCheck:
    """The parameters and the comparison that these checks share."""

    value: Texts = ()

    check_needs: ClassVar = ("value",)
    default_threshold: ClassVar = 0.5

    def check(self, case: Case) -> list[str]:
        """Report a missing expected text where ``value`` is not set."""
        name: str = type(self).id  # type: ignore[attr-defined]  # set by @scorer
        return case_faults(name, self.value, case)

    def explain(self, score: Score) -> list[str]:
        """The precision, the recall and their combined value."""
        detail = score.detail
        return [
            f"against {detail['text']!r}",
            f"precision {detail['precision']:.6g}, recall {detail['recall']:.6g}",
            f"score = {score.score:.6g}",
        ]

    def _best(self, case: Case, trial: Trial, measure: _Measure) -> Score:
        """The score against the closest of the texts."""
        require_length(trial.text)
        compared = [(measure(trial.text, text), text) for text in texts_of(self.value, case)]
        best, text = max(compared, key=lambda it: it[0].value)
        detail = {"text": shorten(text), "precision": best.precision, "recall": best.recall}
        notes = f"overlap {best.value:.3g}"
        return Score.of(min(1.0, best.value), confidence=1.0, notes=notes, detail=detail)


@scorer
@dataclass(frozen=True, slots=True)
class F1(_OverlapCheck):
    """The F1 of the words that the answer shares with the text, as SQuAD computes it.

    Words are compared in lower case without punctuation and English articles. Of several texts the
    closest counts. The text is ``value``, or else the case's ``expected``.

    Source: the evaluation script of SQuAD (Rajpurkar et al. 2016).

    Example:
        ``scorer: {id: f1, value: the Eiffel Tower}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> F1(value=("a cat",)).score(a_case(), a_trial(text="The cat!")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """The F1 against the closest text; precision and recall are in ``detail``."""
        return self._best(case, trial, f1)


@scorer(id="rouge_1")
@dataclass(frozen=True, slots=True)
class Rouge1(_OverlapCheck):
    """ROUGE-1: the F1 of the words that the answer shares with the text.

    Words are runs of letters with their marks, and digits, in lower case, without stemming. Of
    several texts the closest counts. The text is ``value``, or else the case's ``expected``.

    Source: C.-Y. Lin, ROUGE (2004), as the package rouge-score computes it for ASCII text. That
    package drops all other letters, so that its values differ for texts such as "café" and "東京".

    Example:
        ``scorer: {id: rouge_1, value: "The cat sat on the mat."}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Rouge1(value=("the cat sat",)).score(a_case(), a_trial(text="The cat ran.")).notes
        'overlap 0.667'
    """

    default_threshold: ClassVar = 0.75

    def score(self, case: Case, trial: Trial) -> Score:
        """The F1 against the closest text; precision and recall are in ``detail``."""
        return self._best(case, trial, lambda one, other: rouge_n(one, other, 1))


@scorer(id="rouge_2")
@dataclass(frozen=True, slots=True)
class Rouge2(_OverlapCheck):
    """ROUGE-2: the F1 of the pairs of neighbouring words that the answer shares with the text.

    Words and several texts as for ``rouge_1``.

    Source: C.-Y. Lin, ROUGE (2004), as the package rouge-score computes it for ASCII text. That
    package drops all other letters, so that its values differ for texts such as "café" and "東京".

    Example:
        ``scorer: {id: rouge_2, value: "The cat sat on the mat."}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Rouge2(value=("the cat sat",)).score(a_case(), a_trial(text="The cat ran.")).score
        0.5
    """

    default_threshold: ClassVar = 0.75

    def score(self, case: Case, trial: Trial) -> Score:
        """The F1 against the closest text; precision and recall are in ``detail``."""
        return self._best(case, trial, lambda one, other: rouge_n(one, other, 2))


@scorer(id="rouge_l")
@dataclass(frozen=True, slots=True)
class RougeL(_OverlapCheck):
    """ROUGE-L: the F1 of the longest common subsequence of words of the answer and the text.

    Words and several texts as for ``rouge_1``. The answer counts as one sentence.

    Source: C.-Y. Lin, ROUGE (2004), as the package rouge-score computes it for ASCII text. That
    package drops all other letters, so that its values differ for texts such as "café" and "東京".

    Example:
        ``scorer: {id: rouge_l, value: "The cat sat on the mat."}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> RougeL(value=("a b c d",)).score(a_case(), a_trial(text="a x c d")).score
        0.75
    """

    default_threshold: ClassVar = 0.75

    def score(self, case: Case, trial: Trial) -> Score:
        """The F1 against the closest text; precision and recall are in ``detail``."""
        return self._best(case, trial, rouge_l)


@scorer
@dataclass(frozen=True, slots=True)
class Chrf(_OverlapCheck):
    """ChrF: the F-score of the character n-grams that the answer shares with the text.

    N-grams of 1 to 6 characters, white space removed; recall counts twice as much as precision.
    ``word_order: 2`` adds pairs of words (chrF++). Of several texts the closest counts. The text is
    ``value``, or else the case's ``expected``.

    Source: M. Popović, chrF (2015) and chrF++ (2017), as sacreBLEU computes them for one sentence,
    divided by 100.

    Example:
        ``scorer: {id: chrf, value: "The cat sat on the mat."}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Chrf(value=("the cat",)).score(a_case(), a_trial(text="the cats")).notes
        'overlap 0.933'
    """

    word_order: Literal[0, 1, 2] = 0

    def score(self, case: Case, trial: Trial) -> Score:
        """The F-score against the closest text; precision and recall are in ``detail``."""
        order = self.word_order
        return self._best(case, trial, lambda one, other: chrf(one, other, word_order=order))


@scorer
@dataclass(frozen=True, slots=True)
class Bleu(_OverlapCheck):
    """BLEU: the precision of the n-grams of the answer, times a penalty for short answers.

    N-grams of 1 to 4 tokens, fewer in a shorter answer; tokens as in mteval-v13a; missing n-grams
    are smoothed exponentially. Several texts are references of one translation. They are ``value``,
    or else the case's ``expected``.

    Source: K. Papineni et al., BLEU (2002), as sacreBLEU's ``sentence_bleu`` computes it, divided
    by 100.

    Example:
        ``scorer: {id: bleu, value: "The cat sat on the mat."}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Bleu(value=("The cat sat.",)).score(a_case(), a_trial(text="The cat sat.")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """BLEU; precisions, lengths and the penalty are in ``detail``."""
        require_length(trial.text)
        found = bleu(trial.text, texts_of(self.value, case))
        detail: dict[str, Any] = {
            "precisions": list(found.precisions),
            "brevity_penalty": found.brevity_penalty,
            "length": found.length,
            "reference_length": found.reference_length,
        }
        return Score.of(
            found.value, confidence=1.0, notes=f"overlap {found.value:.3g}", detail=detail
        )

    def explain(self, score: Score) -> list[str]:
        """The precisions, the lengths, the penalty and the product."""
        detail = score.detail
        precisions = ", ".join(f"{it:.6g}" for it in detail["precisions"]) or "none"
        return [
            f"precisions of n-grams: {precisions}",
            f"{detail['length']} tokens, reference {detail['reference_length']}",
            f"brevity penalty {detail['brevity_penalty']:.6g}",
            f"score = {score.score:.6g}",
        ]
