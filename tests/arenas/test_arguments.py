"""Wrong arguments from Python: one error before a run is written, and a store that can be read."""

import asyncio
import inspect
import re
from contextlib import suppress
from dataclasses import fields

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmaker import (
    BenchmakerError,
    Case,
    Parameters,
    RunOptions,
    ScorerSpec,
    SpecError,
    Suite,
    arescore,
    aresume,
    arun,
    compare,
    estimate,
    rank,
    rescore,
    results,
    resume,
    run,
)
from benchmaker.analysis import trend
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.run_options import OPTIONS
from benchmaker.spec import JudgeSpec
from benchmaker.store.home import Home
from tests.call_keywords import call_keywords

CASE = Case(id="peru", prompt="The capital of Peru?", expected="Lima")
SUITE = Suite("capitals", [CASE], scorer="exact")


def lima(request):
    del request
    return "Lima"


def asked(home, suite=SUITE, **options):
    return run(suite, home=home, **call_keywords({"provider": lima} | options))


def stored_runs(home):
    """The runs of a store, each of them read."""
    with Home.of(home, None).open_store() as store:
        return list(store.runs())


ANYTHING = st.sampled_from(
    [
        None,
        5,
        -1,
        0,
        2**70,
        1.5,
        float("nan"),
        float("inf"),
        True,
        "",
        "x",
        "\ud800",
        "\0",
        b"x",
        [],
        ["x"],
        [5],
        {"x"},
        {},
        {"x": 5},
        {5: "x"},
        ("x", None),
        range(3),
        object(),
        lima,
        str,
        CASE,
        Parameters(),
        ScorerSpec(id="numeric"),
    ]
)
SUITE_FIELDS = [field.name for field in fields(Suite)]
NOT_FUZZED = {
    "suite", "home", "store", "clock", "random", "stop", "limits", "executor", "return",
    "deprecated", "options", "retry_failed",
}  # fmt: skip
RUN_OPTIONS = sorted((arun.__annotations__.keys() | OPTIONS.keys()) - NOT_FUZZED)


def ends_well(home, make):
    """See to it that a call works or raises one error of ours without leaving a run behind."""
    before = len(stored_runs(home))
    try:
        make()
    except BenchmakerError:
        assert len(stored_runs(home)) == before
    else:
        assert len(stored_runs(home)) > before


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(field=st.sampled_from(SUITE_FIELDS), value=ANYTHING)
def test_any_value_of_a_suite_works_or_is_refused_before_a_run_is_written(tmp_path, field, value):
    values = {"name": "capitals", "cases": [CASE], "scorer": "exact"}
    ends_well(tmp_path, lambda: asked(tmp_path, Suite(**{**values, field: value})))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(option=st.sampled_from(RUN_OPTIONS), value=ANYTHING)
def test_any_value_of_an_option_works_or_is_refused_before_a_run_is_written(
    tmp_path, option, value
):
    ends_well(tmp_path, lambda: asked(tmp_path, **{option: value}))


@given(field=st.sampled_from(sorted(Case.model_fields)), value=ANYTHING)
def test_any_value_of_a_case_works_or_is_refused(field, value):
    with suppress(SpecError):
        Case(**{"id": "a", "prompt": "x", field: value})


@given(field=st.sampled_from(sorted(JudgeSpec.model_fields)), value=ANYTHING)
def test_any_value_of_a_judge_works_or_is_refused(field, value):
    with suppress(SpecError):
        JudgeSpec(**{"models": "m", field: value})


@pytest.mark.parametrize("metric", ["accuracy", "median", None, 5])
def test_an_unknown_metric_is_refused_with_those_there_are(metric):
    with pytest.raises(SpecError, match="metric must be 'mean' or 'strict'"):
        Suite("s", [CASE], metric=metric)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"name": 5}, "name must be text, not 5."),
        ({"system_prompt": 5}, "system_prompt must be text, not 5."),
        ({"cases": CASE}, "cases must be a list of cases, not a Case."),
        ({"cases": "s", "name": [CASE]}, "name must be text, not a list."),
        ({"cases": "s"}, "cases must be a list of cases, not 's'."),
        ({"cases": {"id": "a", "prompt": "x"}}, "cases must be a list of cases, not a mapping."),
    ],
)
def test_a_wrong_field_of_a_suite_is_named(options, words):
    with pytest.raises(SpecError, match=re.escape(words)):
        Suite(**{"name": "s", "cases": [CASE]} | options)


class Reader:
    """A re-iterable that gives what is no case."""

    def __iter__(self):
        return iter([5])


