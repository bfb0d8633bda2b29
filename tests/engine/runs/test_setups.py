"""Setups of a run: their order, names, parameters, and what is added to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.engine.runs.setups import added_setups, models_named, setups_of, with_setups
from benchmaker.errors import SpecError
from benchmaker.record import Setup
from benchmaker.spec import Parameters, Suite
from benchmaker.testing import a_run

SUITE = Suite(
    "s",
    [{"id": "a"}],
    prompts=[{"id": "p", "prompt": "P"}, {"id": "q", "prompt": "Q"}],
    models=["x/a", {"model": "x/a", "label": "hot", "parameters": {"temperature": 1.5}}],
    efforts=["low", "high"],
)
PLAIN = Suite("s", [{"id": "a", "prompt": "p"}])

temperatures = st.sampled_from([0.0, 0.25, 0.5, 1.0, None])
levels = st.dictionaries(
    st.sampled_from(["temperature", "top_p", "presence_penalty"]),
    st.sampled_from([0.25, 0.5, 1.0, None]),
)


def names(setups):
    return [one.name for one in setups]


def test_setups_are_ordered_by_model_prompt_and_effort():
    assert names(setups_of(SUITE, SUITE.models)) == [
        f"{model} · {prompt} · {effort}"
        for model in ("x/a", "hot")
        for prompt in ("p", "q")
        for effort in ("low", "high")
    ]


def test_a_suite_without_dimensions_has_no_setups():
    assert setups_of(PLAIN, models_named(PLAIN, ["x/a", "x/b"])) == ()


def test_prompts_are_chosen_and_efforts_replaced():
    made = setups_of(SUITE, models_named(SUITE, ["y/b"]), prompts=["q"], efforts=["none"])
    assert names(made) == ["y/b · q · none"]
    assert made[0].parameters["reasoning_effort"] == "none"


def test_a_label_of_the_suite_names_its_model():
    (hot,) = models_named(SUITE, ["hot"])
    assert (hot.model, hot.parameters.temperature) == ("x/a", 1.5)


@pytest.mark.parametrize(
    ("options", "words"),
    [({"prompts": ["r"]}, "no prompt 'r'"), ({"efforts": ["hihg"]}, "unknown effort 'hihg'")],
)
def test_an_unknown_prompt_or_effort_is_refused(options, words):
    with pytest.raises(SpecError, match=words):
        setups_of(SUITE, SUITE.models, **options)


def test_a_second_setup_of_one_name_is_refused():
    twice = models_named(SUITE, ["x/a"]) * 2
    with pytest.raises(SpecError, match="two setups are named"):
        setups_of(SUITE, twice)


@given(levels, levels, levels, levels, st.sampled_from([None, "low"]))
def test_the_call_wins_over_the_model_over_the_prompt_over_the_suite(
    suite, prompt, model, call, effort
):
    made = Suite(
        "s",
        [{"id": "a"}],
        parameters=suite,
        prompts=[{"id": "p", "prompt": "P", "parameters": prompt}],
        models=[{"model": "x/a", "parameters": model}],
        efforts=[effort] if effort else [],
    )
    (setup,) = setups_of(made, made.models, overrides=call)
    sent = Parameters.of_record(setup.parameters)
    expected = {**suite, **prompt, **model, **call}
    for name in ("temperature", "top_p", "presence_penalty"):
        default = Parameters.model_fields[name].default
        assert getattr(sent, name) == expected.get(name, default)
        is_sent = name in sent.sent_values
        is_neutral = name not in expected and name != "temperature"
        assert is_sent == (expected.get(name, default) is not None and not is_neutral)
    assert sent.reasoning_effort == effort


def a_run_of(setups):
    return a_run(models=tuple(names(setups)), setups=tuple(setups), planned=len(setups) * 3)


def test_only_the_missing_setups_are_added():
    run = a_run_of(setups_of(SUITE, SUITE.models, prompts=["p"], efforts=["low"]))
    assert names(added_setups(run, SUITE, efforts=["low", "high"])) == [
        "x/a · p · high",
        "hot · p · high",
    ]
    assert names(added_setups(run, SUITE, models=["y/b"])) == ["y/b · p · low"]
    assert names(added_setups(run, SUITE, prompts=["q"])) == ["x/a · q · low", "hot · q · low"]
    assert added_setups(run, SUITE, models=["hot"]) == ()


def test_an_added_setup_keeps_the_parameters_of_the_model_and_of_the_call():
    call = {"max_tokens": 9}
    run = a_run_of(setups_of(SUITE, models_named(SUITE, ["hot"]), prompts=["p"], overrides=call))
    (added, _) = added_setups(
        a_run(models=run.models, setups=run.setups, overrides=call), SUITE, prompts=["q"]
    )
    assert added.parameters["temperature"] == 1.5
    assert added.parameters["max_tokens"] == 9


def test_a_run_of_models_stays_one_when_a_model_is_added():
    run = a_run(models=("x/a",), planned=2, parameters=Parameters(temperature=0.2).model_dump())
    grown = with_setups(run, added_setups(run, PLAIN, models=["x/b"]))
    assert (grown.models, grown.setups, grown.planned) == (("x/a", "x/b"), (), 4)


def test_a_run_of_models_records_its_setups_when_an_effort_is_added():
    run = a_run(models=("x/a",), planned=2, parameters=Parameters(temperature=0.2).model_dump())
    grown = with_setups(run, added_setups(run, PLAIN, efforts=["low"]))
    assert grown.models == ("x/a", "x/a · low")
    assert grown.setup("x/a") == Setup(name="x/a", model="x/a", parameters=run.parameters)
    assert grown.setup("x/a · low").parameters["temperature"] == 0.2
    assert grown.setup("x/a · low").parameters["reasoning_effort"] == "low"


def test_an_added_setup_is_not_mistaken_for_one_of_the_same_name():
    suite = Suite(
        "s",
        [{"id": "a"}],
        prompts=[{"id": "p · q", "prompt": "P"}, {"id": "q", "prompt": "Q"}],
        models=[{"model": "x/a", "label": "m"}],
    )
    run = a_run_of(setups_of(suite, suite.models, prompts=["p · q"]))
    with pytest.raises(SpecError, match="two setups are named 'm · p · q'"):
        added_setups(run, suite, models=["m · p"], prompts=["q"])
