"""A judged run from its beginning to its end: killed, resumed, repeated; every cent is found."""

import asyncio
import io
import itertools
import random
import re
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmaker import (
    Case,
    RunOptions,
    ScorerSpec,
    SpecError,
    Suite,
    arun,
    control,
    multi_run_stats,
    rescore,
    resume,
    run,
)
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import AuthError, ProviderError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import AWAITING_JUDGE, Completion, Outcome, RunState
from benchmaker.report.runs.explain import explain
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.runs.text import summary_text
from benchmaker.spec import JudgeSpec
from benchmaker.stats.agreement import bootstrap, krippendorff_alpha, rating_table
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.arenas import judged
from tests.engine.simulated import SimulatedClock, simulated

ROOT = Path(__file__).parents[2]
JUDGE = ScorerSpec(id="llm_judge")


def a_suite(number=6, **fields):
    cases = tuple(Case(id=f"c{n}", prompt=f"What is {n}?", expected=str(n)) for n in range(number))
    return Suite(**{"name": "judged", "cases": cases, "scorer": JUDGE, **fields})


def answers(models=("a", "b")):
    return Scripted(lambda asked: f"{asked.model} says {asked.case_id}", models=models)


def judge(said=None, *, cost_usd=0.001, models=("j",)):
    reply = judge_script(said or (lambda _: {"score": 7, "rationale": "fine"}))

    def replied(request):
        made = reply(request)
        return made if isinstance(made, Exception) else Completion(text=made, cost_usd=cost_usd)

    return Scripted(replied, models=models)


class Either:
    """Several judges, each with a script of its own."""

    kind = "scripted"
    models = ("j", "k")

    def __init__(self, complete):
        self.complete = complete


def store_of(home):
    return Store.open(home / "benchmaker.db")


@pytest.fixture
def home(tmp_path):
    return tmp_path / "home"


def test_answers_are_judged_and_their_judgments_stored(home):
    asked = judge()
    result = run(a_suite(), provider=answers(), judge_provider=asked, home=home)
    assert result.is_finished
    assert result.mean("a") == result.mean("b") == 0.7
    assert asked.calls == 12
    with store_of(home) as store:
        judgments = store.judgments(result.run_ids[0])
        assert len(judgments) == 12
        keys = {
            key for trial in result.trials() for key in trial.score.detail["singles"][0]["keys"]
        }
        assert {one.key for one in judgments} == keys
    assert not any(trial.flags for trial in result.trials())
    assert all(trial.score_version == 1 for trial in result.trials())


def test_the_judges_cost_stands_apart_from_that_of_the_models(home):
    result = run(a_suite(), provider=answers(), judge_provider=judge(), home=home)
    told = result.summary.to_dict()
    assert told["judging"]["cost_usd"] == pytest.approx(0.012, abs=1e-9)
    assert told["judging"]["usd_per_1000_judgments"] == pytest.approx(1.0)
    assert all(model["cost_usd"] is None for model in told["models"])
    assert told["reproducibility"]["judge_model"] == "j"


def test_a_second_pass_from_the_cache_costs_nothing_and_is_counted_as_cached(home):
    first = run(a_suite(), provider=answers(), judge_provider=judge(), home=home)
    again = judge()
    second = run(
        a_suite(),
        provider=answers(),
        judge_provider=again,
        home=home,
        options=RunOptions(cache=True),
    )
    assert again.calls == 0
    assert second.summary.judging.cached == 12
    assert second.summary.judging.cost_usd == 0
    assert [trial.score for trial in second.trials()] == [trial.score for trial in first.trials()]


def test_a_judge_that_says_six_seven_eight_is_asked_in_every_run(home):
    said = itertools.count(6)
    asked = judge(lambda _: {"score": next(said)})
    result = run(
        a_suite(1),
        provider=answers(("a",)),
        judge_provider=asked,
        home=home,
        options=RunOptions(runs=3),
    )
    assert asked.calls == 3
    assert [trial.score.score for trial in result.trials()] == [0.6, 0.7, 0.8]
    (model,) = result.summary.models
    assert (model.sd_over, model.sd) == ("runs", pytest.approx(0.1))


def test_each_run_of_a_series_has_its_own_judgments_under_the_cache_too(home):
    said = itertools.count(6)
    asked = judge(lambda _: {"score": next(said)})
    for calls in (3, 3):
        result = run(
            a_suite(1),
            provider=answers(("a",)),
            judge_provider=asked,
            home=home,
            options=RunOptions(runs=3, cache=True),
        )
        assert asked.calls == calls
        assert [trial.score.score for trial in result.trials()] == [0.6, 0.7, 0.8]


