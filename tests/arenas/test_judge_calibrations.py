"""Runs name the calibrations that their judges rest on, and weigh their panels by them."""

import pytest

from benchmaker import Case, ScorerSpec, Suite, calibrate_judge, rescore, results, resume, run
from benchmaker.judging import bundled_samples
from benchmaker.providers.scripted import Scripted
from benchmaker.report.sentences.notes import summary_notes
from benchmaker.testing.judges import judge_script
from tests.call_keywords import call_keywords
from tests.judging.judges import judge as calibrated_judge

QUICK = bundled_samples("quick")
MODELS = ("good", "bad")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def a_suite(**fields):
    cases = tuple(Case(id=f"c{n}", prompt=f"What is {n}?", expected=str(n)) for n in range(3))
    judge = ScorerSpec(id="llm_judge")
    return Suite(**{"name": "judged", "cases": cases, "scorer": judge, **fields})


def calibrate(home, name, give=lambda worth, _: worth, **options):
    provider = calibrated_judge(QUICK, give, name=name)
    return calibrate_judge(name, tier="quick", provider=provider, home=home, repeats=1, **options)


def answers():
    return Scripted(lambda asked: f"says {asked.case_id}", models=("a",))


def judges(*models, scores=(8, 2)):
    said = judge_script(lambda _: {"score": 0})

    def reply(request):
        score = scores[models.index(request.model)]
        return said(request).replace('"score": 0', f'"score": {score}')

    return Scripted(reply, models=models)


def judged(home, *models, suite=None, **options):
    return run(
        suite or a_suite(),
        provider=answers(),
        judge_provider=judges(*models),
        home=home,
        **call_keywords(options),
    )


def told(result):
    return "\n".join(summary_notes(result.summary))


def test_a_run_names_the_newest_calibration_of_its_judge(home):
    calibrate(home, "good")
    second = calibrate(home, "good")
    result = judged(home, "good")
    assert result.runs[0].calibration_id == second.calibration.id
    part = result.summary.to_dict()["judging"]
    assert part["calibration_id"] == second.calibration.id
    assert part["uncalibrated"] == []
    assert part["calibrations"][0]["calibration"]["rating"] == "Excellent"
    assert f"Judge: good (1 × each; calibration {second.calibration.id})." in told(result)
    assert "Excellent, supported Fair; 100% of 8 samples passed (quick)" in told(result)


def test_a_judge_that_was_never_calibrated_says_so(home):
    result = judged(home, "good")
    assert result.runs[0].calibration_id is None
    assert result.summary.judging.uncalibrated == ("good",)
    assert "uncalibrated, so the reliability of the scores is unknown" in told(result)
    assert "No calibration: never calibrated." in told(result)


@pytest.mark.parametrize(
    "changed",
    [
        {"judge_prompt": "Be kind."},
        {"scorer": ScorerSpec(id="llm_judge", criteria=[{"id": "correct"}])},
        {"cases": (Case(id="c", prompt="Write a poem."),)},
    ],
)
def test_a_calibration_under_other_instructions_is_none_until_the_suites_own_are_used(
    home, changed
):
    calibrate(home, "good")
    suite = a_suite(**changed)
    before = judged(home, "good", suite=suite)
    assert before.runs[0].calibration_id is None
    assert "calibrated only with other instructions" in told(before)
    if "criteria" not in suite.scorer.parameters:
        own = calibrate(home, "good", suite=suite)
        after = judged(home, "good", suite=suite)
        assert after.runs[0].calibration_id == own.calibration.id


def test_a_panel_of_calibrated_judges_is_weighted_by_its_calibrations(home):
    calibrate(home, "good")
    calibrate(home, "bad", lambda worth, _: 1 - worth)
    result = judged(home, *MODELS)
    assert result.mean("a") == pytest.approx(0.8)  # the one that orders answers wrongly has no say
    part = result.summary.to_dict()["judging"]
    assert part["weighting"] == "calibrated"
    assert [one["weight"] for one in part["calibrations"]] == [1.0, 0.0]
    assert "weights calibrated: good 1.00, bad 0.00" in told(result)
    assert "Agreement between judges" in told(result)
    trial = next(result.trials())
    assert trial.score.parameters["weights_from"] == "calibrated"


def test_one_judge_without_a_calibration_makes_all_weights_equal(home):
    calibrate(home, "good")
    result = judged(home, *MODELS)
    assert result.mean("a") == pytest.approx(0.5)
    assert result.summary.judging.uncalibrated == ("bad",)
    assert "bad uncalibrated, so its reliability is unknown" in told(result)
    assert "weights equal, uncalibrated" in told(result)


def test_weights_that_the_suite_gives_stay_as_given(home):
    for name in MODELS:
        calibrate(home, name)
    panel = {"models": [{"model": "good", "weight": 1}, {"model": "bad", "weight": 3}]}
    result = judged(home, *MODELS, judge=panel)
    assert result.mean("a") == pytest.approx(0.35)
    assert result.summary.judging.weighting == "as given"


def test_a_resumed_run_keeps_the_weights_it_began_with(home):
    for name in MODELS:
        calibrate(home, name)
    first = judged(home, *MODELS)
    calibrate(home, "bad", lambda worth, _: 1 - worth)
    more = Scripted(lambda asked: f"{asked.model} {asked.case_id}", models=("a", "b"))
    result = resume(
        first.run_ids[0], provider=more, judge_provider=judges(*MODELS), add_models="b", home=home
    )
    assert result.mean("b") == result.mean("a") == pytest.approx(0.5)
    assert "A newer calibration of bad" in told(result)


def test_scoring_anew_rests_on_what_is_known_then(home):
    result = judged(home, "good")
    made = calibrate(home, "good")
    again = rescore(result.run_ids[0], judge_provider=judges("good"), home=home)
    assert again.runs[0].calibration_id == made.calibration.id
    assert again.summary.judging.repeats == (1,)


def test_a_newer_calibration_that_differs_is_shown_as_drift(home):
    calibrate(home, "good")
    result = judged(home, "good")
    calibrate(home, "good", lambda worth, _: 0.5 * worth)
    now = results(result.run_ids[0], home=home)
    assert "the judge has drifted" in told(now)
    assert now.summary.to_dict()["judging"]["calibrations"][0]["newer"]["has_drifted"] is True
