"""The exact scorer: is this the expected text?"""

import asyncio
import re
from collections.abc import Awaitable
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Extraction, Score, Trial
from benchmaker.scoring.base import Objection, auto_pass, best_score, no_answer_score
from benchmaker.scoring.extract.marks import unwrap
from benchmaker.scoring.extract.rules import (
    NOTHING,
    Rules,
    TextReading,
    answer_text,
    as_rules,
    extract,
    extraction_line,
    has_pattern,
    pattern_faults,
    steps,
)
from benchmaker.scoring.normalise import DEFAULT, StepName, normalise
from benchmaker.scoring.text.ladder import arithmetic, classic_score, graded_score
from benchmaker.spec import Case, Family

_SHOWN = 200
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ]{0,80}[.]?")
_TELLING = re.compile(
    r"(?i:\b(?:answers?|not|no|or|and|never|nor|than|if|while|though|although|but|was|were|are"
    r"|either|neither|cannot|result|conclusion|verdict|output|solution|value|could|may|might|of"
    r"|between|until|called|named|wrong|incorrect|false|mistakes?|errors?|misconception|slip|traps?"
    r"|confusion|myth|fallacy|pitfall|distractor|decoy|herring|doubt\w*|den(?:y|ies|ied)|unlikely"
    r"|impossible|untrue|people|everyone|everybody|few|disagrees?)\b)|\bA\b"
)
_LABELS = frozenset(("answer", "result", "solution"))
"""Words by which a short reply may point to its answer."""


@scorer
@dataclass(frozen=True, slots=True)
class Exact:
    """Full marks for any expected text; robust gives 0 for anything else.

    Robust extracts the answer from the reply by ``extract`` and compares it with the expected text,
    both normalised by the list ``normalise``: 1 if they are equal, else 0. A reply that names two
    candidates or denies the expected one is wrong. ``grades: true`` gives part marks by the ladder
    below, contained text only at word boundaries. ``extract_expected`` extracts the expected text
    from a longer one. Of several expected texts the best counts, in both families.

    Classic compares the whole reply, white space at its ends removed, on the ladder. With r the
    reply, e the expected text, |·| the length in code points, the first match counts: r = e gives
    1; equal ignoring case .95; e inside r max(.60, .95 − .35·x) with x = 1 − |e|/|r|; the same
    ignoring case max(.55, .90 − .35·x); else with the similarity s = 1 − levenshtein/longer length
    .7·s above .5, .4·s above .2, and 0. Case is ignored by case folding, as Unicode defines it: ß
    equals SS.

    No expected text gives 1, flagged ``auto_pass``; a suite confirms this with ``auto_pass: true``.

    Source: the published method, section 4.1.

    Example:
        ``scorer: {id: exact, extract: [answer_is, whole], normalise: [spaces, final_stop]}``
    """

    grades: bool = False
    auto_pass: bool = False
    extract: Rules = "auto"
    normalise: tuple[StepName, ...] = DEFAULT
    extract_expected: Rules = "none"
    family: Family = Family.CLASSIC

    check_needs: ClassVar = ("auto_pass", "extract_expected", "normalise")
    robust_only: ClassVar = ("grades", "extract", "normalise", "extract_expected")
    earlier: ClassVar = {"robust/1": "benchmaker.scoring.robust_1.exact:Exact"}

    def __post_init__(self) -> None:
        as_rules(self, "extract", "extract_expected", "normalise")
        steps(self.extract, "exact")
        steps(self.extract_expected, "exact")
        normalise("", self.normalise)

    def score(self, case: Case, trial: Trial) -> Score | Awaitable[Score]:
        """1 or 0, or by the ladder; every figure of it in ``detail``.

        A pattern in ``extract`` is searched in another thread, and the score is awaited.
        """
        if self.family is Family.CLASSIC:
            return self._score_classic(case, trial)
        if self.extract != "auto" and has_pattern(self.extract):
            return asyncio.to_thread(self._score_robust, case, trial)
        return self._score_robust(case, trial)

    def faults(self) -> list[Objection]:
        """The patterns in ``extract`` and ``extract_expected`` that are none."""
        return pattern_faults(extract=self.extract, extract_expected=self.extract_expected)

    def check(self, case: Case) -> list[str]:
        """Report a missing expected text, or one in which ``extract_expected`` finds nothing."""
        expected = [text for text in case.expectations if text.strip()]
        if not expected and not self.auto_pass:
            return ["exact needs an expected text. For cases without one, set auto_pass: true."]
        if self.family is Family.CLASSIC:
            return []
        try:
            for text in expected:
                _extract_expected(text, self.extract_expected, self.normalise)
        except SpecError as exc:
            return [str(exc)]
        return []

    def explain(self, score: Score) -> list[str]:
        """Return the compared texts, the rung that applied, and its arithmetic."""
        lines = [extraction_line(score)]
        if "reply" in score.detail:
            detail = score.detail
            lines.append(f"normalised: {detail['reply']!r}, expected {detail['expected']!r}")
        return [*lines, *arithmetic(score)]

    def _score_classic(self, case: Case, trial: Trial) -> Score:
        reply = trial.text.strip()
        if not case.also_expected:
            return classic_score(reply, (case.expected or "").strip())
        scores = [classic_score(reply, text.strip()) for text in case.expectations]
        return best_score(scores, case.expectations)

    def _score_robust(self, case: Case, trial: Trial) -> Score:
        expected = case.expected
        if expected is None or not expected.strip():
            return auto_pass()
        if not case.also_expected:
            return self._score_against(expected, trial.text)
        scores = [self._score_against(text, trial.text) for text in case.expectations]
        return best_score(scores, case.expectations)

    def _score_against(self, given: str, reply: str) -> Score:
        """The score against one expected text."""
        expected, wanted = _extract_expected(given, self.extract_expected, self.normalise)
        if self.extract != "auto":
            return self._score_by_rules(reply, expected, wanted)
        if _PLAIN.fullmatch(reply):
            read = self._read_plain(reply, expected, wanted)
        else:
            read = self._read_any(reply, expected, wanted)
        if self.grades:
            return self._score_on_ladder(read, wanted)
        return _make_score(read.is_right, read.extraction, read.why)

    def _read_plain(self, reply: str, expected: str, wanted: str) -> TextReading:
        """Read one short sentence of letters and digits, without the full analysis."""
        whole = normalise(reply, self.normalise)
        if whole == wanted:
            return TextReading(True, Extraction(rule="whole", text=reply))
        if wanted not in whole:
            if " is " not in whole and _LABELS.isdisjoint(whole.split()):
                return TextReading(False, Extraction(rule="whole", text=reply))
        elif whole.endswith(f" is {wanted}") and _TELLING.search(reply) is None:
            return TextReading(True, Extraction(rule="statement", text=expected))
        return self._read_any(reply, expected, wanted)

    def _read_any(self, reply: str, expected: str, wanted: str) -> TextReading:
        said = answer_text(reply)
        if said is None:
            return TextReading(False, NOTHING, "there is no answer")
        forms = (*unwrap(said), *_inside_brackets(said))
        if any(normalise(text, self.normalise) == wanted for text in forms):
            return TextReading(True, Extraction(rule="whole", text=said.strip()))
        from benchmaker.scoring.extract.reading import read_text  # noqa: PLC0415  classic needs none

        read = read_text(reply, expected, ignores_case="casefold" in self.normalise)
        if not read.is_right and _is_same(read.extraction.text, wanted, self.normalise):
            return TextReading(not read.why, read.extraction, read.why)
        return read

    def _score_by_rules(self, reply: str, expected: str, wanted: str) -> Score:
        """Score by the suite's named rules: the extracted text is compared unchanged."""
        extraction = extract(reply, self.extract, kind="exact")
        if extraction is NOTHING:
            return no_answer_score(extraction)
        text = normalise(extraction.text, self.normalise)
        if self.grades:
            return self._score_on_ladder(TextReading(text == wanted, extraction), wanted)
        is_right = text == wanted or (
            extraction.rule == "answer_is"
            and (
                _is_same(extraction.text, wanted, self.normalise)
                or self._holds(extraction.text, expected)
            )
        )
        return _make_score(is_right, extraction, "")

    def _holds(self, text: str, expected: str) -> bool:
        from benchmaker.scoring.extract.statement import answer_holds  # noqa: PLC0415  as above

        return answer_holds(text, expected, ignores_case="casefold" in self.normalise)

    def _score_on_ladder(self, read: TextReading, wanted: str) -> Score:
        """On the ladder; what denies the expected text or names several has no part marks."""
        if read.extraction is NOTHING:
            return no_answer_score(read.extraction)
        if read.why and not read.is_right and not _is_close(read.why):
            return _make_score(False, read.extraction, read.why)
        reply = wanted if read.is_right else normalise(read.extraction.text, self.normalise)
        score = graded_score(reply, wanted)
        if reply != read.extraction.text and score.score is not None:
            score.detail.update(reply=reply[:_SHOWN], expected=wanted[:_SHOWN])
        return replace(score, extraction=read.extraction)


