"""Zeros that need no judge, beside answers on which the judge failed."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from benchmaker.analysis.columns import columns_of
from benchmaker.analysis.summary.summary import summarise
from benchmaker.record import JUDGE_FAILED, NO_CODE, POLICY_ZERO, WITHOUT_JUDGE, Score
from tests.analysis.conftest import make_trial
from tests.draws import draws

SCORES = {
    "judged": Score.of(0.5),
    "judged zero": Score.of(0.0),
    "failed": Score.unscored("no reply", flags=(JUDGE_FAILED,)),
    "no code": Score.of(0.0, flags=(NO_CODE,)),
    "empty": Score.of(0.0, flags=(POLICY_ZERO, NO_CODE)),
    "without a judge": Score.of(0.0, flags=(NO_CODE, WITHOUT_JUDGE)),
}
LONE = {"no code", "empty"}
DECIDED = {"judged", "judged zero", "without a judge"}

ANSWERS = st.lists(
    st.tuples(st.sampled_from(["r1", "r2"]), st.sampled_from("mn"), st.sampled_from([*SCORES])),
    min_size=1,
    max_size=14,
)


def trials_of(answers):
    return [
        replace(make_trial(at, 1.0, run=run, model=model), score=SCORES[kind])
        for at, (run, model, kind) in enumerate(answers)
    ]


def counted(answers, run, model, kind):
    """The score that counts, computed plainly."""
    kinds = {it for of, who, it in answers if (of, who) == (run, model)}
    if kind in LONE and "failed" in kinds and not kinds & DECIDED:
        return None
    return SCORES[kind].score


@given(ANSWERS)
@settings(max_examples=draws(40, 200), deadline=None)
def test_zeros_alone_are_no_mean_where_the_judge_decided_on_nothing(answers):
    columns = columns_of(trials_of(answers))
    expected = [counted(answers, *it) for it in answers]
    for made in (columns, columns_of(columns)):
        seen = [None if math.isnan(score) else score for score in made.score.tolist()]
        assert seen == expected


def test_a_setup_with_nothing_judged_is_unscored_and_another_keeps_its_zeros():
    answers = [("r", "m", "failed"), ("r", "m", "empty"), ("r", "n", "no code")]
    answers += [("r", "o", "judged"), ("r", "o", "failed"), ("r", "o", "no code")]
    found = {it.model: it for it in summarise(trials_of(answers)).models}
    assert {name: it.mean for name, it in found.items()} == {"m": None, "n": 0.0, "o": 0.25}
    assert found["m"].treatments.zero == found["m"].treatments.unscorable == {}
