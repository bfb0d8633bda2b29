import pytest

from benchmaker.providers.endpoints.dialect_flags import Quirks
from benchmaker.spec import Parameters

SET = Parameters(temperature=0.5, top_p=0.9, max_tokens=7, frequency_penalty=1, presence_penalty=-1)


def test_the_plain_protocol_is_sent_everything():
    assert Quirks().sent_fields(SET) == SET.model_dump(exclude={"benchmark_mode"})
    assert Quirks().unsent_parameters(SET) == ()


def test_the_bound_has_the_endpoints_name():
    sent = Quirks(max_tokens_field="max_completion_tokens").sent_fields(SET)
    assert sent["max_completion_tokens"] == 7
    assert "max_tokens" not in sent


def test_penalties_that_are_not_sent_are_named_when_they_matter():
    quirks = Quirks(penalties=False)
    assert "frequency_penalty" not in quirks.sent_fields(SET)
    assert quirks.unsent_parameters(SET) == ("frequency_penalty", "presence_penalty")
    assert quirks.unsent_parameters(Parameters()) == ()


def test_a_neutral_top_p_is_left_out_where_it_disturbs():
    assert "top_p" not in Quirks().sent_fields(Parameters())
    assert Quirks().sent_fields(Parameters(top_p=1))["top_p"] == 1
    assert "top_p" not in Quirks(neutral_top_p=False).sent_fields(Parameters(top_p=1))
    assert Quirks(neutral_top_p=False).sent_fields(SET)["top_p"] == 0.9


def test_a_model_without_sampling_is_sent_the_bound_alone():
    quirks = Quirks(sampling=False, penalties=False)
    assert quirks.sent_fields(SET) == {"max_tokens": 7}
    assert quirks.unsent_parameters(Parameters()) == ("temperature",)


@pytest.mark.parametrize(
    "model", ["gpt-5", "o4-mini", "openai/gpt-5.1-mini", "openrouter/openai/o3", "azure/gpt-5"]
)
def test_a_reasoning_model_is_sent_its_bound_alone_wherever_it_is_asked(model):
    assert Quirks().for_model(model).sent_fields(SET) == {"max_completion_tokens": 7}


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-5-chat-latest", "org/o1-like", "openai/gpt-oss"])
def test_other_models_are_sent_what_is_set(model):
    assert Quirks().for_model(model) == Quirks()


def test_what_is_never_sent_is_named():
    assert Quirks().refused_parameters == ()
    assert Quirks(sampling=False, seed_field=None).refused_parameters == (
        "temperature",
        "top_p",
        "seed",
    )
