"""Keys while the focus is in a preview: they reach the vote, and no page can press them itself."""

import re

import pytest
from playwright.sync_api import expect

from benchmaker.store import Store
from tests.web.code_pages import page, stored_run
from tests.web.serving import serving

FORGER = """<input id=field><p id=said>0</p><script>
const forge = () => {
  for (const key of ["1", "2", "a", "A", "b", "n", "Escape"]) {
    parent.postMessage({ benchmaker: "key", key }, "*");
    for (const kind of ["keydown", "keyup"])
      for (const at of [document, field])
        at.dispatchEvent(new KeyboardEvent(kind, { key, bubbles: true }));
  }
  try { parent.focus(); } catch {}
  try { parent.document.querySelector("[data-key='1']").click(); } catch {}
  said.textContent = +said.textContent + 1;
};
for (const kind of ["click", "keydown", "keyup", "input"])
  addEventListener(kind, (e) => e.isTrusted && forge(), true);
setInterval(forge, 200);
</script>"""
"""A page that tries to press the keys of the page around it, all the time and at each gesture."""

GAME = "<p id=said>none</p><script>onkeydown = (e) => { said.textContent = e.key; };</script>"
FIELD = '<label>Name <input id="field"></label>'


def _opened(tab, address, run_id):
    tab.goto(f"{address}/code/{run_id}/vote", wait_until="domcontentloaded")
    expect(tab.locator("#duel.ready")).to_be_visible(timeout=20_000)


def _frame(tab):
    return tab.frame_locator("#duel iframe").first


@pytest.fixture
def voting(tab, tmp_path):
    """Opens the vote on two equal pages with this body; gives the home and the run."""
    held = []

    def open_(body):
        run_id = stored_run(tmp_path, dict.fromkeys("ab", page("Page", body=body)))
        server = serving(tmp_path, previews=True, works=False)
        held.append(server)
        _opened(tab, server.__enter__(), run_id)
        return run_id

    yield open_
    tab.goto("about:blank")
    for server in held:
        server.__exit__(None, None, None)


def _votes(home, run_id):
    with Store.open(home / "benchmaker.db") as store:
        return store.votes.read([run_id], with_undone=True)


@pytest.mark.parametrize(
    ("key", "said"), [("a", "A is better"), ("A", "A is better"), ("2", "B is better")]
)
def test_a_vote_key_counts_with_the_focus_in_a_frame(tab, voting, tmp_path, key, said):
    run_id = voting("")
    _frame(tab).locator("h1").click()
    tab.keyboard.press(key)
    expect(tab.get_by_role("status").first).to_contain_text(f"Counted: {said}")
    assert len(_votes(tmp_path, run_id)) == 1


@pytest.mark.long
def test_a_vote_from_a_frame_waits_for_a_second_and_any_other_key_cancels_it(tab, voting, tmp_path):
    run_id = voting("")
    _frame(tab).locator("h1").click()
    tab.keyboard.press("b")
    expect(tab.locator("#back")).to_contain_text("b counts in a second.")
    tab.keyboard.press("o")
    expect(tab.locator("#back")).to_contain_text("b was cancelled.")
    tab.keyboard.press("v")  # further keys are ignored for a moment
    expect(tab.locator("input[name=vp]:checked")).to_have_value("fit")
    tab.wait_for_timeout(1_500)
    assert _votes(tmp_path, run_id) == ()


def test_no_page_can_vote_however_it_forges_keys_and_gestures(tab, voting, tmp_path):
    run_id = voting(FORGER)
    said = _frame(tab).locator("#said")
    _frame(tab).locator("h1").click()
    _frame(tab).locator("#field").click()
    tab.keyboard.type("hello bob, 12 apples", delay=60)
    expect(said).to_have_text(re.compile(r"\d{2,}"))
    tab.wait_for_timeout(2_500)
    assert _votes(tmp_path, run_id) == ()
    expect(tab.locator("#voting")).to_be_visible()


@pytest.mark.long
def test_a_page_that_uses_keys_keeps_them_and_escape_gives_the_focus_back(tab, voting, tmp_path):
    run_id = voting(GAME)
    _frame(tab).locator("h1").click()
    tab.keyboard.press("a")
    expect(_frame(tab).locator("#said")).to_have_text("a")
    assert tab.evaluate("document.activeElement.tagName") == "IFRAME"
    tab.keyboard.press("Escape")
    expect(tab.locator(".votebar")).to_be_focused()
    assert _votes(tmp_path, run_id) == ()


@pytest.mark.long
def test_what_is_typed_into_a_field_of_a_page_stays_there(tab, voting):
    voting(FIELD)
    _frame(tab).locator("#field").click()
    tab.keyboard.type("1a2b")
    expect(_frame(tab).locator("#field")).to_have_value("1a2b")
    expect(tab.locator("#voting")).to_be_visible()


@pytest.mark.long
def test_both_pages_scroll_together_until_that_is_switched_off(tab, voting):
    voting("")
    first, second = (frame for frame in tab.frames if frame != tab.main_frame)
    tab.locator("#duel iframe").first.hover()
    tab.mouse.wheel(0, 700)
    second.wait_for_function("scrollY > 300")
    tab.get_by_label("Scroll together").uncheck()
    at = second.evaluate("scrollY")
    tab.locator("#duel iframe").first.hover()
    tab.mouse.wheel(0, 700)
    first.wait_for_function("at => scrollY > at + 300", arg=at)
    assert second.evaluate("scrollY") == at


@pytest.mark.long
def test_no_keys_are_taken_where_they_are_off(tab, voting):
    voting("")
    tab.evaluate("document.documentElement.dataset.keys = 'off'")
    _frame(tab).locator("h1").click()
    tab.keyboard.press("a")
    tab.wait_for_timeout(1_500)
    expect(tab.locator("#voting")).to_be_visible()
