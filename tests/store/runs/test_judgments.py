import pytest

from benchmaker.errors import StoreError
from benchmaker.record import AWAITING_JUDGE, Attempt, Completion, Judgment, Outcome, Score, Usage
from benchmaker.record.judgment import CACHE_HIT
from benchmaker.store import Store, Writer
from tests.store.filled import a_trial, add_run


@pytest.fixture
def store(address):
    with Store.open(address) as opened:
        add_run(opened)
        yield opened


def a_judgment(key="a", **fields):
    usage = Usage(input_tokens=100, output_tokens=10)
    reply = Completion(text="half \ud800", usage=usage, latency_s=0.5, cost_usd=0.01)
    defaults = {
        "judge": "j",
        "run_id": "run-1",
        "case_id": "odd \x00",
        "model": "model-a",
        "completion": reply,
        "attempts": (Attempt(number=1, status="ok", started_at="now", cost_usd=0.01),),
    }
    return Judgment(key=key * 64, **{**defaults, **fields})


def put(store, *judgments):
    with Writer(store) as writer:
        for judgment in judgments:
            writer.put_judgment(judgment)


def test_a_judgment_is_found_by_its_key_as_it_was(store):
    put(store, a_judgment())
    assert store.judgment("a" * 64, run_id="run-1") == a_judgment()
    assert store.judgment("b" * 64, run_id="run-1") is None


@pytest.mark.postgresql("no other test has its statements")
def test_a_failure_is_kept_and_not_found(store):
    failed = a_judgment(completion=None, error_type="Timeout", error="late")
    put(store, failed)
    assert store.judgment("a" * 64, run_id="run-1") is None
    assert store.other_judgments("a" * 64) == []
    assert store.judgments("run-1") == [failed]


def test_a_run_knows_its_own_judgment_from_those_of_others(store):
    add_run(store, "run-2")
    mine = a_judgment(run_id="run-2", flags=(CACHE_HIT,))
    outside = a_judgment(run_id=None, purpose="calibration")
    put(store, a_judgment(), mine, outside)
    assert store.judgment("a" * 64, run_id="run-2") == mine
    assert store.judgment("a" * 64) == outside
    assert store.other_judgments("a" * 64, run_id="run-2") == [a_judgment()]


def test_the_newest_judgment_of_a_run_counts(store):
    put(store, a_judgment(), newer := a_judgment(created_at="later"))
    assert store.judgment("a" * 64, run_id="run-1") == newer


@pytest.mark.postgresql("no other test has its statements")
def test_judgments_of_other_runs_are_found_by_the_number_of_their_run(store):
    add_run(store, "run-2", number=2)
    put(store, first := a_judgment(), second := a_judgment(run_id="run-2"))
    assert store.other_judgments("a" * 64, run_id="run-3") == [first, second]
    assert store.other_judgments("a" * 64, run_id="run-3", number=2) == [second]


@pytest.mark.postgresql("no other test has its statements")
def test_judgments_outside_any_run_are_kept_apart(store):
    outside = a_judgment(run_id=None, purpose="calibration")
    put(store, outside, a_judgment("b"))
    assert store.judgments(None) == [outside]
    assert [it.key[0] for it in store.judgments("run-1")] == ["b"]


@pytest.mark.postgresql("no other test has its statements")
def test_totals_count_replies_failures_and_what_was_known(store):
    cached = a_judgment("b", completion=Completion(text="x", cost_usd=0.0), attempts=(),
                        flags=(CACHE_HIT,))  # fmt: skip
    lost = Attempt(number=1, status="failed", started_at="now")
    failed = a_judgment("c", completion=None, attempts=(lost,))
    put(store, a_judgment(), cached, failed, a_judgment("d", judge="k"))
    first, second = store.judge_totals(["run-1"])
    assert (first.judge, first.judgments, first.cached, first.failed) == ("j", 2, 1, 1)
    assert (first.cost_usd, first.costs_unknown) == (0.01, 1)
    assert (first.latency_s, first.input_tokens, first.output_tokens) == (0.5, 100, 10)
    assert first.usd_per_1000 == 10.0
    assert second.judgments == 1
    assert store.spent_usd(["run-1"]) == pytest.approx(0.02)


def test_judgments_go_with_their_run(store):
    put(store, a_judgment())
    store.delete_run("run-1")
    assert store.other_judgments("a" * 64) == []


def test_a_judgment_of_an_unknown_run_is_refused(store):
    with pytest.raises(StoreError, match="no run"):
        put(store, a_judgment(run_id="gone"))


def awaiting(position, **fields):
    return a_trial(
        position,
        outcome=Outcome.UNSCORED,
        score=None,
        completion=Completion(text="42"),
        flags=("odd", AWAITING_JUDGE),
        **fields,
    )


def test_trials_that_wait_for_a_judge_are_read_once_in_the_order_they_came(store):
    with Writer(store) as writer:
        for at in (2, 0):
            writer.put(awaiting(at))
        writer.put(a_trial(1))
    assert store.count_awaiting("run-1") == 2
    ((first, one),) = store.trials_awaiting_judge("run-1", after=0, limit=1)
    ((_, two),) = store.trials_awaiting_judge("run-1", after=first, limit=5)
    assert (one.position, two.position) == (2, 0)
    assert one.text == "42"


