"""The language check: is the answer written in this language?"""

import asyncio
import threading
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.values import Texts, case_faults, texts_of
from benchmaker.spec import Case

_READ = 10_000
"""Characters of the answer that are read."""

_SURE = 0.25
"""The least probability of an identified language; a short text of common words reaches it."""

_CLEAR = 2
"""The ratio of another language's probability to the expected one's from which it decides."""

_SECOND_LETTERS = {
    "a": "fmnrsz",
    "b": "aegnrs",
    "c": "asy",
    "d": "aez",
    "e": "lnostu",
    "f": "aiory",
    "g": "adlu",
    "h": "aeirtuy",
    "i": "dgst",
    "j": "av",
    "k": "akmnouy",
    "l": "abgnotv",
    "m": "gklnrsty",
    "n": "elno",
    "o": "cmr",
    "p": "alst",
    "q": "u",
    "r": "ouw",
    "s": "aeiklnoqrtvw",
    "t": "aeghklrt",
    "u": "gkrz",
    "v": "io",
    "w": "a",
    "x": "h",
    "y": "o",
    "z": "hu",
}
_CODES = frozenset(first + second for first, them in _SECOND_LETTERS.items() for second in them)
"""The languages of the model that have a code of two letters, by ISO 639-1."""

_MAJOR = {
    *("ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he"),
    *("hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "nn", "pl", "pt"),
    *("ro", "ru", "sk", "sl", "sr", "sv", "sw", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh"),
}
"""Languages that are considered besides the expected ones."""

_SAME = {"nb": "no", "nn": "no", "iw": "he", "in": "id", "fil": "tl"}
_LOCK = threading.Lock()


@scorer
@dataclass(frozen=True, slots=True)
class Language:
    """Full marks if the answer is written in the language, or in one of several languages.

    ``value`` is an ISO 639-1 code such as ``de``; a region is ignored (``pt-BR``). Without it the
    case's ``expected`` is the code. The language is chosen among 44 common ones and the expected
    ones. Code, numbers and names have no language: an answer whose language is unclear has no
    score. The first 10,000 characters are read.

    Source: the package py3langid with its model for 114 languages with a code of two letters, after
    M. Lui and T. Baldwin, langid.py (ACL 2012).

    Example:
        ``scorer: {id: language, value: fr}``

        >>> import asyncio
        >>> from benchmaker.testing import a_case, a_trial
        >>> trial = a_trial(text="Je voudrais un café, s'il vous plaît.")
        >>> asyncio.run(Language(value=("fr",)).score(a_case(), trial)).score
        1.0
    """

    value: Texts = ()

    check_needs: ClassVar = ("value",)
    explains_unscored: ClassVar = True

    async def score(self, case: Case, trial: Trial) -> Score:
        """1 or 0, or no score if the language is unclear; the probabilities are in ``detail``."""
        texts = texts_of(self.value, case)
        wanted = {_plain(text) for text in texts}
        likely = await asyncio.to_thread(language_probabilities, trial.text, wanted)
        code, probability = max(likely.items(), key=lambda it: it[1], default=("none", 0.0))
        expected = max((likely.get(it, 0.0) for it in wanted), default=0.0)
        detail = {
            "language": code,
            "probability": probability,
            "wanted": list(texts),
            "wanted_probability": expected,
        }
        is_right = code in wanted
        if probability < _SURE or not (is_right or probability > _CLEAR * expected):
            notes = "the language of the answer is unclear"
            return Score(score=None, notes=notes, detail=detail)
        notes = f"language {code}"
        return Score.of(float(is_right), confidence=probability, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """Codes of no known language."""
        return [
            Objection(("value", at), message)
            for at, text in enumerate(self.value)
            if (message := _code_fault(text))
        ]

    def check(self, case: Case) -> list[str]:
        """Report a missing code, or one of no known language, where ``value`` is not set."""
        missing = case_faults("language", self.value, case)
        return missing or [it for it in map(_code_fault, texts_of(self.value, case)) if it]

    def explain(self, score: Score) -> list[str]:
        """The identified language with its probability, and the expected one."""
        detail = score.detail
        value = "unscored" if score.score is None else f"{score.score:g}"
        expected = " or ".join(detail["wanted"])
        return [
            f"most likely language {detail['language']}, probability {detail['probability']:.3g}",
            f"expected {expected}, probability {detail['wanted_probability']:.3g}: {value}",
        ]


def language_probabilities(text: str, wanted: Collection[str]) -> dict[str, float]:
    """Return the probabilities of the languages of a text, by ISO 639-1 code.

    They are those of the commonest languages and of ``wanted``; none for a text without letters.
    """
    plain = text[:_READ]
    if not any(map(str.isalpha, plain)):
        return {}
    with _LOCK:
        ranked = _identifier().rank(plain)
    likely: dict[str, float] = {}
    for label, probability in ranked:
        code = _plain(label)
        if label in _MAJOR or code in wanted:
            likely[code] = likely.get(code, 0.0) + float(probability)
    total = sum(likely.values())
    return {code: round(value / total, 4) for code, value in likely.items()}


@cache
def _identifier() -> Any:  # noqa: ANN401  LanguageIdentifier, which has no types
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # noqa: PLC0415  loads its model

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    identifier.set_languages(sorted(_CODES))
    return identifier


def _plain(code: str) -> str:
    """The code of the language alone; both written forms of Norwegian are one."""
    language = code.strip().casefold().replace("_", "-").partition("-")[0]
    return _SAME.get(language, language)


def _code_fault(code: str) -> str:
    if _plain(code) in _CODES:
        return ""
    return f"{code!r} is no known ISO 639-1 code, such as en or pt-BR."
