from benchmaker.providers.quirks import Quirks
from benchmaker.spec import Parameters

SET = Parameters(temperature=0.5, top_p=0.9, max_tokens=7, frequency_penalty=1, presence_penalty=-1)


def test_the_plain_protocol_is_sent_everything():
    assert Quirks().sent(SET) == SET.model_dump(exclude={"benchmark_mode"})
    assert Quirks().unsent(SET) == ()


def test_the_bound_has_the_endpoints_name():
    sent = Quirks(max_tokens_field="max_completion_tokens").sent(SET)
    assert sent["max_completion_tokens"] == 7
    assert "max_tokens" not in sent


def test_penalties_that_are_not_sent_are_named_when_they_matter():
    quirks = Quirks(penalties=False)
    assert "frequency_penalty" not in quirks.sent(SET)
    assert quirks.unsent(SET) == ("frequency_penalty", "presence_penalty")
    assert quirks.unsent(Parameters()) == ()


def test_a_neutral_top_p_is_left_out_where_it_disturbs():
    assert "top_p" not in Quirks(neutral_top_p=False).sent(Parameters())
    assert Quirks(neutral_top_p=False).sent(SET)["top_p"] == 0.9


def test_a_model_without_sampling_is_sent_the_bound_alone():
    quirks = Quirks(sampling=False, penalties=False)
    assert quirks.sent(SET) == {"max_tokens": 7}
    assert quirks.unsent(Parameters()) == ("temperature",)
