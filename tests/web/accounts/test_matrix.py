"""Every route, asked by everybody: who is let in follows from the table and from nothing else."""

import pytest

from benchmaker.record.account import Role, TokenScope, scopes_cover
from tests.web.accounts.people import JSON
from tests.web.accounts.routes import MADE_UP, filled, need_of, operations
from tests.web.serving import apps

ROLES = {"ada": Role.ADMIN, "max": Role.MEMBER, "vi": Role.VIEWER, "eve": Role.ADMIN}
"""What they are in the team that they look at; eve's is another one."""

ENDS_THE_SESSION = {"/sign-out"}


def ask(asker, method, path):
    """One request with as little in it as can be."""
    if method == "GET":
        return asker.get(path)
    if path.startswith("/api/"):
        return asker.ask(method, path, b"{}", **JSON)
    return asker.ask(method, path, {"x": "1"})


def every(server):
    return operations(apps[server.address])


def is_refused(answer):
    """Whether the answer is of those who stand at the door, not of the route behind it."""
    return answer.wants_sign_in or answer.status == 403


def test_nobody_is_let_in_anywhere(signed_server):
    for method, path in every(signed_server):
        answer = ask(signed_server.nobody, method, filled(path, MADE_UP))
        is_open = need_of(method, path).is_open
        assert answer.wants_sign_in is not is_open, (method, path, answer.status)
        assert answer.status < 500


@pytest.mark.parametrize("name", ROLES)
def test_a_person_may_what_their_role_may(signed_server, name):
    browser = signed_server.browser(name)
    wrong = []
    for method, path in every(signed_server):
        asker = signed_server.browser(name) if path in ENDS_THE_SESSION else browser
        answer = ask(asker, method, filled(path, MADE_UP))
        need = need_of(method, path)
        may = need.role is None or ROLES[name].covers(need.role)
        may = may and not (need.is_of_server and name == "eve")
        if is_refused(answer) is may or answer.status >= 500:
            wrong.append((method, path, answer.status, answer.body[:200]))
    assert wrong == []


def test_who_is_in_no_team_has_their_account_alone(signed_server):
    browser = signed_server.browser("noa")
    for method, path in every(signed_server):
        asker = signed_server.browser("noa") if path in ENDS_THE_SESSION else browser
        answer = ask(asker, method, filled(path, MADE_UP))
        need = need_of(method, path)
        assert is_refused(answer) is (need.role is not None), (method, path, answer.status)


@pytest.mark.parametrize("owner", ["ada", "vi"])
@pytest.mark.parametrize("scope", TokenScope)
def test_a_token_may_what_its_scope_and_its_persons_role_may(signed_server, owner, scope):
    name = str(scope) if owner == "ada" else f"{owner}-{scope}"
    program = signed_server.program(name)
    for method, path in every(signed_server):
        answer = ask(program, method, filled(path, MADE_UP))
        need = need_of(method, path)
        may = not need.is_in_person or need.is_open
        if need.role is not None:
            may = may and ROLES[owner].covers(need.role) and scopes_cover([scope], need.scope)
        assert is_refused(answer) is not may, (method, path, answer.status)
        assert answer.status < 500
        if scope is TokenScope.READ and may and not need.is_open:
            assert method == "GET"


@pytest.mark.parametrize("name", ["expired", "revoked"])
def test_a_token_that_does_not_work_opens_nothing(signed_server, name):
    program = signed_server.program(name)
    for method, path in every(signed_server):
        if not need_of(method, path).is_open:
            answer = ask(program, method, filled(path, MADE_UP))
            assert answer.status == 401, (method, path)
            assert 'error="invalid_token"' in answer.headers["www-authenticate"]


@pytest.fixture(scope="module")
def theirs(signed_server):
    """What things are called in main; none of it exists in eve's team."""
    ada = signed_server.browser("ada")
    run = ada.get("/api/v1/runs").data["items"][0]
    number = {"position": "0", "rank": "0", "number": "1", "n": "1"}
    names = {"run": run["run_id"], "series": run["series_id"], "content": run["suite_hash"]}
    return MADE_UP | number | names


def test_another_team_sees_nothing_of_it(signed_server, theirs):
    ada, eve = signed_server.browser("ada"), signed_server.browser("eve")
    seen = 0
    for method, path in every(signed_server):
        address = filled(path, theirs)
        named = any(f"{{{name}}}" in path for name in ("run", "series", "content"))
        if method != "GET" or path.endswith("/events") or not named:
            continue
        own, foreign = ada.get(address), eve.get(address)
        seen += own.status == 200
        assert foreign.status in {404, 422}, (path, foreign.status)
        if path.startswith("/api/"):
            assert theirs["content"] not in foreign.text
    assert seen > 15


@pytest.mark.parametrize("who", ["browser", "program"])
def test_its_lists_and_pages_are_empty_for_them(signed_server, theirs, who):
    eve = getattr(signed_server, who)("eve")

    assert eve.get("/api/v1/runs").data["items"] == []
    assert eve.get("/api/v1/suites").data["items"] == []
    for path in ("/", "/runs", "/runs.csv", "/runs.json", "/suites", "/jump?q=a", "/arena"):
        answer = eve.get(path)
        assert answer.status == 200
        assert theirs["run"] not in answer.text
        assert theirs["content"] not in answer.text


def test_they_can_not_change_it_either(signed_server, theirs):
    eve = signed_server.browser("eve")
    for method, path in every(signed_server):
        if method != "GET" and any(f"{{{it}}}" in path for it in ("run", "series", "content")):
            answer = ask(eve, method, filled(path, theirs))
            assert answer.status in {404, 422, 415}, (method, path, answer.status)
    assert signed_server.browser("ada").get(f"/runs/{theirs['run']}").status == 200


def test_nobody_looks_at_a_team_that_is_not_theirs(signed_server):
    eve = signed_server.browser("eve")

    assert eve.post("/account/team", team="main").status == 404
    assert eve.get("/api/v1/runs").data["items"] == []
