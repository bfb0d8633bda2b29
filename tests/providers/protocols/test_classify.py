import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.errors import (
    AuthError,
    BadResponse,
    ContextOverflow,
    ProviderError,
    QuotaExhausted,
    RateLimited,
    Refused,
)
from benchmaker.providers.protocols.classify import (
    EXCERPT,
    ProviderFault,
    excerpt,
    failure,
    fault_in,
    reported_failure,
)


def of(status, error=None, headers=None, **fields) -> ProviderError:
    body = fields if error is None else {"error": error, **fields}
    return failure(status, json.dumps(body).encode(), headers, host="api.example")


@pytest.mark.parametrize(
    ("status", "kind", "is_retryable"),
    [
        (302, ProviderError, False),
        (307, ProviderError, False),
        (400, ProviderError, False),
        (401, AuthError, False),
        (402, QuotaExhausted, False),
        (403, AuthError, False),
        (404, ProviderError, False),
        (408, ProviderError, True),
        (409, ProviderError, True),
        (413, ProviderError, False),
        (422, ProviderError, False),
        (429, RateLimited, True),
        (500, ProviderError, True),
        (501, ProviderError, False),
        (502, ProviderError, True),
        (503, ProviderError, True),
        (504, ProviderError, True),
        (524, ProviderError, True),
        (529, ProviderError, True),
        (204, BadResponse, True),
    ],
)
def test_a_status_alone_says_what_to_do(status, kind, is_retryable):
    error = of(status, {"message": "no"})
    assert type(error) is kind
    assert error.is_retryable is is_retryable
    assert error.status == status


@pytest.mark.parametrize(
    ("status", "error", "kind"),
    [
        (429, {"code": "insufficient_quota", "message": "You exceeded"}, QuotaExhausted),
        (429, {"message": "check your plan and billing details"}, QuotaExhausted),
        (429, {"message": "Rate limit reached", "type": "tokens"}, RateLimited),
        (400, {"message": "Your credit balance is too low"}, QuotaExhausted),
        (403, {"message": "your team has used all available credits"}, QuotaExhausted),
        (400, {"code": "context_length_exceeded", "message": "m"}, ContextOverflow),
        (400, {"message": "This model's maximum context length is 8192"}, ContextOverflow),
        (400, {"message": "prompt is too long: 210000 tokens > 200000 maximum"}, ContextOverflow),
        (413, {"message": "Input is too long for requested model."}, ContextOverflow),
        (
            400,
            {"message": "The input token count (9) exceeds the maximum number of tokens"},
            ContextOverflow,
        ),
        (413, {"message": "Request too large on tokens per minute (TPM)"}, ProviderError),
        (400, {"code": "content_filter", "message": "m"}, Refused),
        (400, {"message": "m", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, Refused),
        (400, {"message": "Content Exists Risk"}, Refused),
        (403, {"message": "Your input was flagged by moderation"}, Refused),
        (400, {"message": "max_tokens is too large"}, ProviderError),
    ],
)
def test_what_is_said_counts_beside_the_status(status, error, kind):
    assert type(of(status, error)) is kind


def test_who_names_a_wait_has_not_used_up_a_quota():
    error = {
        "code": 429,
        "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota, please check your plan and billing details.",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "31s"}],
    }
    said = of(429, error)
    assert type(said) is RateLimited
    assert said.retry_after_s == 31.0


@pytest.mark.parametrize(
    "body",
    [
        b'{"error": {"message": "told so"}}',
        b'[{"error": {"message": "told so"}}]',
        b'{"error": "told so"}',
        b'{"message": "told so"}',
        b'{"detail": "told so"}',
        b'{"object": "error", "message": "told so"}',
        b'{"type": "error", "error": {"type": "x", "message": "told so"}}',
        b"<html><style>p {}</style><h1>told\n so</h1></html>",
        b"told so",
    ],
)
def test_every_form_of_a_message_is_found(body):
    assert failure(500, body, host="api.example").message.endswith("HTTP 500: told so")


def test_an_empty_body_is_no_fault():
    assert failure(500, host="api.example").message == "api.example answered HTTP 500."


def test_the_wait_is_taken_from_the_head():
    assert of(429, {"message": "m"}, {"retry-after": "7"}).retry_after_s == 7.0
    assert of(503, {"message": "m"}, {"retry-after": "86400"}).retry_after_s == 86400.0
    assert of(429, {"message": "m"}, {"retry-after": "soon"}).retry_after_s is None


def test_a_provider_may_say_whether_to_try_again():
    assert not of(500, {"message": "m"}, {"x-should-retry": "false"}).is_retryable
    assert of(400, {"message": "m"}, {"x-should-retry": "true"}).is_retryable
    assert not of(401, {"message": "m"}, {"x-should-retry": "true"}).is_retryable


def test_what_concerns_the_model_is_told_from_what_concerns_a_request():
    assert {of(status, {"message": "m"}).scope for status in (401, 402, 403)} == {"model"}
    assert {of(status, {"message": "m"}).scope for status in (400, 429, 500)} == {"request"}


@pytest.mark.parametrize(
    ("fault", "kind", "status"),
    [
        (ProviderFault("m", ("overloaded_error",)), ProviderError, 529),
        (ProviderFault("m", ("rate_limit_error",)), RateLimited, 429),
        (ProviderFault("m", ("502",)), ProviderError, 502),
        (ProviderFault("m", ("insufficient_quota",)), QuotaExhausted, 429),
        (ProviderFault("m", ("authentication_error",)), AuthError, 401),
        (ProviderFault("prompt is too long"), ContextOverflow, 400),
        (ProviderFault("m", ("7",)), BadResponse, None),
        (ProviderFault(), BadResponse, None),
    ],
)
def test_an_error_in_an_answer_counts_as_its_status(fault, kind, status):
    error = reported_failure(fault, host="api.example", otherwise=BadResponse)
    assert type(error) is kind
    assert error.status == status


def test_an_answer_is_no_fault():
    assert fault_in(b'{"choices": [], "error": null}') is None
    assert fault_in(b"no json") is None


def test_an_excerpt_is_one_short_line_without_control_characters():
    told = excerpt("a\n\x1b[31mb\x00 " + "word " * 1000)
    assert told.startswith("a [31mb word")
    assert len(told) <= EXCERPT + 2
    assert told.isprintable()


@given(st.integers(0, 2000), st.text(" x", max_size=30))
def test_an_excerpt_never_holds_half_a_word(before, after):
    key = "sk-canary-" + "k" * 50
    told = excerpt("w " * before + key + " " + after)
    assert "sk-" not in told.replace(key, "")


@given(st.integers(100, 599), st.binary(max_size=200))
def test_no_body_breaks_it(status, body):
    assert failure(status, body, host="api.example").message


def test_the_parameter_that_a_reply_names_apart_is_part_of_the_message():
    body = b'{"error": {"message": "Unsupported value: \'minimal\'", "param": "reasoning.effort"}}'
    assert failure(400, body, host="h").message.endswith("'minimal' (reasoning.effort)")
    again = b'{"error": {"message": "Unsupported parameter: \'stop\'", "param": "stop"}}'
    assert failure(400, again, host="h").message.endswith("Unsupported parameter: 'stop'")
