import asyncio
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

import benchmaker
from benchmaker.errors import SpecError
from benchmaker.scoring.text.boolean import Boolean
from benchmaker.spec import Family
from benchmaker.testing import Example, ScorerContract, a_case, a_trial

ROBUST = Family.ROBUST
WORD = st.text(alphabet="abcdefgh", min_size=1, max_size=5)


class _Contract(ScorerContract):
    examples = (
        Example("It is true.", expected="true", score=1.0),
        Example("It is false.", expected="true", score=0.0),
    )


class TestBooleanInClassic(_Contract):
    scorer = partial(Boolean, family=Family.CLASSIC)


class TestBooleanInRobust(_Contract):
    scorer = partial(Boolean, family=Family.ROBUST)


def scored(reply, expected=None, family=ROBUST, **parameters):
    scorer = Boolean(family=family, **parameters)
    return scorer.score(a_case(expected=expected), a_trial(text=reply))


def test_a_letter_is_looked_for_unless_a_verdict_is_demanded():
    assert scored("A f", "f", ROBUST).score == 1.0
    assert scored("False.", "f", ROBUST, verdict=True).score == 1.0


@given(reply=st.text(max_size=30), expected=st.text(max_size=5))
def test_classic_is_a_substring_whatever_the_case(reply, expected):
    wanted = expected.strip()
    score = scored(reply, expected, Family.CLASSIC)
    assert score.score == float(wanted.casefold() in reply.casefold())
    assert (score.flags == ("auto_pass",)) == (not wanted)


@given(words=st.lists(WORD, min_size=1, max_size=6), wanted=WORD)
def test_robust_finds_whole_words(words, wanted):
    assert scored(" ".join(words).title(), wanted).score == float(wanted in words)


@given(words=st.lists(WORD, min_size=1, max_size=6), parts=st.lists(WORD, min_size=1, max_size=3))
def test_the_lists_agree_with_sets(words, parts):
    reply, have, want = " ".join(words), set(words), set(parts)
    assert scored(reply, any_of=parts).score == float(bool(have & want))
    assert scored(reply, all_of=parts).score == float(want <= have)
    assert scored(reply, not_contains=parts).score == float(not have & want)
    assert scored(reply, not_contains=parts).score == 1 - scored(reply, any_of=parts).score


@pytest.mark.parametrize(
    ("reply", "expected", "classic", "robust"),
    [
        ("It is Paris.", "paris", 1.0, 1.0),
        ("none of it", "no", 1.0, 0.0),
        ("I know", "no", 1.0, 0.0),
        ("Not Paris. The answer is Rome.", "Paris", 1.0, 0.0),
        ("Not false, but true", "False", 1.0, 0.0),
        ("Yes, it's Paris", "Paris", 1.0, 1.0),
        ("anything", None, 1.0, 1.0),
    ],
)
def test_both_families(reply, expected, classic, robust):
    assert scored(reply, expected, Family.CLASSIC).score == classic
    assert scored(reply, expected).score == robust


@pytest.mark.parametrize(
    ("reply", "expected", "score"),
    [
        ("... not False. So yes", "True", 1.0),
        ("So the answer is No, as yes would be wrong.", "false", 1.0),
        ("yes or no? yes", "no", 0.0),
        ('{"answer": true}', "yes", 1.0),
        ("I can't say", "yes", 0.0),
        ("anything", None, 1.0),
    ],
)
def test_the_final_verdict_is_compared(reply, expected, score):
    assert scored(reply, expected, verdict=True).score == score


def test_all_conditions_hold_together():
    lists = {"any_of": ["red", "blue"], "all_of": ["car"], "not_contains": ["green"]}
    assert scored("A red car, fast", "fast", **lists).score == 1.0
    assert scored("A red car, slow", "fast", **lists).score == 0.0
    assert scored("A car, fast", "fast", **lists).score == 0.0
    assert scored("A red car, fast and green", "fast", **lists).score == 0.0


def test_marks_alone_can_be_looked_for():
    assert scored("Done.", all_of=["."], normalise=["spaces"]).score == 1.0


def test_what_is_missing_is_flagged():
    assert scored("x").flags == ("auto_pass",)
    assert scored("x", verdict=True, extract="json", expected="yes").flags == ("nothing_extracted",)
    assert scored('{"answer": "maybe"}', "yes", verdict=True).flags == ("no_verdict",)


def test_the_confidence_is_1():
    for reply in ("yes", "no", ""):
        assert scored(reply, "yes").confidence == 1.0
        assert scored(reply, "yes", verdict=True).confidence == 1.0