def test_a_checklist_is_made_once_for_a_case_and_holds_in_every_run(home):
    made, judged_ = [], []

    def said(parts):
        if "answer" in parts:
            judged_.append(parts)
            return {"criteria": [{"id": "1", "met": True}]}
        made.append(parts)
        return {"items": ["Is it right?"]}

    listed = a_suite(1, scorer=ScorerSpec(id="llm_judge", mode="checklist"))
    run(
        listed,
        provider=answers(("a",)),
        judge_provider=judge(said),
        home=home,
        options=RunOptions(runs=3),
    )
    assert (len(made), len(judged_)) == (1, 3)


def test_an_unreadable_reply_never_comes_back(home):
    """Three scores after a repair, whatever is done to the run, and in later runs."""
    mumbling = judge(lambda _: "I would rather not say.")
    broken = run(a_suite(1), provider=answers(("a",)), judge_provider=mumbling, home=home)
    run_id = broken.run_ids[0]
    repaired = resume(
        run_id,
        provider=answers(("a",)),
        judge_provider=judge(),
        home=home,
        options=RunOptions(retry_failed=True),
    )
    assert repaired.mean("a") == 0.7
    silent = judge(lambda _: AssertionError("it is known"))
    again = rescore(run_id, judge_provider=silent, home=home, options=RunOptions(profile="classic"))
    assert silent.calls == 0
    assert again.mean("a") == 0.7
    for cache in (False, True):
        later = run(
            a_suite(1),
            provider=answers(("a",)),
            judge_provider=judge(),
            home=home,
            options=RunOptions(cache=cache),
        )
        assert later.mean("a") == 0.7
    with store_of(home) as store:
        versions = store.scores.versions(run_id, "a", "c0")
    assert [it.score for it in versions] == [None, 0.7, 0.7]


def test_rescore_asks_a_healthy_judge_where_no_judgment_could_be_read(home):
    mumbling = judge(lambda _: "I would rather not say.")
    broken = run(a_suite(2), provider=answers(("a",)), judge_provider=mumbling, home=home)
    healthy = judge()
    again = rescore(
        broken.run_ids[0], judge_provider=healthy, home=home, options=RunOptions(profile="classic")
    )
    assert healthy.calls == 2
    assert again.mean("a") == 0.7


def test_a_cache_of_unreadable_replies_is_no_judgment_of_a_new_run(home):
    mumbling = judge(lambda _: "I would rather not say.")
    run(a_suite(1), provider=answers(("a",)), judge_provider=mumbling, home=home)
    healthy = judge()
    later = run(
        a_suite(1),
        provider=answers(("a",)),
        judge_provider=healthy,
        home=home,
        options=RunOptions(cache=True),
    )
    assert healthy.calls == 1
    assert later.mean("a") == 0.7
    assert later.summary.judging.cached == 0


def test_equal_questions_under_way_are_asked_once(home):
    asked = judge()
    same = Scripted(lambda request: f"to {request.case_id}", models=("a", "b", "c"))
    run(a_suite(3), provider=same, judge_provider=asked, home=home)
    assert asked.calls == 3


def test_a_judge_that_fails_leaves_no_score_and_says_why(home):
    def said(parts):
        return ProviderError("out of order") if "c1" in parts["answer"] else {"score": 5}

    result = run(a_suite(), provider=answers(("a",)), judge_provider=judge(said), home=home)
    trial = next(it for it in result.trials() if it.case_id == "c1")
    assert trial.outcome is Outcome.UNSCORED
    assert trial.score.score is None
    assert "out of order" in trial.score.notes
    assert result.is_finished
    assert not result.summary.judging.is_incomplete  # one alone


def test_failed_judgments_are_retried_without_asking_models_again(home):
    def said(parts):
        return ProviderError("out of order") if "c1" in parts["answer"] else {"score": 5}

    result = run(a_suite(), provider=answers(("a",)), judge_provider=judge(said), home=home)
    models, again = answers(("a",)), judge()
    retried = resume(
        result.run_ids[0],
        provider=models,
        judge_provider=again,
        home=home,
        options=RunOptions(retry_failed=True),
    )
    assert (models.calls, again.calls) == (0, 1)
    assert retried.is_finished
    assert retried.summary.judging.failed == 0
    assert [it.score.score for it in retried.trials()] == [0.5, 0.7, 0.5, 0.5, 0.5, 0.5]
    assert not any(it.flags for it in retried.trials())
    with store_of(home) as store:
        versions = store.scores.versions(result.run_ids[0], "a", "c1")
    assert [it.score for it in versions] == [None, 0.7]


