"""Setups of a run by their labels and by the shortest unique words."""

import pytest

from benchmaker.cli.options.name_lookup import model_of_run, only_model
from benchmaker.errors import SpecError
from benchmaker.record import Run, Setup, setup_name


def a_run(*setups, models=()):
    names = models or tuple(one.name for one in setups)
    return Run(
        id="r", suite_hash="h", suite_name="s", models=names, setups=setups,
        profile="robust", profile_version="2",
    )  # fmt: skip


def a_setup(model, prompt_id=None, effort=None, label=""):
    name = setup_name(label or model, prompt_id, effort)
    return Setup(name=name, model=model, label=label, prompt_id=prompt_id, effort=effort)


RUN = a_run(
    a_setup("openai/gpt-5", "plain", "low"),
    a_setup("openai/gpt-5", "plain", "high"),
    a_setup("openai/gpt-5", "steps", "low"),
    a_setup("openai/gpt-5", "plain", "low", label="calm"),
    a_setup("https://host/v1#Local", "plain", "low"),
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("openai/gpt-5 · plain · low", "openai/gpt-5 · plain · low"),
        ("gpt-5 · plain · low", "openai/gpt-5 · plain · low"),
        ("gpt-5,low,plain", "openai/gpt-5 · plain · low"),
        ("high", "openai/gpt-5 · plain · high"),
        ("Steps", "openai/gpt-5 · steps · low"),
        ("calm", "calm · plain · low"),
        ("local", "https://host/v1#Local · plain · low"),
    ],
)
def test_a_setup_is_found_by_its_label_and_by_unique_parts(text, found):
    assert model_of_run(RUN, text) == found


def test_parts_of_several_setups_are_refused_with_a_list():
    with pytest.raises(SpecError) as error:
        model_of_run(RUN, "gpt-5")
    assert "may be any of 3 setups of run r: openai/gpt-5 · plain · low, " in str(error.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("stps", "Did you mean 'steps'?"),
        ("gpt-5, hihg", "Did you mean 'high'?"),
        ("openai/gpt-5 · plan · low", "Did you mean 'openai/gpt-5 · plain · low'?"),
        ("zzz", "Setups of the run: openai/gpt-5 · plain · low, "),
        ("steps, high", "Setups of the run: "),
        ("", "Setups of the run: "),
    ],
)
def test_the_error_names_the_nearest_word(text, hint):
    with pytest.raises(SpecError, match="has no setup") as error:
        model_of_run(RUN, text)
    assert error.value.hint.startswith(hint)


def test_a_model_is_found_without_its_endpoint():
    plain = a_run(models=("openai/gpt-5", "openai/gpt-5-mini"))
    assert model_of_run(plain, "gpt-5") == "openai/gpt-5"
    with pytest.raises(SpecError, match="has no model 'gtp-5-mini'") as error:
        model_of_run(plain, "gtp-5-mini")
    assert "gpt-5-mini" in error.value.hint


def test_several_setups_are_no_single_one():
    with pytest.raises(SpecError, match="the run has 5 setups: openai/gpt-5 · plain · low, "):
        only_model(RUN)
