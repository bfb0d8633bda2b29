"""The messages of one case with one setup, on the page of a suite."""

import html
import re

import pytest

from benchmaker import Suite
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.accessible import violations
from tests.web.results_data import fetched
from tests.web.serving import serving

HOSTILE = "<script>window.hit=1</script>"
CASES = [
    {"id": "peru", "vars": {"land": "Peru"}, "expected": "Lima"},
    {"id": "hostile", "vars": {"land": HOSTILE}, "expected": "Paris"},
]
PROMPTS = [
    {"id": "short", "prompt": "Capital of {{ land }}?"},
    {"id": "chat", "system_prompt": "You teach.", "prompt": "Please: the capital of {{ land }}?"},
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The addresses of the pages of a suite with models, one without, and one without prompts."""
    home = tmp_path_factory.mktemp("messages")
    how = {"prompts": PROMPTS, "scorer": "exact"}
    models = [{"model": "ollama/a", "label": "alpha"}]
    with Store.open(home / STORE_FILE) as store:
        found = [
            store.put_suite(Suite("whole", CASES, models=models, efforts=["low", "high"], **how)),
            store.put_suite(Suite("any", CASES, **how)),
            store.put_suite(Suite("plain", [{"id": "a", "prompt": "a?"}], scorer="exact")),
        ]
    with serving(home) as address:
        yield [f"{address}/suites/{one}" for one in found]


def messages(address):
    status, _, body = fetched(address)
    assert status == 200, body[:500]
    panel = body.decode().partition('id="messages"')[2].partition("</section>")[0]
    found = re.findall(r"<h3[^>]*>(\w+)</h3><pre[^>]*><bdi>(.*?)</bdi>", panel, re.DOTALL)
    return panel, [(role, html.unescape(text)) for role, text in found]


def test_the_first_case_and_setup_are_shown_at_first(pages):
    panel, sent = messages(pages[0])
    assert sent == [("user", "Capital of Peru?")]
    assert "alpha · short · low</option>" in panel
    assert "low" in panel


def test_a_case_and_a_setup_can_be_chosen(pages):
    setup = "alpha+%C2%B7+chat+%C2%B7+high"
    _, sent = messages(f"{pages[0]}?case=2&setup={setup}")
    assert sent == [("system", "You teach."), ("user", f"Please: the capital of {HOSTILE}?")]


def test_the_messages_are_harmless(pages):
    assert HOSTILE not in messages(f"{pages[0]}?case=2")[0]


def test_a_suite_without_models_has_a_preview_of_its_prompts(pages):
    panel, sent = messages(pages[1])
    assert sent == [("user", "Capital of Peru?")]
    assert "any model · chat</option>" in panel


def test_a_suite_without_prompts_has_no_preview(pages):
    assert messages(pages[2]) == ("", [])


@pytest.mark.parametrize("word", ["case=0", "case=3", "case=x", "setup=nope"])
def test_an_unknown_case_or_setup_is_refused(pages, word):
    assert fetched(f"{pages[0]}?{word}")[0] == 422


def test_axe_finds_nothing_on_the_page_with_messages(tab, pages):
    assert violations(tab, f"{pages[0]}?case=2") == []