def test_replies_that_nobody_could_read_are_asked_for_anew_and_stay_on_record(home):
    mumbling = judge(lambda _: "I would rather not say.")
    result = run(a_suite(2), provider=answers(("a",)), judge_provider=mumbling, home=home)
    calm = resume(result.run_ids[0], provider=answers(("a",)), judge_provider=judge(), home=home)
    assert calm.summary.judging.failed == 2  # only where it is asked for
    again = judge()
    retried = resume(
        result.run_ids[0],
        provider=answers(("a",)),
        judge_provider=again,
        home=home,
        options=RunOptions(retry_failed=True),
    )
    assert again.calls == 2
    assert retried.mean("a") == 0.7
    assert retried.summary.judging.judgments == 2
    assert retried.summary.judging.totals[0].unusable == 6
    assert retried.summary.judging.usd_per_1000 == pytest.approx(4.0)  # two, for all of the money
    assert retried.summary.judging.cost_usd == pytest.approx(0.008)


def test_runs_are_set_beside_each_other_over_the_cases_that_each_has_judged(home):
    asked = Counter()

    def said(parts):
        case = parts["question"]
        asked[case] += 1
        score = {"1": 2, "2": 8}.get(case[8], 6)
        lost = asked[case] > 1 and case[8] in "12"
        return "I would rather not say." if lost else {"score": score, "rationale": "fine"}

    same = Scripted(lambda asked: asked.case_id, models=("a",))
    made = run(
        a_suite(6), provider=same, judge_provider=judge(said), home=home, options=RunOptions(runs=3)
    )
    spread = made.summary.models[0].runs
    assert made.summary.models[0].n_cases == 6
    assert spread.n_cases == 4
    assert spread.scores == pytest.approx(((0.2 + 0.8 + 4 * 0.6) / 6, 0.6, 0.6))
    assert spread.common_scores == pytest.approx((0.6, 0.6, 0.6))
    assert spread.sd == pytest.approx(0.0)
    assert multi_run_stats(made)["a"].scores == spread.common_scores
    text = summary_text(made.summary, detail="full", width=200)
    assert "a 3 of 3 runs, 4 of 6 cases" in text


def test_a_run_that_still_waits_for_its_judge_is_no_part_of_the_spread(home):
    calls = itertools.count(1)

    def said(_):
        late = next(calls) > 14
        return AuthError("the key is wrong", status=401) if late else {"score": 6}

    made = run(
        a_suite(6),
        provider=answers(("a",)),
        judge_provider=judge(said),
        home=home,
        options=RunOptions(runs=3),
    )
    spread = made.summary.models[0].runs
    assert (len(spread.scores), spread.n_cases, spread.partial) == (2, 6, made.run_ids[2:])


def test_a_panel_says_which_judge_lost_which_judgments(home):
    def said(parts):
        fails = "1" in parts["question"]
        return "I would rather not say." if fails else {"score": 7, "rationale": "fine"}

    calm, lossy = judge(models=("j",)), judge(said, models=("k",))

    def either(asked):
        return (lossy if asked.model == "k" else calm).complete(asked)

    made = run(
        a_suite(4),
        provider=answers(("a",)),
        judge_provider=Either(either),
        home=home,
        options=RunOptions(judge=["j", "k"]),
    )
    judging = made.summary.judging
    assert judging.failed == 0
    assert [(one.judge, one.requested, one.missing_judgments) for one in judging.parts] == [
        ("j", 4, 0),
        ("k", 4, 1),
    ]
    by_judge = {one["judge"]: one for one in made.summary.to_dict()["judging"]["by_judge"]}
    assert (by_judge["k"]["failed"], by_judge["k"]["unreadable"]) == (1, 1)
    assert (by_judge["k"]["judgments"], by_judge["k"]["unusable_replies"]) == (3, 3)
    sentence = "Missing judgments: k 1 of 4 (1 unreadable)."
    assert sentence in summary_text(made.summary, detail="full", width=200)
    for write in (write_markdown, write_html):
        page = io.StringIO()
        write(made.summary, page)
        assert sentence in page.getvalue()


