"""The choice scorer: is this the right option of a multiple-choice question?"""

import asyncio
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.record.score import BY_GENERATED, BY_LIKELIHOOD, Extraction
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
from benchmaker.scoring.text.letter_likelihood import (
    LetterProbabilities,
    bare_forms_of,
    forms_of,
    letter_probabilities,
)
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

    ``by: likelihood`` takes the option whose letter has the highest probability at the first token
    of the answer instead, as MMLU's original evaluation does. It needs log probabilities, which are
    requested if ``logprobs`` is not set. An answer without them, or whose alternatives do not
    decide, has no score. ``by: auto`` takes the generated letter for such an answer.

    With ``whole: true``, a generated answer must be exactly one of the listed options, apart from
    spaces around it; any other has no score. A likelihood is then that of the letter alone.
    Converted tasks that compare likelihoods have it.

    Example:
        ``scorer: choice`` with the case ``{prompt: …, choices: [Paris, Rome], expected: B}``
    """

    choices: tuple[str, ...] = ()
    extract: Rules = "auto"
    by: Literal["generated", "likelihood", "auto"] = "generated"
    whole: bool = False
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("choices", "by")
    explains_unscored: ClassVar = True

    @property
    def logprobs(self) -> Literal["unused", "preferred", "required"]:
        """The need for log probabilities of the answer's tokens."""
        match self.by:
            case "generated":
                return "unused"
            case "auto":
                return "preferred"
            case "likelihood":
                return "required"

    def __post_init__(self) -> None:
        as_rules(self, "extract", "choices")
        steps(self.extract, "choice")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """1 or 0; the chosen options and the expected ones in ``detail``.

        Raises:
            SpecError: no option is expected, or one that there is not.
        """
        why = ""
        if self.by != "generated":
            likely = self._likely(case, trial)
            if likely.score is not None or self.by == "likelihood":
                return likely
            why = likely.notes
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score, case, trial, why)
        return self._score(case, trial, why)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` that are none."""
        return pattern_faults(extract=self.extract)

    def check(self, case: Case) -> list[str]:
        """Report missing options, a missing expected option, or one that does not exist."""
        if (self.by != "generated" or self.whole) and not (case.choices or self.choices):
            what = f"by {self.by}" if self.by != "generated" else "with whole"
            return [f"choice {what} needs the options in choices, but the case has none."]
        try:
            self._expected_letters(case)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """The options that the reply names, or their probabilities, and the expected one."""
        if "probabilities" in score.detail:
            return _likelihood_lines(score)
        return [*_fallback_lines(score), *self._generated_lines(score)]

    def _generated_lines(self, score: Score) -> list[str]:
        if score.score is None:
            return [score.notes]
        if "says" not in score.detail:
            return [extraction_line(score), f"{score.notes}: {score.score:g}"]
        says = " and ".join(score.detail["says"]) or "none"
        expects = " or ".join(score.detail["expects"])
        return [extraction_line(score), f"option {says}, expected {expects}: {score.score:g}"]

    def _likely(self, case: Case, trial: Trial) -> Score:
        """The score by the likelihood of the letters; without one the reason is in its notes."""
        expects = self._expected_letters(case)
        tokens = trial.completion.logprobs if trial.completion else ()
        if not tokens:
            return Score.unscored("the answer has no log probabilities")
        letters = LETTERS[: len(case.choices or self.choices)]
        forms = bare_forms_of if self.whole else forms_of
        found = letter_probabilities(tokens, letters, forms)
        if found is None:
            return Score.unscored("no token with log probabilities begins an answer")
        detail = _likelihood_detail(found, expects)
        if found.choice is None:
            return replace(Score.unscored(_undecided_reason(found)), detail=detail)
        is_right = found.choice in expects
        notes = "the expected option" if is_right else "another option"
        flags = (BY_LIKELIHOOD,)
        return Score.of(float(is_right), confidence=1.0, notes=notes, detail=detail, flags=flags)

    def _score(self, case: Case, trial: Trial, why: str = "") -> Score:
        score = self._score_text(case, trial)
        if self.by == "generated":
            return score
        detail = {**score.detail, "by": "generated", "why": why}
        return replace(score, detail=detail, flags=(*score.flags, BY_GENERATED))

    def _score_text(self, case: Case, trial: Trial) -> Score:
        expects = self._expected_letters(case)
        if self.whole:
            return _whole_score(trial.text, case.choices or self.choices, expects)
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


def _whole_score(reply: str, choices: Sequence[str], expects: Sequence[str]) -> Score:
    """The score of an answer that is an option and nothing else; of any other there is none."""
    stated = [
        letter
        for letter, text in zip(LETTERS, choices, strict=False)
        if text.strip() == reply.strip()
    ]
    if not stated:
        return Score.unscored("the answer is none of the options, word for word")
    is_right = stated[0] in expects
    notes = "the expected option" if is_right else "another option"
    detail = {"says": stated[:1], "expects": list(expects)}
    score = Score.of(float(is_right), confidence=1.0, notes=notes, detail=detail)
    return replace(score, extraction=Extraction(text=reply.strip(), rule="whole"))


def _likelihood_detail(found: LetterProbabilities, expects: Sequence[str]) -> dict[str, Any]:
    """The figures by letter; ``at_most`` has the options whose probability is not known exactly."""
    return {
        "says": [found.choice] if found.choice else [],
        "expects": list(expects),
        "by": "likelihood",
        "position": found.position,
        "token": found.token,
        "probabilities": {letter: it.low for letter, it in found.options.items()},
        "at_most": {letter: it.high for letter, it in found.options.items() if it.high > it.low},
    }


def _undecided_reason(found: LetterProbabilities) -> str:
    if not found.has_letters:
        return f"no option's letter is among the alternatives to the token {found.token!r}"
    return "the alternatives do not decide which letter is the likeliest"


def _fallback_lines(score: Score) -> list[str]:
    why = score.detail.get("why")
    return [f"by the generated letter, because {why}"] if why else []


def _likelihood_lines(score: Score) -> list[str]:
    detail = score.detail
    says, expects = " or ".join(detail["says"]) or "none", " or ".join(detail["expects"])
    value = "unscored" if score.score is None else f"{score.score:g}"
    rule = 'each the sum of "A", " A", "(A", " (A", alone or with ".", ")", ":"'
    undecided = [score.notes] if score.score is None else []
    return [
        f"probabilities of the letters at token {detail['position']} ({detail['token']!r}), {rule}",
        *undecided,
        *(_option_line(letter, low, detail) for letter, low in detail["probabilities"].items()),
        f"likeliest option {says}, expected {expects}: {value}",
    ]


def _option_line(letter: str, low: float, detail: dict[str, Any]) -> str:
    high = detail["at_most"].get(letter)
    if high is None:
        return f"  {letter}: {low:.4g}"
    return f"  {letter}: {low:.4g} to {high:.4g}" if low else f"  {letter}: at most {high:.4g}"


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
