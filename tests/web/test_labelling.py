import json
import re

import pytest

from benchmaker.store import Store
from tests.web.accessible import violations
from tests.web.browser import patient
from tests.web.serving import serving
from tests.web.test_guard import ask


@pytest.fixture
def labelled(home):
    with serving(home) as address:
        run = json.loads(ask(address, path="/runs.json")[2])["runs"][0]["run"]
        yield address, run, home


def labels(home, run):
    with Store.open(home / "benchmaker.db", read_only=True) as store:
        return [one for one in store.labels([run]) if not one.is_withdrawn]


def test_axe_finds_nothing_where_nobody_gave_a_name(tab, demo):
    assert violations(tab, f"{demo}/judges/label?run=latest") == []


def test_ten_answers_are_labelled_by_keyboard(tab, labelled):
    address, run, home = labelled
    tab.goto(f"{address}/judges/label?run={run}&by=ann")
    for score in range(10):
        if score == 4:
            tab.keyboard.press("f")
        for key in "10" if score == 9 else str(score):
            tab.keyboard.press(key)
        with tab.expect_navigation():
            tab.keyboard.press("Enter")

    made = labels(home, run)
    assert sorted(one.raw_score for one in made) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10]
    assert {one.actor for one in made} == {"ann"}
    assert [one.note for one in made if one.note] == ["[flag]"]
    assert "10 of" in tab.locator(".meta").inner_text()
    shown = tab.locator("section header").first.inner_text()
    assert re.search(r"Answer \d+ of \d+", shown)


def test_a_label_is_taken_back_and_an_answer_is_skipped(tab, labelled):
    address, run, home = labelled
    tab.goto(f"{address}/judges/label?run={run}")
    first = tab.locator("section header .mono").inner_text()
    tab.keyboard.press("7")
    with tab.expect_navigation():
        tab.keyboard.press("Enter")
    assert tab.locator("section header .mono").inner_text() != first
    with tab.expect_navigation():
        tab.keyboard.press("u")
    assert tab.locator("section header .mono").inner_text() == first
    assert labels(home, run) == []
    with tab.expect_navigation():
        tab.keyboard.press("s")

    assert tab.locator("section header .mono").inner_text() != first


def test_it_works_without_script(chromium, labelled):
    address, run, home = labelled
    context = patient(chromium, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/judges/label?run={run}&n=2")
    page.get_by_label("Score,").fill("eleven")
    page.get_by_role("button", name="Save").click()
    page.wait_for_load_state()
    assert "0 to 10" in page.get_by_role("alert").inner_text()
    while page.get_by_label("Score,").count():
        page.get_by_label("Score,").fill("pass")
        with page.expect_navigation():
            page.get_by_role("button", name="Save").click()
    assert "End of the queue" in page.locator("main").inner_text()
    page.get_by_role("link", name="Progress").first.click()
    page.wait_for_load_state()

    assert "local" in page.locator("tbody").inner_text()
    assert {one.score for one in labels(home, run)} == {1.0}
    context.close()


def test_nothing_of_the_author_is_shown(tab, demo, demo_home):
    with Store.open(demo_home / "benchmaker.db", read_only=True) as store:
        models = store.runs(limit=1)[0].models
    tab.goto(demo + "/judges/label?run=latest")

    text = tab.content()
    assert not [model for model in models if model in text]


def test_single_keys_can_be_switched_off(tab, labelled):
    address, run, _ = labelled
    tab.goto(address + "/keys")
    tab.get_by_role("button", name="Turn shortcuts off").click()
    tab.goto(f"{address}/judges/label?run={run}")
    tab.keyboard.press("7")
    tab.keyboard.press("f")

    assert tab.locator("#score").input_value() == ""
    assert not tab.get_by_label("Flag").is_checked()


def test_labels_are_exported(labelled):
    address, run, _ = labelled
    status, headers, body = ask(address, path=f"/judges/label/labels.csv?run={run}")

    assert (status, headers["content-type"]) == (200, "text/csv; charset=utf-8")
    assert body.startswith("run,case,model")


def test_wrong_words_are_refused(labelled):
    address, run, _ = labelled
    assert ask(address, path="/judges/label?run=nothing-like-it")[0] == 422
    assert ask(address, path=f"/judges/label?run={run}&n=-1")[0] == 422
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ask(address, "POST", "/judges/label", form, f"run={run}&item=x&score=1")[0] == 404
