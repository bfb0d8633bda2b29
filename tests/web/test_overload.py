"""Readers beyond what can be answered are sent away, and nobody else is."""

import asyncio
import http.client
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from benchmaker.store.agentic.submission_pages import SubmissionPages
from benchmaker.web import app, turns
from benchmaker.web.app import Overload
from tests.web.serving import serving

MOST = turns.MOST
"""As many as render at once, so that all of them reach the gate."""


class Broken(Exception):
    """What a page fails with."""


class Gate:
    """Where readers of the list of submissions stand until they are let go."""

    def __init__(self, work):
        self.work = work
        self.is_open = threading.Event()
        self.came = threading.Semaphore(0)

    def __call__(self, *words, **named):
        self.came.release()
        assert self.is_open.wait(60)
        return self.work(*words, **named)


@pytest.fixture
def gate(monkeypatch):
    made = Gate(SubmissionPages.page)

    def page(self, **asked):
        return made(self, **asked)

    monkeypatch.setattr(SubmissionPages, "page", page)
    monkeypatch.setattr(app, "MOST", MOST)
    yield made
    made.is_open.set()


@pytest.fixture
def address(home, gate):
    assert not gate.is_open.is_set()
    with serving(home, works=False) as address:
        yield address


def ask(address, path="/agentic/submissions", method="GET", **headers):
    """Status, headers and the first bytes of an answer that may have no end."""
    made = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    with closing(made) as connection:
        connection.request(
            method, path, headers={k.replace("_", "-"): v for k, v in headers.items()}
        )
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read(1_000)


def test_who_comes_when_too_many_wait_is_asked_to_come_again(address, gate):
    with ThreadPoolExecutor(MOST) as pool:
        waiting = [pool.submit(ask, address) for _ in range(MOST)]
        for _ in waiting:
            assert gate.came.acquire(timeout=60)

        status, headers, body = ask(address)
        assert (status, headers["retry-after"]) == (503, str(app.AGAIN_S))
        assert b"try again in a moment" in body
        assert "default-src 'none'" in headers["content-security-policy"]
        status, _, body = ask(address, "/api/v1/runs")
        assert status == 503
        assert b'"message":"The server is overloaded' in body

        gate.is_open.set()
        assert [one.result()[0] for one in waiting] == [200] * MOST
    assert ask(address)[0] == 200


def test_what_changes_something_follows_a_run_or_asks_after_the_server_is_let_through(
    address, gate
):
    with ThreadPoolExecutor(MOST) as pool:
        waiting = [pool.submit(ask, address) for _ in range(MOST)]
        for _ in waiting:
            assert gate.came.acquire(timeout=60)

        assert ask(address, "/healthz")[0] == 200
        assert ask(address, "/readyz")[0] == 200
        assert ask(address, "/static/nothing.css")[0] == 404
        assert ask(address, "/preferences/theme", "POST", Origin=address)[0] == 422
        assert ask(address, "/nowhere", Accept="text/event-stream")[0] == 404
        assert ask(address, "/nowhere")[0] == 503
        gate.is_open.set()
        assert [one.result()[0] for one in waiting] == [200] * MOST


def test_an_answer_that_has_begun_waits_no_more():
    """Whoever reads slowly, or breaks off, keeps nobody away."""
    sent = asyncio.run(four_who_read_for_ever_and_one_who_fails())

    assert sent == [200, 200, 200, 200]


async def four_who_read_for_ever_and_one_who_fails():
    statuses, has_begun = [], asyncio.Semaphore(0)

    async def endless(scope, _receive, send):
        if scope["path"] == "/fails":
            raise Broken
        await send({"type": "http.response.start", "status": 200, "headers": []})
        has_begun.release()
        await asyncio.Event().wait()

    async def told(message):
        statuses.append(message["status"])

    counted, reading = Overload(endless, most=1), []

    def reader(path):
        scope = {"type": "http", "method": "GET", "path": path, "headers": []}
        return asyncio.ensure_future(counted(scope, None, told))

    for path in ("/", "/", "/fails", "/", "/"):
        task = reader(path)
        if path == "/fails":
            with pytest.raises(Broken):
                await task
        else:
            await asyncio.wait_for(has_begun.acquire(), 60)
            reading.append(task)
    for task in reading:
        task.cancel()
    return statuses
