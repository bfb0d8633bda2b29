"""The pages of the Agentic Arena in a real browser."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from playwright.sync_api import expect

from benchmaker.store import Store
from benchmaker.web.agentic import background_work
from tests.web import agentic_data
from tests.web.accessible import scrolls_sideways, violations
from tests.web.browser import answers_to, patient, weight
from tests.web.results_data import fetched
from tests.web.serving import serving

LISTS = (
    "/agentic",
    "/agentic?profile=robust&metric=success&evidence=self_reported",
    "/agentic/front?evidence=self_reported",
    "/agentic/submissions",
    "/agentic/submit",
    "/agentic/usage?by=model",
    "/agentic/tasks",
    "/agentic/baselines",
    "/agentic/profiles",
    "/agentic/bias",
    "/agentic/trend?days=1",
    "/agentic/review",
    "/agentic/compare?ids=1,2,3",
)
ONE = (
    "/agentic/submissions/1",
    "/agentic/submissions/1/cost",
    "/agentic/tasks/t",
    "/agentic/baselines/t",
)
ALIKE = (
    "/agentic?",
    "/agentic/front",
    "/agentic/profiles",
    "/agentic/bias",
    "/agentic/trend",
    "/agentic/baselines/",
    "/agentic/submissions/1/cost",
)
"""Pages of the same make as others that are weighed each time."""

MOST_BYTES = 150_000


def aside(work, *args):
    """In another thread, since Playwright runs a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(work, *args).result()


@pytest.fixture(scope="module")
def arena(tmp_path_factory):
    home = aside(agentic_data.ordinary, tmp_path_factory.mktemp("agentic") / "home")
    with serving(home, works=False) as address:
        yield address


@pytest.fixture(scope="module")
def harm(tmp_path_factory):
    home = aside(agentic_data.hostile, tmp_path_factory.mktemp("harm") / "home")
    with serving(home, works=False) as address:
        yield address


@pytest.fixture
def empty(tmp_path):
    with serving(tmp_path / "home", works=False) as address:
        yield address


def read(tab, address, log):
    """Hand a log in, up to what was found in it."""
    tab.goto(f"{address}/agentic/submit")
    tab.get_by_label("Choose a file").set_input_files(log)
    tab.get_by_role("button", name="Preview log").click()
    tab.wait_for_url("**/agentic/submit/*")


def test_filters_of_the_board_are_removed_one_by_one(arena):
    status, _, page = fetched(f"{arena}/agentic?tool=claude_code&evidence=imported")
    assert status == 200
    set_filters = page.decode().partition('aria-label="Active filters"')[2].partition("</ul>")[0]
    assert re.findall(r'href="([^"]*)"', set_filters) == [
        "/agentic?evidence=imported",
        "/agentic?tool=claude_code",
    ]


@pytest.mark.long
@pytest.mark.parametrize("path", [*LISTS, *ONE])
def test_axe_finds_nothing_on_a_page_of_the_agentic_arena(tab, arena, path):
    assert violations(tab, arena + path) == []


@pytest.mark.parametrize(
    "path",
    [pytest.param(at, marks=pytest.mark.long) if at.startswith(ALIKE) else at for at in LISTS],
)
def test_a_page_of_the_agentic_arena_is_light(tab, arena, path):
    came = answers_to(tab)
    tab.goto(arena + path)
    tab.wait_for_load_state("networkidle")

    assert weight(came) < MOST_BYTES


def test_an_empty_store_is_said_in_words(tab, empty):
    for path in (*LISTS[:1], *LISTS[3:-1]):
        tab.goto(empty + path.partition("?")[0])
        assert tab.locator("h1").count() == 1
        assert tab.locator(".fault").count() == 0


def test_a_board_that_is_not_there_yet_is_computed_while_the_page_waits(tab, arena, monkeypatch):
    may_begin = Event()
    result = background_work._BackgroundWorker.result
    monkeypatch.setattr(
        background_work._BackgroundWorker,
        "result",
        lambda self, key, make, _wait_s: result(
            self, key, lambda: may_begin.wait(60) and make(), 0.0
        ),
    )
    tab.goto(f"{arena}/agentic?policy=last&evidence=self_reported")
    tab.get_by_role("heading", name="Computing").wait_for()
    may_begin.set()

    expect(tab.locator("table.lead tbody tr")).to_have_count(3)


def test_a_board_ranks_the_rows_of_the_command_and_links_to_their_submissions(tab, arena):
    tab.goto(f"{arena}/agentic?evidence=self_reported")
    names = tab.locator("tbody").first.locator("th a").all_inner_texts()

    assert sorted(names) == ["cli · m0", "cli · m1", "cli · m2"]
    tab.get_by_role("link", name="cli · m1").click()
    tab.locator("tbody tr").first.get_by_text("m1", exact=True).wait_for()


