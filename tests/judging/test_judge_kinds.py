"""The bundled answers of the judge kinds, and calibrations on them."""

import json
from collections import Counter

import pytest

from benchmaker import plugins
from benchmaker.errors import SpecError
from benchmaker.judging import KINDS, bundled_samples, calibrate_judge, samples_of_kind
from benchmaker.judging.instructions import scorer_of
from benchmaker.judging.session import plan_questions
from benchmaker.providers.scripted import Scripted
from benchmaker.scoring.build import build
from benchmaker.scoring.judge import find_suspicions
from benchmaker.scoring.judged.judge_kind import JudgeKind
from benchmaker.spec import ScorerSpec, Suite, profile
from benchmaker.testing import a_case
from benchmaker.testing.judges import prompt_parts
from tests.judging.judges import JUDGE, reply

SCORED = ("rubric", "g_eval", "answer_relevance", "faithfulness")


def test_each_kind_has_a_bundled_set():
    known = plugins.list_plugins("scorer")
    kinds = {it.id for it in known if issubclass(plugins.load("scorer", it.id), JudgeKind)}
    assert kinds == set(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_set_has_12_to_20_answers_of_every_worth_and_one_that_speaks_to_the_judge(kind):
    samples = samples_of_kind(kind)
    assert 12 <= len(samples.samples) <= 20
    assert len(samples.nulls) == 1
    ids = Counter(it.item.id for it in plan_questions(samples, repeats=1))
    assert set(ids.values()) == {1}
    worths = {it.expected for it in samples.samples}
    assert worths >= ({0.0, 1.0} if kind == "factuality" else {0.0, 0.5, 1.0})
    spoken = [it.id for it in samples.samples if find_suspicions(it.answer)]
    assert spoken == [it.id for it in samples.samples if it.injection]
    assert len(spoken) == 1
    assert len(samples.clean) == 1
    assert samples.doubled


@pytest.mark.parametrize("kind", KINDS)
def test_every_sample_has_what_its_scorer_needs(kind):
    for it in samples_of_kind(kind).samples:
        scorer = build(ScorerSpec(id=kind, models=["j"], **it.parameters), profile("robust"))
        assert scorer.faults() == [] if hasattr(scorer, "faults") else True
        assert scorer.check(a_case(expected=it.reference)) == []
        assert (it.reference is not None) == (kind in ("factuality", "pairwise"))


def test_the_hash_of_a_set_covers_the_parameters_and_that_of_the_others_is_as_before():
    sets = [samples_of_kind(kind).hash for kind in KINDS]
    assert len(set(sets)) == len(KINDS)
    assert bundled_samples("quick").hash.startswith(QUICK_HASH)


QUICK_HASH = "dc6723cba258de78"


def a_judge(kind, give=lambda worth, _: worth):
    """A judge that gives each answer what ``give`` makes of its worth."""
    samples = samples_of_kind(kind).samples

    def said(request):
        shown = prompt_parts(request.messages)
        found = _sample(samples, shown.get("answer", ""))
        worth = found.expected if found else 0.0
        if kind == "factuality":
            return reply(request, verdict="equal" if give(worth, request) > 0.5 else "disagree")
        if kind == "pairwise":
            return reply(request, verdict=_choice(shown, samples, give, request))
        return reply(request, score=10 * give(worth, request))

    return Scripted(said, models=(JUDGE,))


def _sample(samples, answer):
    """The sample of an answer, which may be doubled or without its instruction."""
    fits = [it for it in samples if it.text and answer.startswith(it.text)]
    return max(fits, key=lambda it: len(it.text), default=None)


def _choice(shown, samples, give, request):
    for place, won, lost in (("answer a", "A", "B"), ("answer b", "B", "A")):
        if found := _sample(samples, shown[place]):
            return {1.0: won, 0.0: lost}.get(give(found.expected, request), "tie")
    return "tie"


@pytest.mark.parametrize("kind", KINDS)
def test_a_perfect_judge_is_calibrated_as_one_with_intervals(kind, tmp_path):
    provider = a_judge(kind)
    result = calibrate_judge(provider=provider, scorer=kind, home=tmp_path)
    samples = samples_of_kind(kind)
    total = len(samples.samples)
    assert result.summary.failed == 0
    assert (result.summary.passed_samples, result.summary.judged) == (total, total)
    assert result.summary.mean_absolute_error < 0.05
    assert 0 <= result.summary.intervals.pass_rate.low < result.summary.pass_rate
    assert result.injection.moved.share == 0.0
    orders = 2 if kind == "pairwise" else 1
    assert provider.calls == samples.replies(3, orders=orders)
    made = result.calibration
    assert made.judge_scale == ((0.0, 10.0) if kind in SCORED else None)
    assert all(len(it.units) == 3 for it in made.of_role("sample"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_judge_that_gives_everything_the_same_is_found_out(kind, tmp_path):
    result = calibrate_judge(
        provider=a_judge(kind, lambda *_: 1.0), scorer=kind, home=tmp_path, repeats=1
    )
    assert result.summary.bias > 0.2
    assert result.summary.correlation is None
    assert result.summary.pass_rate < 0.75


def test_a_judge_that_prefers_the_first_place_has_ties_only(tmp_path):
    provider = Scripted(lambda request: reply(request, verdict="A"), models=(JUDGE,))
    result = calibrate_judge(provider=provider, scorer="pairwise", home=tmp_path, repeats=2)
    units = {unit for it in result.calibration.of_role("sample") for unit in it.units}
    assert units == {0.5}


def test_a_pair_of_which_one_order_failed_is_no_judgment(tmp_path):
    def said(request):
        first = prompt_parts(request.messages)["answer a"]
        return "Fine." if first == "Sydney." else reply(request, verdict="B")

    provider = Scripted(said, models=(JUDGE,))
    result = calibrate_judge(provider=provider, scorer="pairwise", home=tmp_path, repeats=1)
    (failed,) = [it for it in result.calibration.of_role("sample") if it.failures]
    assert (failed.id, failed.units) == ("capital-worse", (None,))
    assert "unreadable" in failed.failures[0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"scorer": "llm_judge"},
        {"scorer": "rubrik"},
        {"scorer": "rubric", "tier": "quick"},
        {"scorer": "rubric", "suite": "suite.yaml"},
        {"scorer": "rubric", "labels": "rated.csv"},
        {"scorer": "rubric", "judge_scale": (1, 5)},
    ],
)
def test_a_kind_has_its_own_answers_and_scale(wrong, tmp_path):
    with pytest.raises(SpecError) as caught:
        calibrate_judge(provider=a_judge("rubric"), home=tmp_path, **wrong)
    assert caught.value.hint


def a_suite(**scorer):
    return Suite("s", [{"id": "a", "prompt": "Why?", "expected": "So."}], scorer=scorer, judge="j")


def test_a_suites_kind_is_calibrated_on_rated_answers(tmp_path):
    suite = a_suite(id="rubric", value="Names a cause.", cascade=True, abstain=0.5)
    found = scorer_of(suite, has_labels=True)
    assert (found.value, found.reference, found.cascade, found.abstain) == (
        "Names a cause.", "expected", False, None,
    )  # fmt: skip
    with pytest.raises(SpecError, match="rubric can't be calibrated") as caught:
        scorer_of(suite)
    assert "--scorer rubric" in caught.value.hint
    rated = tmp_path / "rated.jsonl"
    rated.write_text(
        "\n".join(
            json.dumps({"id": str(at), "question": "Why?", "answer": str(at), "score": at / 4})
            for at in range(5)
        )
    )

    def said(request):
        assert "Names a cause." in request.messages[0].content
        return reply(request, score=2)

    result = calibrate_judge(
        provider=Scripted(said, models=(JUDGE,)), suite=suite, tier="human", labels=rated,
        home=tmp_path, repeats=1,
    )  # fmt: skip
    assert result.summary.judged == 5


@pytest.mark.parametrize("scorer", [{"id": "faithfulness", "context": "C"}, {"id": "pairwise"}])
def test_pairs_and_contexts_can_not_be_judged_on_rated_answers(scorer):
    with pytest.raises(SpecError):
        scorer_of(a_suite(**scorer), has_labels=True)
