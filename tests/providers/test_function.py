import asyncio
import threading

import pytest

from benchmaker.errors import BadResponse, ProviderError, RateLimited, SpecError, Timeout
from benchmaker.providers.function import Function
from benchmaker.providers.network.transport import HttpLimits
from benchmaker.record import Completion
from benchmaker.testing import ProviderContract, a_request
from tests.waiting import PATIENCE_S, until


def ask(function, **options):
    return asyncio.run(Function(function, **options).complete(a_request()))


def raises(error):
    def function(_):
        raise error

    return function


def answer(request):
    if request.case_id != "case-1":
        raise KeyError(request.case_id)
    return "42"


class TestFunctionContract(ProviderContract):
    @staticmethod
    def provider():
        return Function(answer)

    answerable = (a_request(),)
    unanswerable = (a_request(case_id="other"),)


def test_a_plain_function_runs_in_a_thread_of_its_own():
    assert ask(lambda _: threading.current_thread().name).text == "benchmaker-function"


def test_a_coroutine_function_runs_in_the_loop():
    async def function(request):
        await asyncio.sleep(0)
        return f"{request.case_id} in {threading.current_thread().name}"

    assert ask(function).text == "case-1 in MainThread"


def test_a_completion_is_returned_as_it_is():
    done = Completion(text="x", cost_usd=1.0)
    assert ask(lambda _: done) is done


def test_many_run_at_once():
    barrier = threading.Barrier(20, timeout=PATIENCE_S)
    function = Function(lambda _: str(barrier.wait() >= 0))

    async def all_of_them():
        return await asyncio.gather(*(function.complete(a_request()) for _ in range(20)))

    assert [done.text for done in asyncio.run(all_of_them())] == ["True"] * 20


def test_what_it_raises_is_a_provider_error():
    with pytest.raises(ProviderError, match=r"raised ValueError: no") as caught:
        ask(raises(ValueError("no")))
    assert not caught.value.is_retryable


@pytest.mark.parametrize("error", [StopIteration("x"), SystemExit(3), TimeoutError("theirs")])
def test_whatever_it_raises_is_a_provider_error(error):
    with pytest.raises(ProviderError):
        ask(raises(error))


def test_a_trial_error_is_passed_on():
    with pytest.raises(RateLimited, match="wait"):
        ask(raises(RateLimited("wait")))


@pytest.mark.parametrize("result", [None, 42, b"bytes"])
def test_another_result_is_a_bad_response(result):
    with pytest.raises(BadResponse, match="not text or a Completion"):
        ask(lambda _: result)


def test_it_is_left_behind_when_its_time_is_over():
    released, ended = threading.Event(), threading.Event()

    def wait(_):
        released.wait(PATIENCE_S)
        ended.set()
        return "late"

    with pytest.raises(Timeout, match=r"within 0.1 s"):
        ask(wait, limits=HttpLimits(total_s=0.1))
    assert not ended.is_set()
    released.set()
    until(ended.is_set)


def test_a_dotted_path_names_it():
    function = Function("tests.providers.test_function:answer")
    assert function.models == ("tests.providers.test_function:answer",)
    assert function.description() == {
        "kind": "function",
        "function": "tests.providers.test_function:answer",
    }
    assert asyncio.run(function.complete(a_request())).text == "42"


@pytest.mark.parametrize(
    "path", ["os", "os:no_such", "no_such_module:f", "os:sep", ":f", "a b:c", "os:path.join"]
)
def test_a_path_that_names_no_function_is_refused(path):
    with pytest.raises(SpecError):
        Function(path)
