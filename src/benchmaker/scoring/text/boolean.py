"""The boolean scorer: expected text in the answer, or the right verdict."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection, auto_pass, best_score, no_answer_score
from benchmaker.scoring.extract.anchors import Kind
from benchmaker.scoring.extract.reading import VerdictReading, read_verdict, read_whole
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
from benchmaker.scoring.extract.verdict import stated_verdict, verdict_word
from benchmaker.scoring.normalise import DEFAULT, StepName, normalise
from benchmaker.scoring.text.containment import lines_of, score_contained_texts
from benchmaker.scoring.words import contains_words
from benchmaker.spec import Case, Family

_SHOWN = 200
_NOTHING_EXPECTED = (
    "boolean needs an expected text, any_of, all_of or not_contains. "
    "For cases without one, set auto_pass: true."
)


@scorer
@dataclass(frozen=True, slots=True)
class Boolean:
    """Full marks if the answer contains the expected text or states the expected verdict, else 0.

    Classic searches for the expected text anywhere in the whole reply, ignoring case.

    Robust compares verdicts if true, false, yes or no is expected, in any of several languages, yes
    being true and no false: the verdict that opens the reply, or else closes it. "Yes and no" is
    not a verdict. Any other expected text is searched as whole words in the text extracted by
    ``extract``, both sides normalised by the list ``normalise``; in addition, at least one of
    ``any_of``, each of ``all_of`` and none of ``not_contains`` must be found. ``verdict: true``
    requires an expected verdict.

    Any one of several expected texts suffices, in both families. Without an expected text the score
    is 1, flagged ``auto_pass``. Under robust, a suite confirms this with ``auto_pass: true``
    unless it has one of the three lists.

    Source: the published method, section 4.4.

    Example:
        ``scorer: {id: boolean, any_of: [Paris, "City of Light"], not_contains: [London]}``
    """

    any_of: tuple[str, ...] = ()
    all_of: tuple[str, ...] = ()
    not_contains: tuple[str, ...] = ()
    verdict: bool = False
    auto_pass: bool = False
    extract: Rules = "auto"
    normalise: tuple[StepName, ...] = DEFAULT
    extract_expected: Rules = "none"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = (
        "any_of",
        "all_of",
        "not_contains",
        "verdict",
        "auto_pass",
        "extract_expected",
    )
    robust_only: ClassVar = (
        "any_of",
        "all_of",
        "not_contains",
        "verdict",
        "auto_pass",
        "extract",
        "normalise",
        "extract_expected",
    )
    earlier: ClassVar = {"robust/1": "benchmaker.scoring.robust_1.boolean:Boolean"}

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected")
        for name in ("any_of", "all_of", "not_contains", "normalise"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        steps(self.extract, "boolean")
        steps(self.extract_expected, "boolean")
        normalise("", self.normalise)
        if "" in (*self.any_of, *self.all_of, *self.not_contains):
            raise SpecError("any_of, all_of and not_contains must not have empty texts.")

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """Return 1 or 0; ``detail`` lists the texts found and missing.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.
        """
        if self.family is Family.CLASSIC:
            texts = case.expectations or ("",)
            return best_score([_score_classic(trial.text, it) for it in texts], texts)
        if has_pattern(self.extract):
            return asyncio.to_thread(self._score_robust, case, trial)
        return self._score_robust(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report a missing expected text, or one without a verdict to compare."""
        if self.family is Family.CLASSIC:
            return []
        if not (self.auto_pass or self._has_lists or any(map(str.strip, case.expectations))):
            return [_NOTHING_EXPECTED]
        try:
            expected = [
                _extract_expected(it, self.extract_expected)
                for it in case.expectations
                if it.strip()
            ]
        except SpecError as exc:
            return [str(exc)]
        unfit = [it for it in expected if self.verdict and verdict_word(it) is None]
        return [_no_verdict(it) for it in unfit]

    def explain(self, score: Score) -> list[str]:
        """Return the lines with the texts searched for, found and missing."""
        if "expects" in score.detail:
            return [extraction_line(score), _verdict_line(score)]
        if "found" not in score.detail:
            return [extraction_line(score), f"{score.notes}: {score.score:g}"]
        return [extraction_line(score), *lines_of(score)]

    @property
    def _has_lists(self) -> bool:
        return bool(self.any_of or self.all_of or self.not_contains)

    def _score_robust(self, case: Case, trial: Trial) -> Score:
        expected = [
            _extract_expected(it, self.extract_expected) for it in case.expectations if it.strip()
        ]
        if not expected and not self._has_lists:
            return auto_pass()
        return best_score(
            [self._score_against(it, trial.text) for it in expected or [""]], expected
        )

    def _score_against(self, expected: str, reply: str) -> Score:
        is_letter = expected.isascii() and len(expected) == 1  # looked for, unless verdict is set
        expects = None if is_letter and not self.verdict else verdict_word(expected)
        if expects is None and self.verdict and expected:
            raise SpecError(_no_verdict(expected))
        if expects is not None and not self._has_lists:
            return self._score_verdict(reply, expects=expects)
        if self.extract == "auto":
            extraction = read_whole(reply)
        else:
            kind: Kind = "exact" if expects is None else "boolean"
            extraction = extract(reply, self.extract, kind=kind)
        if extraction is NOTHING:
            return no_answer_score(extraction)
        score = self._score_texts(normalise(extraction.text, self.normalise), expected)
        return replace(score, extraction=extraction)

    def _score_verdict(self, reply: str, *, expects: bool) -> Score:
        """The verdict of the reply beside the expected one."""
        if self.extract == "auto":
            said = read_verdict(reply)
        else:
            extraction = extract(reply, self.extract, kind="boolean")
            is_anchored = extraction.rule in ANCHORS
            said = VerdictReading(
                stated_verdict(extraction.text, is_anchored=is_anchored).value, extraction
            )
        if said.extraction is NOTHING:
            return no_answer_score(said.extraction)
        return replace(
            _compare_verdicts(says=said.value, expects=expects), extraction=said.extraction
        )

    def _score_texts(self, text: str, expected: str) -> Score:
        """The expected text and the three lists, in a text that is normalised."""
        wanted = (expected,) if expected else ()
        found = [part for part in (*wanted, *self.all_of, *self.any_of) if self._holds(text, part)]
        missing = [part for part in (*wanted, *self.all_of) if part not in found]
        if self.any_of and not any(part in found for part in self.any_of):
            missing += self.any_of
        forbidden = [part for part in self.not_contains if self._holds(text, part)]
        return score_contained_texts(found, missing, forbidden)

    def _holds(self, text: str, part: str) -> bool:
        return contains_words(text, _normalise(part, self.normalise))


