"""What others write is shown on every page and never acts."""

import http.server
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from urllib.parse import quote

import pytest
from playwright.sync_api import Error

from benchmaker.web.guard import POLICY
from tests.web.browser import PATIENCE_MS
from tests.web.every_page import places
from tests.web.harmless import SENTINEL, watching
from tests.web.hostile_data import ATTACKS, fill, send
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_every_page import FRAMED, NAMES

REFLECTED = (
    "/runs?q={}&model={}",
    "/runs?sort={}",
    "/runs?state={}&{}=1",
    "/runs/{}",
    "/series/{}",
    "/compare?runs={}",
    "/suites?q={}",
    "/suites/{}",
    "/arena?set=1&suite={}&models={}&q={}&judges={}&temperature={}",
    "/arena/{}",
    "/judges?q={}",
    "/judges/label?run={}",
    "/agentic?profile={}&metric={}&task={}",
    "/agentic/submissions?q={}&task={}",
    "/agentic/tasks?q={}",
    "/agentic/usage?since={}",
    "/agentic/run/{}",
    "/agentic/run?after={}",
    "/agentic/compare?ids={}",
    "/settings/prices?q={}",
    "/jump?q={}",
    "/{}",
)
"""Addresses that hold what somebody was made to click."""

ALWAYS = {"suite-new", "suite-new-paste", "keys", "submission-cost", "submit", "endpoints",
          "prices", "about", "scoring-profiles", "profiles"}  # fmt: skip
"""Pages that show nothing of what others write."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The address of a server over attacks, and its pages by name."""
    home = tmp_path_factory.mktemp("hostile") / "home"
    with ThreadPoolExecutor(1) as aside:  # Playwright runs a loop in this thread
        names = aside.submit(fill, home).result()
    with serving(home, previews=True, works=False) as address:
        names = send(address, names)
        yield address, {one.name: address + one.path for one in places(names)}


@pytest.fixture(scope="module")
def defended(chromium):
    with watching(chromium) as watched:
        yield watched


@pytest.fixture(scope="module")
def undefended(chromium):
    """The same where nothing but escaping keeps a script from running."""
    with watching(chromium, defended=False) as watched:
        yield watched


@pytest.mark.parametrize("name", NAMES)
def test_no_page_lets_anything_act(undefended, hostile, name):
    """By escaping alone: the policy would not have kept it from acting."""
    nothing_acts(undefended, hostile[1][name], FRAMED.get(name, 0))


@pytest.mark.parametrize(
    "name", [one if one in FRAMED else pytest.param(one, marks=pytest.mark.long) for one in NAMES]
)
def test_no_page_needs_what_the_policy_refuses(defended, hostile, name):
    nothing_acts(defended, hostile[1][name], FRAMED.get(name, 0))


def nothing_acts(watched, address, frames):
    assert watched.found(address) == []
    assert len(watched.page.main_frame.child_frames) == frames
    assert len(watched.framed) <= 3 * frames


def tried(frame):
    """How much the page in a frame has tried; None where it has taken the frame away itself."""
    try:
        return frame.locator("body").get_attribute("data-tried", timeout=PATIENCE_MS)
    except Error:
        if not frame.is_detached():
            raise
        return None


def test_what_a_page_in_a_frame_tries_reaches_nobody(defended, hostile):
    """It did run, and what it tried was tried."""
    runs = fetched(f"{hostile[0]}/api/v1/runs")[2]
    assert defended.found(hostile[1]["code-vote"]) == []

    assert "17" in {tried(frame) for frame in defended.page.frames[1:]}
    assert len(defended.framed) == 3
    assert defended.page.url.startswith(hostile[0])
    assert "#" not in defended.page.url
    assert len(defended.page.context.pages) == 1
    assert defended.page.context.cookies() == []
    assert fetched(f"{hostile[0]}/api/v1/runs")[2] == runs


@pytest.mark.parametrize("name", sorted(set(NAMES) - ALWAYS))
def test_the_attacks_are_on_the_page(hostile, name):
    status, headers, body = fetched(hostile[1][name])
    if status == 303:  # the page is elsewhere
        status, _, body = fetched(hostile[0] + headers["location"])

    assert status == 200
    assert SENTINEL in body.decode()


