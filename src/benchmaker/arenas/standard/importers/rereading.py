"""Reading imported answers again: does the answer give the key?"""

import re
from functools import cache
from typing import Any

from msgspec.structs import replace

from benchmaker.errors import SpecError, TrialError
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Scorer
from benchmaker.scoring.build import build
from benchmaker.spec import Case, ScorerSpec, profile

_NUMBER = re.compile(r"[-+]?\$?\d[\d,]*(?:\.\d+)?%?")
_MOST_WORDS = 5
_MARK = "####"
"""Stands before the answer in the keys of GSM8K."""


def reread(case: Case, trial: Trial, rest: dict[str, Any], tool: str) -> float | None:
    """Return 1 if the answer gives the key, 0 if it gives another; None if that is not certain.

    Letters of options and numbers are extracted by the rules of robust/1, and both answers are
    certain. Of short texts only a match is. Long keys, and cases whose score depends on other
    checks, are not read.
    """
    if trial.completion is None or not _is_about_key(case, rest, tool):
        return None
    if case.choices:
        return None if tool == "lm_eval" else _certain(_score_by("choice", case, trial))
    keys = bare_keys(case)
    plain = case.model_copy(update={"expected": keys[0], "also_expected": keys[1:]})
    if all(_NUMBER.fullmatch(one) for one in keys):
        return _certain(_score_by("numeric", plain, trial))
    if all(len(one.split()) <= _MOST_WORDS for one in keys):
        score = _score_by("exact", plain, trial)
        return 1.0 if score is not None and score.score == 1 else None
    return None


def bare_keys(case: Case) -> tuple[str, ...]:
    """Return the keys of a case, without the solution before the mark of GSM8K."""
    return tuple(one.rpartition(_MARK)[2].strip() for one in case.expectations)


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
    return build(ScorerSpec(id=name), profile("robust"))
