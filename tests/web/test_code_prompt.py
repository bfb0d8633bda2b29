"""A page is asked for on the Code page: five models write it, unnamed until the votes are cast."""

import re
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker.arenas.code.prompt_suite import bundled_suite, suite_of_prompt
from benchmaker.providers.prices.price_list import _load_snapshot
from benchmaker.store import Store
from tests.web.answering import answering
from tests.web.browser import patient
from tests.web.code_pages import BY_MODEL, NAMES, page, stored_run
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_arena_live import asking, begun
from tests.web.wiretap import wiretap


def _posted(address, path, **fields):
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    with asking(address, "POST", path, urlencode(fields, doseq=True), **kind) as answer:
        return answer.status, answer.getheader("location"), answer.read().decode()


def _models(url):
    return [f"{url}#{name}" for name in NAMES]


def _betrayed(text):
    """The names of models in a text."""
    return re.findall(rf"\b({'|'.join(NAMES)})\b", text)


USAGE = {"prompt_tokens": 31_337, "completion_tokens": 27_182, "total_tokens": 58_519}
PRICES = 'prices:\n  "desk/*": {input: 1, output: 1}\n'
FIGURES = re.compile(r"31[,.]?337|27[,.]?182|58[,.]?519|\.0585|\b5\.85\b|\$0\.\d\d")
"""The tokens of an answer and its cost, as any page or document would write them."""


def _secrets(text):
    """The names of models, their endpoint, and figures of their answers, in a text."""
    return [*_betrayed(text), *re.findall(r"\bdesk/", text), *FIGURES.findall(text)]


def _tab_to(tab, place):
    """Press Tab until the focus is at a place."""
    for _ in range(120):
        if place.evaluate("it => it === document.activeElement"):
            return
        tab.keyboard.press("Tab")
    raise AssertionError(f"Tab never leads to {place}")


def _describe_models(home, url):
    (home / "endpoints.yaml").write_text(
        f"endpoints:\n  desk:\n    base_url: {url}\n    local: true\n"
    )
    (home / "prices.yaml").write_text(PRICES)


def _ask_by_keyboard(tab, prompt, names):
    """Fill the form of the page and send it, by keys alone."""
    _tab_to(tab, tab.get_by_label("Ask for a page"))
    tab.keyboard.type(prompt)
    _tab_to(tab, tab.get_by_label("Models"))
    tab.keyboard.type(", ".join(names))
    tab.keyboard.press("Enter")
    expect(tab.locator("#choice")).to_contain_text(f"{len(names)} models chosen")
    expect(tab.locator("#estimate")).to_contain_text(f"1 prompt × {len(names)} models")
    _tab_to(tab, tab.get_by_role("button", name="Run"))
    tab.wait_for_load_state("networkidle")  # the estimates name the models that were typed
    tab.keyboard.press("Enter")
    tab.wait_for_url(re.compile(r"/code/[0-9]+-\w+$"))


def _vote_by_keyboard(tab, tap, number):
    """Vote on the pair that is open, and go to the next; nothing is named until the vote."""
    tab.wait_for_url(re.compile(r"/1\?a="))
    expect(tab.locator("#duel.ready")).to_be_visible(timeout=20_000)
    assert _secrets(tab.content() + tab.title() + tab.url) == [], number
    assert "<h1>" in tap.text
    assert _secrets(tap.text) == [], number
    with tab.expect_navigation(wait_until="networkidle"):
        tab.keyboard.press("1" if number % 3 else "2")
    assert _betrayed(tab.locator("main").inner_text())
    tap.clear()
    with tab.expect_navigation():
        tab.keyboard.press("n")


@pytest.mark.parametrize("words", ["desk sma", "SMALL"])
def test_both_arenas_find_models_of_own_endpoints_by_any_words(tmp_path, words):
    with answering() as models, serving(tmp_path) as address:
        _describe_models(tmp_path, models.url)
        pages = [_posted(address, "/code/estimate", typed=words)[2]]
        pages.append(fetched(f"{address}/arena/models?{urlencode({'q': words})}")[2].decode())
    for text in pages:
        assert 'value="desk/small"' in text
        assert 'value="desk/large"' not in text
        assert "8,192 tokens" in text
    assert models.lists == 1


def test_words_that_found_the_chosen_models_may_stay_in_the_field(tmp_path):
    with answering() as models, serving(tmp_path) as address:
        _describe_models(tmp_path, models.url)
        chosen = {"prompt": "A page.", "models": ["desk/small", "desk/large"]}
        text = _posted(address, "/code/estimate", typed="desk", **chosen)[2]
        assert "All matching models are already chosen." in text
        assert "No model name contains" not in text
        status, _, text = _posted(address, "/code", typed="desk, neither", **chosen)
        assert status == 422
        assert "No model is named “neither”." in text
        status, location, _ = _posted(address, "/code", typed="sma", **chosen)
    assert status == 303
    assert location.startswith("/code/")


