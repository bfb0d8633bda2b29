"""The same with a server as a process of its own, with all that it writes."""

import json
import os
import signal
import subprocess
import sys

import pytest

from benchmaker.accounts.identities import pending_identity
from benchmaker.record.account import Role
from benchmaker.store import Store
from tests.web.accounts.oidc.browsers import BACK, is_refused, name_of, signed, through
from tests.web.accounts.oidc.provider import CLIENT, SECRET, Conduct, providing


@pytest.fixture
def provider():
    with providing() as found:
        found.conduct = Conduct(person={"sub": "s-1", "preferred_username": "olga"})
        yield found


@pytest.fixture
def served(provider, tmp_path):
    """The address of a server, and the file with its log."""
    home, log = tmp_path / "home", tmp_path / "log"
    with Store.open(home / "benchmaker.db") as store:
        store.accounts.add_user("ada", None)
        olga = store.accounts.add_user("olga", None, oidc=pending_identity("olga"))
        store.accounts.set_role("main", olga.id, Role.MEMBER)
    words = ["serve", "--port", "0", "--no-worker", "--json", "--log-level", "debug"]
    variables = {
        "PATH": os.environ["PATH"],
        "BENCHMAKER_HOME": str(home),
        "BENCHMAKER_OIDC_ISSUER": provider.issuer,
        "BENCHMAKER_OIDC_CLIENT_ID": CLIENT,
        "BENCHMAKER_OIDC_CLIENT_SECRET": SECRET,
    }
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmaker", *words, "--log-format", "json"],
            env=variables, stdout=subprocess.PIPE, stderr=stream, cwd=tmp_path,
        )  # fmt: skip
        address = json.loads(_whole(process.stdout))["address"].rstrip("/")
        provider.conduct.redirect_uris.append(f"{address}{BACK}")
        yield address, log
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.stdout.close()


def _whole(stream):
    """The object at the start of a stream that stays open."""
    text = ""
    while not text.rstrip().endswith("}"):
        line = stream.readline().decode()
        assert line, "the server ended"
        text += line
    return text


def test_people_sign_in_and_the_log_tells_why_not_and_no_secret(served, provider):
    address, log = served
    answer = through(address)
    assert name_of(address, answer) == "olga"
    assert signed(through(address))
    provider.conduct.claims = {"nonce": "another"}
    assert is_refused(through(address))
    provider.conduct.claims = {}
    provider.conduct.token = (400, '{"error": "invalid_grant"}', {})
    assert is_refused(through(address), 503)

    written = log.read_text()
    assert "a sign-in at localhost was refused" in written
    assert "nonce" in written
    assert len(provider.conduct.secrets) > 6
    assert [it for it in [*provider.conduct.secrets, SECRET] if it in written] == []
