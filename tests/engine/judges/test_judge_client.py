import asyncio

import pytest
from msgspec.structs import replace

from benchmaker.engine.judges.judge_client import JudgeClient, ScorerAsk
from benchmaker.engine.judges.replies import JudgmentContext
from benchmaker.engine.judges.reply_keys import question_key
from benchmaker.engine.requests.budget import Budget
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import AuthError, JudgeRefused, ProviderError, RateLimited
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason
from benchmaker.scoring.base import AskingHalted, Question
from benchmaker.spec import Message, Parameters
from benchmaker.store import Store, Writer

LIMITS = RunLimits(retry=Retry(base_s=0.001, empty_s=0.001))


def a_question(text="Judge. The nonce is n1.", **fields):
    turn = Message(role="user", content=text)
    return Question(**{"model": "j", "messages": (turn,), "nonce": "n1", **fields})


def with_desk(tmp_path, provider, work, **options):
    """What ``work`` makes of a desk over a store of its own."""

    async def working():
        with Store.open(tmp_path / "desk.db") as store, Writer(store, max_delay_s=0) as writer:
            desk = JudgeClient(store, writer, provider, limits=LIMITS, **options)
            try:
                return await work(desk, store)
            finally:
                await desk.close()

    return asyncio.run(working())


def asked(tmp_path, provider, *questions, **options):
    async def work(desk, store):
        return [await desk.answer(it) for it in questions], store.judgments(None)

    return with_desk(tmp_path, provider, work, **options)


def test_a_reply_is_durable_before_it_counts(tmp_path):
    provider = Scripted([Completion(text="8", cost_usd=0.25)])
    (reply,), (stored,) = asked(tmp_path, provider, a_question())
    assert (reply.text, reply.nonce, reply.cost_usd, reply.cached) == ("8", "n1", 0.25, False)
    assert stored.key == reply.key
    assert stored.cost_usd == 0.25
    assert stored.created_at


def test_the_same_question_with_another_nonce_is_known(tmp_path):
    provider = Scripted(["8"])
    other = a_question("Judge. The nonce is n2.", nonce="n2")
    (first, second), stored = asked(tmp_path, provider, a_question(), other)
    assert provider.calls == 1
    assert (second.text, second.nonce, second.cached) == ("8", "n1", True)
    assert second.cost_usd == 0
    assert first.key == second.key
    assert len(stored) == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"text": "Judge again. n1"},
        {"model": "k"},
        {"parameters": Parameters(temperature=0.2)},
        {"parameters": Parameters(temperature=0.1, max_tokens=7)},
        {"schema": {"type": "object"}},
        {"repeat": 2},
        {"order": "ba"},
        {"attempt": 2},
    ],
)
def test_whatever_is_sent_makes_another_key(fields):
    assert question_key(a_question(**fields), {}, JudgmentContext()) != question_key(
        a_question(), {}, JudgmentContext()
    )


def test_what_is_not_sent_makes_no_other_key():
    same = a_question(purpose="calibration", case_id="c7")
    assert question_key(same, {}, JudgmentContext("r", "m")) == question_key(
        a_question(), {}, JudgmentContext()
    )


def test_the_endpoint_is_part_of_the_key_and_the_name_of_its_key_is_not():
    def described(**fields):
        return {"kind": "live", "models": {"j": {"base_url": "https://a", "key": "A", **fields}}}

    key = question_key(a_question(), described(), JudgmentContext())
    assert question_key(a_question(), described(key="B"), JudgmentContext()) == key
    assert question_key(a_question(), described(base_url="https://b"), JudgmentContext()) != key


def test_equal_questions_under_way_are_asked_once(tmp_path):
    provider = Scripted(lambda _: "8", latency_s=0.01, models=("j",))

    async def work(desk, _):
        return await asyncio.gather(*(desk.answer(a_question()) for _ in range(5)))

    replies = with_desk(tmp_path, provider, work)
    assert provider.calls == 1
    assert sorted(reply.cached for reply in replies) == [False, True, True, True, True]


def test_failures_are_retried_then_kept_and_asked_again_another_time(tmp_path):
    provider = Scripted([RateLimited("slow"), RateLimited("slow"), RateLimited("slow"), "8"])

    async def work(desk, store):
        with pytest.raises(RateLimited):
            await desk.answer(a_question())
        (failed,) = store.judgments(None)
        return failed, await desk.answer(a_question())

    failed, reply = with_desk(tmp_path, provider, work)
    assert [it.number for it in failed.attempts] == [1, 2, 3]
    assert failed.error == "slow"
    assert reply.text == "8"