@pytest.mark.parametrize("path", REFLECTED)
@pytest.mark.parametrize(
    "attacks", [ATTACKS[:2], pytest.param(ATTACKS[2:4], marks=pytest.mark.long)], ids=["2", "more"]
)
def test_nothing_in_an_address_acts(undefended, hostile, path, attacks):
    for it in attacks:
        found = undefended.found(hostile[0] + path.replace("{}", quote(it, safe="")))
        assert [one for one in found if "status of 4" not in one] == []


def test_parts_of_pages_stay_texts(undefended, hostile):
    page = undefended.page
    undefended.found(hostile[1]["arena-live"])
    page.locator("a.cell").first.click()
    page.locator("#said-so-far .chips").wait_for()
    assert undefended.here() == []
    undefended.found(hostile[1]["arena"])
    page.locator("#q").press_sequentially(ATTACKS[0])
    page.wait_for_load_state("networkidle")
    assert undefended.here() == []


def test_files_are_never_taken_for_pages(hostile):
    pages = hostile[1]
    for address in (
        f"{pages['run']}.json", f"{pages['run']}.csv", f"{pages['run']}/export/html",
        f"{pages['run']}/trials/1-1/answer.txt", f"{pages['suite']}.json", f"{pages['suite']}.csv",
        f"{pages['suite']}/export.yaml", f"{pages['submission']}.json",
    ):  # fmt: skip
        status, headers, _ = fetched(address)
        assert status == 200, address
        assert headers["x-content-type-options"] == "nosniff"
        is_page = headers["content-type"].startswith("text/html")
        assert not is_page or headers["content-disposition"].startswith("attachment"), address


@contextmanager
def careless(text, policy):
    """A server that shows a text as it came."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            page = f"<!doctype html><link rel=icon href='data:,'><title>t</title><p>{text}</p>"
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


ACTING = [at for at, it in enumerate(ATTACKS) if "<" in it and "<!--" not in it]


@pytest.mark.parametrize("number", ACTING)
@pytest.mark.parametrize(
    ("is_defended", "policy"),
    [
        pytest.param(True, POLICY, marks=pytest.mark.long),
        (False, POLICY),
        pytest.param(False, "", marks=pytest.mark.long),
    ],
)
def test_an_attack_that_is_not_escaped_is_noticed(chromium, number, is_defended, policy):
    """In a page of its own: what is still on its way would be blamed on the next one."""
    with (
        watching(chromium, defended=is_defended) as watched,
        careless(ATTACKS[number], policy) as address,
    ):
        assert watched.found(address) != []


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_scripts_do_run_where_nothing_is_escaped(chromium, number):
    with (
        watching(chromium, defended=False) as watched,
        careless(ATTACKS[number], POLICY) as address,
    ):
        assert "it ran" in watched.found(address)


@pytest.mark.parametrize("link", ["javascript:1", "data:text/html,x", "vbscript:x", "//evil.test/"])
def test_a_link_that_leads_out_is_noticed(defended, link):
    with careless(f'<a href="{link}">x</a>', "") as address:
        assert defended.found(address) != []


@pytest.mark.parametrize(("sandbox", "is_fine"), [
    ("sandbox='allow-scripts'", True), ("", False), ("sandbox", False),
    ("sandbox='allow-scripts allow-same-origin'", False),
    ("sandbox='allow-scripts allow-top-navigation'", False),
    ("sandbox='allow-scripts allow-popups'", False),
])  # fmt: skip
def test_a_frame_that_may_do_more_is_noticed(undefended, sandbox, is_fine):
    with careless("PLACE", "") as address:
        inner = address.replace("127.0.0.1", "localhost")
        undefended.found(address)
        undefended.page.evaluate(
            "frame => { document.body.innerHTML = frame; }",
            f"<iframe {sandbox} title=x src='{inner}'></iframe>",
        )
        assert (undefended.here() == []) == is_fine


def test_a_harmless_page_is_not_complained_of(defended, undefended):
    with careless("good &lt;script&gt; text", POLICY) as address:
        assert defended.found(address) == undefended.found(address) == []