def test_a_repeated_search_reads_no_price_list_again(tmp_path):
    with serving(tmp_path) as address:
        first = _posted(address, "/code/estimate", typed="claude sonnet")[2]
        assert "sonnet" in first
        before = _load_snapshot.cache_info().misses
        assert _posted(address, "/code/estimate", typed="claude sonnet")[2] == first
    assert _load_snapshot.cache_info().misses == before
    assert not (tmp_path / "known-prices.json").exists()


@pytest.mark.long
def test_from_the_prompt_to_standings_by_keyboard_and_unnamed_before_the_vote(chromium, tmp_path):
    with answering() as models, wiretap() as tap, serving(tmp_path, previews=True) as address:
        models.by_model.update(BY_MODEL)
        models.usage = USAGE
        models.flows.clear()
        _describe_models(tmp_path, models.url)
        proxy = {"server": tap.address, "bypass": "<-loopback>"}
        context = patient(chromium, viewport={"width": 1440, "height": 900}, proxy=proxy)
        tab = context.new_page()
        tab.goto(f"{address}/code")
        tab.on("request", lambda it: tap.clear() if it.method == "POST" else None)
        _ask_by_keyboard(tab, "A page with a heading.", [f"desk/{name}" for name in NAMES])
        run = tab.url
        expect(tab.locator("[data-state]").first).to_have_text("writing")
        expect(tab.locator("header.top")).to_contain_text("1 running")
        models.flows.set()
        for letter in "ABCDE":
            frame = tab.frame_locator(f"iframe[title='Preview of answer {letter}']")
            expect(frame.locator("h1")).to_contain_text("Page")
        expect(tab.locator("#over")).to_be_visible(timeout=180_000)
        expect(tab.locator("header.top")).not_to_contain_text("running")
        expect(tab.locator("#main")).not_to_contain_text("Progress and stop")
        expect(tab.locator(".widths img")).to_have_count(3 * len(NAMES))
        _tab_to(tab, tab.get_by_role("link", name="Vote on its pages"))
        tab.keyboard.press("Enter")
        for number in range(10):
            _vote_by_keyboard(tab, tap, number)
        expect(tab.locator("main")).to_contain_text("You have voted on all pairs.")
        _tab_to(tab, tab.get_by_role("link", name="Show standings"))
        tab.keyboard.press("Enter")
        expect(tab.locator("main")).to_contain_text("10 votes by 1 voter on 1 prompt")
        assert len(set(_betrayed(tab.locator("table.stand").inner_text()))) == len(NAMES)
        tab.goto(run)
        assert len(set(_betrayed(tab.locator("main").inner_text()))) == len(NAMES)
        assert tab.locator("img.thumb").count() == len(NAMES)
        tab.goto(run.replace("/code/", "/runs/"), wait_until="networkidle")
        assert FIGURES.search(tap.text), "the figures would be found"
        context.close()