def test_the_judge_is_named_whose_judgments_score_now(home):
    first = run(a_suite(3), provider=answers(("a",)), judge_provider=judge(), home=home)
    again = rescore(
        first.run_ids[0],
        judge_provider=judge(models=("k",)),
        home=home,
        options=RunOptions(judge="k"),
    )
    made = again.summary.judging
    assert (made.models, made.judgments) == (("k",), 3)
    assert [one.judge for one in made.earlier] == ["j"]
    assert again.summary.spending.judges_usd == pytest.approx(0.006)

    plain = rescore(first.run_ids[0], scorer="exact", home=home)
    told = plain.summary.to_dict()
    assert told["judging"]["judges"] == []
    assert told["reproducibility"]["judge_model"] is None
    assert plain.summary.spending.judges_usd == pytest.approx(0.006)
    text = " ".join(summary_text(plain.summary, detail="full").split())
    assert "judged by" not in text
    assert "No longer counted: 3 judgments of k; cost $0.003." in text

    back = rescore(
        first.run_ids[0],
        judge_provider=judge(models=("k",)),
        home=home,
        options=RunOptions(judge="k"),
    )
    assert back.summary.judging.models == ("k",)
    assert back.summary.to_dict()["reproducibility"]["judge_model"] == "k"


def test_a_retry_that_was_stopped_goes_on_where_it_was(home):
    mumbling = judge(lambda _: "I would rather not say.")
    result = run(a_suite(2), provider=answers(("a",)), judge_provider=mumbling, home=home)
    refused = judge(lambda _: AuthError("the key is wrong", status=401))
    stopped = resume(
        result.run_ids[0],
        provider=answers(("a",)),
        judge_provider=refused,
        home=home,
        options=RunOptions(retry_failed=True),
    )
    assert not stopped.is_finished
    assert stopped.summary.judging.awaiting == 2
    again = judge()
    resumed = resume(result.run_ids[0], provider=answers(("a",)), judge_provider=again, home=home)
    assert again.calls == 2
    assert resumed.mean("a") == 0.7


def test_judging_later_finishes_a_run_whose_dropped_model_has_no_answers(home):
    key = AuthError("the key is wrong", status=401)
    models = Scripted(lambda asked: key if asked.model == "b" else "yes", models=("a", "b"))
    result = run(a_suite(), provider=models, judge_provider=judge(lambda _: key), home=home)
    control(result.run_ids[0], drop_model="b", home=home)
    judged_later = rescore(result.run_ids[0], judge_provider=judge(), home=home)
    assert judged_later.mean("a") == 0.7
    with store_of(home) as store:
        kept = store.run(result.run_ids[0])
    assert (kept.state, kept.dropped) == (RunState.FINISHED, ("b",))


def test_many_answers_without_a_judgment_make_the_run_incomplete(home):
    asked = judge(lambda _: "I would rather not say.")
    result = run(a_suite(), provider=answers(("a",)), judge_provider=asked, home=home)
    judging_part = result.summary.judging
    assert judging_part.is_incomplete
    assert judging_part.failed == 6
    assert result.summary.to_dict()["complete"] is False
    assert asked.calls == 18  # two further tries each


def test_a_wrong_key_halts_judging_and_a_resumed_run_goes_on(home):
    refused = judge(lambda _: AuthError("the key is wrong", status=401))
    result = run(a_suite(), provider=answers(("a",)), judge_provider=refused, home=home)
    assert not result.is_finished
    assert result.runs[0].state is RunState.INTERRUPTED
    assert "the key is wrong" in result.stopped["judge j"]
    assert all(AWAITING_JUDGE in trial.flags for trial in result.trials())
    models = answers(("a",))
    resumed = resume(result.run_ids[0], provider=models, judge_provider=judge(), home=home)
    assert resumed.is_finished
    assert models.calls == 0
    assert resumed.mean("a") == 0.7
    assert not any(trial.flags for trial in resumed.trials())


def test_a_judge_given_in_python_has_to_be_given_again(home):
    refused = judge(lambda _: AuthError("wrong", status=401))
    result = run(a_suite(2), provider=answers(), judge_provider=refused, home=home)
    with pytest.raises(SpecError, match="judge_provider"):
        resume(result.run_ids[0], provider=answers(), home=home)


