"""Setups and their names."""

import msgspec
import pytest

from benchmaker.record import Run, Setup, setup_name


def a_run(*setups, models=("m",)):
    return Run(
        id="r",
        suite_hash="h",
        suite_name="s",
        models=models,
        profile="robust",
        profile_version="2",
        setups=setups,
    )


@pytest.mark.parametrize(
    ("prompt_id", "effort", "name"),
    [
        (None, None, "a"),
        ("plain", None, "a · plain"),
        (None, "high", "a · high"),
        ("plain", "high", "a · plain · high"),
    ],
)
def test_a_setup_is_named_for_its_parts(prompt_id, effort, name):
    assert setup_name("a", prompt_id, effort) == name


def test_a_setup_without_label_is_labelled_by_its_model():
    assert Setup(name="x", model="openai/a").model_label == "openai/a"
    assert Setup(name="x", model="openai/a", label="hot").model_label == "hot"


def test_a_run_without_recorded_setups_has_one_for_each_model():
    assert a_run().setup("m") == Setup(name="m", model="m")
    assert not a_run().has_dimensions


def test_a_run_finds_its_setups_by_name():
    hot = Setup(name="hot", model="openai/a", label="hot", parameters={"temperature": 1.5})
    assert a_run(hot, models=("hot",)).setup("hot") is hot
    assert not a_run(hot, models=("hot",)).has_dimensions


@pytest.mark.parametrize("part", [{"prompt_id": "plain"}, {"effort": "low"}])
def test_prompts_and_efforts_are_dimensions(part):
    assert a_run(Setup(name="m", model="m", **part)).has_dimensions


def test_setups_are_stored_with_their_run():
    run = a_run(Setup(name="m · p", model="m", prompt_id="p", parameters={"stop": ["END"]}))
    assert msgspec.json.decode(msgspec.json.encode(run), type=Run) == run
