import pytest

from benchmaker.spec import Parameters, effective_parameters


def test_the_defaults_are_the_published_ones():
    given = Parameters()
    assert (given.temperature, given.top_p, given.max_tokens) == (0.7, 1.0, 2048)
    assert effective_parameters() == given


def test_benchmark_mode_locks_temperature_and_penalties():
    given = Parameters(
        temperature=1.5, top_p=0.5, frequency_penalty=1, presence_penalty=-1, benchmark_mode=True
    )
    sent = effective_parameters(given)
    assert (sent.temperature, sent.frequency_penalty, sent.presence_penalty) == (0, 0, 0)
    assert (sent.top_p, sent.max_tokens, sent.benchmark_mode) == (0.5, 2048, True)


def test_without_benchmark_mode_parameters_are_sent_as_given():
    given = Parameters(temperature=1.5, presence_penalty=1)
    assert effective_parameters(given) is given


@pytest.mark.parametrize(
    "wrong", [{"temperature": 2.1}, {"top_p": 0}, {"max_tokens": 0}, {"presence_penalty": -3}]
)
def test_parameters_have_bounds(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Parameters(**wrong)


def test_a_neutral_value_is_sent_where_it_was_written():
    assert Parameters().sent_values == {"temperature": 0.7, "max_tokens": 2048}
    written = Parameters(top_p=1, presence_penalty=0)
    assert written.sent_values == {
        "temperature": 0.7, "top_p": 1, "max_tokens": 2048, "presence_penalty": 0
    }  # fmt: skip
    assert effective_parameters(Parameters(top_p=1, benchmark_mode=True)).explicit_names == (
        "top_p",
    )


def test_none_sends_none():
    none = Parameters(temperature=None, top_p=None, frequency_penalty=None, presence_penalty=None)
    assert none.sent_values == {"max_tokens": 2048}
    assert effective_parameters(none.override({"benchmark_mode": True})).temperature is None


@pytest.mark.parametrize(
    "given",
    [
        Parameters(),
        Parameters(top_p=1),
        Parameters(temperature=None, top_p=0.5),
        Parameters(frequency_penalty=0, presence_penalty=None, benchmark_mode=True),
    ],
)
def test_what_is_written_down_is_read_back_with_what_it_sends(given):
    again = Parameters.of_record(given.model_dump())
    assert (again, again.sent_values) == (given, given.sent_values)
    assert again.model_dump() == given.model_dump()


def test_parameters_of_before_are_written_as_they_were():
    assert list(Parameters().model_dump()) == list(Parameters.model_fields)
    assert Parameters().model_dump()["top_p"] == 1.0


def test_others_go_before_and_leave_the_rest_as_it_was():
    made = Parameters(top_p=1, temperature=0.2).override({"temperature": None})
    assert made.sent_values == {"top_p": 1, "max_tokens": 2048}