def test_a_budget_covers_judges_too(home):
    class Priced(Scripted):
        def most_usd(self, _):
            return 0.001

    reply = judge_script(lambda _: {"score": 7})
    asked = Priced(lambda it: Completion(text=reply(it), cost_usd=0.001), models=("j",))
    free = answers(("a",))
    free.most_usd = lambda _: 0.0
    result = run(
        a_suite(),
        provider=free,
        judge_provider=asked,
        home=home,
        options=RunOptions(max_cost_usd=0.0045),
    )
    assert asked.calls == 4
    assert "budget" in result.halted
    assert not result.is_finished
    with store_of(home) as store:
        assert store.spent_usd(result.run_ids) == pytest.approx(0.004)
    more = resume(
        result.run_ids[0],
        provider=free,
        judge_provider=asked,
        home=home,
        options=RunOptions(max_cost_usd=1.0),
    )
    assert more.is_finished
    assert asked.calls == 6


def test_what_a_policy_decides_is_put_to_no_judge(home):
    asked = judge()
    empty = Scripted(lambda it: Completion(text="" if it.case_id == "c1" else "yes"), models=("a",))
    limits = RunLimits(retry=Retry(empty_s=0.001))
    result = run(
        a_suite(3),
        provider=empty,
        judge_provider=asked,
        home=home,
        options=RunOptions(limits=limits),
    )
    assert asked.calls == 2
    assert [trial.outcome for trial in result.trials()][1] is Outcome.EMPTY
    assert result.summary.judging.judged == 2


def test_a_suite_names_its_judge_and_a_run_another(home):
    asked = judge(models=("own", "other"))
    with_own = a_suite(2, judge=JudgeSpec.model_validate({"models": "own", "repeats": 2}))
    first = run(with_own, provider=answers(("a",)), judge_provider=asked, home=home)
    assert Counter(it.model for it in asked.requests) == {"own": 4}
    assert first.runs[0].judge_model == "own"
    run(
        with_own,
        provider=answers(("a",)),
        judge_provider=asked,
        home=home,
        options=RunOptions(judge="other"),
    )
    assert Counter(it.model for it in asked.requests) == {"own": 4, "other": 4}


def test_a_judge_that_nothing_asks_is_refused(home):
    plain = a_suite(2, scorer=ScorerSpec(id="exact"))
    with pytest.raises(SpecError, match="suite 'judged' uses no judge"):
        run(
            plain,
            provider=answers(),
            judge_provider=judge(),
            home=home,
            options=RunOptions(judge="j"),
        )


def test_a_suite_that_needs_a_judge_says_so_before_anything_is_asked(home):
    models = answers()
    with pytest.raises(SpecError, match="needs a judge, but none is given"):
        run(a_suite(2), provider=models, home=home)
    assert models.calls == 0


def test_a_suite_without_a_scorer_is_judged_once_a_judge_is_named(home):
    result = run(
        a_suite(2, scorer=None),
        provider=answers(("a",)),
        judge_provider=judge(),
        home=home,
        options=RunOptions(judge="j"),
    )
    assert result.mean("a") == 0.7


def test_pairs_are_judged_against_the_answers_of_a_baseline(home):
    spec = ScorerSpec(id="llm_judge", mode="pairwise", baseline="b")

    def said(parts):
        return {"verdict": "A" if parts["answer a"].startswith("a") else "B"}

    result = run(a_suite(4, scorer=spec), provider=answers(), judge_provider=judge(said), home=home)
    assert result.mean("a") == 1.0
    assert result.mean("b") == 0.5
    assert result.is_finished
    assert result.summary.judging.judged == 4


def test_the_answers_of_the_baseline_are_not_among_those_judged(home):
    spec = ScorerSpec(id="llm_judge", mode="pairwise", baseline="b")
    mumbling = judge(lambda _: "I would rather not say.")
    result = run(a_suite(4, scorer=spec), provider=answers(), judge_provider=mumbling, home=home)
    assert (result.summary.judging.judged, result.summary.judging.failed) == (4, 4)
    assert result.summary.judging.coverage == 0.0


