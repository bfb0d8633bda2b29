import pytest

from benchmaker.analysis.judges.judging import JudgingSummary
from benchmaker.record import JudgeTotals
from benchmaker.report.sentences.judging import judging_notes


def totals(**fields):
    defaults = {
        "judge": "j", "judgments": 100, "cached": 20, "priced": 80, "failed": 0, "cost_usd": 0.4,
        "costs_unknown": 0, "latency_s": 1.0, "input_tokens": 1, "output_tokens": 1,
    }  # fmt: skip
    return JudgeTotals(**{**defaults, **fields})


def a_judging(**fields):
    defaults = {
        "models": ("j",), "repeats": (1,), "calibration_id": None, "weighting": "",
        "totals": (totals(),), "judged": 100, "failed": 0, "abstained": 0, "awaiting": 0,
        "disagreements": 0, "suspicious": 0, "alpha": None, "alpha_reason": "",
    }  # fmt: skip
    return JudgingSummary(**{**defaults, **fields})


@pytest.mark.parametrize(
    ("failed", "judged", "is_incomplete"),
    [(0, 10, False), (1, 10, False), (2, 100, False), (3, 100, True), (2, 99, True), (2, 2, True)],
)
def test_more_than_two_percent_and_at_least_two_make_a_run_incomplete(
    failed, judged, is_incomplete
):
    assert a_judging(failed=failed, judged=judged).is_incomplete is is_incomplete


def test_a_thousand_judgments_cost_what_those_paid_for_did():
    assert a_judging().usd_per_1000 == pytest.approx(5.0)
    half = totals(costs_unknown=40, priced=40, cost_usd=0.2)
    assert a_judging(totals=(half,)).usd_per_1000 == half.usd_per_1000 == pytest.approx(5.0)
    unknown = totals(costs_unknown=80, priced=0, cost_usd=0.0)
    assert a_judging(totals=(unknown,)).usd_per_1000 is None
    cached = totals(cached=100, priced=0, cost_usd=0.0)
    assert a_judging(totals=(cached,)).usd_per_1000 is None


def test_an_unknown_cost_is_not_nothing():
    some = a_judging(totals=(totals(costs_unknown=1),))
    assert some.cost_usd is None
    assert some.to_dict()["cost_usd_at_least"] == 0.4


def test_coverage_is_the_share_that_got_a_score():
    assert a_judging(failed=2, abstained=3).coverage == pytest.approx(0.95)
    assert a_judging(failed=2, abstained=3, awaiting=5).coverage == pytest.approx(0.9)
    assert a_judging(judged=0).coverage is None


def test_all_shares_are_of_the_answers_that_are_for_judges():
    notes = judging_notes(a_judging(judged=20, failed=2, abstained=1, awaiting=5))
    assert notes[0].startswith("Incomplete: 2 of 20 answers to be judged (10.0%) have no judgment.")
    assert (
        "Of 20 answers to be judged (coverage 60.0%): 2 without a judgment, 1 with judges in "
        "disagreement, 5 waiting for a judgment."
    ) in notes


def test_failures_without_any_answer_for_judges_divide_by_nothing():
    made = a_judging(judged=0, failed=3)
    assert (made.is_incomplete, made.failed_share) == (False, 0.0)
    assert judging_notes(made)


def test_an_uncalibrated_judge_is_said_to_be_one():
    told = "\n".join(judging_notes(a_judging()))
    assert "uncalibrated" in told
    assert "$5.00 per 1,000" in told
    assert "20 of them reused from other runs" in told
    assert "calibration c-1" in "\n".join(judging_notes(a_judging(calibration_id="c-1")))


def test_what_has_no_judgment_is_told():
    told = judging_notes(a_judging(failed=5, abstained=1, suspicious=2))
    assert told[0].startswith("Incomplete: 5 of 100 answers to be judged (5.0%) have no judgment.")
    assert told[0].endswith("Judge them again: benchmaker resume latest --retry-failed")
    assert any("coverage 94.0%" in line for line in told)


def test_a_panel_without_agreement_says_why():
    lines = judging_notes(a_judging(models=("j", "k"), alpha_reason="all ratings are equal"))
    assert lines[-1] == "Agreement between judges: unknown (all ratings are equal)."


def test_without_judges_nothing_is_said():
    assert judging_notes(None) == []
