"""F1, BLEU, ROUGE and chrF beside their reference implementations, and as checks."""

import json
import re
import string
import unicodedata
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import ScorerError, SpecError
from benchmaker.scoring.checks.overlap import F1, Bleu, Chrf, Rouge1, Rouge2, RougeL
from benchmaker.scoring.checks.overlap_measures import bleu, chrf, f1, rouge_l, rouge_n
from benchmaker.scoring.checks.values import TEXT_LENGTH
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

TABLE = Path(__file__).with_name("overlap_reference.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
KINDS = {
    "bleu": Bleu,
    "chrf": Chrf,
    "chrf++": partial(Chrf, word_order=2),
    "rouge1": Rouge1,
    "rouge2": Rouge2,
    "rougeL": RougeL,
}
TEXTS = st.lists(st.sampled_from(["the", "a", "cat", "Cat", "sat", "mat.", "42", "ü", "—"])).map(
    " ".join
)


def score_of(kind, row):
    return kind(value=tuple(row["references"])).score(a_case(), a_trial(text=row["answer"])).score


def test_the_table_has_a_thousand_texts_over_the_whole_range():
    assert len(ROWS) == 1000
    for kind in KINDS:
        values = [row[kind] for row in ROWS]
        assert min(values) == 0.0
        assert max(values) > 0.999
        assert len(set(values)) > 150


@pytest.mark.parametrize("kind", KINDS)
def test_a_measure_is_that_of_its_reference_implementation(kind):
    for row in ROWS:
        assert score_of(KINDS[kind], row) == pytest.approx(row[kind], abs=1e-9), row


def squad_f1(answer, truth):
    """The evaluation script of SQuAD 1.1, step by step; without words, SQuAD 2.0's rule."""
    prediction, gold = (
        re.sub(
            r"\b(a|an|the)\b", " ", "".join(c for c in text.lower() if c not in string.punctuation)
        ).split()
        for text in (answer, truth)
    )
    if not prediction or not gold:
        return float(prediction == gold)
    same = sum((Counter(prediction) & Counter(gold)).values())
    if same == 0:
        return 0.0
    precision, recall = same / len(prediction), same / len(gold)
    return 2 * precision * recall / (precision + recall)


def test_f1_is_that_of_squad():
    for row in ROWS:
        expected = max(squad_f1(row["answer"], text) for text in row["references"])
        assert score_of(F1, row) == pytest.approx(expected, abs=1e-12), row


@given(TEXTS, TEXTS)
def test_f1_and_rouge_are_symmetric(one, other):
    for measure in (f1, rouge_l, partial(rouge_n, n=1), partial(rouge_n, n=2)):
        assert measure(one, other).value == pytest.approx(measure(other, one).value)


@given(TEXTS.filter(str.strip), TEXTS)
def test_a_text_agrees_with_itself_beside_any_other_reference(text, other):
    assert bleu(text, [other, text]).value == pytest.approx(1.0)
    assert chrf(text, text).value == pytest.approx(1.0)
    assert f1(text, text).value == 1.0


@given(TEXTS, TEXTS, TEXTS)
def test_another_text_never_lowers_the_score(answer, one, other):
    for kind in (F1, Rouge1, Rouge2, RougeL, Chrf):
        alone = kind(value=(one,)).score(a_case(), a_trial(text=answer)).score
        both = kind(value=(one, other)).score(a_case(), a_trial(text=answer)).score
        assert both >= alone


def test_the_longest_common_subsequence_is_that_of_a_table():
    def length(one, other):
        row = [0] * (len(other) + 1)
        for word in one:
            previous = 0
            for at, it in enumerate(other, 1):
                previous, row[at] = (
                    row[at],
                    previous + 1 if word == it else max(row[at], row[at - 1]),
                )
        return row[-1]

    for row in ROWS[:300]:
        one, other = (
            re.findall(r"[^\W_]+", text.lower()) for text in (row["answer"], row["references"][0])
        )
        shared = length(one, other)
        expected = 2 * shared / (len(one) + len(other)) if shared else 0.0
        assert rouge_l(row["answer"], row["references"][0]).value == pytest.approx(expected)


def words_by_hand(text):
    """Letters, marks and numbers of the composed text, character by character."""
    words, word = [], ""
    for sign in f"{unicodedata.normalize('NFC', text.lower())} ":
        if unicodedata.category(sign)[0] in "LMN":
            word += sign
        elif word:
            words.append(word)
            word = ""
    return words


@pytest.mark.parametrize(
    ("one", "other", "shared", "lengths"),
    [
        ("हिन्दी भाषा", "हिन्दी", 1, (2, 1)),
        ("cafe\u0301 noir", "caf\u00e9", 1, (2, 1)),
        ("ภาษาไทย ดี", "ภาษาไทย", 1, (2, 1)),
        ("\u2764\ufe0f yes", "\u2764\ufe0f no", 0, (1, 1)),
        ("The cat's 2 hats", "cat s hats", 3, (5, 3)),
    ],
)
def test_words_of_rouge_keep_their_marks(one, other, shared, lengths):
    expected = 2 * shared / sum(lengths)
    assert rouge_n(one, other, 1).value == pytest.approx(expected)
    assert rouge_l(one, other).value == pytest.approx(expected)


@given(st.text(st.characters(exclude_categories=["C"]), max_size=40))
def test_words_of_rouge_are_those_found_by_hand(text):
    words = [it for it in words_by_hand(text) if any(map(str.isalnum, it))]
    assert rouge_l(text, " ".join(words)).value == float(bool(words))
    assert rouge_n(text, " ".join(words), 1).value == float(bool(words))


@pytest.mark.parametrize("kind", [F1, Bleu, Chrf, Rouge1, Rouge2, RougeL])
def test_the_expected_texts_of_the_case_stand_for_a_value(kind):
    case = a_case(expected=["Rome", "the city of Paris in France"])
    score = kind().score(case, a_trial(text="the city of Paris in France"))
    assert score.score == pytest.approx(1.0)
    assert kind().check(case) == []
    assert "nothing to compare with" in kind().check(a_case(expected=None))[0]
    with pytest.raises(SpecError, match="no value given"):
        kind().score(a_case(expected=None), a_trial(text="Paris"))


@pytest.mark.parametrize("kind", [F1, Bleu, Chrf, Rouge1, Rouge2, RougeL])
def test_an_answer_of_more_than_a_million_characters_is_an_error(kind):
    with pytest.raises(ScorerError, match="longer than 1,000,000 characters"):
        kind(value=("a",)).score(a_case(), a_trial(text="a" * (TEXT_LENGTH + 1)))


def test_the_default_thresholds_are_declared():
    declared = {
        kind.id: kind.default_threshold for kind in (F1, Bleu, Chrf, Rouge1, Rouge2, RougeL)
    }
    assert declared == {
        "f1": 0.5,
        "bleu": 0.5,
        "chrf": 0.5,
        "rouge_1": 0.75,
        "rouge_2": 0.75,
        "rouge_l": 0.75,
    }


def test_the_arithmetic_is_printed():
    score = F1(value=("the cat sat",)).score(a_case(), a_trial(text="A cat ran off"))
    assert F1().explain(score) == [
        "against 'the cat sat'",
        "precision 0.333333, recall 0.5",
        "score = 0.4",
    ]
    score = Bleu(value=("the cat sat on it",)).score(a_case(), a_trial(text="the cat sat"))
    assert Bleu().explain(score) == [
        "precisions of n-grams: 1, 1, 1",
        "3 tokens, reference 5",
        "brevity penalty 0.513417",
        "score = 0.513417",
    ]


for _kind in (F1, Bleu, Chrf, Rouge1, Rouge2, RougeL):
    globals()[f"Test{_kind.__name__}"] = type(
        f"Test{_kind.__name__}",
        (ScorerContract,),
        {
            "scorer": _kind,
            "examples": (
                Example("It is Paris now", expected="It is Paris now", score=1.0),
                Example("xyz", expected="Quooker", score=0.0),
            ),
            "limit_s": 60.0,
        },
    )
