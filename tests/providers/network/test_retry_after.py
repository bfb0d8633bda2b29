from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmaker.providers.network.retry_after import duration_s, retry_after_s

NOW = datetime(2026, 10, 21, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 0.0), ("2", 2.0), ("2.5", 2.5), (" 7 ", 7.0), ("86400", 86400.0), ("9" * 30, 1e30)],
)
def test_seconds_are_kept_however_many(text, seconds):
    assert retry_after_s({"retry-after": text}) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["", " ", "soon", "-5", "nan", "inf", "1e999", "1_0", "Wed, 99 Foo", "2026", "٣"]
)
def test_garbage_says_nothing_or_is_finite(text):
    waits = retry_after_s({"retry-after": text}, NOW)
    assert waits in (None, 2026.0, 3.0)


@given(st.text(max_size=40))
def test_no_text_breaks_it(text):
    for waits in (retry_after_s({"retry-after": text}), duration_s(text)):
        assert waits is None or waits >= 0


def test_milliseconds_go_before_seconds():
    assert retry_after_s({"retry-after-ms": "120", "retry-after": "3"}) == pytest.approx(0.12)
    assert retry_after_s({"retry-after-ms": "x", "retry-after": "3"}) == 3.0


def test_a_date_counts_from_the_replys_own_date():
    head = {
        "date": format_datetime(NOW, usegmt=True),
        "retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True),
    }
    assert retry_after_s(head, NOW + timedelta(days=1)) == 30.0


def test_a_date_counts_from_now_without_one():
    head = {"retry-after": format_datetime(NOW + timedelta(seconds=30), usegmt=True)}
    assert retry_after_s(head, NOW) == 30.0


def test_a_date_gone_by_means_at_once():
    assert retry_after_s({"retry-after": "Sun, 06 Nov 1994 08:49:37 GMT"}, NOW) == 0.0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1s", 1.0),
        ("6m0s", 360.0),
        ("120ms", 0.12),
        ("1h2m3.5s", 3723.5),
        ("1d", 86400.0),
        ("0.25", 0.25),
        ("2026-10-21T12:00:20Z", 20.0),
        ("2026-10-21T11:59:00Z", 0.0),
        (str(NOW.timestamp() + 5), 5.0),
        (str(int(NOW.timestamp() + 5) * 1000), 5.0),
    ],
)
def test_every_form_of_a_reset_is_read(text, seconds):
    assert duration_s(text, NOW) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize("text", [None, "", "later", "5x", "1s later", "--"])
def test_other_forms_say_nothing(text):
    assert duration_s(text, NOW) is None
