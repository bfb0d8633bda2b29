import pytest

from benchmaker.record.account import Role, TokenScope
from benchmaker.web import Settings, create_app
from benchmaker.web.accounts.enforcement import require_permission
from benchmaker.web.accounts.permissions import _BEGINNINGS, _EXACT
from tests.web.accounts.routes import api_routes, need_of, operations, plain_routes


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return create_app(Settings(home=tmp_path_factory.mktemp("none")))


def test_every_route_is_in_the_table(app):
    assert [it for it in operations(app) if need_of(*it) is None] == []


def test_what_changes_something_in_a_page_of_ours_has_a_line_in_the_table(app):
    declared = [it for it in operations(app) if need_of(*it).action.startswith("page.")]
    assert declared == []


def test_every_line_of_the_table_is_of_a_route(app):
    known = set(operations(app))
    read = {path for method, path in known if method == "GET"}

    assert set(_EXACT) - known == set()
    unused = [it for it in _BEGINNINGS if not any(path.startswith(it) for path in read)]
    assert unused == []


def test_whatever_changes_something_is_written_down_or_said_to_change_nothing(app):
    silent = {
        f"{method} {path}"
        for method, path in operations(app)
        if method != "GET" and not need_of(method, path).action
    }

    keeps_nothing = ("/check", "/estimate", "/preview", "/rows", "/theme", "/keys")
    goes_out = ("/sign-in/oidc", "/account/identity/link")
    assert all(it.endswith(keeps_nothing + goes_out) for it in silent), silent


def test_a_token_for_reading_changes_nothing(app):
    for method, path in operations(app):
        need = need_of(method, path)
        if method != "GET" and not (need.is_open or need.is_in_person):
            assert need.scope is not TokenScope.READ, (method, path)


def test_a_viewer_changes_nothing_of_the_team(app):
    for method, path in operations(app):
        need = need_of(method, path)
        if method != "GET" and need.role is not None:
            assert need.role is not Role.VIEWER, (method, path)


def test_what_is_open_is_little(app):
    found = {path for method, path in operations(app) if need_of(method, path).is_open}

    signing_in = {"/sign-in", "/sign-in/oidc"}
    assert found == {"/static/{digest}/{name}", "/healthz", "/readyz", "/metrics"} | signing_in


def test_what_is_public_only_reads_boards(app):
    public = [it for it in operations(app) if need_of(*it).is_public]

    assert {method for method, _ in public} == {"GET"}
    assert all("/agentic" in path or path.startswith("/api/v1/agents/") for _, path in public)
    assert not any("review" in path or "submit" in path.split("/") for _, path in public)


def test_the_check_stands_before_every_route(app):
    """The document is the one route that is not FastAPI's; the guard alone stands before it."""
    assert [route.path for route in plain_routes(app)] == ["/api/v1/openapi.json"]
    held = [it.dependency for it in app.router.dependencies]
    assert held == [require_permission]
    assert len(list(api_routes(app))) > 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/runs"),
        ("GET", "/nowhere"),
        ("GET", "/settings/anything"),
        ("GET", "/api/v1/anything"),
        ("GET", "/runsome"),
        ("TRACE", "/"),
        ("GET", "none"),
    ],
)
def test_what_is_not_in_it_is_closed(method, path):
    assert need_of(method, path) is None
