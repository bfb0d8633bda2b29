"""Two editors of one suite, and the address that leads to its newest version."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from html import unescape
from urllib.parse import quote, urlencode

import pytest

from benchmaker.store import Store
from benchmaker.web.suites.case_form import case_texts
from benchmaker.web.suites.header_form import header_texts as header_texts_of
from tests.web.serving import serving
from tests.web.stored import put
from tests.web.test_guard import ask
from tests.web.test_suites import capitals

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture
def suite():
    return capitals(3)


@pytest.fixture
def post(home, suite):
    """Sends the form of a case or of the header, as it was shown when that version was newest."""
    with serving(home) as address:

        def send(content, path, newest="", **typed):
            if path == "header":
                fields = header_texts_of(suite)
            else:
                fields = case_texts(next(iter(suite.cases)))
            body = urlencode({**fields, "newest": newest or content, **typed})
            return ask(address, "POST", f"/suites/{content}/{path}", FORM, body)

        send.address = address
        yield send


def stored(home, name):
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return [one.suite.hash for one in store.suites.versions(name)]


def newest_case(home, name, at=0):
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return store.case(store.suites.versions(name)[0].suite.hash, at)


def test_the_second_save_is_refused_with_both_versions_and_what_was_typed(home, suite, post):
    content = put(home, suite)[0]
    assert post(content, "cases/1", expected="first editor")[0] == 303
    status, _, body = post(content, "cases/1", weight="5", prompt="typed by the second")

    newest = stored(home, suite.name)[0]
    assert status == 409
    assert "another version was saved in the meantime" in body
    assert "<ins>first editor</ins>" in body
    assert "typed by the second" in body
    assert f'action="/suites/{newest}/cases/1"' in body
    assert len(stored(home, suite.name)) == 2

    again = post(newest, "cases/1", weight="5", expected="first editor")
    assert again[0] == 303
    kept = newest_case(home, suite.name)
    assert (kept.expected, kept.weight) == ("first editor", 5)


def test_another_case_of_the_newest_version_is_kept(home, suite, post):
    content = put(home, suite)[0]
    post(content, "cases/2", id="c1", expected="first editor")
    status, _, body = post(content, "cases/1", weight="5")
    assert status == 409
    assert "This case is unchanged in that version." in body
    post(stored(home, suite.name)[0], "cases/1", weight="5")
    assert newest_case(home, suite.name, 1).expected == "first editor"
    assert newest_case(home, suite.name, 0).weight == 5


@pytest.mark.parametrize("path", ["header", "cases/new", "cases/3/delete", "cases/3/duplicate"])
def test_no_change_of_an_overtaken_version_is_stored(home, suite, post, path):
    content = put(home, suite)[0]
    post(content, "cases/1", expected="first editor")
    status, _, body = post(content, path, **({"id": "further"} if path == "cases/new" else {}),
                           description="second editor")  # fmt: skip
    assert status == 409
    assert "in the meantime" in body
    assert len(stored(home, suite.name)) == 2


def test_an_old_version_can_be_edited_by_who_knows_the_newest(home, suite, post):
    content = put(home, suite)[0]
    post(content, "cases/1", expected="first editor")
    newest = stored(home, suite.name)[0]
    assert post(content, "cases/1", newest=newest, expected="from the old one")[0] == 303
    assert newest_case(home, suite.name).expected == "from the old one"


def test_of_saves_at_one_moment_all_but_one_are_refused(home, suite, post):
    base, rounds = put(home, suite)[0], 4
    for number in range(rounds):
        content = stored(home, suite.name)[0]
        with ThreadPoolExecutor(4) as pool:
            sent = [
                pool.submit(post, content, "cases/1", expected=f"{number}: {editor}")
                for editor in range(4)
            ]
            assert sorted(one.result()[0] for one in sent) == [303, 409, 409, 409]
    assert len(stored(home, suite.name)) == 1 + rounds
    assert base in stored(home, suite.name)


def test_the_same_change_twice_is_stored_once(home, suite, post):
    content = put(home, suite)[0]
    first, second = (post(content, "cases/1", expected="same") for _ in range(2))
    assert (first[0], second[0]) == (303, 303)
    assert first[1]["location"] == second[1]["location"]


def test_an_older_version_that_is_stored_again_is_the_newest(home, suite, post):
    content = put(home, suite)[0]
    before = newest_case(home, suite.name)
    post(content, "cases/1", expected="changed")
    changed = stored(home, suite.name)[0]
    assert post(changed, "cases/1", expected=before.expected)[1]["location"].startswith(
        f"/suites/{content}?"
    )

    status, head, _ = ask(post.address, "GET", f"/suites/{quote(suite.name)}")
    assert (status, head["location"]) == (307, f"/suites/{content}")
    assert post(changed, "cases/1", weight="5", expected="changed")[0] == 409


@pytest.mark.parametrize("name", ["geo/capitals", "a/../b", "..", "newest", "100 % & more?", "ü#1"])
def test_the_page_names_an_address_that_lasts_whatever_the_suite_is_called(home, name):
    content = put(home, replace(capitals(2), name=name))[0]
    with serving(home) as address:
        _, _, body = ask(address, "GET", f"/suites/{content}")
        lasting = unescape(re.search('href="([^"]*)">link to the latest', body)[1])
        status, head, _ = ask(address, "GET", lasting)
    assert (status, head["location"]) == (307, f"/suites/{content}")


def test_a_name_leads_to_the_newest_version(home, suite, post):
    content = put(home, suite)[0]
    post(content, "cases/1", expected="newer")
    status, head, _ = ask(post.address, "GET", f"/suites/{quote(suite.name)}")
    assert (status, head["location"]) == (307, f"/suites/{stored(home, suite.name)[0]}")
    status, _, body = ask(post.address, "GET", "/suites/nowhere")
    assert status == 404
    assert "No suite" in body


@pytest.mark.parametrize("rest", ["sheet", "paste", "header", "cases/1"])
def test_the_form_of_an_older_version_replaces_the_later_one_only_by_choice(
    home, suite, post, rest
):
    content = put(home, suite)[0]
    post(content, "cases/1", expected="newer")
    newest = stored(home, suite.name)[0]
    _, _, old = ask(post.address, "GET", f"/suites/{content}/{rest}")
    assert "This suite has a later version." in old
    assert f'type="hidden" name="newest" value="{newest}"' not in old
    assert f'type="checkbox" name="newest" value="{newest}">' in old

    _, _, current = ask(post.address, "GET", f"/suites/{newest}/{rest}")
    assert "later version" not in current
    assert f'type="hidden" name="newest" value="{newest}"' in current


@pytest.mark.parametrize("rest", ["sheet", "sheet?q=c1", "paste", "header", "prompts"])
def test_a_name_leads_to_the_forms_of_the_newest_version(home, suite, post, rest):
    content = put(home, suite)[0]
    status, head, _ = ask(post.address, "GET", f"/suites/{quote(suite.name)}/{rest}")
    assert (status, head["location"]) == (307, f"/suites/{content}/{rest}")
    path, _, _ = rest.partition("?")
    assert ask(post.address, "GET", f"/suites/nowhere/{path}")[0] == 404