def test_a_pair_in_both_orders_is_explained_as_two_judgments(home):
    spec = ScorerSpec(id="llm_judge", mode="pairwise", baseline="b")
    first = judge(lambda _: {"verdict": "A"})
    result = run(a_suite(1, scorer=spec), provider=answers(), judge_provider=first, home=home)
    trial = next(it for it in result.trials() if it.model == "a")
    assert trial.score.notes == ""
    steps = explain(trial).steps
    assert steps[2:] == (
        "j, repeat 1, both orders: they disagree, a tie, 0.5",
        "score = median of the judgments = 0.5",
    )


def test_stored_answers_are_judged_anew_and_for_nothing_the_second_time(home):
    result = run(a_suite(4, scorer=ScorerSpec(id="exact")), provider=answers(("a",)), home=home)
    first, second = judge(), judge()
    judged_now = rescore(result.run_ids[0], scorer="llm_judge", judge_provider=first, home=home)
    assert first.calls == 4
    assert judged_now.mean("a") == 0.7
    again = rescore(result.run_ids[0], scorer="llm_judge", judge_provider=second, home=home)
    assert second.calls == 0
    assert again.mean("a") == 0.7
    assert again.summary.judging.judgments == 4
    assert {trial.score_version for trial in again.trials()} == {3}


def test_a_judged_run_is_scored_anew_by_the_judge_it_had(home):
    result = run(a_suite(2), provider=answers(("a",)), judge_provider=judge(), home=home)
    other = judge(lambda _: {"score": 1})
    again = rescore(
        result.run_ids[0], judge_provider=other, home=home, options=RunOptions(profile="robust")
    )
    assert other.calls == 0
    assert again.mean("a") == 0.7


def test_a_panel_reports_its_agreement_and_that_it_is_uncalibrated(home):
    def said(parts):
        return {"score": 9 if "c1" in parts["answer"] else 2}

    asked = judge(said, models=("j", "k"))
    result = run(a_suite(), provider=answers(("a",)), judge_provider=asked, home=home)
    part = result.summary.judging
    assert part.weighting == "equal, uncalibrated"
    assert part.alpha.value == 1.0


def a_panel_run(home, suite):
    """Judges j and k differ by the case alone: three models share each of their disagreements."""

    def said(request):
        at = int(re.search(r"What is (\d+)\?", request.messages[-1].content)[1])
        off = (0, 1, 4)[at % 3] if request.model == "k" else 0
        reply = judge_script(lambda _: {"score": (3 * at % 7) + off})
        return Completion(text=reply(request), cost_usd=0.001)

    asked = Scripted(said, models=("j", "k"))
    return run(suite, provider=answers(("a", "b", "c")), judge_provider=asked, home=home)


def medians(result):
    trials = list(result.trials())
    rows = [[it.score.detail["judges"][name]["median"] for name in "jk"] for it in trials]
    return rows, [it.case_id for it in trials]


def test_the_interval_of_the_judges_agreement_takes_answers_to_one_case_together(home):
    result = a_panel_run(home, a_suite(24))
    rows, cases = medians(result)
    found = result.summary.judging.alpha
    alone = krippendorff_alpha(rows, scale="interval")
    drawn = bootstrap(
        lambda table: krippendorff_alpha(table, scale="interval").value,
        rating_table(rows),
        clusters=cases,
        seed=1,
        kind="percentile",
    )
    assert (found.value, found.n, found.clusters) == (alone.value, 72, 24)
    assert found.se == pytest.approx(drawn.se, rel=0.15)
    assert found.se > 1.5 * alone.se
    text = summary_text(result.summary, detail="full", width=200)
    assert "over 72 answers, clustered by case." in text


