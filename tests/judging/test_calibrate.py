import json

import pytest

from benchmaker.errors import BadResponse, PrerequisiteError, SpecError
from benchmaker.judging import bundled_samples, calibrate_judge
from benchmaker.judging.calibrate import CalibrationSettings, acalibrate_judge
from benchmaker.judging.session import plan_questions
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.spec import Case, ScorerSpec, Suite
from benchmaker.store import Store
from tests.engine.simulated import SimulatedClock, simulated
from tests.judging.judges import JUDGE, failing, judge, script

QUICK = bundled_samples("quick")


def calibrated(tmp_path, provider=None, **options):
    return calibrate_judge(tier="quick", provider=provider, home=tmp_path, **options)


def stored(tmp_path):
    with Store.open(tmp_path / "benchmaker.db") as store:
        return store.calibrations()


def test_a_calibration_is_stored_with_all_that_its_result_says(tmp_path):
    result = calibrated(tmp_path, judge(QUICK, lambda worth, _: worth))
    (kept,) = stored(tmp_path)
    assert kept == result.calibration
    assert (kept.judge, kept.tier, kept.repeats, kept.replies) == (JUDGE, "quick", 3, 37)
    assert len(kept.prompt_hash) == len(kept.samples_hash) == 64


def test_every_reply_is_stored_outside_any_run(tmp_path):
    provider = judge(QUICK, lambda worth, _: worth)
    calibrated(tmp_path, provider)
    with Store.open(tmp_path / "benchmaker.db") as store:
        kept = store.judgments(None)
    assert len(kept) == provider.calls == QUICK.replies(3)
    assert {it.purpose for it in kept} == {"calibration"}


def test_a_second_calibration_asks_anew_and_shows_the_drift(tmp_path):
    first = judge(QUICK, lambda worth, _: worth)
    second = judge(QUICK, lambda worth, _: 0.8 * worth + 0.1)
    assert calibrated(tmp_path, first).drift is None
    again = calibrated(tmp_path, second)
    assert second.calls == first.calls
    assert again.drift is not None
    assert again.drift.bias.mean == pytest.approx(again.summary.bias)
    assert len(stored(tmp_path)) == 2


def test_a_calibration_that_was_broken_off_goes_on_without_asking_twice(tmp_path):
    broken = judge(QUICK, lambda worth, _: worth)
    with pytest.raises(RuntimeError, match="enough"):
        calibrated(tmp_path, broken, on_judged=_raise_at(5), concurrency=1)
    assert stored(tmp_path) == ()
    with Store.open(tmp_path / "benchmaker.db") as store:
        known = len(store.judgments(None))
    whole = judge(QUICK, lambda worth, _: worth)
    result = calibrated(tmp_path, whole)
    assert result.summary.failed == 0
    assert known > 0
    assert known + whole.calls == QUICK.replies(3)


def _raise_at(number):
    def told(done, _):
        if done == number:
            raise RuntimeError("enough")

    return told


def test_progress_is_told_item_by_item(tmp_path):
    heard = []
    calibrated(tmp_path, judge(QUICK, lambda *_: 0.5), on_judged=lambda *at: heard.append(at))
    total = len(list(plan_questions(QUICK, repeats=3)))
    assert heard == [(done + 1, total) for done in range(total)]


def test_a_calibration_without_any_judgment_is_not_stored(tmp_path):
    nobody = failing(BadResponse("no sense", status=200))
    with Store.open(tmp_path / "benchmaker.db") as store:
        setting = CalibrationSettings(samples=QUICK, clock=SimulatedClock())
        result = simulated(acalibrate_judge(JUDGE, nobody, store, setting))
    assert result.summary.judged == 0
    assert stored(tmp_path) == ()


def test_length_and_position_move_a_judge_that_looks_at_them(tmp_path):
    samples = bundled_samples("standard")

    def give(worth, request):
        return min(1.0, worth + 0.3 * request.case_id.endswith("-doubled"))

    provider = judge(samples, give, verdict="A")
    result = calibrate_judge(provider=provider, home=tmp_path, repeats=1)
    assert result.verbosity.mean.mean > 0.15
    assert result.position.first.mean == 0.5
    assert result.position.flips.share == 1.0


def test_a_judge_that_obeys_instructions_is_found_out(tmp_path):
    samples = bundled_samples("standard")

    def give(worth, request):
        return 1.0 if request.case_id.endswith("-injected") else worth

    result = calibrate_judge(provider=judge(samples, give), home=tmp_path, repeats=1)
    assert result.injection.moved.share == 1.0
    assert result.injection.mean.low > 0


def recorded_replies(path, *, name=None, repeats=1):
    """A file of replies by a perfect judge, without nonces."""
    worth = {it.id: it.expected for it in QUICK.samples}
    with path.open("w") as file:
        for asked in plan_questions(QUICK, repeats=repeats):
            of = asked.item.id.removesuffix("-doubled")
            for repeat in range(1, asked.repeats + 1):
                line = {"model": "calibration", "id": asked.item.id, "repeat": repeat}
                line["output"] = json.dumps({"score": 10 * worth.get(of, 0.0)})
                file.write(json.dumps({**line, "judge": name} if name else line) + "\n")
    return path


