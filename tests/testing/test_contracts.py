"""The contracts must fail whoever breaks them: one fault each, found by the test it belongs to."""

import asyncio
import time
from dataclasses import dataclass, field
from itertools import count

import pytest

from benchmaker.errors import ProviderError, ScorerError
from benchmaker.plugins import provider, scorer
from benchmaker.record import Completion, Score
from benchmaker.testing import Example, ProviderContract, ScorerContract, a_completion, a_request

_COUNT = count()


@scorer
@dataclass(frozen=True, slots=True)
class Fine:
    """Full marks for 42.

    Example: ``scorer: fine``
    """

    wanted: str = "42"
    also: tuple[str, ...] = ()

    def score(self, case, trial):  # noqa: ARG002
        return Score.of(float(self.wanted in trial.text), notes="looked")

    def explain(self, score):
        return [f"score {score.score}"]


@scorer
@dataclass(frozen=True, slots=True)
class FineAndAsync(Fine):
    """Full marks for 42, after a while.

    Example: ``scorer: fine_and_async``
    """

    async def score(self, case, trial):
        await asyncio.sleep(0)
        return Fine.score(self, case, trial)


def contract_of(cls, *, wanted=1.0, **attributes):
    body = {"scorer": cls, "examples": (Example("It is 42", wanted),), **attributes}
    return type("Contract", (ScorerContract,), body)()


def checks(contract):
    return [name for name in dir(contract) if name.startswith("test_")]


def failing(contract):
    def fails(name):
        try:
            getattr(contract, name)()
        except Exception:  # noqa: BLE001  as pytest: whatever is raised fails
            return True
        return False

    return {name for name in checks(contract) if fails(name)}


def changed(**methods):
    """Fine with another method, at module level as ``build`` wants it."""
    name = f"Changed{next(_COUNT)}"
    namespace = {"__module__": __name__, "__doc__": Fine.__doc__, "__slots__": (), **methods}
    cls = scorer(dataclass(frozen=True)(type(name, (Fine,), namespace)))
    globals()[name] = cls
    return cls


@pytest.mark.parametrize("cls", [Fine, FineAndAsync])
@pytest.mark.parametrize("check", checks(ScorerContract))
def test_a_fine_scorer_passes(cls, check):
    getattr(contract_of(cls), check)()


def scores(result):
    return {"score": lambda *_: result() if callable(result) else result}


def broken(exc):
    def score(*_):
        raise exc

    return {"score": score}


def too_much():
    return Score(score=1.5)


def a_random_score():
    return Score.of(1.0, detail={"n": next(_COUNT)})


class Stranger:
    """Not for JSON."""


@pytest.mark.parametrize(
    ("methods", "caught_by"),
    [
        (scores(too_much), "test_a_score_lies_in_0_to_1_or_has_a_reason"),
        (scores(lambda: Score(score=None)), "test_a_score_lies_in_0_to_1_or_has_a_reason"),
        (
            scores(lambda: Score(score=1.0, confidence=7)),
            "test_a_score_lies_in_0_to_1_or_has_a_reason",
        ),
        (scores(a_random_score), "test_the_same_answer_gets_the_same_digits"),
        (scores(lambda: Score.of(0.5)), "test_the_examples_get_their_scores"),
        (
            scores(lambda: Score(score=1.0, detail={"pair": (1, 2)})),
            "test_a_score_survives_being_written_down",
        ),
        ({"explain": lambda *_: "one text"}, "test_explain_returns_lines"),
        ({"explain": lambda *_: []}, "test_explain_returns_lines"),
        (
            {"__doc__": "no sentence\n\nExample: x"},
            "test_its_docstring_has_a_sentence_and_an_example",
        ),
        ({"__doc__": "A sentence."}, "test_its_docstring_has_a_sentence_and_an_example"),
    ],
)
def test_a_fault_is_caught_by_the_test_it_belongs_to(methods, caught_by):
    assert caught_by in failing(contract_of(changed(**methods)))


def test_a_scorer_that_fails_on_hostile_answers_is_caught_and_a_typed_error_is_not():
    def on_long(exc):
        def score(self, case, trial):
            if len(trial.text) > 100:
                raise exc
            return Fine.score(self, case, trial)

        return {"score": score}

    assert failing(contract_of(changed(**on_long(RecursionError("deep"))))) == {
        "test_hostile_answers_are_bounded"
    }
    assert failing(contract_of(changed(**on_long(ScorerError("too long"))))) == set()


def test_a_slow_scorer_is_caught():
    def score(self, case, trial):
        time.sleep(0.02)
        return Fine.score(self, case, trial)

    contract = contract_of(changed(score=score), limit_s=0.01)
    assert failing(contract) == {"test_hostile_answers_are_bounded"}


def test_a_class_without_marks_and_freeze_is_caught():
    class Bare:
        def score(self, case, trial):  # noqa: ARG002
            return Score.of(1.0)

    caught = failing(contract_of(Bare))
    assert {"test_it_has_an_id_and_a_version", "test_it_is_a_frozen_dataclass"} <= caught


def test_a_contract_without_examples_is_caught():
    with pytest.raises(AssertionError, match="at least one example"):
        contract_of(Fine, examples=()).test_the_examples_get_their_scores()


def test_a_message_says_what_happened():
    with pytest.raises(AssertionError, match=r"Example\(answer='It is 42'.* gets 1\.0"):
        contract_of(Fine, wanted=0.0).test_the_examples_get_their_scores()


@provider
@dataclass(slots=True)
class Answering:
    """Answers with a text; as a provider, it is no value and need not be frozen."""

    answer: object = field(default_factory=a_completion)
    closed: int = 0

    async def complete(self, request):
        if request.case_id != "case-1":
            raise ProviderError("not that one")
        return self.answer

    async def close(self):
        self.closed += 1


def provider_contract(make, **attributes):
    body = {
        "provider": staticmethod(make),
        "answerable": (a_request(),),
        "unanswerable": (a_request(case_id="other"),),
        "limit_s": 60.0,
        **attributes,
    }
    return type("Contract", (ProviderContract,), body)()


@pytest.mark.parametrize("check", checks(ProviderContract))
def test_a_fine_provider_passes_and_is_closed(check):
    made = []

    def make():
        made.append(Answering())
        return made[-1]

    getattr(provider_contract(make), check)()
    assert all(one.closed for one in made) or check == "test_it_has_an_id_and_a_version"


@pytest.mark.parametrize("answer", ["a text", None, Completion(text="x", latency_s=-1.0)])
def test_an_answer_that_is_no_completion_is_caught(answer):
    contract = provider_contract(lambda: Answering(answer))
    assert "test_an_answer_is_a_completion" in failing(contract)


class _Untyped(Answering):
    async def complete(self, request):
        if request.case_id != "case-1":
            raise KeyError(request.case_id)
        return self.answer


class _Eager(Answering):
    async def complete(self, request):  # noqa: ARG002
        return self.answer


@pytest.mark.parametrize("cls", [_Untyped, _Eager])
def test_what_can_not_be_answered_must_be_a_provider_error(cls):
    assert failing(provider_contract(cls)) == {"test_what_goes_wrong_is_a_provider_error"}


def test_a_provider_that_stays_locked_after_a_cancelled_request_is_caught():
    class Locked(Answering):
        async def complete(self, request):
            self.closed += 1
            if self.closed > 1:
                await asyncio.sleep(60)
            await asyncio.sleep(0.001)
            return await Answering.complete(self, request)

    with pytest.raises(TimeoutError):
        provider_contract(
            Locked, limit_s=0.1
        ).test_a_request_can_be_cancelled_and_the_next_is_answered()
