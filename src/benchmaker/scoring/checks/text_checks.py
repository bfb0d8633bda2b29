"""Checks of an answer's text: what it contains, how it begins and ends, what it equals."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from rapidfuzz.distance import Levenshtein as Distance

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.json_values import NotJson, is_same_json, read_json
from benchmaker.scoring.checks.values import (
    UNSET,
    Texts,
    case_faults,
    require_length,
    texts_of,
    value_faults,
)
from benchmaker.scoring.excerpts import shorten
from benchmaker.scoring.text.containment import lines_of, score_contained_texts
from benchmaker.spec import Case

_Fits = Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class _TextCheck:
    """The parameters and the search that these checks share."""

    value: Texts = ()
    ignore_case: bool = False

    check_needs: ClassVar = ("value",)

    def faults(self) -> list[Objection]:
        """The empty texts in ``value``."""
        return value_faults(self.value)

    def check(self, case: Case) -> list[str]:
        """Report a missing or empty expected text where ``value`` is not set."""
        name: str = type(self).id  # type: ignore[attr-defined]  # set by @scorer
        return case_faults(name, self.value, case, empty=False)

    def explain(self, score: Score) -> list[str]:
        """The texts searched for, found and missing."""
        return lines_of(score)

    def _search(self, case: Case, answer: str, fits: _Fits) -> tuple[list[str], list[str]]:
        """The texts that fit the answer, and those that don't."""
        text = self._fold(answer)
        found: list[str] = []
        missing: list[str] = []
        for part in texts_of(self.value, case):
            (found if fits(text, self._fold(part)) else missing).append(part)
        return found, missing

    def _search_any(self, case: Case, answer: str, fits: _Fits) -> Score:
        found, missing = self._search(case, answer, fits)
        return score_contained_texts(found, [] if found else missing, [])

    def _fold(self, text: str) -> str:
        return text.casefold() if self.ignore_case else text


@scorer
@dataclass(frozen=True, slots=True)
class Contains(_TextCheck):
    """Full marks if the answer contains the text, or one of several texts.

    The text is ``value``, or else the case's ``expected``. It is found anywhere in the answer, also
    inside a word; ``boolean`` finds whole words. ``ignore_case: true`` compares by case folding.

    Example:
        ``scorer: {id: contains, value: Paris, ignore_case: true}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Contains(value=("Paris",)).score(a_case(), a_trial(text="It is Paris.")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if one of the texts is in the answer, else 0."""
        return self._search_any(case, trial.text, str.__contains__)


@scorer
@dataclass(frozen=True, slots=True)
class ContainsAny(_TextCheck):
    """Full marks if the answer contains at least one of the texts.

    The texts are ``value``, a list, or else all of the case's ``expected``.

    Example:
        ``scorer: {id: contains_any, value: [Paris, Lutetia]}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> ContainsAny(value=("Rome", "Paris")).score(a_case(), a_trial(text="Paris")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if one of the texts is in the answer, else 0."""
        return self._search_any(case, trial.text, str.__contains__)


@scorer
@dataclass(frozen=True, slots=True)
class ContainsAll(_TextCheck):
    """Full marks if the answer contains each of the texts, in any order.

    The texts are ``value``, a list, or else all of the case's ``expected``.

    Example:
        ``scorer: {id: contains_all, value: [red, green, blue]}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> ContainsAll(value=("red", "blue")).score(a_case(), a_trial(text="only red")).score
        0.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if all texts are in the answer, else 0; the missing ones are in ``detail``."""
        found, missing = self._search(case, trial.text, str.__contains__)
        return score_contained_texts(found, missing, [])


@scorer
@dataclass(frozen=True, slots=True)
class StartsWith(_TextCheck):
    """Full marks if the answer begins with the text, or one of several texts.

    White space before the answer is ignored, unless ``keep_spaces`` is set. The text is ``value``,
    or else the case's ``expected``.

    Example:
        ``scorer: {id: starts_with, value: "Dear "}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> StartsWith(value=("Yes",)).score(a_case(), a_trial(text="Yes, it is.")).score
        1.0
    """

    keep_spaces: bool = False

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if the answer begins with one of the texts, else 0."""
        return self._search_any(case, trial.text, str.startswith if self.keep_spaces else _starts)


@scorer
@dataclass(frozen=True, slots=True)
class EndsWith(_TextCheck):
    """Full marks if the answer ends with the text, or one of several texts.

    White space after the answer is ignored. The text is ``value``, or else the case's ``expected``.

    Example:
        ``scorer: {id: ends_with, value: "</html>"}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> EndsWith(value=("done.",)).score(a_case(), a_trial(text="All done.")).score
        1.0
    """

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if the answer ends with one of the texts, else 0."""
        return self._search_any(case, trial.text, _ends)