def test_a_verdict_that_is_none_is_a_fault_of_the_suite():
    scorer = Boolean(family=ROBUST, verdict=True)
    assert "not 'Paris'" in scorer.check(a_case(expected="Paris"))[0]
    assert scorer.check(a_case(expected="Yes.")) == []
    assert len(scorer.check(a_case(expected=None))) == 1
    with pytest.raises(SpecError, match="true, false, yes or no"):
        scored("yes", "Paris", verdict=True, extract="whole")


def test_an_expected_text_that_nothing_is_found_in_is_a_fault_of_the_suite():
    assert Boolean(family=ROBUST, extract_expected="json").check(a_case(expected="yes"))


@pytest.mark.parametrize("name", ["any_of", "all_of", "not_contains"])
def test_an_empty_text_can_not_be_looked_for(name):
    with pytest.raises(SpecError, match="must not have empty texts"):
        Boolean(**{name: [""]})


def test_a_pattern_is_awaited():
    scorer = Boolean(family=ROBUST, extract="/final: (.*)/")

    async def waited():
        return await scorer.score(a_case(expected="yes"), a_trial(text="no\nfinal: yes"))

    assert asyncio.run(waited()).score == 1.0


@pytest.mark.parametrize(
    ("score", "lines"),
    [
        (scored("yes", "yes", Family.CLASSIC), ["found: 'yes'", "score = 1"]),
        (scored("no", "yes", Family.CLASSIC), ["absent: 'yes'", "not found: 0"]),
        (scored("x"), ["nothing is expected: 1"]),
        (
            scored("a b", any_of=["b", "c"], all_of=["a", "d"], not_contains=["a"]),
            [
                "found: 'a'",
                "found: 'b'",
                "absent: 'd'",
                "found, though it must not be: 'a'",
                "not found: 0",
            ],
        ),
        (scored("so no", "yes", verdict=True), ["verdict false, expected true: 0"]),
        (scored("?", "yes", verdict=True), ["no answer was found in the reply: 0"]),
    ],
)
def test_the_verdict_is_explained(score, lines):
    assert Boolean().explain(score)[1:] == lines


@given(reply=st.text(max_size=40), expected=st.none() | st.text(max_size=10))
@pytest.mark.parametrize("family", Family)
def test_any_reply_gets_0_or_1_and_an_explanation(family, reply, expected):
    score = scored(reply, expected, family)
    assert score.score in {0.0, 1.0}
    assert Boolean().explain(score)


@pytest.mark.parametrize("adjective", ["resounding", "clear", "definite"])
@pytest.mark.parametrize("verdict", ["yes", "no"])
def test_an_adjective_in_front_of_the_verdict_costs_nothing(adjective, verdict):
    reply = f"The answer is a {adjective} {verdict}."
    for expected in ("yes", "no"):
        score = benchmaker.score("boolean", reply, expected, profile="robust")
        assert score.score == (expected == verdict)


YES = (
    "Indeed it is.", "It is.", "It sure does.", "Sure.", "Sure is.", "Of course.", "Absolutely.",
    "Undoubtedly.", "Without question.", "return True", "`return True`", "print(True)",
    "`is_prime(97)` returns `True`.", "Ganz sicher.", "Mais oui, bien sûr.", "Desde luego.",
    "没错。", "I'd lean yes.",
)  # fmt: skip
NO = (
    "Certainly not.", "By no means.", "Of course not.", "Sadly not.", "Not at all.", "It isn't.",
    "It isn't: 91 = 7 × 13.", "They are not.", "Under no circumstances.", "return False",
    "print(False)", "Ganz sicher nicht.", "Absolument pas.", "Para nada.", "当然不是。",
    "I'd guess no.", "That'd be a no from me.",
)  # fmt: skip
NEITHER = (
    "Everything but no.", "All but yes.", "Anything but no.", "Mostly.", "It is what it is.",
    "You could say no, but that would be wrong.", "Sure, let me check.",
)  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        *((reply, "yes") for reply in YES),
        *((reply, "no") for reply in NO),
        *((reply, None) for reply in NEITHER),
    ],
)
def test_a_verdict_may_be_put_in_other_words(reply, verdict):
    for expected in ("yes", "no"):
        score = benchmaker.score("boolean", reply, expected, profile="robust")
        assert score.score == (expected == verdict), expected


def test_robust_refuses_a_case_that_expects_nothing_unless_that_is_meant():
    nothing = a_case(expected=None)
    (fault,) = Boolean(family=ROBUST).check(nothing)
    assert "set auto_pass: true" in fault
    assert Boolean(family=ROBUST, auto_pass=True).check(nothing) == []
    assert Boolean(family=ROBUST, auto_pass=True).score(nothing, a_trial()).flags == ("auto_pass",)
    assert Boolean(family=ROBUST, not_contains=("no",)).check(nothing) == []
    assert Boolean(family=Family.CLASSIC).check(nothing) == []
