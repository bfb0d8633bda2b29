"""The note of ``validate`` on models that take no effort."""

import pytest

from benchmaker.engine.runs.unsent_efforts import note_unsent_efforts
from benchmaker.providers.live import Live
from benchmaker.report.sentences.sent_parameters import sent_words
from benchmaker.scoring.check import load_checked
from benchmaker.spec import Parameters
from tests.providers.local import KEY

HEAD = "name: s\nscorer: exact\nefforts: [low, high]\nmodels: [{models}]\n"
CASES = "cases: [{id: a, prompt: p, expected: e}]\n"


@pytest.fixture
def notes(tmp_path):
    def find(*models):
        path = tmp_path / "s.yaml"
        path.write_text(HEAD.replace("{models}", ", ".join(models)) + CASES)
        return note_unsent_efforts(load_checked(path), None)

    return find


def test_a_model_known_to_take_no_effort_is_named_with_its_place(notes):
    (note,) = notes("openai/gpt-4o-mini", "openai/gpt-5")
    assert (note.line, note.column) == (3, 10)
    assert note.message == "reasoning_effort low, high is not sent to openai/gpt-4o-mini."
    assert "without efforts" in note.hint


def test_the_models_are_those_that_the_settings_of_a_run_name(notes):
    models = ("openai/gpt-4o-mini", "openai/gpt-5", "openai/gpt-4o")
    (note,) = notes(*models)
    live = Live(models, environ={"OPENAI_API_KEY": KEY})
    parameters = Parameters(reasoning_effort="low")
    refusals = {one: live.unsent_parameters(one, parameters) for one in models}
    (word,) = (it for it in sent_words(parameters, None, refusals) if "effort" in it)
    named = word.partition("not for ")[2].rstrip(")")
    assert note.message.rstrip(".").partition("not sent to ")[2] == named


def test_efforts_that_no_model_takes_are_to_be_removed(notes):
    (note,) = notes("openai/gpt-4o-mini", "openai/gpt-4o")
    assert note.hint == "Remove efforts: no model of the suite takes one."


def test_models_that_take_efforts_or_are_programs_give_no_note(notes):
    assert notes("openai/gpt-5", "'command:cat'") == []
