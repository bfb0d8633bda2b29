"""Search over submissions, tasks, systems and flags; from its page and from jump."""

import pytest
from playwright.sync_api import expect

from benchmaker.store.agentic import search, submission_pages
from tests.arenas.agentic.handed import the_id
from tests.web.accessible import violations
from tests.web.agentic_data import HARM, hostile, ordinary
from tests.web.serving import serving


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    home = ordinary(tmp_path_factory.mktemp("arena") / "home")
    with serving(home) as address:
        yield address


@pytest.mark.parametrize(
    "path",
    ["", pytest.param("?q=m1", marks=pytest.mark.long), "?q=made&in=flags", "?q=nothing-like-it",
     pytest.param("?q=t&in=tasks", marks=pytest.mark.long)],
)  # fmt: skip
def test_axe_finds_nothing(tab, arena, path):
    assert violations(tab, f"{arena}/agentic/search{path}") == []


def found(tab, heading):
    """The hits under a heading."""
    panel = tab.locator("section.panel", has=tab.get_by_role("heading", name=heading, exact=True))
    return panel.locator("li")


def test_one_text_finds_every_kind(tab, arena):
    tab.goto(f"{arena}/agentic/search")
    tab.get_by_role("searchbox", name="Text").fill("m1")
    tab.get_by_role("button", name="Search").click()

    expect(found(tab, "Submissions")).to_have_count(8)
    expect(found(tab, "Systems")).to_have_count(1)
    expect(found(tab, "Flags")).to_have_count(0)
    found(tab, "Systems").get_by_role("link").click()
    tab.wait_for_load_state()
    assert tab.url == f"{arena}/agentic/submissions?model=m1"


def test_an_id_leads_to_its_submission(tab, arena):
    tab.goto(f"{arena}/agentic/search?q={the_id(5)}")
    found(tab, "Submissions").get_by_role("link").first.click()
    tab.wait_for_load_state()

    assert the_id(5) in tab.locator("main").inner_text()


def test_a_flag_leads_to_the_submission_that_it_is_held_against(tab, arena):
    tab.goto(f"{arena}/agentic/search?q=are+those+of+another")
    expect(found(tab, "Flags")).to_have_count(2)
    found(tab, "Flags").get_by_role("link").first.click()

    expect(tab.locator("h1")).to_be_visible()
    assert "/agentic/submissions/" in tab.url


def test_counts_of_hits_do_not_read_as_totals(tab, arena):
    tab.goto(f"{arena}/agentic/search?q=cli")
    expect(tab.get_by_text("First 16 hits; there may be more.")).to_be_visible()
    tab.get_by_role("link", name="All submissions with this text").click()
    tab.wait_for_load_state()
    said = [tab.locator(".pager").inner_text()]
    while tab.get_by_role("link", name="Search more").count():
        tab.get_by_role("link", name="Search more").click()
        tab.wait_for_load_state()
        said.append(tab.locator(".pager").inner_text())

    assert said[0].startswith("First ")
    assert all("hits; there may be more." in one for one in said[:-1])
    assert said[-1].startswith("Next ")
    assert "no more." in said[-1]


def test_one_kind_is_paged_to_its_end(tab, arena):
    tab.goto(f"{arena}/agentic/search?q=cli")
    tab.get_by_role("link", name="All submissions with this text").click()
    seen = set(found(tab, "Submissions").locator("a").evaluate_all("all => all.map(a => a.href)"))
    while tab.get_by_role("link", name="Search more").count():
        tab.get_by_role("link", name="Search more").click()
        tab.wait_for_load_state()
        hits = found(tab, "Submissions").locator("a")
        seen |= set(hits.evaluate_all("all => all.map(a => a.href)"))

    assert len(seen) == 80


def test_a_page_that_looked_at_so_many_without_a_hit_leads_on(tab, arena, monkeypatch):
    monkeypatch.setattr(search, "_ROWS", 1)
    monkeypatch.setattr(submission_pages, "_LOOKED_AT", 5)
    tab.goto(f"{arena}/agentic/search?q={the_id(0)[1:]}&in=submissions")
    expect(tab.get_by_text("No hits so far.")).to_be_visible()
    tab.get_by_role("link", name="Search more").click()
    expect(tab.get_by_role("link", name="First page")).to_be_visible()


def test_jump_finds_submissions_and_leads_to_the_search(tab, arena):
    tab.goto(f"{arena}/jump?q={the_id(5)[:-2]}")
    expect(tab.locator("#hits a", has_text="Submission").first).to_be_visible()
    tab.goto(f"{arena}/jump?q=m1")
    expect(tab.locator("#hits a", has_text="System")).to_have_count(1)
    tab.locator("#hits a", has_text="with “m1”").click()

    assert tab.url == f"{arena}/agentic/search?q=m1"


def test_hostile_texts_stay_texts(tab, tmp_path):
    with serving(hostile(tmp_path / "home")) as address:
        for harm in HARM:
            tab.goto(f"{address}/agentic/search")
            tab.get_by_role("searchbox", name="Text").fill(harm[:60])
            tab.get_by_role("button", name="Search").click()
            expect(found(tab, "Systems").first).to_be_visible()
            expect(found(tab, "Submissions").first).to_be_visible()
            assert tab.evaluate("window.harmed") is None