def test_a_reader_that_gives_no_cases_is_refused(tmp_path):
    with pytest.raises(SpecError, match="a case of the suite must be a Case"):
        asked(tmp_path, Suite("s", Reader(), scorer="exact"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"seed": "x"}, "run(): seed must be a whole number, not 'x'."),
        ({"limit": "2"}, "limit must be a whole number, not '2'."),
        ({"runs": "3"}, "runs must be a whole number, not '3'."),
        ({"seed": 2**70}, "seed: a whole number beyond 64 bits can't be kept"),
        ({"metric": "median"}, "metric must be 'mean' or 'strict', not 'median'."),
        ({"stream": "no"}, "stream must be True or False, not 'no'."),
        ({"tags": 5}, "tags must be a list or text, not 5."),
        ({"retries": -1}, "run(): retries must be at least 0, not -1."),
        ({"max_cost_usd": -0.5}, "max_cost_usd must be at least 0, not -0.5."),
        ({"max_cost_usd": float("nan")}, "max_cost_usd must be at least 0, not nan."),
        ({"profile": "robost"}, "profile must be 'classic' or 'robust', not 'robost'."),
        ({"runs": 0, "limit": 0}, "runs must be at least 1, not 0. limit must be at least 1"),
        ({"timeouts": "x", "provider": None, "models": [lima]}, "timeouts must be seconds"),
        ({"models": {"g": lima}, "provider": None}, "Use models=[f]. To give a function a name"),
        ({"models": 5}, "models must be a list of names and functions, not 5."),
    ],
)
def test_a_wrong_option_is_named_and_leaves_no_run(tmp_path, options, words):
    with pytest.raises(SpecError, match=re.escape(words)):
        asked(tmp_path, **options)
    assert stored_runs(tmp_path) == []


@pytest.mark.parametrize("name", [it for it, one in OPTIONS.items() if one.least is not None])
def test_every_declared_minimum_holds_in_python(tmp_path, name):
    least = OPTIONS[name].least
    with pytest.raises(SpecError, match=f"{name} must be at least {least:g}, not {least - 1:g}"):
        asked(tmp_path, **{name: int(least) - 1})
    assert stored_runs(tmp_path) == []


@pytest.mark.parametrize("name", [it for it, one in OPTIONS.items() if one.choices])
def test_every_declared_choice_holds_in_python(tmp_path, name):
    with pytest.raises(SpecError, match=f"{name} must be '{OPTIONS[name].choices[0]}'( or|,)"):
        asked(tmp_path, **{name: "median"})


def test_estimating_refuses_options_out_of_range():
    with pytest.raises(SpecError, match=re.escape("estimate(): runs must be at least 1, not 0.")):
        estimate(SUITE, models="openai/m", runs=0)
    with pytest.raises(SpecError, match=re.escape("estimate(): limit must be at least 1, not 0.")):
        estimate(SUITE, models="openai/m", options=RunOptions(limit=0))


def test_resuming_refuses_wrong_options(tmp_path):
    asked(tmp_path)
    with pytest.raises(SpecError, match=re.escape("resume(): runs must be a whole number")):
        resume(home=tmp_path, options=RunOptions(runs="3"))


def test_estimating_refuses_wrong_options_all_at_once():
    words = "models must be a list or text, not 5. limit must be a whole number, not '2'."
    with pytest.raises(SpecError, match=re.escape(f"estimate(): {words}")):
        estimate(SUITE, limit="2", models=5)


@pytest.mark.parametrize("options", [{"run_id": 5}, {"store": 5}, {"home": ["a"]}])
def test_looking_at_results_refuses_wrong_options(tmp_path, options):
    (name,) = options
    with pytest.raises(SpecError, match=re.escape(f"results(): {name} must be text")):
        results(**{"home": tmp_path} | options)


@pytest.mark.parametrize("look", [compare, rank, trend])
def test_an_unknown_metric_is_refused_of_stored_runs_too(tmp_path, look):
    made = [asked(tmp_path), asked(tmp_path)]
    with pytest.raises(SpecError, match="unknown metric 'median'"):
        look(made, metric="median")


def test_limits_that_ask_nothing_are_refused():
    with pytest.raises(SpecError, match="concurrency must be at least 1"):
        RunLimits(concurrency=0)


def test_a_provider_that_describes_itself_unreadably_is_refused(tmp_path):
    class Odd:
        models = ("m",)

        def description(self):
            return {"kind": object()}

        async def complete(self, request):
            raise NotImplementedError

    with pytest.raises(SpecError, match="a value that can't be stored"):
        asked(tmp_path, provider=Odd())
    assert stored_runs(tmp_path) == []


def test_an_unknown_keyword_is_told_of_the_function_that_was_called():
    with pytest.raises(TypeError, match=r"^run\(\) got an unexpected keyword argument 'model'"):
        run(SUITE, model="m")