@pytest.mark.postgresql("no other test has its statements")
def test_a_score_takes_the_flag_away(store):
    with Writer(store) as writer:
        writer.put(awaiting(0))
        writer.put_score(
            awaiting(0).key,
            Score(score=0.5, scorer="llm_judge"),
            outcome=Outcome.SCORED,
            flags=("odd",),
        )
    assert store.count_awaiting("run-1") == 0
    trial = store.trial("run-1", "model-a", "case-0")
    assert (trial.flags, trial.outcome, trial.score_version) == (("odd",), Outcome.SCORED, 1)
    assert store.count_judged(["run-1"], ["llm_judge"]) == 1


def a_scored(position, scorer, *flags):
    return a_trial(position, score=Score(score=0.5, scorer=scorer, flags=flags))


def test_answers_for_judges_are_those_of_every_scorer_that_asks_some(store):
    """Those that failed or wait are among them, those that need no judge are not."""
    with Writer(store) as writer:
        writer.put(a_scored(0, "code_judge"))
        writer.put(a_scored(1, "code_judge", "no_code"))
        writer.put(a_scored(2, "llm_judge", "policy_zero"))
        writer.put(a_scored(3, "llm_judge"))
        writer.put(a_scored(4, "exact"))
        writer.put(a_scored(5, "unheard_of", "judge_failed"))
        writer.put(awaiting(6))
        left_out = Score(score=None, scorer="llm_judge")
        writer.put(a_trial(7, score=left_out))
        abstained = Score(score=None, scorer="llm_judge", flags=("judge_abstained",))
        writer.put(a_trial(8, score=abstained))
    assert store.count_judged(["run-1"], ["llm_judge", "code_judge"]) == 5
    assert store.count_judged(["run-1"], []) == 3


def a_checked(position, *checks, score=0.5, flags=()):
    detail = {"passed": True, "threshold": None, "checks": list(checks)}
    return a_trial(position, score=Score(score=score, scorer="checks", detail=detail, flags=flags))


def a_check(type_, **detail):
    made = {"type": type_, "weight": 1.0, "passed": True, "score": 1.0, "reason": '"singles":'}
    return {**made, "detail": detail}


def test_answers_with_a_judge_among_their_checks_are_counted(store):
    """Also one inside a set, and one beside an undecided check."""
    judged = a_check("llm_judge", singles=[{"judge": "j", "unit": 0.7}])
    plain = a_check("contains", found='"singles":[')
    with Writer(store) as writer:
        writer.put(a_checked(0, judged, plain))
        writer.put(a_checked(1, plain))
        writer.put(a_checked(2, a_check("set", checks=[judged])))
        writer.put(a_checked(3, judged, plain, score=None))
        writer.put(a_checked(4, plain, flags=("policy_zero",)))
        writer.put(a_checked(5, a_check("llm_judge", spread=float("nan"), **judged["detail"])))
        writer.put(a_checked(6, plain, score=None, flags=("judge_failed",)))
    assert store.count_judged(["run-1"], ["llm_judge"]) == 5
    assert store.count_judged(["run-1"], []) == 1


def test_what_was_imported_is_found_by_its_own_run_alone(store):
    add_run(store, "run-2", imported_from="export.json")
    put(store, a_judgment(run_id="run-2"))
    assert store.judgment("a" * 64, run_id="run-1") is None
    assert store.judgment("a" * 64, run_id="run-2") is not None
    assert store.other_judgments("a" * 64, run_id="run-1") == []


@pytest.mark.postgresql("no other test has its statements")
def test_a_judges_last_reply_says_what_it_is_called(store):
    named = [Completion(text="8", model=f"j-{n}") for n in (1, 2)]
    put(store, *(a_judgment(key, completion=it) for key, it in zip("ab", named, strict=True)))
    put(store, a_judgment("c", completion=None), a_judgment("d", judge="k"))
    assert store.judge_versions(["run-1"]) == {"j": "j-2"}


@pytest.mark.postgresql("no other test has its statements")
def test_judgments_are_read_page_by_page_in_their_order(store, monkeypatch):
    monkeypatch.setattr("benchmaker.store.runs.judgments.PAGE", 2)
    kept = [a_judgment(key) for key in "abcde"]
    put(store, *kept)
    assert list(store.each_judgment("run-1")) == store.judgments("run-1") == kept


@pytest.mark.postgresql("no other test has its statements")
def test_trials_without_a_judgment_wait_for_a_judge_again(store):
    failed = Score(score=None, scorer="llm_judge", flags=("judge_failed",))
    with Writer(store) as writer:
        writer.put(a_trial(0, outcome=Outcome.UNSCORED, score=failed, flags=("stream_fallback",)))
        writer.put(a_trial(1))
    assert store.count_unjudged("run-1") == 1
    assert store.await_judges("run-1") == store.await_judges("run-1") == 1
    ((_, trial),) = store.trials_awaiting_judge("run-1", after=0, limit=9)
    assert trial.flags == ("stream_fallback", AWAITING_JUDGE, "judge_again")
    with Writer(store) as writer:
        writer.put_score(trial.key, Score(score=1.0, scorer="llm_judge"), flags=())
    assert store.count_unjudged("run-1") == store.count_awaiting("run-1") == 0


@pytest.mark.postgresql("no other test has its statements")
def test_what_is_known_of_a_judges_replies_is_told_over_all_runs(store):
    put(store, a_judgment(), a_judgment("b", run_id=None), a_judgment("c", flags=(CACHE_HIT,)))
    put(store, a_judgment("d", completion=None, attempts=()), a_judgment("e", judge="k"))
    known = store.stored_replies("j")
    assert (known.judgments, known.input_tokens, known.output_tokens) == (2, 200, 20)
    assert store.stored_replies("nobody") is None
