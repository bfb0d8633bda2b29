"""Pages of other packages: found, served under the rights they declare, and harmless if broken."""

import logging
import sys
from contextlib import ExitStack
from textwrap import dedent

import pytest
from fastapi import APIRouter
from fastapi.testclient import TestClient

from benchmaker.errors import PluginError
from benchmaker.plugins import list_plugins, web_page
from benchmaker.record.account import Actor, Role
from benchmaker.web import NavigationPlace, Settings, create_app
from benchmaker.web.accounts.permissions import need_of
from benchmaker.web.page_declaration import check_page
from benchmaker.web.page_list import PageList, find_pages

GOOD = """
    from fastapi import APIRouter, Request
    from benchmaker import web_page
    from benchmaker.record.account import Role
    from benchmaker.web import NavigationPlace, page

    router = APIRouter()

    @router.get("/bm-notes")
    def notes(request: Request):
        return page(request, "bm_fake_notes:notes", title="Notes", here="Notes", text="<b>")

    @router.post("/bm-notes/add")
    def add():
        return {}

    @web_page(id="bm_notes")
    class Notes:
        '''Notes.'''

        routes = router
        title = "Notes of the team"
        role = Role.MEMBER
        navigation = NavigationPlace("Notes", key="h")
"""
TEMPLATE = '{% extends "base.html.jinja" %}{% block content %}<p>{{ text }}</p>{% endblock %}'


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a distribution with one page."""

    def make(name: str, source: str, *, cls: str = "Notes") -> None:
        site = tmp_path / f"site-{name}"
        info = site / f"{name}-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0")
        (info / "entry_points.txt").write_text(f"[benchmaker.pages]\nbm_notes = {name}:{cls}\n")
        (site / f"{name}.py").write_text(dedent(source))
        (site / "templates").mkdir()
        (site / "templates" / "notes.html.jinja").write_text(TEMPLATE)
        monkeypatch.delitem(sys.modules, name, raising=False)
        monkeypatch.syspath_prepend(str(site))

    yield make
    for name in [name for name in sys.modules if name.startswith("bm_fake_")]:
        del sys.modules[name]


@pytest.fixture
def client(tmp_path):
    """Serve a data folder; its store is closed as the test ends."""
    with ExitStack() as ends:

        def serve():
            app = create_app(Settings(home=tmp_path / "home", hosts=("testserver",)))
            ends.callback(app.state.bench.close)
            return TestClient(app)

        yield serve


def test_an_installed_page_is_served_and_linked(install, client):
    install("bm_fake_notes", GOOD)
    asking = client()
    shown = asking.get("/bm-notes")

    assert shown.status_code == 200
    assert "<p>&lt;b&gt;</p>" in shown.text
    assert '<a href="/bm-notes" aria-current="page">Notes</a>' in shown.text, "the key h is taken"
    assert "/bm-notes" in asking.get("/jump?q=Notes of").text
    assert asking.get("/").status_code == 200


def test_its_role_is_that_of_reading_and_changing_takes_a_member(install):
    install("bm_fake_notes", GOOD)
    pages = find_pages().by_route

    reading, adding = need_of("GET", "/bm-notes", pages), need_of("POST", "/bm-notes/add", pages)
    assert (reading.role, reading.action, reading.is_public) == (Role.MEMBER, "", False)
    assert (adding.role, adding.action) == (Role.MEMBER, "page.bm_notes")
    assert need_of("DELETE", "/bm-notes", pages) is None


def test_navigation_and_palette_leave_out_what_a_role_may_not_read(install):
    install("bm_fake_notes", GOOD)
    viewer = Actor(user_id="u", name="vi", team="main", role=Role.VIEWER)
    pages = find_pages()

    assert "Notes" in {one.name for one in pages.navigation_of(None)}
    assert "Notes" not in {one.name for one in pages.navigation_of(viewer)}
    assert "Notes of the team" not in pages.palette_of(viewer)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("router = APIRouter()", "1 / 0"), "ZeroDivisionError"),
        (("routes = router", "routes = None"), "routes is not an APIRouter"),
        (('"/bm-notes"', '"/bm-{notes}"'), "without parameters"),
        (('"/bm-notes/add"', '"/elsewhere"'), "/elsewhere is not below /bm-notes"),
        (('NavigationPlace("Notes", key="h")', '"Notes"'), "navigation is not a NavigationPlace"),
        (("Role.MEMBER", "None"), "role is not a Role"),
    ],
)
def test_a_broken_page_is_listed_with_its_error_and_the_server_works(
    install, client, caplog, change, reason
):
    install("bm_fake_notes", GOOD.replace(*change))
    with caplog.at_level(logging.WARNING, "benchmaker.web"):
        asking = client()

    (listed,) = [one for one in list_plugins("page") if one.id == "bm_notes"]
    assert reason in listed.error
    assert "bm_notes of bm_fake_notes is left out" in caplog.text
    assert asking.get("/bm-notes").status_code == 404
    assert asking.get("/").status_code == 200


@pytest.mark.parametrize("path", ["/runs", "/suites/bm", "/api/v1/bm", "/healthz", "/static/a/b"])
def test_an_address_that_is_taken_is_left_out(install, client, path):
    install("bm_fake_notes", GOOD.replace("/bm-notes", path))
    asking = client()

    (failure,) = asking.app.state.pages.failures
    assert "is taken" in failure.error
    assert asking.get("/").status_code == 200


def test_routes_that_pass_the_check_of_permissions_by_are_refused():
    mounted, plain = APIRouter(), APIRouter()
    for router in (mounted, plain):
        router.add_api_route("/bm-notes", lambda: "")
    mounted.mount("/bm-notes/files", APIRouter())
    plain.add_route("/bm-notes/plain", lambda _: None)
    for router in (mounted, plain):
        page = web_page(type("Page", (), {"routes": router}))
        with pytest.raises(PluginError, match="no mounts"):
            check_page(page)


def test_an_installed_page_that_is_named_by_its_path_too_is_served_once(install):
    install("bm_fake_notes", GOOD)
    twice = find_pages(("bm_fake_notes:Notes",))
    assert [one.id for one in twice.pages].count("bm_notes") == 1


def test_positions_order_the_navigation():
    names = [one.name for one in find_pages().navigation]
    assert names[0] == "Home"
    assert names[-1] == "Settings"
    assert NavigationPlace("Mine").position < 90
    assert PageList(()).navigation == ()
