"""Runs judged by the judge kinds: they name the calibration of each, and cost what is estimated."""

import pytest

from benchmaker import Case, Suite, calibrate_judge, estimate, run
from benchmaker.judging import KINDS
from benchmaker.providers.scripted import Scripted
from benchmaker.testing.judges import judge_script
from tests.judging.judges import reply

MODEL, JUDGE = "openai/gpt-4o-mini", "openai/gpt-4o"
SCORERS = {
    "rubric": {"value": "Says which case it is."},
    "g_eval": {"steps": ["Look for the name of the case."]},
    "factuality": {},
    "answer_relevance": {},
    "faithfulness": {"context": "The case is c0."},
    "pairwise": {},
}


def a_suite(kind, **scorer):
    cases = tuple(Case(id=f"c{n}", prompt=f"What is {n}?", expected=str(n)) for n in range(3))
    return Suite("kinds", cases, scorer={"id": kind, **SCORERS[kind], **scorer}, judge="j")


def judge():
    return Scripted(
        judge_script(
            lambda shown: (
                {"verdict": "A"}
                if "answer a" in shown
                else {"score": 8, "verdict": "equal", "rationale": "so"}
            )
        ),
        models=("j",),
    )


def answers():
    return Scripted(lambda asked: f"says {asked.case_id}", models=("a",))


def judged(home, kind, provider=None, **scorer):
    return run(
        a_suite(kind, **scorer), provider=answers(), judge_provider=provider or judge(), home=home
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_rests_on_the_calibration_of_its_kind(kind, tmp_path):
    said = "verdict" if kind in ("factuality", "pairwise") else "score"
    value = {"factuality": "equal", "pairwise": "tie"}.get(kind, 5)
    calibrator = Scripted(lambda request: reply(request, **{said: value}), models=("j",))
    assert judged(tmp_path, kind).runs[0].calibration_id is None
    made = calibrate_judge(provider=calibrator, scorer=kind, home=tmp_path, repeats=1)
    changed = {"value": "Is short."} if kind == "rubric" else {}
    assert judged(tmp_path, kind, **changed).runs[0].calibration_id == made.calibration.id
    other = "rubric" if kind != "rubric" else "g_eval"
    assert judged(tmp_path, other).runs[0].calibration_id is None


@pytest.mark.parametrize("kind", ["faithfulness", "pairwise"])
def test_the_estimate_counts_the_requests_of_a_kind(kind, tmp_path):
    provider = judge()
    judged(tmp_path, kind, provider)
    assert provider.calls == (6 if kind == "pairwise" else 3)
    told = estimate(a_suite(kind), models=MODEL, judge=JUDGE, home=tmp_path)
    (part,) = told.judges
    assert part.requests == provider.calls


@pytest.mark.parametrize("kind", ["rubric", "faithfulness"])
def test_the_estimate_grows_with_the_texts_of_a_check(kind, tmp_path):
    name = {"rubric": "value", "faithfulness": "context"}[kind]

    def tokens(words):
        suite = a_suite(kind, **{name: "word " * words})
        told = estimate(suite, models=MODEL, judge=JUDGE, home=tmp_path)
        return told.judges[0].input_tokens.high

    assert tokens(1_000) > tokens(10) + 3 * 900