@scorer
@dataclass(frozen=True, slots=True)
class Equals:
    """Full marks if the answer equals the value, or one value of a list.

    Texts are compared without the white space at their ends, unless ``keep_spaces`` is set. A
    mapping, a number, a boolean or null is compared as JSON: the answer must be JSON of the same
    value, whatever the order of its keys and its white space. A list within a list is compared as
    JSON too. Without ``value`` the case's
    ``expected`` texts are compared. ``ignore_case`` concerns texts only.

    Example:
        ``scorer: {id: equals, value: {name: Ada, born: 1815}}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Equals({"a": 1, "b": [2]}).score(a_case(), a_trial(text='{"b": [2], "a": 1.0}')).score
        1.0
    """

    value: Any = UNSET
    ignore_case: bool = False
    keep_spaces: bool = False

    check_needs: ClassVar = ("value",)

    def score(self, case: Case, trial: Trial) -> Score:
        """1 if the answer equals one of the values, else 0."""
        values = self._values(case)
        is_equal = any(self._is_equal(trial.text, it) for it in values)
        detail = {"answer": shorten(trial.text.strip()), "values": list(values)}
        notes = "equal" if is_equal else "another answer"
        return Score.of(float(is_equal), confidence=1.0, notes=notes, detail=detail)

    def check(self, case: Case) -> list[str]:
        """Report a missing expected text where ``value`` is not set."""
        return case_faults("equals", () if self.value is UNSET else ("",), case)

    def explain(self, score: Score) -> list[str]:
        """The answer, the values and the result."""
        values = " or ".join(map(repr, score.detail["values"]))
        return [
            f"answer {score.detail['answer']!r}, expected {values}",
            f"{score.notes}: {score.score:g}",
        ]

    def _values(self, case: Case) -> tuple[Any, ...]:
        if self.value is UNSET:
            return texts_of((), case)
        return tuple(self.value) if isinstance(self.value, (list, tuple)) else (self.value,)

    def _is_equal(self, answer: str, value: Any) -> bool:  # noqa: ANN401  JSON
        if isinstance(value, str):
            one, other = (answer, value) if self.keep_spaces else (answer.strip(), value.strip())
            return one.casefold() == other.casefold() if self.ignore_case else one == other
        try:
            return is_same_json(read_json(answer), value)
        except NotJson:
            return False


@scorer
@dataclass(frozen=True, slots=True)
class Levenshtein:
    """The similarity of the answer to the text, 1 − edits / length of the longer one.

    An edit inserts, deletes or replaces one character; white space at the ends is ignored, unless
    ``keep_spaces`` is set. ``max`` is the maximum number of edits to pass; without it, the share
    must reach the threshold. Of several texts the closest counts. The text is ``value``, or else
    the case's ``expected``.

    Source: V. I. Levenshtein, Binary codes capable of correcting deletions, insertions and
    reversals (1966).

    Example:
        ``scorer: {id: levenshtein, value: Reykjavík, max: 2}``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Levenshtein(value=("kitten",)).score(a_case(), a_trial(text="sitting")).detail["edits"]
        3
    """

    value: Texts = ()
    max: int | None = None
    ignore_case: bool = False
    keep_spaces: bool = False

    check_needs: ClassVar = ("value",)
    default_threshold: ClassVar = 0.75

    def score(self, case: Case, trial: Trial) -> Score:
        """The share of the closest text; with ``max``, the verdict is in ``detail["passed"]``."""
        require_length(trial.text)
        answer = self._plain(trial.text)
        compared = [(self._edits(answer, text), text) for text in texts_of(self.value, case)]
        edits, longer, text = min(
            ((edits, longer, text) for (edits, longer), text in compared),
            key=lambda it: (_share(it[0], it[1]) * -1, it[0]),
        )
        detail: dict[str, Any] = {"edits": edits, "longer": longer, "text": shorten(text)}
        if self.max is not None:
            detail |= {"max": self.max, "passed": edits <= self.max}
        notes = f"{edits} edit{'' if edits == 1 else 's'}"
        return Score.of(_share(edits, longer), confidence=1.0, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """A negative ``max``."""
        is_negative = self.max is not None and self.max < 0
        return [Objection(("max",), "max must be at least 0.")] if is_negative else []

    def check(self, case: Case) -> list[str]:
        """Report a missing expected text where ``value`` is not set."""
        return case_faults("levenshtein", self.value, case)

    def explain(self, score: Score) -> list[str]:
        """The edits, the lengths and the share."""
        detail = score.detail
        lines = [f"{score.notes} from {detail['text']!r}"]
        if detail["longer"]:
            lines.append(f"1 − {detail['edits']}/{detail['longer']} = {score.score:g}")
        if "passed" in detail:
            lines.append(f"at most {detail['max']}: {'yes' if detail['passed'] else 'no'}")
        return lines

    def _edits(self, answer: str, text: str) -> tuple[int, int]:
        """The number of edits and the length of the longer text."""
        plain = self._plain(text)
        return Distance.distance(answer, plain), max(len(answer), len(plain))

    def _plain(self, text: str) -> str:
        kept = text if self.keep_spaces else text.strip()
        return kept.casefold() if self.ignore_case else kept


def _share(edits: int, longer: int) -> float:
    return (longer - edits) / longer if longer else 1.0


def _starts(text: str, part: str) -> bool:
    return text.startswith(part) or text.lstrip().startswith(part)


def _ends(text: str, part: str) -> bool:
    return text.endswith(part) or text.rstrip().endswith(part)