def test_a_judge_is_calibrated_from_recorded_replies(tmp_path):
    path = recorded_replies(tmp_path / "replies.jsonl", name="gpt", repeats=2)
    result = calibrated(tmp_path, recorded_judge=path, repeats=2)
    assert result.judge_model_id == "gpt"
    assert result.summary.pass_rate == 1.0
    assert result.repeat_agreement.within_sd == pytest.approx(0.0)


def test_a_reply_that_was_not_recorded_is_a_failure_of_its_sample(tmp_path):
    path = recorded_replies(tmp_path / "replies.jsonl")
    kept = [line for line in path.read_text().splitlines() if '"eggs-right_number"' not in line]
    path.write_text("\n".join(kept))
    result = calibrated(tmp_path, recorded_judge=path, repeats=1)
    assert [it.id for it in result.failures] == ["eggs-right_number"]
    assert "no recorded reply" in result.failures[0].failure


def test_a_judge_is_calibrated_on_answers_that_people_rated(tmp_path):
    path = tmp_path / "rated.csv"
    rows = [f"{n},Answer {n},{n},{min(n + 1, 9)}" for n in range(10)]
    path.write_text("id,answer,human_ann,human_bob\n" + "\n".join(rows) + "\n")
    provider = judge(QUICK, lambda *_: 0.5)
    result = calibrate_judge(
        tier="human", labels=path, label_scale=(0, 9), provider=provider, home=tmp_path
    )
    assert result.summary.total_samples == 10
    assert result.ceiling.people.value > 0.9
    assert result.nulls is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tier": "human"}, "rated answers"),
        ({"labels": "x.csv"}, "uses built-in answers"),
        ({}, "no judge given"),
        ({"repeats": 0}, "must be at least 1"),
        (
            {"judge": "gtp", "provider": judge(QUICK, lambda *_: 0, name="gpt")},
            "unknown judge 'gtp'",
        ),
        (
            {"provider": judge(QUICK, lambda *_: 0), "recorded_judge": "x"},
            "both a file and a provider",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(tmp_path, options, message):
    with pytest.raises(SpecError, match=message):
        calibrate_judge(home=tmp_path, **options)


class Priced(Scripted):
    """Each reply costs a tenth of a cent."""

    def most_usd(self, _):
        return 0.001


def test_a_budget_stops_a_calibration_which_is_then_none_and_goes_on_later(tmp_path):
    said = script(QUICK, lambda worth, _: worth)

    def reply(request):
        return Completion(text=said(request), cost_usd=0.001)

    result = calibrated(tmp_path, Priced(reply, models=(JUDGE,)), max_cost_usd=0.0105)
    assert "budget" in result.halted
    assert stored(tmp_path) == ()
    with Store.open(tmp_path / "benchmaker.db") as store:
        assert len([it for it in store.judgments(None) if it.completion]) == 10
    whole = Priced(reply, models=(JUDGE,))
    again = calibrated(tmp_path, whole, max_cost_usd=1.0)
    assert not again.halted
    assert whole.calls == QUICK.replies(3) - 10
    assert len(stored(tmp_path)) == 1


def test_a_budget_needs_prices_and_somebody_to_pay(tmp_path):
    with pytest.raises(PrerequisiteError, match="states no prices"):
        calibrated(tmp_path, judge(QUICK, lambda *_: 0), max_cost_usd=1.0)
    path = recorded_replies(tmp_path / "replies.jsonl", name="gpt")
    with pytest.raises(SpecError, match="cost nothing"):
        calibrated(tmp_path, recorded_judge=path, max_cost_usd=1.0)


def test_a_suites_instructions_are_those_that_are_calibrated(tmp_path):
    suite = Suite(
        "poems", (Case(id="a", prompt="Write."),), judge_prompt="Be kind.",
        scorer=ScorerSpec(id="llm_judge", cascade=True, abstain=0.1),
    )  # fmt: skip
    provider = judge(QUICK, lambda worth, _: worth)
    own = calibrated(tmp_path, provider, suite=suite)
    usual = calibrated(tmp_path, judge(QUICK, lambda worth, _: worth))
    assert own.calibration.prompt_hash != usual.calibration.prompt_hash
    samples = [it for it in provider.requests if "+" not in it.case_id]
    assert all(it.messages[0].content.startswith("Be kind.") for it in samples)
    assert not any("REFERENCE" in it.messages[1].content for it in samples)


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (ScorerSpec(id="exact"), "the suite uses no judge"),
        (ScorerSpec(id="llm_judge", mode="pairwise"), "can't be calibrated on single answers"),
        (ScorerSpec(id="llm_judge", mode="checklist"), "can't be calibrated on single answers"),
    ],
)
def test_a_suite_whose_judging_samples_can_not_show_is_refused(tmp_path, scorer, message):
    suite = Suite("other", (Case(id="a", prompt="?", expected="!"),), scorer=scorer)
    with pytest.raises(SpecError, match=message):
        calibrated(tmp_path, judge(QUICK, lambda *_: 0), suite=suite)


def test_the_null_battery_is_part_of_a_calibration_on_ones_own_answers(tmp_path):
    path = tmp_path / "rated.csv"
    path.write_text("id,question,answer,score\na,What is 1+1?,2,1\nb,What is 1+1?,3,0\n")
    provider = judge(QUICK, lambda *_: 0.9)
    result = calibrate_judge(tier="human", labels=path, provider=provider, home=tmp_path, repeats=1)
    assert result.nulls.rewarded.share == 1.0
    assert result.summary.total_samples == 2
