"""Previews as people see them: in a real browser, under the policy, without network."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.arenas.code.preview import assemble
from tests.arenas.code.preview import answers
from tests.arenas.code.preview.shown import hosting
from tests.waiting import until

PATIENCE_S = 60


@pytest.fixture(scope="module", autouse=True)
def patience() -> Iterator[None]:
    """What a page shows in the end is asked, not how fast a busy machine shows it."""
    expect.set_options(timeout=PATIENCE_S * 1000)
    yield
    expect.set_options(timeout=None)


def a_context(browser: Browser) -> BrowserContext:
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_S * 1000)
    return context


@contextmanager
def showing(browser, answer, **options) -> Iterator[tuple[Page, list[str]]]:
    """A page of an answer, and whatever is complained of.

    The page is closed before its server, which would reset what it is still loading.
    """
    bundle = assemble(extract_artifact(answer), **options)
    context = a_context(browser)
    page, said = context.new_page(), []
    page.on("console", lambda it: said.append(it.text) if it.type == "error" else None)
    page.on("pageerror", lambda it: said.append(str(it)))
    with hosting(bundle) as address:
        page.goto(address)
        yield page, said
        context.close()


def styled(page, selector, name):
    script = "([selector, name]) => getComputedStyle(document.querySelector(selector))[name]"
    return page.evaluate(script, [selector, name])


SOONER = ("tsx", "vue", "react_cdn", "svg")
CASES = [
    pytest.param(text, id=name, marks=() if name in SOONER else pytest.mark.long)
    for name, text in answers.ALL.items()
]


@pytest.mark.parametrize("answer", CASES)
def test_it_renders_and_reacts_to_a_click(offline, answer):
    with showing(offline, answer) as (page, said):
        out = page.locator("#out")
        expect(out).to_have_text("0")
        page.get_by_role("button").click()
        expect(out).not_to_have_text("0")
    assert said == []


def test_tailwind_styles_a_component(offline):
    with showing(offline, answers.TSX) as (page, _):
        page.wait_for_function("getComputedStyle(document.querySelector('button')).padding != ''")
        expect(page.locator("button")).to_have_css("padding", "8px 16px")


def test_the_theme_of_an_older_tailwind_counts(offline):
    with showing(offline, answers.REACT_CDN) as (page, _):
        expect(page.locator("button")).to_have_css("background-color", "rgb(16, 32, 48)")


@pytest.mark.long
@pytest.mark.parametrize("name", ["vue", "files", "vite", "parts"])
def test_styles_of_the_answer_count(offline, name):
    with showing(offline, answers.ALL[name]) as (page, _):
        expect(page.locator("button")).to_have_css("color", "rgb(1, 2, 3)")


@pytest.mark.long
def test_a_default_of_a_typed_property_counts(offline):
    with showing(offline, answers.VUE) as (page, _):
        page.get_by_role("button").click()
        expect(page.locator("#out")).to_have_text("2")
        assert "LOUD" not in page.locator("body").inner_text()


def test_an_image_of_the_answer_is_shown(offline):
    with showing(offline, answers.FILES) as (page, _):
        assert page.evaluate("document.querySelector('img').naturalWidth") == 9


@pytest.mark.long
def test_without_mapping_a_library_is_not_there(offline):
    with showing(offline, answers.REACT_CDN, mapping=False) as (page, said):
        page.wait_for_load_state()
        until(lambda: page.wait_for_timeout(10) or said, PATIENCE_S)
        assert "React is not defined" in " ".join(said) or "Content Security Policy" in said[0]
        assert page.locator("button").count() == 0


def test_a_package_that_is_not_there_is_an_error_with_its_name(offline):
    answer = '```jsx\nimport { Star } from "lucide-react"\nexport default () => <Star/>\n```'
    with showing(offline, answer) as (page, said):
        until(lambda: page.wait_for_timeout(10) or said, PATIENCE_S)
        assert "lucide-react" in said[0]


@pytest.mark.long
def test_a_style_that_is_missing_does_not_stop_a_component(offline):
    answer = '```jsx\nimport "./App.css"\nexport default () => <p id="out">here</p>\n```'
    with showing(offline, answer) as (page, said):
        expect(page.locator("#out")).to_have_text("here")
    assert said == []


def test_a_page_in_its_frame_has_a_storage_and_no_way_out(offline):
    """What the shim gives and takes, and what it tells the page around it."""
    script = """
      localStorage.setItem('a', 1); localStorage.b = 2; sessionStorage.c = 3;
      document.cookie = 'a=1';
      const found = [localStorage.getItem('a'), localStorage.b, localStorage.length,
        Object.keys(localStorage).join(), localStorage.missing === undefined,
        localStorage.getItem('missing'), typeof RTCPeerConnection, document.cookie,
        'b' in localStorage, JSON.stringify(localStorage)];
      delete localStorage.b; found.push(localStorage.length);
      sessionStorage.clear(); found.push(sessionStorage.length);
      document.title = JSON.stringify(found);
      console.warn('careful', {a: 1});
      setTimeout(() => { throw new Error('late') });
      fetch('/p/').catch(() => console.log('held'));
    """
    bundle = assemble(
        extract_artifact(f"```html\n<!doctype html><script>{script}</script></html>\n```")
    )
    context = a_context(offline)
    with hosting(bundle) as address:
        page = context.new_page()
        page.goto(address.removesuffix("p/"))
        for heard_of in ("benchmaker === 'alive'", "text?.includes('late')", "text === 'held'"):
            page.wait_for_function(f"heard.some((it) => it.{heard_of})")
        heard = page.evaluate("heard")
        inner = page.frames[1]
        found = inner.evaluate("JSON.parse(document.title)")
    context.close()

    assert found == [
        *("1", "2", 2, "a,b", True, None, "undefined", "", True, '{"a":"1","b":"2"}'),
        *(1, 0),
    ]
    told = [it["text"] for it in heard if it["benchmaker"] == "console"]
    assert told[0] == 'careful {"a":1}'
    assert any("late" in text for text in told)
    assert "held" in told
    assert {"storage_shimmed", "ready", "alive"} <= {it["benchmaker"] for it in heard}


def test_a_page_that_keeps_asking_is_not_heard_for_ever(offline):
    answer = (
        "```html\n<!doctype html><script>for (let i = 0; i < 9; i++) alert(i)</script></html>\n```"
    )
    bundle = assemble(extract_artifact(answer))
    context = a_context(offline)
    page, asked = context.new_page(), []
    page.on("dialog", lambda it: (asked.append(it.message), it.dismiss()))
    with hosting(bundle) as address:
        page.goto(address)
    context.close()
    assert asked == ["0", "1", "2"]


def test_no_trace_of_the_shim_is_left_in_the_page(offline):
    with showing(offline, "```html\n<!doctype html><p>1</p></html>\n```") as (page, _):
        assert page.evaluate("document.scripts.length") == 0