def test_rows_below_the_evidence_that_is_ranked_stand_hollow_and_unranked(tab, arena):
    tab.goto(f"{arena}/agentic?profile=robust")

    assert tab.locator("tr.hollow").count() == 3
    assert tab.locator("tr.hollow .badge.self", has_text="not ranked").count() == 3


def column(page, title: str) -> list[str]:
    """The texts of the column with this title, wherever it stands in the table."""
    titles = [head.strip() for head in page.locator("thead th").all_inner_texts()]
    return page.locator(f"tbody tr td:nth-child({titles.index(title) + 1})").all_inner_texts()


def test_submissions_are_filtered_paged_and_sorted_without_script(chromium, arena):
    page = patient(chromium, java_script_enabled=False).new_page()
    page.goto(f"{arena}/agentic/submissions")
    assert page.locator("tbody tr").count() == 50
    page.get_by_role("link", name="Next page").click()
    page.wait_for_load_state()
    assert page.locator("tbody tr").count() == 30
    page.get_by_label("Task").select_option("u")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_load_state()
    assert set(column(page, "Task")) == {"u"}
    page.get_by_role("link", name="Model").click()
    page.wait_for_load_state()
    assert page.url.endswith("sort=model")
    page.context.close()


def test_a_submission_explains_its_composite_with_the_digits_of_the_command(tab, arena):
    tab.goto(f"{arena}/agentic/submissions/5")

    assert "Recomputed: the same scores." in tab.content()
    summed = tab.locator("table.sum tfoot td").last.inner_text()
    assert summed in tab.locator("details.drawer summary").inner_text()
    tab.get_by_role("link", name="robust/2").first.click()
    tab.wait_for_load_state()
    assert tab.locator(".badge", has_text="robust/2").count() == 1


def test_what_is_flagged_can_be_put_under_quarantine_and_cleared(tab, arena):
    tab.goto(f"{arena}/agentic/review?state=open")
    before = tab.locator("article").count()
    assert before >= 1
    first = tab.locator("article").first
    first.get_by_label("Note").fill("looked at it <b>twice</b>")
    first.get_by_role("button", name="Quarantine").click()

    expect(tab.locator("article")).to_have_count(before - 1)
    tab.get_by_role("link", name="Quarantined").click()
    tab.get_by_text("looked at it <b>twice</b>").wait_for()
    tab.get_by_role("button", name="Clear").first.click()
    expect(tab.locator("article")).to_have_count(0)
    tab.get_by_role("link", name="Cleared").click()
    expect(tab.locator("article")).to_have_count(1)


def test_three_submissions_stand_beside_each_other_and_a_fourth_is_left_out_with_a_word(tab, arena):
    tab.goto(f"{arena}/agentic/submissions")
    for at in range(3):
        tab.locator("input[name=ids]").nth(at).check()
    tab.get_by_role("button", name="Compare").click()
    tab.wait_for_load_state()

    assert tab.locator("thead th").count() == 4
    tab.goto(f"{arena}/agentic/compare?ids=1,2,3,4")
    assert "4 submissions were chosen; the first 3 are compared." in tab.inner_text("main")
    assert tab.locator("thead th").count() == 4


def test_the_boxes_to_compare_stand_at_the_left_edge(tab, arena):
    tab.set_viewport_size({"width": 1280, "height": 800})
    tab.goto(f"{arena}/agentic/submissions")
    box = tab.locator("input[name=ids]").first.bounding_box()
    assert box["x"] + box["width"] < 640


def test_every_submission_leads_to_its_task(tab, arena):
    tab.goto(f"{arena}/agentic/submissions")
    pages = tab.locator("tbody th a").evaluate_all("all => all.map((it) => it.href)")
    for address in pages[:10]:
        tab.goto(address)
        for task in tab.locator("main a[href^='/agentic/tasks/']").all():
            assert tab.request.get(arena + task.get_attribute("href")).ok, address


def test_tables_answer_as_csv_and_json(tab, arena):
    for name in (
        "",
        "/submissions",
        "/usage",
        "/tasks",
        "/baselines",
        "/profiles",
        "/bias",
        "/trend",
    ):
        for form, kind in (("csv", "text/csv"), ("json", "application/json")):
            answer = tab.request.get(f"{arena}/agentic{name}.{form}")
            assert answer.ok, name
            assert answer.headers["content-type"].startswith(kind)


