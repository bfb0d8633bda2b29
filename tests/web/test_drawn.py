"""Pages of boards that are drawn once: the same bytes as drawn anew, never old, never another's."""

import gzip
import shutil
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

import benchmaker
from benchmaker.arenas.agentic.settling.stored_boards import INDEX
from benchmaker.store import Store
from benchmaker.store.agentic.boards import StoredBoard
from benchmaker.web.agentic.board_cache import BoardCache, board_cache_of
from benchmaker.web.agentic.board_view import board_selection
from benchmaker.web.agentic.rendered_boards import render_once
from benchmaker.web.render_cache import RenderCache, RenderedBody
from tests.arenas.agentic.handed import many, write_submissions
from tests.web.serving import apps, serving

PAGES = (
    "/agentic",
    "/agentic?by=tool&metric=success",
    "/agentic?task=u&nobody=knows",
    "/agentic?profile=classic",
    "/agentic.json",
    "/agentic.json?task=t",
)


def taken_in(home, number):
    path = write_submissions(home.with_name(f"{number}.jsonl"), many(number))
    for profile in ("classic", "robust"):
        benchmaker.evaluate(path, home=home, profile=profile)
    return home


@pytest.fixture(scope="module")
def made_home(tmp_path_factory):
    """30 submissions; nobody writes to it."""
    return taken_in(tmp_path_factory.mktemp("drawn") / "home", 30)


@pytest.fixture
def home(made_home, tmp_path):
    if made_home.exists():
        return Path(shutil.copytree(made_home, tmp_path / "home"))
    return taken_in(tmp_path / "home", 30)  # a store on a server can't be copied so


@pytest.fixture
def address(home):
    with serving(home, works=False) as address:
        yield address


def asked(address, path, **headers):
    """The answer's headers and its body, unpacked where it is packed."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=60)) as made:
        made.request("GET", path, headers=named)
        answer = made.getresponse()
        body = answer.read()
    assert answer.status == 200, body
    is_packed = answer.headers.get("content-encoding") == "gzip"
    return answer.headers, gzip.decompress(body) if is_packed else body


def drawings(address):
    return board_cache_of(apps[address].state.bench).drawings


@pytest.mark.parametrize("path", PAGES)
def test_what_is_kept_is_what_would_be_drawn_anew(address, path, monkeypatch):
    asked(address, path)
    assert len(drawings(address)) == 1
    _, kept = asked(address, path)
    packed_headers, packed = asked(address, path, accept_encoding="gzip")
    monkeypatch.setattr(RenderCache, "find", lambda *_: None)
    _, fresh = asked(address, path)

    assert kept == packed == fresh
    assert packed_headers["content-encoding"] == "gzip"
    assert packed_headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/agentic", "/agentic.json"])
def test_new_submissions_are_on_it_at_once(address, home, path):
    _, before = asked(address, path)
    taken_in(home, 40)
    _, after = asked(address, path)

    assert before != after


def test_nobody_sees_what_another_one_prefers(address):
    dark = {"cookie": "benchmaker_theme=dark; benchmaker_keys=off"}
    first = [asked(address, "/agentic", **dark)[1], asked(address, "/agentic")[1]]
    second = [asked(address, "/agentic", **dark)[1], asked(address, "/agentic")[1]]

    assert first == second
    assert b'data-theme="dark" data-keys="off"' in first[0]
    assert b"data-theme" not in first[1]
    assert b"data-keys" not in first[1]


def test_what_a_page_says_of_its_address_is_its_own(address):
    asked(address, "/agentic?nobody=knows")

    assert b"ignored: nobody" not in asked(address, "/agentic")[1]
    assert b"ignored: nobody" in asked(address, "/agentic?nobody=knows")[1]


def test_a_board_that_is_made_is_kept_once_it_is_stored(address):
    path = "/agentic.json?tool=cli&model=m1"
    _, made = asked(address, path)
    assert len(drawings(address)) == 0
    _, stored = asked(address, path)

    assert len(drawings(address)) == 1
    assert made == stored


def test_what_changes_while_it_is_drawn_is_not_kept(home):
    with Store.open(home / "benchmaker.db") as store:
        shelf = BoardCache(store)
        request = SimpleNamespace(query_params={}, url=SimpleNamespace(path="/agentic"), headers={})
        board = board_selection(request, store)

        def drawn(seen):
            index = store.agentic.board("robust/2", INDEX)
            store.agentic.put_boards([StoredBoard("robust/2", INDEX, index | {"inputs": "new"})])
            return b"old", seen.board_hash is not None

        answer = render_once(request, shelf, board, "key", media_type="text/plain", draw=drawn)

        assert answer.body == b"old"
        assert len(shelf.drawings) == 0


def test_the_longest_unused_goes_first():
    one = RenderedBody.of(b"x" * 10, "text/plain")
    held = RenderCache(most_bytes=3 * (len(one.packed) + 2_000))
    for key in "abc":
        held.keep(key, one)
    assert held.find("a") is one
    held.keep("d", one)

    assert held.find("b") is None
    assert [held.find(key) for key in "acd"] == [one] * 3


def test_what_is_too_large_is_not_kept():
    held = RenderCache(most_bytes=10)
    held.keep("a", RenderedBody.of(b"x", "text/plain"))

    assert len(held) == 0
