# ruff: noqa: RUF001  the marks of other scripts
"""Checks of an answer's length in words and sentences."""

import re
from dataclasses import dataclass

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.spec import Case

_PARAGRAPH = re.compile(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6})[ \t])")
_LINE_END = re.compile(r"\r\n?|[\u2028\u2029]")
_HEADING = re.compile(
    r"^[ \t]*#{1,6}[ \t].*$|^[ \t]*(?:={2,}|-{2,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE
)
"""Headings, the lines below a heading that mark it as one, and rules between paragraphs."""

_END = re.compile(r"(?:[.!?…]++[\"'”’)\]*_]*+(?=\s|\Z)|[。！？｡]++)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|St|Prof|Sr|Jr|No|Nr|vs|approx|ca|cf|Fig|Eq|Mt|Ft|Gen|Lt|Col"
    r"|e\.g|i\.e|z\.B|d\.h|bzw|U\.S|a\.m|p\.m)|\A\s*\d{1,3})\.\Z"
)
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class _Length:
    """The bounds that both checks share."""

    min: int | None = None
    max: int | None = None

    def faults(self) -> list[Objection]:
        """Missing, negative and contradictory bounds."""
        if self.min is None and self.max is None:
            return [Objection(("min",), "neither min nor max is given. Set at least one of them.")]
        bounds = {"min": self.min, "max": self.max}
        found = [
            Objection((name,), f"{name} must be at least 0.")
            for name, bound in bounds.items()
            if bound is not None and bound < 0
        ]
        if self.min is not None and self.max is not None and self.min > self.max:
            found.append(Objection(("min",), f"min {self.min} is more than max {self.max}."))
        return found

    def explain(self, score: Score) -> list[str]:
        """The count and the bounds."""
        return [f"{score.notes}: {score.score:g}"]

    def _score(self, count: int, noun: str) -> Score:
        is_within = (self.min is None or count >= self.min) and (
            self.max is None or count <= self.max
        )
        notes = f"{count} {noun}{'' if count == 1 else 's'}, {self._bounds()}"
        return Score.of(float(is_within), confidence=1.0, notes=notes, detail={"count": count})

    def _bounds(self) -> str:
        if self.min is None:
            return f"at most {self.max}"
        if self.max is None:
            return f"at least {self.min}"
        return f"{self.min} to {self.max}" if self.min != self.max else f"exactly {self.min}"


@scorer
@dataclass(frozen=True, slots=True)
class WordCount(_Length):
    """Full marks if the number of words lies between ``min`` and ``max``, both included.

    A word is a run of characters without white space, as ``wc -w`` counts them.

    Example:
        ``scorer: {id: word_count, max: 50}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> WordCount(max=3).score(a_case(), a_trial(text="one two  three")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 if the count is within the bounds, else 0."""
        return self._score(len(trial.text.split()), "word")


@scorer
@dataclass(frozen=True, slots=True)
class SentenceCount(_Length):
    """Full marks if the number of sentences lies between ``min`` and ``max``, both included.

    A sentence ends with a full stop, question mark, exclamation mark or ellipsis before white space
    or at the end, not after common abbreviations and initials. Blank lines, headings and items of
    a list end one too. A piece without a letter or digit does not count.

    Example:
        ``scorer: {id: sentence_count, min: 1, max: 3}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> SentenceCount(max=2).score(a_case(), a_trial(text="Dr. Li came. She won.")).detail
        {'count': 2}
    """

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 if the count is within the bounds, else 0."""
        return self._score(count_sentences(trial.text), "sentence")


def count_sentences(text: str) -> int:
    r"""Return the number of sentences.

    >>> count_sentences("Is it 3.5? Yes!\n\n- one\n- two")
    4
    """
    lines = _HEADING.sub(r"\n\g<0>\n", _LINE_END.sub("\n", text))
    return sum(map(_count_in_paragraph, _PARAGRAPH.split(lines)))


def _count_in_paragraph(text: str) -> int:
    count = start = 0
    for end in _END.finditer(text):
        if _ABBREVIATION.search(text[max(start, end.end() - 12) : end.end()]):
            continue
        count += bool(_WORD.search(text, start, end.end()))
        start = end.end()
    return count + bool(_WORD.search(text, start))