@pytest.mark.parametrize(
    ("call", "wrong", "near"),
    [
        (run, "model", "models"),
        (run, "run", "runs"),
        (run, "max_cost", "max_cost_usd"),
        (resume, "retries_", "retries"),
        (rescore, "profil", "profile"),
    ],
)
def test_the_nearest_keyword_or_option_is_suggested(call, wrong, near):
    with pytest.raises(TypeError, match=rf"{wrong!r}\. Did you mean {near!r}\?$"):
        call(SUITE, **{wrong: 3})


def test_an_option_by_itself_works_for_one_release_and_names_the_new_spelling(tmp_path):
    words = r"run\(runs=…, seed=…\) ends with the next release\. Write run\(…, options=RunOptions\("
    with pytest.warns(DeprecationWarning, match=words) as warned:
        made = run(SUITE, provider=lima, home=tmp_path, runs=2, seed=7)
    assert [one.seed for one in made.runs] == [7, 7]
    assert [one.filename for one in warned] == [__file__]


def test_an_awaited_call_warns_its_caller_too(tmp_path):
    async def work():
        return await arun(SUITE, provider=lima, home=tmp_path, runs=2)

    with pytest.warns(DeprecationWarning, match=r"arun\(runs=…\)") as warned:
        assert len(asyncio.run(work()).runs) == 2
    assert [one.filename for one in warned] == [__file__]


def test_old_keywords_of_later_calls_work_for_one_release(tmp_path):
    made = asked(tmp_path)
    with pytest.warns(DeprecationWarning, match=r"resume\(runs=…\)"):
        assert len(resume(provider=lima, home=tmp_path, runs=2).runs) == 2
    with pytest.warns(DeprecationWarning, match=r"rescore\(profile=…\)"):
        again = rescore(made.run_ids[0], home=tmp_path, profile="robust")
    assert {trial.score.profile for trial in again.trials()} == {"robust/2"}


def test_an_old_keyword_goes_with_other_options(tmp_path):
    with pytest.warns(DeprecationWarning, match="ends with the next release"):
        made = run(SUITE, provider=lima, home=tmp_path, runs=2, options=RunOptions(seed=7))
    assert [one.seed for one in made.runs] == [7, 7]


def test_an_option_is_not_given_twice(tmp_path):
    with pytest.raises(TypeError, match="runs both as arguments and in options"):
        run(SUITE, provider=lima, home=tmp_path, runs=2, options=RunOptions(runs=3))


def test_options_of_another_type_are_refused(tmp_path):
    with pytest.raises(SpecError, match=r"run\(\): options must be a RunOptions, not a mapping"):
        run(SUITE, provider=lima, home=tmp_path, options={"runs": 2})


def test_an_option_that_changes_nothing_is_refused(tmp_path):
    asked(tmp_path)
    with pytest.raises(SpecError, match=r"resume\(\): no effect here: limit, seed"):
        resume(provider=lima, home=tmp_path, options=RunOptions(seed=7, limit=1))


SETUPS = {"prompts", "efforts"}
"""Beside the models they are what a run compares, so that a call names them directly."""


@pytest.mark.parametrize("call", [arun, aresume, arescore])
def test_a_call_has_few_parameters_beside_its_options(call):
    parameters = inspect.signature(call).parameters.keys() - SETUPS
    assert len(parameters) <= (13 if call is arescore else 12)
    assert not parameters & OPTIONS.keys()


def test_numbers_may_be_several_right_answers():
    assert Case(id="a", prompt="x", expected=[5, 6.5, "7"]).expectations == ("5", "6.5", "7")


@pytest.mark.parametrize("expected", [{"Lima", "Quito"}, range(2), object()])
def test_what_is_no_expectation_is_named(expected):
    named = f"expected must be text, not an? {type(expected).__name__}"
    with pytest.raises(SpecError, match=named):
        Case(id="a", prompt="x", expected=expected)


def broken(request):
    raise ValueError(f"no answer to {request.case_id}")


def without_argument():
    return "Lima"


def number(request):
    del request
    return 5


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (broken, "broken raised ValueError: no answer to peru"),
        (without_argument, "takes 0 positional arguments but 1 was given"),
        (number, "returned int, not text or a Completion"),
    ],
)
def test_a_function_that_always_fails_is_told_with_its_first_error(tmp_path, function, words):
    result = asked(tmp_path, provider=None, models=[function], retries=0)

    assert "every request failed, the first with" in repr(result)
    assert words in repr(result)
    assert repr(results(home=tmp_path)) == repr(result)


def test_a_function_that_fails_at_times_is_told_without_an_error(tmp_path):
    two = Suite("two", [CASE, Case(id="b", prompt="x", expected="y")], scorer="exact")
    result = asked(
        tmp_path, two, provider=lambda it: lima(it) if it.case_id == "peru" else broken(it)
    )

    assert "failed" not in repr(result)