def test_a_made_session_is_submitted_and_found_on_its_page(tab, tmp_path, empty):
    log = agentic_data.write_log(tmp_path / "session.jsonl", "Look around", steps=60)
    read(tab, empty, log)
    tab.get_by_text("Nothing is saved yet.").wait_for()
    assert violations(tab, tab.url) == []
    with Store.open(tmp_path / "home" / "benchmaker.db") as store:
        assert not list(store.submissions())
    tab.get_by_label("Task; leave empty").fill("look-around")
    tab.get_by_role("button", name="Submit 1 session").click()
    tab.wait_for_url("**/agentic/submissions/*")

    assert "/agentic/submissions/" in tab.url
    assert tab.locator("h1").inner_text() == "claude-code · Look around on look-around"
    assert not list((tmp_path / "home" / "uploads").iterdir())
    number = tab.url.rpartition("/")[2]
    tab.goto(f"{empty}/agentic/submissions")
    assert tab.locator("tbody tr").count() == 1
    assert violations(tab, f"{empty}/agentic/submissions/{number}/trace") == []
    tab.get_by_role("link", name="Next 50").click()
    tab.wait_for_load_state()
    assert tab.locator("li.step").count() == 11
    tab.get_by_role("link", name="Show all of the output").first.click()
    tab.wait_for_load_state()
    assert tab.locator("pre").last.inner_text().count("Look around") == 20


def test_a_file_that_is_no_log_is_refused_and_nothing_of_it_stays(tab, tmp_path, empty):
    file = tmp_path / "notes.txt"
    file.write_text("no log at all")
    upload = {"name": file.name, "mimeType": "text/plain", "buffer": file.read_bytes()}
    answer = tab.request.post(f"{empty}/agentic/submit", multipart={"file": upload})

    assert answer.status == 422
    assert not list((tmp_path / "home" / "uploads").iterdir())


def test_a_discarded_log_leaves_nothing_behind(tab, tmp_path, empty):
    log = agentic_data.write_log(tmp_path / "session.jsonl", "Look around")
    read(tab, empty, log)
    tab.get_by_role("button", name="Discard").click()

    tab.wait_for_url("**/agentic/submit")
    assert not list((tmp_path / "home" / "uploads").iterdir())


def test_secrets_in_a_log_are_told_by_kind_and_line_alone(tab, tmp_path, empty):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    log = agentic_data.write_log(tmp_path / "session.jsonl", f"the key is {secret}")
    read(tab, empty, log)

    tab.get_by_text("removed.").wait_for()
    assert secret not in tab.content()


def test_a_task_is_never_read_from_a_folder_of_this_machine(tab, tmp_path, empty):
    log = agentic_data.write_log(tmp_path / "session.jsonl", "Look around")
    read(tab, empty, log)
    answer = tab.request.post(tab.url, form={"do": "keep", "task": "/etc"})

    assert answer.status == 422


@pytest.mark.data
def test_a_real_session_is_submitted_and_its_row_found(tab, shared, empty):
    read(tab, empty, shared / "agent_logs" / "claude_code" / "subagent.jsonl")
    tab.get_by_role("button", name="Submit 1 session").click()
    tab.wait_for_url("**/agentic/submissions/*")

    assert tab.locator("h1").inner_text() == "claude-code · claude-opus-4-6"
    tab.get_by_role("link", name="Open the trace").click()
    tab.wait_for_load_state()
    assert tab.locator("li.step").count() > 10
    assert tab.locator(".lanes svg.plot").count() >= 3


OF_HARM = (
    *LISTS,
    "/agentic?by=tool",
    "/agentic/submissions/13/trace/2",
    *(f"/agentic/submissions/{n}{part}" for n in (1, 2, 3, 13) for part in ("", "/trace", "/cost")),
)
"""Every page that shows what was submitted."""


def test_hostile_texts_stay_texts_on_every_page(tab, harm):
    for path in OF_HARM:
        tab.goto(harm + path)
        assert tab.evaluate("window.harmed") is None, path
        assert tab.locator("main img, main script, main svg[onload]").count() == 0, path
        assert tab.locator("main a[href^='javascript']").count() == 0, path
        assert tab.locator(".fault").count() == 0, path
        assert not scrolls_sideways(tab), path


def test_a_hostile_task_has_a_page_of_its_own(tab, harm):
    tab.goto(f"{harm}/agentic/tasks")
    count = tab.locator("tbody th a").count()
    for at in range(count):
        tab.goto(f"{harm}/agentic/tasks")
        tab.locator("tbody th a").nth(at).click()
        tab.wait_for_load_state()
        assert tab.locator(".fault").count() == 0
    assert tab.evaluate("window.harmed") is None


def test_a_hostile_file_name_is_only_shown(tab, tmp_path, empty):
    log = agentic_data.write_log(tmp_path / "x.jsonl", agentic_data.HARM[0])
    name = '../../"><img src=x onerror=alert(1)>.jsonl'
    upload = {"name": name, "mimeType": "text/plain", "buffer": log.read_bytes()}
    answer = tab.request.post(f"{empty}/agentic/submit", multipart={"file": upload})
    tab.goto(answer.url)

    assert tab.evaluate("window.harmed") is None
    assert tab.locator("main img").count() == 0
    held = [one for one in (tmp_path / "home" / "uploads").rglob("*") if one.is_file()]
    assert len(held) == 1
    assert set(held[0].name) <= set(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
    )