@pytest.mark.long
def test_screenshots_of_a_suite_appear_on_the_page_that_is_open(chromium, tmp_path):
    home, file = tmp_path / "home", tmp_path / "suite.yaml"
    cases = ", ".join(f"{{id: {case}, prompt: A page.}}" for case in "xy")
    file.write_text(f"name: two\nprofile: robust\nscorer: code_judge\ncases: [{cases}]\n")
    with Store.open(home / "benchmaker.db") as store:
        suite = store.put_suite(benchmaker.load_suite(file))
    context = chromium.new_context()
    tab = context.new_page()
    with answering() as models, serving(home, previews=True) as address:
        models.by_model.update(BY_MODEL)
        models.flows.clear()
        run_id = begun(address, suite, _models(models.url)[:2], no_judge="on")
        tab.goto(f"{address}/code/{run_id}")
        expect(tab.locator("#going")).to_be_visible()
        assert tab.locator("img.thumb").count() == 0
        models.flows.set()
        expect(tab.locator("#over")).to_be_visible(timeout=180_000)
        expect(tab.locator("#going")).to_be_hidden()
        assert tab.locator("img.thumb").count() == 4
        assert _betrayed(tab.content()) == []
        expect(tab.get_by_role("link", name="Vote", exact=True)).to_be_visible()
        with tab.expect_navigation():
            tab.get_by_role("link", name="Vote on its pages").click()
    context.close()


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A data folder whose server has no worker."""
    return tmp_path_factory.mktemp("idle")


@pytest.fixture(scope="module")
def idle(home):
    with serving(home, previews=True, works=False) as address:
        yield address


def test_run_makes_a_suite_of_one_prompt_under_a_name_of_its_words(idle, home):
    names = _models("http://127.0.0.1:9/v1")[:2]
    status, place, _ = _posted(idle, "/code", prompt=" A red page ", typed=", ".join(names))
    assert status == 303
    with Store.open(home / "benchmaker.db") as store:
        run = store.run(place.rpartition("/")[2])
        (case,) = store.suite(run.suite_hash).cases
    assert run.models == tuple(names)
    assert re.fullmatch(r"page-a-red-page-[0-9a-f]{6}", run.suite_name)
    assert case.prompt == "A red page"


@pytest.mark.parametrize(("fields", "words"), [
    ({"prompt": " ", "models": ["ollama/a", "ollama/b"]}, "the prompt is empty."),
    ({"prompt": "A page", "models": ["ollama/a"]}, "1 model chosen. Choose 2 to 6 models."),
    ({"prompt": "A page", "models": [f"ollama/{n}" for n in range(7)]}, "7 models chosen."),
    ({"prompt": "A page", "typed": "no-such-words"}, "No model is named"),
    ({"prompt": "A page", "typed": "none/x"}, "Unknown endpoint &#39;none&#39;"),
    ({"prompt": "A page", "models": ["command:ls", "ollama/b"]}, "starts a program"),
])  # fmt: skip
def test_what_is_missing_is_said_and_what_was_entered_is_kept(idle, home, fields, words):
    with Store.open(home / "benchmaker.db") as store:
        before = store.runs()
    status, _, body = _posted(idle, "/code", **fields)
    assert status == 422
    assert words in body
    assert fields["prompt"].strip() in body
    with Store.open(home / "benchmaker.db") as store:
        assert store.runs() == before


def test_models_are_found_by_any_words_and_chosen_by_a_comma(idle):
    words, names = "mini 4o openai", "ollama/a, 4o mini"
    _, _, found = _posted(idle, "/code/estimate", prompt="A page", typed=words)
    _, _, chosen = _posted(idle, "/code/estimate", prompt="A page", typed=names)
    assert 'value="openai/gpt-4o-mini"' in found
    assert "0 models chosen" in found
    assert 'value="ollama/a" checked' in chosen
    assert 'data-rest="4o mini"' in chosen


def test_a_part_of_a_name_that_is_entered_is_answered(idle):
    typed = _posted(idle, "/code/estimate", prompt="A page", typed="gpt-4o-mini,")[2]
    assert "“gpt-4o-mini” is not a whole name." in typed
    searched = _posted(idle, "/code/estimate", prompt="A page", typed="gpt-4o-mini")[2]
    assert "is not a whole name" not in searched


@pytest.mark.long
def test_a_found_name_is_chosen_by_arrow_and_enter(chromium, idle):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{idle}/code")
    tab.get_by_label("Models").press_sequentially("openai gpt-4o-mini-2024")
    found = tab.locator("#choice .found input")
    expect(found.first).to_have_attribute("value", re.compile("gpt-4o-mini-2024"))
    tab.keyboard.press("ArrowDown")
    expect(found.first).to_be_focused()
    tab.keyboard.press("ArrowUp")
    expect(tab.get_by_label("Models")).to_be_focused()
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Enter")
    expect(tab.locator("#choice")).to_contain_text("1 model chosen")
    assert tab.url == f"{idle}/code"
    context.close()


class _HeldAnswers:
    """Estimates that the server does not answer until they are released."""

    def __init__(self, tab):
        self._held = []
        self._tab = tab
        tab.route("**/code/estimate", self._hold)

    def _hold(self, route):
        self._held.append(route)

    def release(self):
        """Answer the request for what was typed last; those before it were given up."""
        while not self._held:
            self._tab.wait_for_timeout(20)
        self._held[-1].continue_()
        self._tab.unroute("**/code/estimate")


@pytest.mark.long
@pytest.mark.parametrize("moment", ["before the request", "during the request"])
def test_keys_wait_for_the_list_of_what_is_typed(chromium, idle, moment):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{idle}/code")
    field, choice = tab.get_by_label("Models"), tab.locator("#choice")
    field.press_sequentially("gpt-5")
    expect(choice).to_have_attribute("data-typed", "gpt-5")
    field.fill("")
    expect(choice).to_have_attribute("data-typed", "")
    held = _HeldAnswers(tab)
    with tab.expect_request("**/code/estimate"):
        field.press_sequentially("openai gpt-4o-mini-2024")
        if moment == "before the request":
            tab.keyboard.press("ArrowDown")
            tab.keyboard.press("Enter")
    if moment == "during the request":
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
    expect(field).to_be_focused()
    held.release()
    expect(choice).to_contain_text("1 model chosen")
    expect(choice.locator("input:checked")).to_have_attribute(
        "value", re.compile("gpt-4o-mini-2024")
    )
    expect(field).to_be_focused()
    expect(field).to_have_value("")
    context.close()


@pytest.mark.long
def test_a_second_model_is_typed_after_the_first_was_chosen(chromium, idle):
    context = chromium.new_context()
    tab = context.new_page()
    tab.goto(f"{idle}/code")
    tab.get_by_label("Models").focus()
    for number, words in enumerate(("gpt-4o-mini-2024", "claude-sonnet-4-5"), 1):
        tab.keyboard.type(words)
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("Enter")
        chosen = f"{number} model{'s' if number > 1 else ''} chosen"
        expect(tab.locator("#choice")).to_contain_text(chosen)
        expect(tab.get_by_label("Models")).to_be_focused()
    found = tab.locator("#choice input:checked").evaluate_all("all => all.map((it) => it.value)")
    assert [("gpt-4o-mini" in found[0]), ("sonnet" in found[1])] == [True, True]
    context.close()


def test_a_name_with_an_unknown_endpoint_is_refused_with_that_reason(idle):
    text = _posted(idle, "/code/estimate", prompt="A page", typed="none/x,")[2]
    assert "Unknown endpoint &#39;none&#39; in &#39;none/x&#39;." in text
    assert "is chosen by a comma after it" not in text


@pytest.mark.parametrize("words", ["gpt4o mini", "gpt.4o_mini", "gpt4omini"])
def test_punctuation_of_a_search_does_not_matter(idle, words):
    text = _posted(idle, "/code/estimate", prompt="A page", typed=words)[2]
    assert 'value="openai/gpt-4o-mini"' in text


def test_a_bundled_prompt_is_proposed_and_keeps_its_checks(idle):
    case = next(it for it in bundled_suite().cases if it.id == "tabs")
    with urlopen(f"{idle}/code?example=tabs") as answer:  # noqa: S310  a server of this test
        assert "about a small museum" in answer.read().decode()
    (made,) = suite_of_prompt(case.prompt).cases
    assert made.page == case.page
    assert suite_of_prompt("A page about a museum").cases[0].page is None


def test_a_run_is_unnamed_while_votes_are_open_unless_names_are_wanted(tmp_path):
    answers = {name: page("Page") for name in NAMES[:3]}
    run_id = stored_run(tmp_path, answers, cases=("x", "y"))
    with serving(tmp_path, previews=True, works=False) as address:
        for path in ("", "/1/live", "?w=375"):
            with urlopen(Request(f"{address}/code/{run_id}{path}")) as answer:  # noqa: S310  ours
                assert _betrayed(answer.read().decode()) == [], path
        with urlopen(f"{address}/code/{run_id}?names=1") as answer:  # noqa: S310  ours
            assert len(set(_betrayed(answer.read().decode()))) == len(answers)


@pytest.mark.long
def test_a_page_is_improved_in_a_second_turn_and_compared_with_the_first(chromium, tmp_path):
    context = chromium.new_context()
    tab = context.new_page()
    with answering(lambda _: page("A second page")) as models:
        name = f"{models.url}#amber"
        run_id = stored_run(tmp_path, {name: page("A first page")})
        with serving(tmp_path, previews=True) as address:
            tab.goto(f"{address}/code/{run_id}/1/1")
            tab.get_by_label("Changes").fill("Call it the second.")
            with tab.expect_navigation():
                tab.get_by_role("button", name="Improve").click()
            improved = tab.url
            frame = tab.frame_locator("iframe[title='Preview of answer A']")
            expect(frame.locator("h1")).to_have_text("A second page", timeout=60_000)
            expect(tab.locator("#over")).to_be_visible(timeout=120_000)
            expect(tab.get_by_role("link", name="compare it with the first")).to_be_visible()
            expect(tab.get_by_role("link", name="Before and after")).to_be_visible()
            expect(tab.locator("main")).not_to_contain_text("hidden to keep votes blind")
            with tab.expect_navigation():
                tab.get_by_role("link", name="Open its page").click()
            for path in ("/1/1", ""):
                tab.goto(f"{improved}{path}")
                with tab.expect_navigation():
                    tab.get_by_role("link", name="Before and after").click()
            for letter, title in (("A", "A first page"), ("B", "A second page")):
                frame = tab.frame_locator(f"iframe[title='Preview of answer {letter}']")
                expect(frame.locator("h1")).to_have_text(title, timeout=60_000)
            tab.get_by_text("Differences in code").click()
            expect(tab.locator("#changes ins").first).to_contain_text("A second page")
    (body,) = models.bodies
    roles = [it["role"] for it in body["messages"]]
    assert roles[-3:] == ["user", "assistant", "user"]
    assert "A first page" in body["messages"][-2]["content"]
    context.close()
