"""The choice scorer: is this the right option of a multiple-choice question?"""

import asyncio
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection, no_answer_score
from benchmaker.scoring.extract.letter import stated_choice
from benchmaker.scoring.extract.options import LETTERS
from benchmaker.scoring.extract.reading import ChoiceReading, read_choice
from benchmaker.scoring.extract.rules import (
    ANCHORS,
    NOTHING,
    Rules,
    as_rules,
    extract,
    extraction_line,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.normalise import normalise
from benchmaker.spec import Case, Family

_LETTERED = re.compile(r"\(?([A-Za-z])[).:]\s*(.*)", re.DOTALL)


@scorer
@dataclass(frozen=True, slots=True)
class Choice:
    """Full marks for the right option, named by its letter, its text or both; else 0.

    The options are listed in the case's key ``choices`` (or the scorer's, for all cases): their
    texts (``[Paris, Rome]``, the first is A), their letters (``[A, B, C, D]``), or both
    (``["A) Paris", "B) Rome"]``). ``expected`` is a letter or a text; any one of several suffices.

    The last letter that denotes an option counts: ``(B)``, ``B)``, ``B.``, ``Option B``, ``B)
    Rome``; a repeated list of the options is not a statement. A reply that names two options, or
    denies the right one, is wrong. Both families score alike.

    Example:
        ``scorer: choice`` with the case ``{prompt: …, choices: [Paris, Rome], expected: B}``
    """

    choices: tuple[str, ...] = ()
    extract: Rules = "auto"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("choices",)

    def __post_init__(self) -> None:
        as_rules(self, "extract", "choices")
        steps(self.extract, "choice")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """1 or 0; the options that were named and the expected ones in ``detail``.

        Raises:
            SpecError: no option is expected, or one that there is not.
        """
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score, case, trial)
        return self._score(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` that are none."""
        return pattern_faults(extract=self.extract)

    def check(self, case: Case) -> list[str]:
        """Report a missing expected option, or one that does not exist."""
        try:
            self._expected_letters(case)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """The options that the reply names, and the expected one."""
        if "says" not in score.detail:
            return [extraction_line(score), f"{score.notes}: {score.score:g}"]
        says = " and ".join(score.detail["says"]) or "none"
        expects = " or ".join(score.detail["expects"])
        return [extraction_line(score), f"option {says}, expected {expects}: {score.score:g}"]

    def _score(self, case: Case, trial: Trial) -> Score:
        expects = self._expected_letters(case)
        picked = self._read_choice(trial.text, option_texts(case.choices or self.choices))
        if picked.extraction is NOTHING:
            return no_answer_score(picked.extraction)
        is_right = len(picked.letters) == 1 and picked.letters[0] in expects
        notes = "the expected option" if is_right else _mismatch_reason(picked.letters)
        detail = {"says": list(picked.letters), "expects": list(expects)}
        score = Score.of(float(is_right), confidence=1.0, notes=notes, detail=detail)
        return replace(score, extraction=picked.extraction)

    def _read_choice(self, reply: str, texts: Sequence[str]) -> ChoiceReading:
        if self.extract == "auto":
            return read_choice(reply, texts)
        extraction = extract(reply, self.extract, kind="choice")
        at = stated_choice(extraction.text, texts, is_anchored=extraction.rule in ANCHORS)
        return ChoiceReading(at.letters, extraction)

    def _expected_letters(self, case: Case) -> tuple[str, ...]:
        choices = case.choices or self.choices
        expected = [text for text in case.expectations if text.strip()]
        if not expected:
            raise SpecError("choice needs an expected option, but the case expects nothing.")
        return tuple(_letter(text, choices) for text in expected)


def _mismatch_reason(letters: tuple[str, ...]) -> str:
    if not letters:
        return "no option is chosen"
    return "another option" if len(letters) == 1 else "it names several options"


@lru_cache(maxsize=1024)
def option_texts(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of options without their letters; empty ones for letters alone.

    >>> option_texts(("A) Paris", "B) Rome")), option_texts(("A", "B"))
    (('Paris', 'Rome'), ('', ''))
    """
    if all(
        len(text.strip()) == 1 and text.strip().upper() == letter
        for text, letter in zip(choices, LETTERS, strict=False)
    ):
        return ("",) * len(choices)
    found = [_LETTERED.fullmatch(text.strip()) for text in choices]
    if all(
        it is not None and it[1].upper() == letter
        for it, letter in zip(found, LETTERS, strict=False)
    ):
        return tuple(it[2].strip() for it in found if it is not None)
    return choices


@lru_cache(maxsize=1024)
def _letter(expected: str, choices: tuple[str, ...]) -> str:
    """The letter of the expected option, which is given by letter, text or both."""
    texts = option_texts(choices)
    number = len(choices) or len(LETTERS)
    plain = expected.strip().strip("().: ").upper()
    same = [
        LETTERS[index]
        for index, text in enumerate(texts)
        if text and normalise(text) == normalise(expected)
    ]
    if len(same) == 1 and not (len(plain) == 1 and plain in LETTERS[:number]):
        return same[0]
    lettered = _LETTERED.fullmatch(expected.strip())
    letter = plain if len(plain) == 1 else lettered[1].upper() if lettered else ""
    if letter and letter in LETTERS[:number]:
        return letter
    shown = ", ".join(LETTERS[:number])
    raise SpecError(
        f"choice expects {expected!r}, which is not one of the options.",
        hint=f"Give a letter ({shown}) or the text of an option.",
    )