def test_a_refusal_is_kept_and_said(tmp_path):
    provider = Scripted([Completion(text="no", finish=FinishReason.REFUSAL)])
    with pytest.raises(JudgeRefused):
        asked(tmp_path, provider, a_question())


def test_a_wrong_key_halts_the_desk(tmp_path):
    provider = Scripted(lambda _: AuthError("wrong key", status=401), models=("j",))

    async def work(desk, _):
        for repeat in (1, 2):
            with pytest.raises(AskingHalted):
                await desk.answer(a_question(repeat=repeat))
        return desk.stopped, desk.halt_reason

    stopped, halted = with_desk(tmp_path, provider, work)
    assert provider.calls == 1
    assert "wrong key" in stopped["judge j"]
    assert "wrong key" in halted


def test_five_equal_client_errors_halt_the_desk(tmp_path):
    provider = Scripted(lambda _: ProviderError("no such model", status=404), models=("j",))

    async def work(desk, _):
        for repeat in range(1, 7):
            with pytest.raises((ProviderError, AskingHalted)):
                await desk.answer(a_question(repeat=repeat))
        return desk.halt_reason

    assert "no such model" in with_desk(tmp_path, provider, work)
    assert provider.calls == 5


def test_what_is_stored_is_found_even_when_nothing_may_be_asked(tmp_path):
    async def work(desk, _):
        await desk.answer(a_question())
        desk.halt("stopped")
        return await desk.answer(a_question())

    assert with_desk(tmp_path, Scripted(["8"]), work).cached


def test_no_more_requests_fly_than_allowed(tmp_path):
    flying, most = 0, 0

    class Counting(Scripted):
        async def complete(self, request):
            nonlocal flying, most
            flying += 1
            most = max(most, flying)
            await asyncio.sleep(0.002)
            flying -= 1
            return await super().complete(request)

    async def work(desk, _):
        return await asyncio.gather(*(desk.answer(a_question(repeat=n)) for n in range(1, 13)))

    with_desk(tmp_path, Counting(lambda _: "8", models=("j",)), work, concurrency=3)
    assert most == 3


def test_a_budget_is_never_exceeded_and_then_halts(tmp_path):
    class Priced(Scripted):
        def most_usd(self, _):
            return 1.0

    provider = Priced(lambda _: Completion(text="8", cost_usd=1.0), models=("j",))

    async def work(desk, _):
        questions = [desk.answer(a_question(repeat=n)) for n in range(1, 6)]
        return await asyncio.gather(*questions, return_exceptions=True), desk.halt_reason

    budget = Budget(2.5)
    replies, halted = with_desk(tmp_path, provider, work, budget=budget)
    assert [isinstance(it, AskingHalted) for it in replies].count(True) == 3
    assert budget.spent_usd == 2.0
    assert "budget" in halted


def test_a_schema_is_sent_only_to_models_that_keep_to_one(tmp_path):
    plain = Scripted(["8"])
    asked(tmp_path, plain, a_question(schema={"type": "object"}))
    assert plain.requests[0].response_schema is None


def test_a_model_that_refuses_the_schema_is_asked_in_plain_words(tmp_path):
    class Held(Scripted):
        def takes_schema(self, _):
            return True

    def said(request):
        refusal = ProviderError("no schemas here", status=400)
        return refusal if request.response_schema else "8"

    provider = Held(said, models=("j",))
    questions = [a_question(schema={"type": "object"}, repeat=n) for n in (1, 2)]
    (first, second), stored = asked(tmp_path, provider, *questions)
    assert (first.text, second.text) == ("8", "8")
    assert not first.structured
    assert provider.calls == 3
    assert len(stored) == 2


def test_a_ticket_remembers_that_it_was_halted(tmp_path):
    async def work(desk, _):
        ticket = ScorerAsk(desk, JudgmentContext())
        await ticket.ask(a_question())
        assert not ticket.halted
        desk.halt("stopped")
        with pytest.raises(AskingHalted):
            await ticket.ask(replace(a_question(), repeat=2))
        return ticket.halted

    assert with_desk(tmp_path, Scripted(["8"]), work)
