"""A run controlled from its live page and through the API, while models answer."""

import json
import re
from contextlib import closing
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import expect

from benchmaker.record import RunState
from benchmaker.store import Store
from tests.waiting import until
from tests.web.accessible import violations_here
from tests.web.answering import answering
from tests.web.api.asking import Client
from tests.web.results_data import fetched
from tests.web.serving import serving
from tests.web.test_arena_live import begun, put

CASES = 30
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def posted(address, path, **fields):
    """The status of a form's answer, with its address."""
    with closing(HTTPConnection(urlsplit(address).netloc, timeout=120)) as made:
        made.request("POST", path, urlencode(fields), FORM)
        answer = made.getresponse()
        return answer.status, answer.getheader("location")


def test_a_run_is_paused_resumed_and_sped_up_on_its_page(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"], concurrency=2)
        tab.goto(f"{address}/arena/{name}")
        expect(tab.get_by_label("Parallel requests")).to_have_value("2")
        until(lambda: len(models.asked) == 2)
        tab.get_by_label("Parallel requests").fill("4")
        tab.get_by_role("button", name="Apply").click()
        expect(tab.get_by_label("Parallel requests")).to_have_value("4")
        until(lambda: len(models.asked) == 4)
        tab.get_by_role("button", name="Pause").click()
        expect(tab.locator("#notice")).to_contain_text("Paused.")
        assert violations_here(tab) == []
        models.flows.set()
        expect(tab.locator("#tiles .v").first).to_contain_text(f"4 of {CASES}")
        assert len(models.asked) == 4
        tab.get_by_role("button", name="Resume").click()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        assert len(models.asked) == CASES
        expect(tab.get_by_label("Parallel requests")).to_have_count(0)


def test_a_model_is_dropped_and_a_budget_set_on_the_page(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        names = [f"{models.url}#{one}" for one in ("small", "large")]
        name = begun(address, suite, names, concurrency=2)
        until(lambda: len(models.asked) == 2)
        tab.goto(f"{address}/arena/{name}")
        tab.get_by_label("Budget, $").fill("3")
        tab.get_by_role("button", name="Set budget").click()
        expect(tab.locator("#last-command")).to_contain_text("refused: ")
        tab.get_by_text("Drop a model").click()
        assert violations_here(tab) == []
        send = "to => fetch(to, { method: 'POST', body: new URLSearchParams({ concurrency: 3 }) })"
        tab.evaluate(send, f"/arena/{name}/control")
        expect(tab.locator("#last-command")).to_contain_text("3")  # an update leaves the list open
        drop = tab.get_by_role("button", name=re.compile("Drop .*large"))
        expect(drop).to_be_visible()
        drop.click()
        expect(tab.locator("#last-command")).to_contain_text("is dropped")
        expect(tab.locator("#notice")).to_contain_text("Stopped querying")
        expect(tab.get_by_text("Drop a model")).to_have_count(0)
        models.flows.set()
        expect(tab.locator("#tiles .v").first).to_contain_text(f"{CASES + 1} of {2 * CASES}")
        expect(tab.locator("#results")).to_be_visible()
    assert len(models.asked) == CASES + 1


def test_the_models_stay_in_view_and_the_answer_stands_below(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#small"])
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        head = tab.locator("#h0").bounding_box()
        last = tab.locator(f"#c{CASES - 1}m0")
        last.evaluate("it => it.scrollIntoView({ block: 'nearest' })")
        assert tab.locator(".following").evaluate("it => it.scrollTop") > 0
        group = tab.locator(".following").bounding_box()
        now = tab.locator("#h0").bounding_box()
        assert now["y"] == group["y"]
        assert now["height"] == head["height"]
        last.click()
        expect(tab.locator("#said-so-far .answer")).to_contain_text("It is 42")
        answer = tab.locator("#chosen").bounding_box()
        assert answer["y"] >= group["y"] + group["height"] - tab.evaluate("scrollY")
        assert answer["width"] >= group["width"]
        assert answer["y"] < tab.viewport_size["height"]


def test_the_forms_work_without_a_script(tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with (
        answering() as models,
        serving(home) as address,
        Store.open(home / "benchmaker.db") as store,
    ):
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"], concurrency=2)
        until(lambda: len(models.asked) == 2)
        place = f"/arena/{name}/control"
        assert posted(address, place, action="pause") == (303, f"/arena/{name}")
        assert store.run(name).state is RunState.PAUSED
        assert posted(address, place, concurrency="many")[0] == 422
        assert posted(address, place, max_cost="much")[0] == 422
        assert posted(address, place)[0] == 422
        models.flows.set()
        assert posted(address, place, action="resume") == (303, f"/arena/{name}")
        until(lambda: store.run(name).state is RunState.FINISHED)
        assert posted(address, place, action="pause") == (303, f"/arena/{name}")
        assert [one.actor for one in store.run_commands.of_run(name)] == ["local", "local"]


def test_a_dropped_model_needs_no_person_and_can_be_run_after_all(tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with (
        answering() as models,
        serving(home) as address,
        Store.open(home / "benchmaker.db") as store,
    ):
        models.flows.clear()
        small, large = (f"{models.url}#{one}" for one in ("small", "large"))
        name = begun(address, suite, [small, large], concurrency=2)
        until(lambda: len(models.asked) == 2)
        posted(address, f"/arena/{name}/control", drop_model=large)
        until(lambda: store.run(name).dropped == (large,))
        models.flows.set()
        until(lambda: not store.jobs.list_open())
        left = 2 * CASES - len(models.asked)
        home_page, live = (fetched(f"{address}{at}")[2].decode() for at in ("/", f"/arena/{name}"))
        assert 'id="h-waiting"' not in home_page
        assert 'id="resume"' not in live
        assert f"was dropped: {left} trials not run." in live.replace("\N{NO-BREAK SPACE}", " ")
        assert posted(address, f"/arena/{name}/resume", again="failed")[0] == 303
        until(lambda: not store.jobs.list_open())
        assert len(models.asked) == 2 * CASES - left
        assert posted(address, f"/arena/{name}/resume", add=large)[0] == 303
        until(lambda: store.count_done(name) == 2 * CASES)
        assert store.run(name).dropped == ()


def test_a_paused_run_outlives_its_server_and_waits(tmp_path):
    """A worker of the next server does not start it; the button Resume does."""
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models:
        with serving(home) as address:
            models.flows.clear()
            name = begun(address, suite, [f"{models.url}#small"], concurrency=2)
            until(lambda: len(models.asked) == 2)
            posted(address, f"/arena/{name}/control", action="pause")
            models.flows.set()
        before = len(models.asked)
        with serving(home) as address, Store.open(home / "benchmaker.db") as store:
            other = begun(address, suite, [f"{models.url}#small"], concurrency=2)
            until(lambda: store.run(other).state is RunState.FINISHED)
            assert store.run(name).state is RunState.PAUSED
            assert len(models.asked) == before + CASES
            api = Client(address)
            assert api.get(f"/runs/{name}")["state"] == "paused"
            listed = {row["run_id"]: row["state"] for row in api.get("/runs")["items"]}
            assert listed[name] == "paused"
            posted(address, f"/arena/{name}/control", action="resume")
            until(lambda: store.run(name).state is RunState.FINISHED)
            assert len(models.asked) == 2 * CASES


def test_the_api_controls_a_run(tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models, serving(home) as address:
        api = Client(address)
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"], concurrency=2)
        until(lambda: len(models.asked) == 2)
        place = f"/runs/{name}/control"
        paused = api.post(place, {"action": "pause"})
        assert paused["state"] == "paused"
        assert paused["commands"][0]["result"] == "paused; 2 requests in flight will finish"
        told = api.post(place, {"action": "concurrency", "value": 3})
        assert told["commands"][0]["result"] == "3 parallel requests instead of 2"
        for wrong in (
            {"action": "concurrency"},
            {"action": "concurrency", "value": 0},
            {"action": "concurrency", "value": True},
            {"action": "max_cost", "value": True},
            {"action": "pause", "value": 1},
            {"action": "max_cost", "value": "much"},
            {"action": "drop_model", "value": 3},
            {"action": "no such"},
        ):
            assert api.ask("POST", place, body=wrong).status == 422, wrong
        for most in (-1, 1e9):
            refused = api.ask("POST", place, body={"action": "max_cost", "value": most})
            assert refused.status == 422
            assert "max_cost must be dollars from 0 to 1,000,000" in json.dumps(refused.error)
        near = api.ask("POST", place, body={"action": "drop_model", "value": f"{models.url}#smal"})
        assert near.status == 422
        assert re.search("Did you mean .*#small", near.error["hint"])
        assert api.ask("POST", "/runs/nosuch/control", body={"action": "pause"}).status == 404
        models.flows.set()
        assert api.post(place, {"action": "resume"})["state"] == "running"


def test_typed_limits_stay_during_live_updates(tab, tmp_path):
    home = tmp_path / "home"
    suite = put(home, cases=CASES)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"], concurrency=2)
        until(lambda: len(models.asked) == 2)
        tab.goto(f"{address}/arena/{name}")
        tab.get_by_label("Parallel requests").fill("7")
        tab.get_by_label("Budget, $").fill("3")
        status, _ = posted(address, f"/arena/{name}/control", concurrency="1")
        assert status == 303
        expect(tab.locator("#last-command")).to_contain_text("1")
        expect(tab.get_by_label("Parallel requests")).to_have_value("7")
        expect(tab.get_by_label("Budget, $")).to_have_value("3")
        expect(tab.get_by_label("Budget, $")).to_be_focused()
        models.flows.set()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        expect(tab.get_by_label("Budget, $")).to_have_count(0)
