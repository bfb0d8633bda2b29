"""A server that other machines reach, by a proxy or themselves; and one that has no accounts."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmaker.store import Store
from benchmaker.web.accounts.cookies import SIGNED
from tests.web.accounts.people import PASSWORDS, Asker, sign_in
from tests.web.serving import apps, serving

HOST = "bench.example.org"


@pytest.fixture
def behind(own_signed_home):
    """A server behind a proxy on this machine, which it believes."""
    with serving(
        own_signed_home, works=False, is_shared=True, hosts=(HOST,), proxies=("127.0.0.1",)
    ) as address:
        yield address


def sessions(home, name):
    with Store.open(home / "benchmaker.db") as store:
        return store.accounts.sessions(store.accounts.user(name).id)


def test_a_name_that_was_given_is_answered_and_no_other(behind):
    assert Asker(behind).get("/sign-in", Host=HOST).status == 200
    assert Asker(behind).get("/sign-in", Host="other.example.org").status == 421


def test_changes_come_from_that_name_alone(behind):
    fields = {"name": "vi", "password": PASSWORDS["vi"]}
    words = {"Host": HOST, "Origin": f"https://{HOST}"}
    assert Asker(behind).ask("POST", "/sign-in", fields, **words).status == 303
    words["Origin"] = "https://other.example.org"
    assert Asker(behind).ask("POST", "/sign-in", fields, **words).status == 403


def test_what_a_trusted_proxy_says_is_believed(behind, own_signed_home):
    forwarded = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
    _, answer = sign_in(behind, "vi", Host=HOST, **forwarded)

    assert answer.cookies[0].startswith(f"__Host-{SIGNED}=")
    assert answer.headers["strict-transport-security"]
    assert sessions(own_signed_home, "vi")[0].address == "203.0.113.9"


def test_an_address_before_the_proxys_own_word_is_not(behind, own_signed_home):
    """Whoever is in front may write what they like; the last hop is the proxy's."""
    sign_in(behind, "vi", Host=HOST, X_Forwarded_For="198.51.100.1, 203.0.113.9")

    assert sessions(own_signed_home, "vi")[0].address == "203.0.113.9"


def test_what_anybody_else_says_is_not(own_signed_home):
    with serving(own_signed_home, works=False) as address:
        forwarded = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": "https"}
        _, answer = sign_in(address, "vi", **forwarded)

    assert answer.cookies[0].startswith(f"{SIGNED}=")
    assert "strict-transport-security" not in answer.headers
    assert sessions(own_signed_home, "vi")[0].address == "127.0.0.1"


def test_guesses_count_for_whoever_is_behind_the_proxy(behind):
    for n in range(40):
        sign_in(behind, f"n{n}", "a guess", Host=HOST, X_Forwarded_For="203.0.113.9")
    late = sign_in(behind, "vi", Host=HOST, X_Forwarded_For="203.0.113.9")[1]
    other = sign_in(behind, "vi", Host=HOST, X_Forwarded_For="203.0.113.10")[1]

    assert (late.status, other.status) == (429, 303)


def test_a_shared_server_asks_everybody_even_before_there_is_anybody(home):
    with serving(home, works=False, is_shared=True, token=None) as address:
        assert Asker(address).get("/").headers["location"] == "/sign-in"
        assert Asker(address).get("/api/v1/runs").status == 401
        assert sign_in(address, "ada", PASSWORDS["ada"])[1].status == 422


# Boards for everybody


def test_a_public_team_shows_its_boards_and_nothing_else(own_server):
    assert own_server.nobody.get("/agentic").status == 303
    with Store.open(own_server.home / "benchmaker.db") as store:
        store.accounts.set_team("main", is_public=True)

    anybody = own_server.nobody
    for path in ("/agentic", "/agentic.json", "/agentic/tasks", "/api/v1/agentic/tasks"):
        assert anybody.get(path).status == 200, path
    page = anybody.get("/agentic").text
    assert 'href="/sign-in"' in page
    assert anybody.get("/runs").headers["location"] == "/sign-in?next=/runs"
    for path in ("/", "/agentic/review", "/agentic/submit", "/account", "/settings/about"):
        assert anybody.get(path).wants_sign_in, path
    assert anybody.get("/api/v1/runs").status == 401
    assert anybody.get("/api/v1/agentic/reviews").status == 401
    assert anybody.post("/agentic/submit").status == 401
    broken = Asker(own_server.address, {"Cookie": f"{SIGNED}=ended"})
    assert broken.get("/agentic").status == 303


# Code by its path


@pytest.mark.parametrize("kind", ["scorer", "case"])
def test_nobody_names_code_by_its_path(own_server, kind):
    case = {"id": "a", "prompt": "?", "expected": "1"}
    suite = {"name": "s", "cases": [case]}
    (suite if kind == "scorer" else case)["scorer"] = "antigravity:Everything"
    answer = own_server.program("write").ask(
        "POST", "/api/v1/suites", json.dumps(suite), Content_Type="application/json"
    )

    assert answer.status == 422
    assert "is a path to code" in answer.text


# No accounts


def test_without_accounts_there_is_no_sign_in(home):
    with serving(home, works=False) as address:
        for path in ("/sign-in", "/account"):
            assert Asker(address).get(path).status == 404
        assert Asker(address).post("/sign-in", name="ada", password="x").status == 404
        answer = Asker(address).get("/runs", Authorization="Bearer bm_made-up")
        assert answer.status == 200
        assert "ratelimit-limit" not in answer.headers
        assert "/account" not in answer.text


def test_accounts_begin_with_the_first_person(home):
    with serving(home, works=False) as address:
        signed = apps[address].state.signed
        assert Asker(address).get("/runs").status == 200
        with Store.open(home / "benchmaker.db") as store:
            store.accounts.add_user("ada", None)
        signed._look_at = 0.0  # else a no is believed for a second
        assert Asker(address).get("/runs").status == 303
        assert Asker(address).get("/sign-in").status == 200


def test_without_accounts_none_of_their_parts_is_loaded(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", _LOADED, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "200 []", said.stdout + said.stderr


_LOADED = f"""
import sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r})
from pathlib import Path
from tests.web.serving import serving
from tests.web.test_guard import ask
with serving(Path(sys.argv[1])) as address:
    status, _, _ = ask(address, path="/runs")
heavy = {{"argon2", "authlib", "cryptography"}}
print(status, sorted(heavy & {{name.partition(".")[0] for name in sys.modules}}))
"""
