"""Reading imported answers again: does the answer give the key?"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from msgspec.structs import replace

from benchmaker.errors import SpecError, TrialError
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Scorer
from benchmaker.scoring.build import build
from benchmaker.scoring.extract.rules import ANCHORS
from benchmaker.spec import Case, ScorerSpec, profile

_NUMBER = re.compile(r"[-+]?\$?\d[\d,]*(?:\.\d+)?%?")
_LETTER = re.compile(r"\(?([A-J])[).:]?")
"""A key that is the letter of an option."""

_OPTION = re.compile(r"(?:(?<=\s)|^)\(?([A-J])[).:](?=\s)", re.MULTILINE)
"""The letter before an option in the text of a question."""

_COMPARES_TEXTS = re.compile(r"match|exact|includes|equals|contains", re.IGNORECASE)
"""Names of tools' scorers for which an answer without the key is never right."""

_MOST_WORDS = 5
_FEWEST_LETTERS = 4
_MOST_KEYS, _CASES_OF_KEY = 6, 2
"""Different keys, at most, of questions with a closed set of answers, and cases of each."""

_EXACT = 1e-9
"""The relative difference of numbers that arithmetic, not the answer, makes."""

_SURE = frozenset((*ANCHORS, "whole"))
"""Where a letter stands that answers a question without known options."""

_MARK = "####"
"""Stands before the answer in the keys of GSM8K."""


@dataclass(frozen=True, slots=True)
class Rereading:
    """Reads the answers of an evaluation again, and compares them with the keys.

    ``answers`` are the keys of a closed set, such as yes and no, folded; ``letters`` those of
    options that no question lists. Both are empty if the keys are of another kind.
    """

    tool: str
    answers: tuple[str, ...] = ()
    letters: str = ""

    def read(
        self, case: Case, trial: Trial, rest: dict[str, Any], scorer: str | None
    ) -> float | None:
        """Return 1 if the answer gives the key, 0 if it gives another; None if not certain.

        Answers are extracted by the rules of robust. Letters of options are compared where the
        case or its question lists the options, or all keys are letters. Numbers are compared
        exactly; one that is the other rounded is not certain. Of short texts a match is certain.
        Another answer is if it is another key of a closed set, or if the tool compares texts and
        the answer does not hold the key. Long keys, and cases whose score depends on other checks,
        are not read.
        """
        if trial.completion is None or not _is_about_key(case, rest, self.tool):
            return None
        if case.choices:
            return None if self.tool == "lm_eval" else _certain(_score_by("choice", case, trial))
        keys = bare_keys(case)
        plain = case.model_copy(update={"expected": keys[0], "also_expected": keys[1:]})
        if all(_NUMBER.fullmatch(one) for one in keys):
            return _read_number(plain, trial)
        if any(len(one.split()) > _MOST_WORDS for one in keys):
            return None
        read = self._read_letter(plain, trial)
        return self._read_text(plain, trial, scorer or "") if read is None else read

    def _read_letter(self, case: Case, trial: Trial) -> float | None:
        """The comparison of letters; None if the key is none, or nothing is certain."""
        found = [_LETTER.fullmatch(one) for one in case.expectations]
        keys = {it[1] for it in found if it}
        listed = _listed_letters(_question(case)) or self.letters
        if None in found or not keys <= set(listed):
            return None
        score = _score_by("choice", case.model_copy(update={"choices": tuple(listed)}), trial)
        is_sure = score is not None and score.extraction and score.extraction.rule in _SURE
        return _certain(score) if is_sure or listed != self.letters else None

    def _read_text(self, case: Case, trial: Trial, scorer: str) -> float | None:
        score = _score_by("exact", case, trial)
        if score is None or score.score == 1:
            return score.score if score else None
        if _holds_any(trial.text, case.expectations):
            return None
        if self.answers:
            return 0.0 if self._gives_other_key(case, trial) else None
        is_other = _COMPARES_TEXTS.search(scorer) and _is_in_words(case.expectations, trial.text)
        return 0.0 if is_other else None

    def _gives_other_key(self, case: Case, trial: Trial) -> bool:
        own = set(map(_fold, case.expectations))
        others = [
            case.model_copy(update={"expected": one, "also_expected": ()})
            for one in self.answers
            if _fold(one) not in own
        ]
        scores = [_score_by("exact", one, trial) for one in others]
        return sum(it is not None and it.score == 1 for it in scores) == 1


