"""The page of a trial whose request was refused invents no tokens and keeps the latency."""

from benchmaker.record import Attempt, Outcome, Trial, Usage
from benchmaker.web.pages.results.trial import _tiles


def test_a_refused_request_has_no_tokens_and_its_own_latency():
    refused = Attempt(
        number=1,
        status="401",
        started_at="2026-01-01T00:00:00.000Z",
        last_byte_s=1.5,
        usage=Usage(input_tokens=0, output_tokens=0),
        error_type="AuthError",
        error="wrong key",
    )
    trial = Trial(
        run_id="r",
        position=0,
        case_id="c",
        model="m",
        outcome=Outcome.PROVIDER_ERROR,
        attempts=(refused,),
    )
    tiles = {name: (value, below) for name, value, below in _tiles(trial)}
    assert tiles["Tokens"] == ("not reported", "")
    assert tiles["Latency"] == ("1.50 s", "of the failed request")
