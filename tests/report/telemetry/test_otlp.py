import threading

import pytest

from benchmaker.errors import SpecError
from benchmaker.report.telemetry.otlp import Sender, _url, exporter
from benchmaker.testing.builders import a_run, a_trial


def tell(sender, number):
    for at in range(number):
        sender.enqueue(a_run(), a_trial(case_id=f"c{at}"))


def test_everything_is_sent_before_the_end():
    batches = []
    sender = Sender(lambda spans: batches.append(len(spans)) or True)
    tell(sender, 2_000)
    sender.close(patience_s=60)

    assert (sum(batches), sender.sent, sender.lost) == (2_000, 2_000, 0)
    assert max(batches) <= 512


def test_what_is_not_taken_is_lost_and_counted():
    sender = Sender(lambda _: False)
    tell(sender, 10)
    sender.close(patience_s=60)

    assert (sender.sent, sender.lost) == (0, 10)


def test_a_collector_that_hangs_stops_nobody():
    go_on, answered = threading.Event(), []
    sender = Sender(lambda _: answered.append(go_on.wait(60)), most=100)
    tell(sender, 1_000)
    sender.close(patience_s=0.1)

    assert answered == []
    assert sender.lost >= 1_000 - 100 - 512
    go_on.set()


@pytest.mark.parametrize(
    ("given", "url"),
    [
        ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
        ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
        ("https://otel.example/otlp/v1/traces", "https://otel.example/otlp/v1/traces"),
    ],
)
def test_a_base_url_gets_the_usual_path(given, url):
    assert _url(given) == url


@pytest.mark.parametrize(
    "given", ["127.0.0.1:4318", "grpc://host:4317", "http://", "http://name:word@host:4318"]
)
def test_what_is_no_address_of_a_collector_is_refused(given):
    with pytest.raises(SpecError) as caught:
        exporter(given)
    assert "word" not in str(caught.value).replace("password", "")
