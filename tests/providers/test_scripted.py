import asyncio
from functools import partial

import pytest

from benchmaker.errors import ProviderError, RateLimited
from benchmaker.plugins import load
from benchmaker.providers.base import Provider
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason
from benchmaker.testing import ProviderContract, a_completion, a_request

TABLE = {("m", "a"): "one", ("n", "a"): "two", ("m", "b"): a_completion("three")}


def ask(scripted, model="m", case_id="a", **fields) -> Completion:
    return asyncio.run(scripted.complete(a_request(model=model, case_id=case_id, **fields)))


class TestScriptedContract(ProviderContract):
    provider = partial(Scripted, {("model-a", "case-1"): "42"}, latency_s=0.001)
    answerable = (a_request(),)
    unanswerable = (a_request(case_id="unheard of"), a_request(model="nobody"))


def test_a_table_answers_by_model_and_case():
    scripted = Scripted(TABLE)
    texts = [ask(scripted, *key).text for key in TABLE]
    assert texts == ["one", "two", "three"]


def test_a_sequence_answers_in_the_order_of_the_calls_until_it_ends():
    scripted = Scripted(["one", "two"])
    assert [ask(scripted).text, ask(scripted).text] == ["one", "two"]
    with pytest.raises(ProviderError, match="no scripted answer for model 'm', case 'a'"):
        ask(scripted)


def test_a_function_answers_from_the_request():
    scripted = Scripted(lambda request: f"{request.case_id} of run {request.run}")
    assert ask(scripted, run=3).text == "a of run 3"


def test_a_completion_is_returned_as_it_is():
    answer = Completion(text="cut", finish=FinishReason.LENGTH, cost_usd=0.5)
    assert ask(Scripted([answer])) is answer


@pytest.mark.parametrize("failure", [RateLimited("wait"), OSError("cable")])
def test_an_exception_is_raised(failure):
    with pytest.raises(type(failure)) as caught:
        ask(Scripted([failure]))
    assert caught.value is failure


def test_what_is_not_in_the_table_is_a_provider_error():
    with pytest.raises(ProviderError, match="model 'm', case 'c'"):
        ask(Scripted(TABLE), case_id="c")


def test_models_are_those_of_the_table_in_order():
    assert Scripted(TABLE).models == ("m", "n")
    assert Scripted(TABLE, models=["n"]).models == ("n",)
    assert Scripted([]).models == ("scripted",)


def test_requests_are_kept_in_order_whether_answered_or_not():
    scripted = Scripted(TABLE)
    ask(scripted, "m", "b")
    with pytest.raises(ProviderError):
        ask(scripted, "m", "c")
    assert [request.case_id for request in scripted.requests] == ["b", "c"]
    assert scripted.calls == 2


def test_latency_passes_on_the_given_clock_and_is_recorded():
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    answer = ask(Scripted(["one"], latency_s=12.5, sleep=sleep))
    assert slept == [12.5]
    assert answer.latency_s == 12.5


def test_without_latency_none_is_recorded():
    assert ask(Scripted(["one"])).latency_s is None


def test_it_is_a_provider_found_by_its_id():
    assert load("provider", "scripted") is Scripted
    assert isinstance(Scripted([]), Provider)
    assert Scripted([]).description() == {"kind": "scripted"}
