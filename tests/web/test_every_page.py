"""What holds for every page: light, accessible, whole without script, nothing from elsewhere."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmaker import web
from benchmaker.web.code.preview_hosts import PreviewHost
from benchmaker.web.page_list import find_pages
from tests.web.accessible import THEMES, scrolls_sideways, violations_here
from tests.web.browser import patient
from tests.web.every_page import ANY, answered_by, declared, page_routes, places
from tests.web.illustrated import illustrated
from tests.web.serving import apps, serving

MOST_BYTES = 150_000
MOST_REQUESTS = 10
ASKING = "main form[method=get]"
PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images" / "pages"
MOST_OF_PICTURES = 6_000_000
STYLES = Path(web.__file__).parent / "static"
LISTED = places(ANY)
NAMES = tuple(one.name for one in (*LISTED, *declared(LISTED)))
FRAMED = {"code-vote": 2, "code-pair": 2, "code-page": 1, "code-before": 2, "code-live": 2}
"""How many generated pages run on a page."""


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    home = tmp_path_factory.mktemp("every") / "home"
    home.mkdir()
    with ThreadPoolExecutor(1) as aside:  # Playwright runs a loop in this thread
        found = aside.submit(illustrated, home).result()
    with serving(home, previews=True, works=False) as address:
        yield address, found


@pytest.fixture
def at(names):
    """The address of a page by its name on the list."""
    address, found = names
    by_name = {one.name: address + one.path for one in (*places(found), *declared(LISTED))}
    return by_name.__getitem__


@pytest.fixture(scope="module")
def plain(chromium):
    """A page of a browser in which script is switched off."""
    context = patient(chromium, java_script_enabled=False, viewport={"width": 375, "height": 900})
    yield context.new_page()
    context.close()


def test_the_list_leaves_no_route_out(names):
    address, found = names
    app = apps[address]
    covered = {answered_by(app, one.path) for one in (*places(found), *declared(LISTED))}
    wanted = {route.path for route in page_routes(app)}

    assert wanted - covered == set(), "give each of these an address in tests/web/every_page.py"
    assert covered <= wanted


def test_names_on_the_list_are_used_once():
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_light_accessible_and_all_from_here(tab, names, at, name):
    own, previews = urlsplit(names[0]).netloc, preview_host(names[0])
    asked = []
    tab.on("request", lambda request: asked.append(request))  # noqa: PLW0108  Playwright marks it
    until = "networkidle" if name in FRAMED else "load"  # axe takes longer than what comes late
    assert tab.goto(at(name), wait_until=until).status == 200
    assert violations_here(tab) == []
    sent = [one for one in asked if not one.url.startswith("data:")]
    sizes = {one.url: _transferred(one) for one in sent if one.resource_type != "eventsource"}

    hosts = {urlsplit(one.url).netloc for one in sent}
    others = {host for host in hosts - {own} if previews.answers_to(host)}
    assert hosts == {own, *others}
    assert bool(others) == (name in FRAMED)
    assert len(tab.frames) - 1 == FRAMED.get(name, 0)
    assert all(sizes.values()), "nothing was taken from a cache"
    assert len(sizes) <= MOST_REQUESTS, sizes
    assert sum(sizes.values()) < MOST_BYTES, sizes


def preview_host(address):
    """The other names of a server, under which generated pages are shown."""
    return PreviewHost(apps[address].state.bench.settings.preview_host)


def _transferred(request) -> int:
    """The bytes of a response that ends: a stream of live updates has no size."""
    sizes = request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_and_its_forms_that_ask_can_be_sent_without_script(plain, at, name):
    assert plain.goto(at(name)).status == 200

    assert plain.locator("h1").count() == 1
    assert plain.locator(".fault").count() == 0
    for place in find_pages().navigation:
        assert plain.locator("#nav").get_by_role("link", name=place.name, exact=True).is_visible()
    assert _hidden_tables(plain) == []
    assert _forms_without_button(plain) == []
    assert not scrolls_sideways(plain)
    _send_forms(plain, at(name))


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_it_is_as_wide_as_a_laptop_or_a_phone(tab, at, name):
    tab.goto(at(name))
    for theme in THEMES:
        tab.emulate_media(color_scheme=theme)
        for width in (1280, 390):
            tab.set_viewport_size({"width": width, "height": 800})
            assert not scrolls_sideways(tab), (theme, width)


def _hidden_tables(page) -> list[str]:
    """Tables that can't be seen, unless they are folded away by their own heading."""
    return page.locator("main table").evaluate_all(
        "all => all.filter(it => !it.closest('details:not([open])') && !it.checkVisibility())"
        ".map(it => it.outerHTML.slice(0, 200))"
    )


def _forms_without_button(page) -> list[str]:
    return page.locator("form").evaluate_all(
        "all => all.filter(it => ![...it.elements].some(one => one.type === 'submit'))"
        ".map(it => it.outerHTML.slice(0, 200))"
    )


def _send_forms(plain, address) -> None:
    """Each form that asks, from the page as it is loaded."""
    for number in range(plain.locator(ASKING).count()):
        if number:
            plain.goto(address)
        form = plain.locator(ASKING).nth(number)
        for folded in form.locator("xpath=ancestor::details[not(@open)]").all():
            folded.locator("summary").first.click()
        with plain.expect_navigation() as gone:
            form.locator("[type=submit]").first.click()
        assert gone.value.status == 200, plain.url


def test_a_theme_changes_colours_alone():
    """What axe relies on: see ``tests/web/accessible.py``."""
    said = re.compile("color-scheme|data-theme")
    sheets = {path.name for path in STYLES.glob("*.css") if said.search(path.read_text())}

    assert sheets == set()


def test_every_page_has_its_picture_in_the_documentation():
    taken = {path.stem: path.stat().st_size for path in PICTURES.glob("*.webp")}

    assert {one.name for one in LISTED} - set(taken) == set(), "make screenshots"
    assert sum(taken.values()) < MOST_OF_PICTURES