@lru_cache(maxsize=1024)
def _normalise(text: str, steps: tuple[str, ...]) -> str:
    """Return the normalised search text; if nothing is left (a mark alone), the text itself."""
    return normalise(text, steps) or text


@lru_cache(maxsize=512)
def _extract_expected(text: str, rules: Rules) -> str:
    extraction = extract(text, rules, kind="boolean")
    if extraction is NOTHING:
        raise SpecError(f"extract_expected found nothing in {text[:_SHOWN]!r}.")
    return extraction.text.strip()


def _no_verdict(expected: str) -> str:
    return f"verdict needs true, false, yes or no as the expected answer, not {expected!r}."


def _score_classic(reply: str, expected: str) -> Score:
    wanted = expected.strip()
    if not wanted:
        return auto_pass()
    is_found = wanted.casefold() in reply.casefold()
    return score_contained_texts([wanted] if is_found else [], [] if is_found else [wanted], [])


def _compare_verdicts(*, says: bool | None, expects: bool) -> Score:
    detail = {"says": says, "expects": expects}
    if says is None:
        return Score.of(
            0.0, confidence=1.0, notes="no verdict", detail=detail, flags=("no_verdict",)
        )
    same = says == expects
    notes = "the expected verdict" if same else "the other verdict"
    return Score.of(float(same), confidence=1.0, notes=notes, detail=detail)


def _verdict_line(score: Score) -> str:
    words = {True: "true", False: "false", None: "none"}
    says, expects = words[score.detail["says"]], words[score.detail["expects"]]
    return f"verdict {says}, expected {expects}: {score.score:g}"
