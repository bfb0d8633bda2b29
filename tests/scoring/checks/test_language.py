"""The language check: its codes and its contract."""

import asyncio
from functools import partial

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from benchmaker.scoring.build import faults
from benchmaker.scoring.checks.language import _CODES, _MAJOR, Language, language_probabilities
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

ENGLISH = "I would like a cup of coffee, please."


def test_the_codes_are_those_of_the_model_with_two_letters():
    labels = LanguageIdentifier.from_model_file(MODEL_FILE).labels
    assert {label for label in labels if len(label) == 2} == _CODES
    assert len(_CODES) == 114


@pytest.mark.parametrize("code", ["en", "EN", "en-GB", "en_US", " en "])
def test_region_and_case_of_a_code_are_ignored(code):
    score = asyncio.run(Language(value=(code,)).score(a_case(), a_trial(text=ENGLISH)))
    assert score.score == 1.0
    assert Language(value=(code,)).faults() == []


@pytest.mark.parametrize("code", ["english", "xx", "eng", ""])
def test_an_unknown_code_is_a_fault(code):
    assert Language(value=("en", code)).faults()[0].path == ("value", 1)
    assert "is no known ISO 639-1 code" in Language().check(a_case(expected=code))[0]


def test_a_code_that_yaml_reads_as_a_boolean_is_a_fault():
    assert faults(ScorerSpec(id="language", value=False), profile("robust")) == []
    assert "'false' is no known ISO 639-1 code" in Language(value=("false",)).faults()[0].message


def test_a_text_without_letters_has_no_language():
    assert language_probabilities("42 + 1 = 43!", ()) == {}


def test_the_probabilities_sum_to_1_over_the_common_and_the_wanted_languages():
    likely = language_probabilities(ENGLISH, {"oc"})
    assert sum(likely.values()) == pytest.approx(1, abs=0.01)
    assert likely.keys() == _MAJOR - {"nn"} | {"oc"}
    assert _MAJOR < _CODES


SHORT = {
    "en": "I don't know.",
    "de": "Ich weiß es nicht.",
    "fr": "Je ne sais pas.",
    "es": "La respuesta es París.",
    "it": "La risposta è Parigi.",
    "pt": "A resposta é Paris.",
    "nl": "Ik weet het niet.",
    "sv": "Jag vet inte.",
    "pl": "Nie wiem.",
    "cs": "Odpověď je Paříž.",
    "tr": "Cevabın Paris olduğunu düşünüyorum.",  # noqa: RUF001  Turkish
    "fi": "Vastaus on Pariisi.",
    "hu": "A válasz Párizs, azt hiszem.",
    "ro": "Nu știu.",
    "ru": "Ответ — Париж.",
    "ja": "わかりません。",
    "zh": "我不知道。",
    "ko": "모르겠습니다.",
    "ar": "لا أعرف.",
    "el": "Δεν ξέρω.",
    "eu": "Ez dakit, baina erantzuna Paris dela uste dut.",
}


@pytest.mark.parametrize("code", SHORT)
def test_a_short_sentence_is_right_in_its_language_alone(code):
    scores = {
        other: asyncio.run(Language(value=(other,)).score(a_case(), a_trial(text=SHORT[code])))
        for other in SHORT
    }
    assert scores[code].score == 1.0
    assert {it.score for other, it in scores.items() if other != code} <= {0.0, None}


def test_a_text_that_may_be_of_either_language_is_undecided():
    either = a_trial(text="Я не знаю.")  # Russian and Ukrainian alike
    assert asyncio.run(Language(value=("ru",)).score(a_case(), either)).score is None
    assert asyncio.run(Language(value=("de",)).score(a_case(), either)).score == 0.0


def test_the_language_is_explained():
    score = asyncio.run(Language(value=("fr", "de")).score(a_case(), a_trial(text=ENGLISH)))
    assert Language().explain(score) == [
        "most likely language en, probability 1",
        "expected fr or de, probability 0: 0",
    ]
    score = asyncio.run(Language(value=("fr",)).score(a_case(), a_trial(text="42")))
    assert score.notes == "the language of the answer is unclear"
    assert Language().explain(score)[-1] == "expected fr, probability 0: unscored"


class TestLanguage(ScorerContract):
    scorer = partial(Language, value=("en",))
    examples = (
        Example(ENGLISH, score=1.0),
        Example("Ich hätte gern einen Kaffee, bitte.", score=0.0),
        Example("42", score=None),
    )
