import contextlib
import http.client
from urllib.parse import urlsplit

import pytest

from benchmaker.web.access import LINK_S, Access, new_link_token
from tests.web.serving import serving


def ask(address, method="GET", path="/", headers=None, body=None):
    """Status, headers and body, without following anything."""
    made = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    with contextlib.closing(made) as connection:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()


def test_a_foreign_host_is_refused(demo):
    status, _, body = ask(demo, headers={"Host": "evil.example"})

    assert status == 421
    assert "evil.example" not in body


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
def test_another_origin_changes_nothing(demo, headers):
    form = {"Content-Type": "application/x-www-form-urlencoded", **headers}

    status, _, _ = ask(demo, "POST", "/preferences/theme", form, "theme=dark")

    assert status == 403


def test_every_answer_carries_the_policy(demo):
    for path in ("/", "/nowhere", "/runs.json", "/static/x/y"):
        _, headers, _ = ask(demo, path=path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_a_token_opens_one_session_that_survives_a_restart(home):
    with serving(home, token="once-only-token") as address:
        assert ask(address)[0] == 401
        assert ask(address, path="/?token=wrong")[0] == 401
        status, headers, _ = ask(address, path="/runs?token=once-only-token&q=a")
        assert (status, headers["location"]) == (303, "/runs?q=a")
        cookie = headers["set-cookie"].partition(";")[0]
        assert "HttpOnly" in headers["set-cookie"]
        assert "SameSite=strict" in headers["set-cookie"]
        assert ask(address, headers={"Cookie": cookie})[0] == 200
        assert ask(address, path="/?token=once-only-token")[0] == 401

    with serving(home, token="another") as address:
        assert ask(address, headers={"Cookie": cookie})[0] == 200
        forged = cookie[:-1] + ("0" if cookie[-1] != "0" else "1")
        assert ask(address, headers={"Cookie": forged})[0] == 401
        assert ask(address, headers={"Cookie": "benchmaker_session=a.b"})[0] == 401


def test_a_link_opens_one_more_session_of_a_running_server(home):
    with serving(home, token="first") as address:
        cookies = []
        link = new_link_token(home)
        for token in ("first", link):
            status, headers, _ = ask(address, path=f"/?token={token}")
            assert (status, headers["location"]) == (303, "/")
            cookies.append(headers["set-cookie"].partition(";")[0])
        assert ask(address, path=f"/?token={link}")[0] == 401
        assert [ask(address, headers={"Cookie": it})[0] for it in cookies] == [200, 200]
        assert ask(address, headers={"Cookie": f"benchmaker_session={link}"})[0] == 401


def test_a_refusal_names_the_command_for_another_link(home):
    with serving(home, token="first") as address:
        body = ask(address)[2]
        assert f"benchmaker serve --link --port {urlsplit(address).port}" in body


def test_a_link_expires(tmp_path):
    now = 1_000.0
    access = Access(tmp_path, "first", clock=lambda: now)
    old, fresh = (new_link_token(tmp_path, clock=lambda at=at: now - at) for at in (LINK_S + 1, 1))
    assert access.open_session(old) is None
    assert access.open_session(fresh)
    assert access.open_session(fresh) is None


@pytest.mark.parametrize("change", [lambda it: it[:-1], lambda it: f"x{it}", lambda _: "a.1.b"])
def test_a_link_of_somebody_else_is_refused(tmp_path, change):
    access = Access(tmp_path, "first")
    assert access.open_session(change(new_link_token(tmp_path))) is None
    assert access.open_session(new_link_token(tmp_path / "other")) is None


def test_the_signing_key_is_for_its_owner_alone(home):
    with serving(home, token="t"):
        pass

    assert (home / "serve.key").stat().st_mode & 0o777 == 0o600


def test_a_wrong_sort_is_a_page_that_says_what_to_choose(demo):
    status, _, body = ask(demo, path="/runs?sort=startd")

    assert status == 422
    assert "Did you mean &#39;started&#39;?" in body


def test_errors_of_data_are_data(demo):
    status, headers, body = ask(demo, path="/runs.json?state=walking")

    assert status == 422
    assert headers["content-type"] == "application/json"
    assert '"error"' in body