def test_the_interval_of_the_judges_agreement_takes_cases_of_one_group_together(home):
    grouped = tuple(
        Case(id=f"c{n}", prompt=f"What is {n}?", expected=str(n), group=f"g{n // 2}")
        for n in range(24)
    )
    result = a_panel_run(home, a_suite(cases=grouped))
    rows, cases = medians(result)
    groups = [int(name[1:]) // 2 for name in cases]
    found = result.summary.judging.alpha
    assert found.clusters == 12
    assert found.interval == krippendorff_alpha(rows, scale="interval", clusters=groups).interval


def test_a_stop_leaves_what_was_not_judged_for_later(home):
    async def stopped():
        stop = asyncio.Event()
        reply = judge_script(lambda _: {"score": 7})

        def said(request):
            if asked.calls >= 4:
                stop.set()
            return Completion(text=reply(request), cost_usd=0.001)

        asked = Scripted(said, models=("j",), latency_s=0.01)
        result = await arun(
            a_suite(20),
            provider=answers(("a",)),
            judge_provider=asked,
            home=home,
            stop=stop,
            options=RunOptions(judge_concurrency=2),
        )
        return result, asked.calls

    result, calls = asyncio.run(stopped())
    assert result.interrupted
    assert calls <= 6
    with store_of(home) as store:
        assert len(store.judgments(result.run_ids[0])) == calls
        answered = store.count_done(result.run_ids[0])  # the stop may have come before the last
        assert store.count_awaiting(result.run_ids[0]) == answered - calls
    asked = judge()
    resumed = resume(result.run_ids[0], provider=answers(("a",)), judge_provider=asked, home=home)
    assert resumed.is_finished
    assert asked.calls == 20 - calls
    assert resumed.summary.judging.cost_usd == pytest.approx(0.02)


def test_a_slow_judge_never_idles_the_models(home):
    asked = judge_script(lambda _: {"score": 7})
    slow = Scripted(asked, models=("j",), latency_s=0.25)
    models = answers(("a",))
    seen = []
    work = arun(
        a_suite(40),
        provider=models,
        judge_provider=slow,
        home=home,
        on_progress=lambda it: seen.append((it.done, it.awaiting)),
        options=RunOptions(judge_concurrency=5, clock=SimulatedClock()),
    )
    simulated(work)
    assert any(done == 40 and awaiting > 10 for done, awaiting in seen)
    assert seen[-1] == (40, 0)


def kill_and_resume(tmp_path, data, *, limit, kills, seed):
    """The result at the end, the log of every call to the judge, and the home it is in."""
    home, log = tmp_path / "killed", tmp_path / "calls.log"
    moments = random.Random(seed)  # noqa: S311  no secret
    words = [
        sys.executable,
        "-m",
        "tests.arenas.judged",
        str(home),
        str(log),
        str(data),
        str(limit),
    ]
    for _ in range(kills):
        calls = moments.randint(1, 2 * limit // (kills + 1))
        done = subprocess.run(
            [*words, str(calls)], cwd=ROOT, stdout=subprocess.DEVNULL, check=False
        )
        assert done.returncode == -signal.SIGKILL
    with store_of(home) as store:  # what a dead process held
        (found,) = store.runs()
        lease = store.lease(f"run {found.id}")
        assert lease is not None
    result = asyncio.run(judged.work(home, log, data, limit))
    return result, log.read_text(encoding="utf-8").splitlines(), home


def assert_every_cent(tmp_path, data, *, limit, kills, seed):
    result, calls, home = kill_and_resume(tmp_path, data, limit=limit, kills=kills, seed=seed)
    assert result.is_finished
    whole = asyncio.run(judged.work(tmp_path / "whole", tmp_path / "whole.log", data, limit))
    assert [it.score for it in result.trials()] == [it.score for it in whole.trials()]
    assert [it.mean for it in result.summary.models] == [it.mean for it in whole.summary.models]
    with store_of(home) as store:
        stored = store.judgments(result.run_ids[0])
        keys = [one.key for one in stored]
        assert len(set(keys)) == len(keys) == result.summary.judging.judgments
        cents = round(100 * len(stored) * judged.USD, 6)
        assert round(100 * store.spent_usd(result.run_ids), 6) == cents
    assert round(100 * result.summary.judging.cost_usd, 6) == cents
    in_flight = len(calls) - len(stored)
    assert 0 <= in_flight <= kills * judged.CONCURRENCY
    again = judged.judge(tmp_path / "again.log")
    second = run(
        judged.suite(data),
        recorded=data / "answers.jsonl.gz",
        fields=judged.FIELDS,
        judge_provider=again,
        home=home,
        options=RunOptions(limit=limit, cache=True),
    )
    assert again.calls == 0
    assert second.summary.judging.cost_usd == 0
    assert second.summary.judging.cached == len(stored)


@pytest.mark.data
def test_arena_hard_is_judged_killed_and_resumed_to_the_cent(tmp_path, shared):
    data = shared / "suites" / "arena_hard_v01"
    assert_every_cent(tmp_path, data, limit=60, kills=2, seed=1)


@pytest.mark.data
@pytest.mark.long
def test_a_fifth_of_arena_hard_is_judged_killed_and_resumed_to_the_cent(tmp_path, shared):
    data = shared / "suites" / "arena_hard_v01"
    assert_every_cent(tmp_path, data, limit=100, kills=3, seed=2)
