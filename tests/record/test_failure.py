from benchmaker import errors
from benchmaker.record import Outcome, failure_words, kind_words, outcome_words


def kinds(of):
    """The class and all below it."""
    return [of, *(it for one in of.__subclasses__() for it in kinds(one))]


def test_every_error_of_a_trial_has_words():
    named = [it for it in kinds(errors.TrialError)[1:] if it.__module__ == errors.__name__]
    assert len(named) > 10
    for kind in named:
        assert failure_words(kind.__name__, "") == kind_words(kind.__name__) != kind.__name__
        assert failure_words(kind.__name__, "HTTP 500") == "HTTP 500"


def test_an_exception_of_others_keeps_its_name():
    assert failure_words("KeyError", "'x'") == "KeyError: 'x'"
    assert failure_words("KeyError", None) == kind_words("KeyError") == "KeyError"
    assert failure_words(None, "no reply") == "no reply"
    assert failure_words(None, None) == kind_words(None) == ""


def test_outcomes_have_words_without_underscores():
    told = [outcome_words(it) for it in Outcome]
    assert len(set(told)) == len(told)
    assert not any("_" in it for it in told)