def make_rereading(cases: Iterable[Case], tool: str) -> Rereading:
    """Return the reading of the answers to these cases, which are all of an evaluation."""
    keys = [bare_keys(case) for case in cases if case.expectations and not case.choices]
    single = Counter(own[0] for own in keys if len(own) == 1)
    if not single or sum(single.values()) < len(keys):
        return Rereading(tool)
    found = [_LETTER.fullmatch(key) for key in single]
    if all(found) and len(single) > 1:
        last = max("D", *(it[1] for it in found if it))
        return Rereading(tool, letters="ABCDEFGHIJ"[: ord(last) - ord("A") + 1])
    is_closed = 1 < len(single) <= _MOST_KEYS and min(single.values()) >= _CASES_OF_KEY
    return Rereading(tool, answers=tuple(single) if is_closed else ())


def bare_keys(case: Case) -> tuple[str, ...]:
    """Return the keys of a case, without the solution before the mark of GSM8K."""
    return tuple(one.rpartition(_MARK)[2].strip() for one in case.expectations)


def _question(case: Case) -> str:
    return "\n".join(turn.content for turn in case.messages) or case.prompt or ""


def _listed_letters(question: str) -> str:
    """The letters from A of the last list of two options or more in a question.

    >>> _listed_letters("A cat, or what? A) 1 B) 2 C) 3"), _listed_letters("Q: Why? A: So.")
    ('ABC', '')
    """
    runs = [""]
    for it in _OPTION.finditer(question):
        if it[1] == "A":
            runs.append("A")
        elif runs[-1] and ord(it[1]) == ord(runs[-1][-1]) + 1:
            runs[-1] += it[1]
    return next((run for run in reversed(runs) if len(run) > 1), "")


def _read_number(case: Case, trial: Trial) -> float | None:
    score = _score_by("numeric", case, trial)
    read = _certain(score)
    if score is None or read != 0 or "found" not in score.detail:
        return read
    found, expected = score.detail["found"], score.detail["expected"]
    return None if _is_rounding(found, expected) or _is_tolerated(trial, found, expected) else read


def _is_tolerated(trial: Trial, found: Any, expected: Any) -> bool:  # noqa: ANN401  as below
    """True if our own scorer accepts a number by the tolerance of its suite."""
    chosen = trial.score.detail if trial.score else {}
    if isinstance(found, str) or isinstance(expected, str):
        return False
    allowed = max(chosen.get("tolerance", 0.0) * abs(expected), chosen.get("absolute", 0.0))
    return bool(abs(found - expected) <= allowed)


def _is_rounding(found: Any, expected: Any) -> bool:  # noqa: ANN401  a number, or text beyond them
    """True if a number is another one rounded; whole keys are exact.

    >>> _is_rounding(3.14, 3.14159), _is_rounding(101.5, 100.5), _is_rounding(10.4, 10)
    (True, False, False)
    """
    if isinstance(found, str) or isinstance(expected, str) or float(expected).is_integer():
        return False
    decimals = min(_decimals(found), _decimals(expected))
    return bool(abs(found - expected) <= (0.5 + _EXACT) * 10.0**-decimals)


def _decimals(value: float) -> int:
    return 0 if float(value).is_integer() else len(f"{value:.12f}".rstrip("0").partition(".")[2])


def _fold(text: str) -> str:
    """The letters and digits of a text, without case and accents."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return "".join(it for it in plain if it.isalnum())


def _is_in_words(keys: Iterable[str], text: str) -> bool:
    """True for an answer that is no short form of the keys, and no number for a word."""
    has_number = any(map(str.isdigit, text))
    return bool(text.strip()) and all(
        len(_fold(key)) >= _FEWEST_LETTERS and (not has_number or any(map(str.isdigit, key)))
        for key in keys
    )


def _holds_any(text: str, keys: Iterable[str]) -> bool:
    """True if a key occurs in a text; one without letters and digits occurs everywhere."""
    folded = _fold(text)
    return any(_fold(key) in folded for key in keys)


def _is_about_key(case: Case, rest: dict[str, Any], tool: str) -> bool:
    """True if the case has a key and nothing else decides on the score."""
    if not case.expectations:
        return False
    checks = (rest.get("testCase") or {}).get("assert") or []
    return tool != "promptfoo" or len(checks) == 1


def _certain(score: Score | None) -> float | None:
    """1 or 0 if something was extracted; a score between is uncertain."""
    if score is None or score.score is None or score.extraction is None:
        return None
    if score.score == 1:
        return 1.0
    is_other = score.extraction.rule != "nothing" and bool(score.extraction.text.strip())
    return 0.0 if is_other else None


def _score_by(name: str, case: Case, trial: Trial) -> Score | None:
    try:
        found = _scorer(name).score(case, replace(trial, score=None))
    except (SpecError, TrialError):
        return None
    return found if isinstance(found, Score) else None


@cache
def _scorer(name: str) -> Scorer:
    exact = {"tolerance": _EXACT} if name == "numeric" else {}
    return build(ScorerSpec(id=name, **exact), profile("robust"))
