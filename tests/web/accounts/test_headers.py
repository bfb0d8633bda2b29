"""What every answer carries, whatever was asked and whoever asked it."""

import pytest

from tests.web.accounts.routes import MADE_UP, filled, need_of, operations
from tests.web.accounts.test_matrix import ask
from tests.web.serving import apps

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


@pytest.mark.parametrize("who", ["nobody", "ada", "read"])
def test_every_answer_of_every_route_carries_the_policy(signed_server, who):
    askers = {"nobody": lambda: signed_server.nobody, "ada": lambda: signed_server.browser("ada")}
    make = askers.get(who, lambda: signed_server.program(who))
    asker = make()
    for method, path in [*operations(apps[signed_server.address]), ("GET", "/nowhere")]:
        answer = ask(make() if path == "/sign-out" else asker, method, filled(path, MADE_UP))
        told = answer.headers
        assert told["content-security-policy"].startswith("default-src 'none'"), path
        assert ALWAYS.items() <= told.items(), path
        assert "server" not in told or told["server"] == "uvicorn"
        if not path.startswith("/static/"):
            of_board = method == "GET" and need_of(method, path) and need_of(method, path).is_public
            kept = {"no-store", "private, no-cache"} if of_board else {"no-store"}
            assert told["cache-control"] in kept, path
        if path not in {"/healthz", "/readyz", "/metrics"} and not path.startswith("/static/"):
            assert int(told["ratelimit-remaining"]) >= 0, path


def test_refusals_carry_it_too(signed_server):
    answers = [
        signed_server.nobody.get("/", Host="evil.example"),
        signed_server.browser("ada").ask("POST", "/suites", {}, Origin="http://evil.example"),
        signed_server.browser("ada").ask("BREW", "/"),
        signed_server.nobody.ask("OPTIONS", "/api/v1/runs"),
    ]

    assert [it.status for it in answers] == [421, 403, 405, 401]
    for answer in answers:
        assert ALWAYS.items() <= answer.headers.items()


def test_every_refusal_of_the_api_has_the_one_shape(signed_server):
    refused = [
        signed_server.nobody.get("/api/v1/runs"),
        signed_server.program("expired").get("/api/v1/runs"),
        signed_server.browser("vi").ask("DELETE", "/api/v1/runs/x"),
        signed_server.program("read").ask("DELETE", "/api/v1/runs/x"),
        signed_server.browser("noa").get("/api/v1/runs"),
    ]

    assert [it.status for it in refused] == [401, 401, 403, 403, 403]
    for answer in refused:
        error = answer.data["error"]
        assert error["status"] == answer.status
        assert error["message"]
    assert all("www-authenticate" in it.headers for it in refused[:2])


def test_a_refused_page_says_what_it_takes(signed_server):
    answer = signed_server.browser("vi").post("/suites/check")

    assert answer.status == 403
    assert "This needs the role member in the team main; yours is viewer" in answer.text
