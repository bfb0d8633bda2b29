"""Connections that begin a request and leave it are closed; all others are not."""

import socket
import threading
import time
from contextlib import contextmanager, suppress

import pytest
import uvicorn

from benchmaker.web.connections import Connection

PATIENCE_S = 20


class Hasty(Connection):
    """Limits that a test can wait for."""

    head_s = 0.4
    body_s = 0.6


async def app(_scope, receive, send):
    """Answers with the length of the body, once it has all of it."""
    length, more = 0, True
    while more:
        part = await receive()
        if part["type"] == "http.disconnect":
            return
        length += len(part.get("body", b""))
        more = part.get("more_body", False)
    body = str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def port():
    """Where a server with hasty connections listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        bound.listen()
        config = uvicorn.Config(app, http=Hasty, log_level="error", lifespan="off")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        yield bound.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE_S)


@contextmanager
def connected(port):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as made:
        yield made


def answered(made):
    """Whether a whole answer came that is fine."""
    text = b""
    while not text.partition(b"\r\n\r\n")[2]:
        text += made.recv(4096)
    return text.startswith(b"HTTP/1.1 200")


def seconds_until_closed(made):
    began = time.monotonic()
    while made.recv(4096):
        pass
    return time.monotonic() - began


def test_a_head_that_never_ends_is_not_waited_for(port):
    with connected(port) as made:
        made.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        assert seconds_until_closed(made) >= 0.2


def test_neither_is_one_that_trickles(port):
    with connected(port) as made:
        sent = 0
        with suppress(OSError):  # reset or a broken pipe, as it falls
            while sent < 200:
                made.sendall(b"a")
                sent += 1
                time.sleep(0.05)
    assert sent < 200


def test_nor_one_who_says_nothing(port):
    with connected(port) as made:
        assert seconds_until_closed(made) >= 0.2


def test_a_body_that_pauses_for_long_is_given_up(port):
    with connected(port) as made:
        made.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
        assert seconds_until_closed(made) >= 0.3


def test_a_slow_body_that_goes_on_is_taken(port):
    with connected(port) as made:
        made.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 8\r\n\r\n")
        for _ in range(8):
            time.sleep(0.15)
            made.sendall(b"a")
        assert answered(made)


def test_the_second_request_of_a_connection_has_its_limit_too(port):
    with connected(port) as made:
        for _ in range(2):
            made.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert answered(made)
            time.sleep(0.5)
        made.sendall(b"GET / HTT")
        assert 0.2 <= seconds_until_closed(made) < PATIENCE_S
