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
