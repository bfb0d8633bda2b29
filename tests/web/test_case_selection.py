"""The selection of cases on the page that starts a run, and in the API."""

import html
import http.client
import json
from contextlib import closing
from urllib.parse import urlencode, urlsplit

import pytest
from starlette.datastructures import ImmutableMultiDict

from benchmaker import Case, ScorerSpec, Suite
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.web.arena.setup import SELECTION, read_setup
from tests.web.accessible import violations
from tests.web.results_data import fetched
from tests.web.serving import serving

CASES = [
    Case(id=f"{kind}-{at}", prompt="A city?", expected="Lima", category=kind, tags=(f"t{at}",))
    for kind in ("law", "art")
    for at in range(5)
]
TYPED = {
    "case": "law-*, art-1", "category": "law", "tag": "t1, t2", "filter": 'category == "law"',
    "sample": "2", "sample_seed": "7", "limit": "1",
}  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The address of a server, the hash of its suite, and its data folder."""
    home = tmp_path_factory.mktemp("selection")
    with Store.open(home / STORE_FILE) as store:
        suite = store.put_suite(Suite("kinds", CASES, scorer=ScorerSpec(id="exact")))
    with serving(home) as address:
        yield address, suite, home


def sent(address, method, path, body, kind):
    with closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)) as made:
        made.request(method, path, body, {"content-type": kind})
        answer = made.getresponse()
        return answer.status, answer.getheader("location"), answer.read().decode()


def form(stored, **fields):
    words = {"set": "1", "suite": stored[1], "models": "ollama/m", **fields}
    return sent(stored[0], "POST", "/arena", urlencode(words), "application/x-www-form-urlencoded")


def estimate(stored, **fields):
    words = urlencode({"set": "1", "suite": stored[1], "models": "ollama/m", **fields})
    return fetched(f"{stored[0]}/arena/estimate?{words}")[2].decode()


def test_what_is_typed_becomes_the_selection():
    setup = read_setup(ImmutableMultiDict([("set", "1"), *TYPED.items()]))
    options = setup.options()
    assert setup.faults == {}
    assert options.cases == ("law-*", "art-1")
    assert (options.categories, options.tags) == (("law",), ("t1", "t2"))
    assert (options.filter, options.sample, options.sample_seed) == ('category == "law"', 2, 7)
    assert options.limit == 1


def test_the_address_of_a_form_keeps_the_selection():
    setup = read_setup(ImmutableMultiDict([("set", "1"), *TYPED.items()]))
    words = urlsplit(setup.address(None)).query
    assert urlencode([("filter", TYPED["filter"])]) in words
    assert "sample_seed=7" in words


def test_the_fields_are_folded_until_one_is_filled_in(stored):
    page = fetched(f"{stored[0]}/arena")[2].decode()
    assert '<details class="drawer" id="cases"><summary>Select cases</summary>' in page
    filled = fetched(f"{stored[0]}/arena?set=1&suite={stored[1]}&sample=2")[2].decode()
    assert '<details class="drawer" id="cases" open>' in filled
    assert "failed_of" in SELECTION


@pytest.mark.parametrize(
    ("fields", "count"),
    [
        ({}, "10 cases"),
        ({"case": "law-*"}, "5 of 10 cases"),
        ({"filter": 'category == "art"', "sample": "2"}, "2 of 10 cases"),
        ({"tag": "t1,t2", "limit": "1"}, "1 of 10 cases"),
    ],
)
def test_the_estimate_has_the_number_of_chosen_cases(stored, fields, count):
    assert f">{count} × 1 model × 1 run = <b" in estimate(stored, **fields)


def test_a_wrong_expression_is_named_in_the_estimate(stored):
    assert "filter" in html.unescape(estimate(stored, filter="category ="))


def test_a_run_of_the_page_has_the_chosen_cases(stored):
    status, location, _ = form(stored, case="law-*", sample="2", sample_seed="3")
    assert status == 303
    with Store.open(stored[2] / STORE_FILE) as store:
        run = store.run(location.rpartition("/")[2])
    assert run.planned == 2
    assert run.selection.sample == 2
    assert all(one.startswith("law-") for one in run.selection.ids)


def test_a_filter_may_have_2000_characters(stored):
    longest = f'category == "law"{" " * 1_000} or id == "{"x" * 950}"'
    assert 1_950 < len(longest) <= 2_000
    assert "5 of 10 cases" in estimate(stored, filter=longest)
    status, _, page = form(stored, filter=f"{longest}{'y' * 100}")
    assert status == 422
    assert "The text is too long; the maximum is 2,000 characters." in page


def test_the_api_takes_a_filter_of_2000_characters(stored):
    def asked(text):
        body = json.dumps({"suite": stored[1], "models": ["ollama/m"], "filter": text})
        path = "/api/v1/runs/estimate"
        return sent(stored[0], "POST", path, body, "application/json")

    longest = f'category == "law" or id == "{"x" * 1_970}"'
    assert 1_990 < len(longest) <= 2_000
    status, _, text = asked(longest)
    assert (status, json.loads(text)["cases"]) == (200, 5)
    status, _, text = asked(f"{longest}{'y' * 100}")
    assert status == 422
    assert "at most 2000 characters" in text
    assert json.loads(text)["error"]["where"] == "body.filter"


def test_axe_finds_nothing_on_the_open_fields(tab, stored):
    words = f"set=1&suite={stored[1]}&case=law-*&sample=x"
    assert violations(tab, f"{stored[0]}/arena?{words}") == []
