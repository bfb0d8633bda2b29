"""One word for each outcome, and a short reason for each failure."""

import io

import pytest

from benchmaker.analysis import summarise
from benchmaker.record import Outcome
from benchmaker.record.outcome import group_of
from benchmaker.report.runs.html import write_html
from benchmaker.report.runs.markdown import write_markdown
from benchmaker.report.sentences.outcomes import (
    GROUPS,
    NOT_RUN,
    REASON,
    outcome_name,
    outcome_text,
    short_reason,
)

REFUSED = "127.0.0.1:8 answered HTTP 401: no such key."


@pytest.mark.parametrize(
    ("error_type", "error", "reason"),
    [
        ("AuthError", REFUSED, "HTTP 401"),
        ("ProviderError", "h answered HTTP 404: The model `a` does not exist.", "HTTP 404"),
        ("ProviderError", "the proxy for h refused the connection (HTTP 407).", "HTTP 407"),
        ("ProviderError", "no connection to h:1 (connection refused).", "connection refused"),
        ("ProviderError", "no connection to h:1 (no route to host).", "no connection"),
        ("ProviderError", "host api.example not found.", "host not found"),
        ("Timeout", "no connection to h within 10 s (connect limit).", "timed out"),
        ("Timeout", "no answer within 30 s.", "timed out"),
        ("BadResponse", "the reply of h was cut off: disconnected.", "connection closed"),
        ("BadResponse", "the reply is no JSON.", "unreadable reply"),
        ("KeyError", "'x'", "'x'"),
        (None, None, ""),
    ],
)
def test_a_failure_has_a_short_reason(error_type, error, reason):
    assert short_reason(error_type, error) == reason


def test_a_long_message_is_cut():
    assert len(short_reason("OSError", "word " * 50)) == REASON


def test_every_group_of_outcomes_has_one_word():
    assert {group_of(outcome) for outcome in Outcome} == set(GROUPS)
    assert NOT_RUN not in GROUPS.values()
    assert outcome_name(Outcome.CONTEXT_OVERFLOW) == "context overflow"


@pytest.fixture
def refused(a_trial):
    return a_trial(
        0, lost=True, outcome=Outcome.PROVIDER_ERROR, error_type="AuthError", error=REFUSED
    )


def test_an_outcome_has_the_reason_behind_it(refused, a_trial):
    assert outcome_text(refused) == "provider error: HTTP 401"
    assert outcome_text(a_trial()) == "scored"


@pytest.mark.parametrize("write", [write_html, write_markdown])
def test_a_report_shows_an_error_under_its_own_name(write, refused):
    stream = io.StringIO()
    write(summarise([refused]), stream, trials=[refused])
    page = stream.getvalue()
    assert "provider error: HTTP 401" in page
    assert "Answer <bdi>127" not in page
    assert "the request failed" not in page
