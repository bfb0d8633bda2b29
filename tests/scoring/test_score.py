import asyncio
from dataclasses import dataclass

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, ScoringResult
from benchmaker.scoring.build import build
from benchmaker.scoring.score import apply, explain, score, stamp
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import a_case, a_trial

METHODS = ("exact", "numeric", "boolean", "regex")


@scorer
@dataclass(frozen=True, slots=True)
class Slow:
    """A scorer that waits."""

    async def score(self, case, trial):
        await asyncio.sleep(0)
        return Score.of(float(trial.text == case.expected))


SLOW = f"{__name__}:Slow"


@pytest.mark.parametrize("family", ["classic", "robust"])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_scores_a_right_answer_and_explains_it(method, family):
    result = score(method, "42", "42", profile=family)
    assert isinstance(result, ScoringResult)
    assert (result.score, result.scorer, result.profile) == (1.0, method, profile(family).id)
    assert result.expected == "42"
    assert result.scorer_version == "1"
    assert explain(result)


def test_classic_holds_where_no_profile_is_named():
    assert score("exact", "It is 42", "42").profile == "classic/1"


def test_parameters_are_kept_as_given():
    result = score("numeric", "41", "42", tolerance=0.1, extract=["json"], profile="robust")
    assert result.parameters == {"tolerance": 0.1, "extract": ["json"]}


@given(reply=st.text(alphabet="ab1 .", max_size=20), expected=st.text(alphabet="ab1 ", max_size=5))
@pytest.mark.parametrize("family", ["classic", "robust"])
def test_a_score_comes_back_from_its_record_and_from_scoring_again(family, reply, expected):
    result = score("exact", reply, expected, profile=family)
    stored = msgspec.json.decode(msgspec.json.encode(result), type=Score)
    assert stored == result
    assert explain(stored) == explain(result)
    assert score("exact", reply, stored.expected, profile=family, **stored.parameters) == result


def test_an_asynchronous_scorer_is_waited_for():
    assert score(SLOW, "x", "x").score == 1.0


def test_it_is_waited_for_inside_a_running_event_loop_too():
    async def inside():
        return score(SLOW, "x", "y")

    assert asyncio.run(inside()).score == 0.0


def test_a_pattern_in_extract_is_waited_for():
    result = score("numeric", "total 18 of 20", "18", profile="robust", extract=r"/total (\d+)/")
    assert result.score == 1.0


@pytest.mark.parametrize("name", ["exact", SLOW])
def test_applying_awaits_where_needed(name):
    built = build(ScorerSpec(id=name), profile("classic"))
    given_score = asyncio.run(apply(built, a_case(expected="42"), a_trial(text="42")))
    assert given_score.score == 1.0


def test_stamping_says_what_made_the_score():
    spec, robust = ScorerSpec(id="numeric", curve="step"), profile("robust")
    stamped = stamp(Score.of(0.5, notes="n"), build(spec, robust), spec, robust, ["42"])
    assert stamped == Score(
        score=0.5,
        notes="n",
        scorer="numeric",
        scorer_version="1",
        profile="robust/2",
        parameters={"curve": "step"},
        expected="42",
    )


@pytest.mark.parametrize(
    ("arguments", "parameters", "message"),
    [
        (("exat", "x"), {}, "unknown scorer 'exat'"),
        (("", "x"), {}, "id: "),
        (("exact", None), {}, "response must be a text"),
        (("exact", "x", 42), {}, "expected must be a text, not 42"),
        (("exact", "x"), {"profile": "robus"}, "unknown profile 'robus'"),
        (("exact", "x"), {"extrakt": "json"}, "Did you mean 'extract'"),
        (("numeric", "x", "y"), {}, "numeric needs an expected number"),
        (("regex", "x", "("), {}, "invalid regular expression"),
    ],
)
def test_what_can_not_be_scored_is_refused(arguments, parameters, message):
    with pytest.raises(SpecError, match=message.replace("(", r"\(")):
        score(*arguments, **parameters)


def test_the_method_can_not_be_replaced_by_a_parameter():
    assert score("exact", "x", "x", id="regex").scorer == "exact"


def test_the_explanation_reads_as_arithmetic():
    lines = explain(score("exact", "It is 4200", "42"))
    assert lines == [
        "scored: the whole answer, without surrounding white space",
        "the answer contains the expected text: 2 of 10 code points",
        "x = 1 − 2/10 = 0.8; max(0.60, 0.95 − 0.35·0.8) = 0.67",
    ]


def test_what_no_scorer_made_is_explained_by_its_note():
    assert explain(Score.unscored("no scorer")) == ["no scorer"]
    assert explain(Score.of(0.0, notes="empty: counted as 0")) == ["empty: counted as 0"]
    assert explain(Score.of(0.0)) == []
    assert explain(score(SLOW, "x", "y")) == []


def test_every_right_answer_is_kept_with_the_score():
    wanted = ["Holland", "the Netherlands"]
    wrong, right = (score("exact", text, wanted, profile="robust") for text in ("x", wanted[1]))
    assert wrong.expectation == "Holland or the Netherlands"
    assert (right.expected, right.also_expected) == ("the Netherlands", ("Holland",))
