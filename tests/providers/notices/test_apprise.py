"""Notices through Apprise, to a real receiver on this machine."""

import asyncio
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from benchmaker.errors import PrerequisiteError, ProviderError, SpecError
from benchmaker.providers.notices.apprise import Apprise

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # the package's own


class Receiver(BaseHTTPRequestHandler):
    """Keeps what comes and answers as it was told."""

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.server.came.append(json.loads(self.rfile.read(length)))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def receiver():
    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        server.came, server.status = [], 200
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def address(receiver):
    return f"json://127.0.0.1:{receiver.server_port}/"


def test_a_notice_arrives_with_its_id(receiver):
    asyncio.run(Apprise(address(receiver)).send("n-1", b'{"score": 61.5}'))

    (told,) = receiver.came
    assert told["title"] == "n-1"
    assert told["message"] == '{"score": 61.5}'


def test_a_refusal_is_an_error_so_that_it_is_sent_again(receiver):
    receiver.status = 503

    with pytest.raises(ProviderError, match="apprise json was not delivered"):
        asyncio.run(Apprise(address(receiver)).send("n-1", b"{}"))


def test_an_unknown_address_is_refused_without_its_secrets():
    with pytest.raises(SpecError, match="apprise no-such-service") as told:
        Apprise("no-such-service://user:hunter22@x")
    assert "hunter22" not in str(told.value)


def test_without_the_package_the_command_that_installs_it_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "apprise", None)

    with pytest.raises(PrerequisiteError, match=r"pip install 'benchmaker\[notify\]'"):
        Apprise("json://x")
