from hypothesis import given
from hypothesis import strategies as st

from benchmaker.record import Outcome, Usage, otel
from benchmaker.record.attempt import Attempt
from benchmaker.report.telemetry.spans import spans_of
from benchmaker.testing.builders import a_completion, a_run, a_score, a_trial

LIVE = a_run(provider={"kind": "live"}, models=("openai/gpt-x",))
AT = "2026-01-02T03:04:05.000Z"
NS = 1767323045_000_000_000


def an_attempt(number=1, status="ok", **fields):
    return Attempt(number=number, status=status, started_at=AT, last_byte_s=0.5, **fields)


def asked(*attempts, **fields):
    return spans_of(LIVE, a_trial(model="openai/gpt-x", attempts=attempts, **fields))


def test_a_trial_holds_its_requests():
    usage = Usage(input_tokens=10, cache_read_tokens=5, cache_write_1h_tokens=2, output_tokens=3)
    failed = an_attempt(1, "503", error_type="ServerError", error="secret words")
    root, first, second = asked(
        failed,
        an_attempt(2, usage=usage, cost_usd=0.25, first_byte_s=0.1),
        completion=a_completion("the answer", model="gpt-x-2026"),
        score=a_score(1.0),
    )

    assert (root.name, root.parent_id, root.is_failed) == ("benchmaker.trial", 0, False)
    assert root.attributes["benchmaker.outcome"] == "scored"
    assert root.attributes["benchmaker.score"] == 1.0
    assert {first.trace_id, second.trace_id} == {root.trace_id}
    assert {first.parent_id, second.parent_id} == {root.span_id}
    assert (first.name, first.is_failed, second.is_failed) == ("chat gpt-x", True, False)
    assert first.attributes["error.type"] == "ServerError"
    assert (second.start_ns, second.end_ns) == (NS, NS + 500_000_000)
    assert second.attributes | {} == {
        otel.OPERATION: "chat",
        otel.PROVIDER: "openai",
        otel.REQUEST_MODEL: "gpt-x",
        otel.RESPONSE_MODEL: "gpt-x-2026",
        otel.COST_USD: 0.25,
        otel.INPUT_TOKENS: 17,
        otel.OUTPUT_TOKENS: 3,
        otel.CACHE_READ: 5,
        otel.CACHE_WRITE: 2,
        otel.CACHE_WRITE_1H: 2,
        "benchmaker.run.id": "run-1",
        "benchmaker.case.id": "case-1",
        "benchmaker.attempt.number": 2,
        "benchmaker.attempt.status": "ok",
        "benchmaker.attempt.first_byte_s": 0.1,
    }


def test_no_word_of_a_model_or_an_error_is_in_a_span():
    found = asked(
        an_attempt(1, "failed", error="secret words", partial_text="half an answer"),
        completion=a_completion("the whole answer"),
        error="secret words",
        error_type="ServerError",
    )

    assert not [word for word in ("secret", "answer") if word in repr(found)]


def test_tokens_that_are_not_known_are_left_out():
    _, request = asked(an_attempt(usage=Usage(output_tokens=1, cache_read_tokens=4)))

    assert otel.INPUT_TOKENS not in request.attributes
    assert request.attributes[otel.CACHE_READ] == 4


def test_a_recorded_answer_is_a_span_that_ends_when_it_was_written_down():
    (root,) = spans_of(
        a_run(provider={"kind": "recorded"}),
        a_trial(finished_at=AT, completion=a_completion(latency_s=2.0)),
    )

    assert (root.start_ns, root.end_ns) == (NS - 2_000_000_000, NS)


def test_a_trial_that_infrastructure_spoiled_failed_and_a_wrong_answer_did_not():
    assert asked(outcome=Outcome.PROVIDER_ERROR)[0].is_failed
    assert not asked(outcome=Outcome.SCORED, score=a_score(0.0))[0].is_failed


def test_models_behind_an_address_are_named_without_it():
    model = "http://localhost:8000/v1#my-model"
    _, request = spans_of(LIVE, a_trial(model=model, attempts=(an_attempt(),)))

    assert request.attributes[otel.REQUEST_MODEL] == "my-model"
    assert otel.PROVIDER not in request.attributes


names = st.text(st.characters(), max_size=8)


@given(names, names, names, names)
def test_ids_follow_from_the_names_and_tell_them_apart(case, model, other_case, other_model):
    def ids(case, model):
        (root, *_) = spans_of(LIVE, a_trial(case_id=case, model=model))
        assert 0 < root.trace_id < 2**128
        assert 0 < root.span_id < 2**64
        return root.trace_id, root.span_id

    same = (case, model) == (other_case, other_model)
    assert (ids(case, model) == ids(other_case, other_model)) is same
