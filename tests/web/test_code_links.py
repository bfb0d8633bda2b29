"""The Code Arena's pages link only to pages that are there."""

import json
import re

import pytest

import benchmaker
from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.record.prepared_answer import PreparedAnswer
from benchmaker.store import Store
from tests.web.results_data import fetched
from tests.web.serving import serving

SUITE = """\
name: pages
profile: robust
scorer: exact
cases:
  - {id: both, prompt: A page., expected: x}
  - {id: one, prompt: A page., expected: x}
  - {id: refused, prompt: A page., expected: x}
"""
PAGE = "```html\n<!doctype html><title>Page</title><h1>Page</h1>\n```"
ANSWERS = {"both": (PAGE, PAGE), "one": (PAGE, "not made ready"), "refused": (PAGE, "No.")}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A run with two pages for one prompt, one for the others, and an answer not made ready."""
    home = tmp_path_factory.mktemp("links")
    suite, answers = home / "suite.yaml", home / "answers.jsonl"
    suite.write_text(SUITE)
    rows = [
        {"id": case, "model": model, "output": text}
        for case, texts in ANSWERS.items()
        for model, text in zip("ab", texts, strict=True)
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = benchmaker.run(suite, recorded=answers, home=home)
    with Store.open(home / "benchmaker.db") as store:
        for trial in found.trials():
            if trial.text != "not made ready":
                store.renders.put_artifact(
                    trial.key, PreparedAnswer(artifact=extract_artifact(trial.text))
                )
    with serving(home, works=False) as base:
        yield f"{base}/code/{found.run_ids[0]}"


def links(address):
    status, _, body = fetched(address)
    assert status == 200
    main = body.decode().partition("<main")[2]
    run = address.partition("/code/")[2].partition("/")[0]
    return set(re.findall(rf'href="(/code/{run}[^"#]*)"', main))


def test_two_pages_of_a_prompt_are_compared_side_by_side(address):
    assert "Side by side" in fetched(f"{address}/1/1")[2].decode()


@pytest.mark.parametrize("page", ["/2/1", "/3/1", "/3/2"])
def test_fewer_than_two_pages_have_no_link_to_a_comparison(address, page):
    assert "Side by side" not in fetched(f"{address}{page}")[2].decode()


@pytest.mark.parametrize("page", ["", "/1/1", "/2/1", "/3/1", "/3/2"])
def test_every_link_within_a_run_leads_to_a_page(address, page):
    base = address.partition("/code/")[0]
    for link in links(f"{address}{page}"):
        assert fetched(f"{base}{link}")[0] in {200, 303}, link
