import logging
import re
import socket
import time
from urllib.parse import urlsplit

import pytest

from benchmaker.engine.trials.log_context import REQUEST
from tests.web.serving import apps, serving
from tests.web.test_guard import ask

OWN = re.compile(r"[0-9a-f]{16}")


class Noting(logging.Handler):
    def __init__(self):
        super().__init__()
        self.found = {}

    def emit(self, record):
        self.found[REQUEST.get()] = record

    def of(self, request_id):
        """What is told of a request, which is a moment after it was answered."""
        end = time.monotonic() + 120
        while request_id not in self.found:
            assert time.monotonic() < end
            time.sleep(0.01)
        return self.found[request_id]


@pytest.fixture
def lines(caplog):
    caplog.set_level(logging.DEBUG, logger="benchmaker.web.requests")
    logger, handler = logging.getLogger("benchmaker.web.requests"), Noting()
    logger.addHandler(handler)
    yield handler.of
    logger.removeHandler(handler)


def test_every_answer_has_an_id_of_its_own(demo):
    given = {ask(demo, path=path)[1]["x-request-id"] for path in ("/", "/runs", "/nowhere")}

    assert len(given) == 3
    assert all(OWN.fullmatch(one) for one in given)


def test_an_id_that_came_with_the_request_is_kept(demo):
    _, headers, _ = ask(demo, path="/runs", headers={"X-Request-Id": "proxy-7.a_b"})

    assert headers["x-request-id"] == "proxy-7.a_b"


@pytest.mark.parametrize("given", ["a b", "x" * 65, "", "a\tb", "ünï", "<script>", "a;b"])
def test_an_id_of_another_form_is_not(demo, given):
    _, headers, _ = ask(demo, path="/runs", headers={"X-Request-Id": given.encode()})

    assert OWN.fullmatch(headers["x-request-id"])


def test_what_is_refused_before_any_page_has_one_too(demo):
    status, headers, _ = ask(demo, headers={"Host": "evil.example"})

    assert (status, bool(OWN.fullmatch(headers["x-request-id"]))) == (421, True)


def test_a_line_names_the_route_and_never_the_address(demo, lines):
    ask(demo, path="/runs?q=secret-words", headers={"X-Request-Id": "line-1"})
    ask(demo, path="/runs/20261121-nothing", headers={"X-Request-Id": "line-2"})
    ask(demo, path="/runs/%3Cb%3E", headers={"X-Request-Id": "line-3"})

    first, second, third = (lines(f"line-{n}") for n in (1, 2, 3))
    assert first.fields["route"] == "/runs"
    assert first.fields["status"] == 200
    assert "secret-words" not in str(first.__dict__)
    assert second.fields["route"] == third.fields["route"] == "/runs/{run}"
    assert second.fields["run_id"] == "20261121-nothing"
    assert "run_id" not in third.fields


@pytest.mark.parametrize("path", ["/code/estimate", "/code"])
def test_a_request_that_its_client_aborts_is_no_error_of_the_server(demo, lines, path, caplog):
    host = urlsplit(demo).netloc
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1000\r\nOrigin: {demo}\r\n"
    kind = "Content-Type: application/x-www-form-urlencoded\r\n"
    name = f"X-Request-Id: aborted{path.replace('/', '-')}\r\n\r\n"
    with socket.create_connection(host.split(":")) as client:
        client.sendall(f"{head}{kind}{name}prompt=a".encode())

    record = lines(f"aborted{path.replace('/', '-')}")
    assert (record.fields["status"], record.levelno) == (499, logging.INFO)
    assert not [it for it in caplog.records if it.levelno >= logging.ERROR]


def test_what_no_route_answers_is_one_route(demo, lines):
    ask(demo, "BREW", "/nowhere/at/all", {"X-Request-Id": "line-4"})

    told = lines("line-4").fields
    assert (told["route"], told["method"]) == ("none", "other")


def test_health_is_told_to_those_alone_who_debug(demo, lines):
    ask(demo, path="/healthz", headers={"X-Request-Id": "line-5"})

    assert lines("line-5").levelno == logging.DEBUG


def test_the_page_of_a_failure_refers_to_the_request(home, caplog):
    with serving(home, works=False) as address:

        def fail():
            raise ZeroDivisionError

        apps[address].add_api_route("/fails", fail)
        status, headers, body = ask(address, path="/fails", headers={"X-Request-Id": "fault-1"})

    assert (status, headers["x-request-id"]) == (500, "fault-1")
    assert "under reference fault-1." in body
    assert "reference fault-1, /fails" in caplog.text


def test_an_error_of_the_api_has_the_id_too(demo):
    status, headers, _ = ask(demo, path="/api/v1/nothing", headers={"X-Request-Id": "api-1"})

    assert (status, headers["x-request-id"]) == (404, "api-1")
