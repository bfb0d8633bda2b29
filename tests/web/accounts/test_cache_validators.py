"""Who may keep an answer of a public board, and how they are told that they have it."""

import pytest

from benchmaker.store import Store
from tests.arenas.agentic.handed import a_submission
from tests.waiting import until_quiet
from tests.web.accounts.people import Asker

PAGES = (
    "/agentic", "/agentic?metric=success", "/agentic.json", "/agentic/submissions",
    "/agentic/tasks", "/agentic/usage", "/api/v1/agentic/board", "/api/v1/agentic/submissions",
    "/api/v1/agentic/tasks", "/api/v1/agentic/boards",
)  # fmt: skip


@pytest.fixture
def store(own_server):
    with Store.open(own_server.home / "benchmaker.db") as opened:
        opened.accounts.set_team("main", is_public=True)
        yield opened


@pytest.fixture
def nobody(own_server, store):
    assert store
    return own_server.nobody


def again(asker, path, tag, method="GET", **headers):
    return asker.ask(method, path, None, If_None_Match=tag, **headers)


def asked_twice(nobody, path, method="GET"):
    """The page, and what is said to whoever has it."""

    def look():
        first = nobody.ask(method, path)
        return first, again(nobody, path, f'"other", {first.headers["etag"]}', method)

    return until_quiet(look, lambda pair: pair[0].status != pair[1].status)


def tags_agree(pair):
    one, other = pair
    return one.headers["etag"] == other.headers["etag"]


@pytest.mark.parametrize("path", PAGES)
def test_anybody_may_keep_it_and_is_told_that_they_have_it(nobody, path):
    nobody.get(path)  # boards are written down when they are first asked for
    first, second = asked_twice(nobody, path)
    assert (first.status, first.cookies) == (200, ())
    assert first.headers["cache-control"].startswith("public, max-age=")
    assert {"cookie", "authorization", "hx-request", "accept-encoding"} <= {
        it.strip().lower() for it in first.headers["vary"].split(",")
    }
    assert (second.status, second.body) == (304, b"")
    for name in ("etag", "cache-control", "content-security-policy", "x-content-type-options"):
        assert second.headers[name] == first.headers[name], name
    assert "content-type" not in second.headers
    assert again(nobody, path, '"other"').status == 200


def test_a_change_of_the_store_makes_another_tag(nobody, store):
    before = {path: nobody.get(path).headers["etag"] for path in PAGES}
    store.put_submission(a_submission(70))
    for path, tag in before.items():
        answer = again(nobody, path, tag)
        assert (answer.status, answer.headers["etag"] != tag) == (200, True), path


def test_each_address_and_each_look_has_its_own_tag(nobody, own_server):
    tags = [nobody.get(path).headers["etag"] for path in PAGES]
    dark = Asker(own_server.address, {"Cookie": "theme=dark"})
    tags.append(dark.get("/agentic/tasks").headers.get("etag", "none"))
    assert len(set(tags)) == len(tags)


def test_who_is_signed_in_shares_nothing_with_anybody(nobody, own_server):
    tag = nobody.get("/agentic").headers["etag"]
    for asker in (own_server.browser("ada"), own_server.program("read")):
        for path in PAGES:
            answer = again(asker, path, tag)
            assert answer.status == 200
            assert answer.headers["cache-control"] == "private, no-cache"
            assert "etag" not in answer.headers
        assert asker.get("/runs").headers["cache-control"] == "no-store"


def test_the_head_alone_can_be_asked_for(nobody):
    path = "/agentic/tasks"
    head, whole = until_quiet(lambda: (nobody.ask("HEAD", path), nobody.get(path)), tags_agree)
    assert (head.status, head.body) == (200, b"")
    assert tags_agree((head, whole))
    assert asked_twice(nobody, path, "HEAD")[1].status == 304
    assert nobody.ask("HEAD", "/api/v1/agentic/tasks").status == 200


def test_what_is_refused_or_missing_is_not_to_be_kept(nobody):
    for path in ("/agentic/submissions/none", "/agentic?metric=none", "/api/v1/agentic/tasks/no"):
        answer = nobody.get(path)
        assert answer.status in {404, 422}
        assert answer.headers["cache-control"] == "no-store"
        assert "etag" not in answer.headers


def test_a_team_that_shows_its_boards_no_more_answers_nobody(nobody, store):
    tag = nobody.get("/agentic").headers["etag"]
    store.accounts.set_team("main", is_public=False)
    assert again(nobody, "/agentic", tag).wants_sign_in
