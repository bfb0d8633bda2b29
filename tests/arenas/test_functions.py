"""Models that are Python functions, given as themselves."""

import pytest

from benchmaker import Case, RunOptions, SpecError, Suite, resume, run
from benchmaker.record import Completion
from tests.call_keywords import call_keywords

SUITE = Suite(
    "capitals",
    [Case(id="peru", prompt="The capital of Peru?", expected="Lima")],
    scorer="exact",
)


def lima(request):
    return "Lima" if "Peru" in request.messages[-1].content else "?"


async def paris(request):
    del request
    return Completion(text="Paris")


def means(result):
    return {model: result.mean(model) for model in result.models}


def test_functions_answer_among_the_models(tmp_path):
    result = run(SUITE, models=[lima, paris], home=tmp_path)
    name = "python:tests.arenas.test_functions:"
    assert means(result) == {f"{name}lima": 1.0, f"{name}paris": 0.0}
    assert resume(result.run_ids[0], home=tmp_path).is_finished


def test_one_function_stands_for_a_list_of_one(tmp_path):
    assert list(means(run(SUITE, models=lima, home=tmp_path)).values()) == [1.0]


def test_a_function_is_a_provider_under_the_names_that_are_given(tmp_path):
    result = run(SUITE, provider=lima, models=["p", "q"], home=tmp_path)
    assert means(result) == {"p": 1.0, "q": 1.0}
    assert resume(result.run_ids[0], provider=lima, home=tmp_path).is_finished


def test_a_function_that_provides_has_its_own_name(tmp_path):
    assert run(SUITE, provider=lima, home=tmp_path).models == ("tests.arenas.test_functions:lima",)


def test_a_function_replies_for_a_judge(tmp_path):
    judged = Suite("judged", SUITE.cases, scorer="llm_judge")
    result = run(
        judged,
        provider=lima,
        models=["p"],
        judge_provider=lambda _: '{"score": 8, "reasoning": "fine"}',
        home=tmp_path,
        options=RunOptions(judge="j"),
    )
    assert result.mean("p") == 0.8


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": [lambda _: "a", lambda _: "b"]}, "two functions have the name"),
        ({"models": [5]}, "a model must be a name or a function, not 5"),
        ({"models": [lima], "provider": lima}, "functions as models exclude recorded and provider"),
        ({"provider": 5}, "5 is not a provider"),
        ({"provider": Completion}, "is not a provider"),
    ],
)
def test_what_can_not_answer_is_refused_before_anything_is_asked(tmp_path, options, words):
    with pytest.raises(SpecError, match=words):
        run(SUITE, home=tmp_path, **call_keywords(options))
