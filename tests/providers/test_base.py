from benchmaker.providers import Provider, Request
from benchmaker.providers.recorded import Recorded
from benchmaker.providers.scripted import Scripted
from benchmaker.spec import Message, Parameters


def test_a_request_is_for_the_first_run_unless_said_otherwise():
    request = Request(
        model="m",
        case_id="c",
        messages=(Message(role="user", content="x"),),
        parameters=Parameters(),
    )
    assert request.run == 1


def test_our_providers_are_providers():
    assert isinstance(Scripted(["x"], models=["m"]), Provider)
    assert issubclass(Recorded, Provider)