def _is_close(why: str) -> bool:
    """True if nothing in a wrong reply speaks against the expected text."""
    from benchmaker.scoring.extract.claims import SlotUse  # noqa: PLC0415  as above

    return why in {SlotUse.MENTION.value, SlotUse.ABSENT.value}


def _is_same(text: str, wanted: str, steps: tuple[str, ...]) -> bool:
    """True if a text is the wanted one after pairs of marks around it are removed."""
    return any(
        normalise(form, steps) == wanted
        for plain in unwrap(text)
        for inner in ((plain,) if not plain.endswith(".") else (plain, *unwrap(plain[:-1])))
        for form in (inner, *_inside_brackets(inner))
    )


_BRACKETS = re.compile(r"\(([^()\[\]]+)\)|\[([^()\[\]]+)\]")
_OPTION = re.compile(r"\(?([A-Za-z])\)(?:\s+([^\n()]*))?")


def _inside_brackets(text: str) -> tuple[str, ...]:
    """Return the content of brackets around a short text, and the letter before an option.

    >>> _inside_brackets("(Lima)."), _inside_brackets("**B) Paris**"), _inside_brackets("B) or C)")
    (('Lima',), ('B',), ())
    """
    plain = list(unwrap(text.strip().removesuffix(".")))[-1] if len(text) <= _SHOWN else ""
    if found := _BRACKETS.fullmatch(plain):
        return (found[1] or found[2],)
    found = _OPTION.fullmatch(plain)
    return (found[1],) if found and not _TELLING.search(found[2] or "") else ()


@lru_cache(maxsize=512)
def _extract_expected(text: str, rules: Rules, names: tuple[str, ...]) -> tuple[str, str]:
    """The expected text, extracted; and normalised."""
    extraction = extract(text, rules, kind="exact")
    if extraction is NOTHING:
        raise SpecError(f"extract_expected found nothing in {text[:_SHOWN]!r}.")
    return extraction.text.strip(), normalise(extraction.text, names)


def _make_score(is_right: bool, extraction: Extraction, why: str) -> Score:  # noqa: FBT001  a verdict
    if extraction is NOTHING:
        return no_answer_score(extraction)
    rung = "equal" if is_right else "unequal"
    return Score(
        score=1.0 if is_right else 0.0,
        confidence=1.0,
        notes="equal" if is_right else (why or "another answer"),
        detail={"rung": rung},
        extraction=extraction,
    )
