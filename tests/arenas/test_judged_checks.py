"""A judge as a check is counted as the same judge as the scorer of the case."""

import pytest

from benchmaker import RunOptions, Suite, run
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.testing.judges import judge_script

CASES = 12
JUDGE = {"type": "llm_judge", "threshold": 0.7, "metric": "tone"}
FACTS = {"type": "contains", "value": "1", "metric": "facts"}


def _answers(asked):
    return Completion(text="" if asked.case_id == "c0" else f"{asked.case_id} of {asked.model}")


def _judges():
    """A judge whose reply to one case can't be read."""
    reply = judge_script(lambda _: {"score": 7, "rationale": "fine"})

    def replied(asked):
        return Completion(text="no idea") if asked.case_id == "c3" else reply(asked)

    return Scripted(replied, models=("j",))


def _judging(home, **scoring):
    cases = [{"id": f"c{n}", "prompt": f"{n}?"} for n in range(CASES)]
    suite = Suite("s", cases, profile="robust", judge={"models": ["j"]}, **scoring)
    made = run(
        suite,
        provider=Scripted(_answers, models=("a", "b")),
        judge_provider=_judges(),
        home=home,
        options=RunOptions(runs=2),
    )
    return made.summary.judging.to_dict()


@pytest.mark.parametrize(
    "checks", [[JUDGE, FACTS], [FACTS, {"type": "set", "checks": [JUDGE, FACTS]}]]
)
def test_a_judge_as_a_check_is_counted_like_a_judge_as_the_scorer(tmp_path, checks):
    alone = _judging(tmp_path / "alone", scorer="llm_judge")
    among = _judging(tmp_path / "among", checks=checks, threshold=0.5)
    names = ("judged", "failed", "abstained", "awaiting", "coverage", "incomplete", "judgments")
    assert {name: among[name] for name in names} == {name: alone[name] for name in names}
    assert (among["judged"], among["failed"]) == (2 * 2 * (CASES - 1), 2 * 2)
