"""Nobody is offered what their role may not do."""

import pytest

from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web import agentic_data
from tests.web.accessible import violations_here
from tests.web.accounts.conftest import SignedServer, peopled
from tests.web.accounts.test_settings_pages import seen
from tests.web.serving import serving


def offered(tab):
    """The buttons on the page that would change something, by what they say."""
    forms = tab.locator("main form[method=post] button:visible, main [formaction]:visible")
    return [text.strip() for text in forms.all_inner_texts()]


def links_of(tab, server, path):
    """The first pages that a page links to, under its own address."""
    tab.goto(server.address + path)
    links = tab.locator(f"main a[href^='{path}/']")
    found = links.evaluate_all("all => all.map(it => it.getAttribute('href'))")
    pages = (it for it in dict.fromkeys(found) if "." not in it)
    return list(pages)[:3]


def refused_links(tab, viewer):
    """The links on the page whose target refuses the viewer."""
    found = tab.locator("main a[href^='/']").evaluate_all(
        "all => all.map(it => it.getAttribute('href'))"
    )
    pages = dict.fromkeys(it.partition("#")[0] for it in found)
    return [it for it in pages if viewer.get(it).status == 403]


@pytest.mark.parametrize("path", ["/suites", "/runs", "/arena"])
def test_a_viewer_is_offered_nothing_that_is_refused(tab, signed_server, path):
    seen(tab, signed_server, "vi", path)
    text = tab.locator("main").inner_text().lower()
    assert "you are a viewer" in text
    viewer = signed_server.browser("vi")
    for place in [path, *links_of(tab, signed_server, path)]:
        tab.goto(signed_server.address + place)
        assert offered(tab) == [], place
        assert refused_links(tab, viewer) == [], place
    assert violations_here(tab) == []


def test_a_member_is_offered_what_a_viewer_is_not(tab, signed_server):
    seen(tab, signed_server, "max", "/suites")
    tab.goto(signed_server.address + links_of(tab, signed_server, "/suites")[0])

    text = tab.locator("main").inner_text().lower()
    assert "you are a viewer" not in text
    assert offered(tab)


def test_a_viewer_still_sees_to_their_own_account(tab, signed_server):
    seen(tab, signed_server, "vi", "/account")

    assert "Sign out" in offered(tab)


def test_only_an_admin_is_offered_to_decide(tab, tmp_path):
    home = agentic_data.ordinary(tmp_path / "home")
    secrets = peopled(home)
    with serving(home, works=False) as address:
        server = SignedServer(address, home, secrets)
        seen(tab, server, "ada", "/agentic/review")
        decisions = offered(tab)
        tab.context.clear_cookies()
        seen(tab, server, "max", "/agentic/review")

        assert decisions
        assert tab.locator(".review-item").count()
        assert offered(tab) == []


def test_a_kept_page_of_results_is_shown_to_its_own_reader_alone(signed_server):
    with Store.open(signed_server.home / STORE_FILE) as store:
        path = f"/runs/{store.runs(limit=1)[0].id}"
    member, viewer = signed_server.browser("max"), signed_server.browser("vi")
    first = [asker.get(path).text for asker in (member, viewer)]

    assert [asker.get(path).text for asker in (member, viewer)] == first
    assert ["You are a viewer" in text for text in first] == [False, True]
    assert [">max</bdi>" in text for text in first] == [True, False]
    assert signed_server.browser("eve").get(path).status == 404
    assert signed_server.nobody.get(path).status == 303
