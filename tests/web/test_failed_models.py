"""The pages of a run of four models of which three fail: the reasons, and a retry."""

import csv
import http.client
import io
import json
import re
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import RunOptions
from benchmaker.record import INFRASTRUCTURE, RunState
from benchmaker.report.runs.state import shown_states
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from tests.web.accessible import violations
from tests.web.aside import aside
from tests.web.refusing import refusing
from tests.web.results_data import fetched
from tests.web.serving import serving

REASONS = ("HTTP 401", "HTTP 404", "connection refused")
CASES = [
    benchmaker.Case(id=f"c{at}", prompt="A city?", expected=("Lima", "Oslo")[at % 2])
    for at in range(6)
]


def run_of(home, models, cases=CASES):
    """The id of a run of these models."""
    suite, how = benchmaker.Suite("cities", cases, scorer="exact"), RunOptions(retries=0)
    made = aside(benchmaker.run, suite, models=list(models), home=home, options=how, environ={})
    return made.run_ids[0]


@pytest.fixture(scope="module")
def failed(tmp_path_factory):
    """The address of a server with the run, the id of the run, and its data folder."""
    home = tmp_path_factory.mktemp("failed")
    with refusing() as models:
        run = run_of(home, models)
    with serving(home) as address:
        yield address, run, home


def page(failed, path):
    address, run, _ = failed
    status, _, body = fetched(address + path.format(run=run))
    assert status == 200, body[:500]
    return body.decode()


def posted(url, fields=()):
    parts = urlsplit(url)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=120)) as made:
        kind = {"content-type": "application/x-www-form-urlencoded"}
        made.request("POST", parts.path, urlencode(fields), kind)
        answer = made.getresponse()
        return answer.status, answer.getheader("location")


def test_lists_in_json_count_the_failed_and_the_unsent_trials(failed):
    _, run, home = failed
    [row] = json.loads(page(failed, "/api/v1/runs"))["items"]
    command = ("runs", "--json", "--home", str(home))
    printed = subprocess.run(
        [sys.executable, "-m", "benchmaker", *command], capture_output=True, check=True
    )
    assert json.loads(printed.stdout)["runs"] == [row]
    with Store.open(home / STORE_FILE) as store:
        trials = list(store.trials(run))
    assert row["failed"] == sum(trial.outcome in INFRASTRUCTURE for trial in trials)
    assert row["done"] == len(trials)
    assert row["unsent"] == row["planned"] - len(trials)
    assert "Open the run to retry." in page(failed, "/")


@pytest.mark.parametrize("path", ["/arena/{run}", "/runs/{run}"])
def test_the_reasons_of_all_failed_models_stand_on_top(failed, path):
    text = page(failed, path)
    banner = re.search(r'<div class="banner err".*?</ul>', text, re.DOTALL)[0]
    assert "<b>3 of 4 models have no scores.</b>" in banner
    for reason in REASONS:
        assert reason in banner
    assert "okb" not in text
    assert text.index("banner err") < text.index(
        'id="h-forest"' if 'id="h-forest"' in text else 'class="tiles"'
    )


@pytest.mark.parametrize("path", ["/arena/{run}", "/runs/{run}"])
def test_failed_trials_can_be_retried_from_both_pages(failed, path):
    text = page(failed, path)
    run = failed[1]
    form = re.search(rf'<form method="post" action="/arena/{run}/resume"><input.*?</form>', text)[0]
    assert 'name="again" value="failed"' in form
    [row] = json.loads(page(failed, "/api/v1/runs"))["items"]
    assert f"Retry {row['failed']} failed trials, run {row['unsent']} more<" in form


def test_the_tile_and_the_outcomes_count_failed_requests_alike(failed):
    text = page(failed, "/runs/{run}")
    [row] = json.loads(page(failed, "/api/v1/runs"))["items"]
    tile = re.search(r"<dt>Trials</dt>.*?</dd>", text, re.DOTALL)[0]
    answered = row["done"] - row["failed"]
    assert f"{answered} answered, {row['failed']} failed requests</bdi>" in tile
    table = page(failed, "/runs/{run}/tables/outcomes.csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert (
        sum(int(it["trials"]) for it in rows if it["outcome"] == "provider_error") == row["failed"]
    )


def test_the_table_of_failures_has_the_reasons(failed):
    text = page(failed, "/runs/{run}").partition('id="h-fail"')[2].partition("</table>")[0]
    for reason in REASONS:
        assert f"<bdi>{reason}</bdi>" in text
    table = page(failed, "/runs/{run}/tables/failures.csv")
    assert {row["reason"] for row in csv.DictReader(io.StringIO(table))} == set(REASONS)


def test_cells_of_the_grid_have_the_reasons(failed):
    text = page(failed, "/arena/{run}")
    for reason in REASONS:
        assert f"provider error: {reason}</span>" in text


def test_the_legend_names_trials_that_were_not_run(failed):
    text = page(failed, "/runs/{run}")
    assert "unscored or not run" in text
    assert '<span class="sr">not run</span>' in text


def test_an_incomplete_cost_does_not_claim_all_requests(failed):
    for path in ("/runs/{run}", "/arena/{run}"):
        tile = re.search(r"<dt>Cost</dt>.*?</div></dd>", page(failed, path), re.DOTALL)[0]
        assert "unknown" in tile
        assert "no cost was reported" in tile
        assert "all requests" not in tile


def test_a_cost_of_at_least_an_amount_names_the_trials_of_unknown_cost(tmp_path):
    answers = tmp_path / "answers.jsonl"
    rows = [
        {"id": case.id, "model": model, "output": "Lima", **cost}
        for model, cost in (("paid", {"cost_usd": 0.5}), ("other", {}))
        for case in CASES
    ]
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    run = aside(benchmaker.run, suite, recorded=answers, home=tmp_path).run_ids[0]
    with serving(tmp_path) as address:
        texts = [fetched(f"{address}/{place}/{run}")[2].decode() for place in ("runs", "arena")]
    tiles = [re.search(r"<dt>Cost</dt>.*?</div></dd>", it, re.DOTALL)[0] for it in texts]
    assert all("at least $3.00" in tile for tile in tiles)
    assert "unknown for 6 trials of other" in tiles[0]
    assert "unknown for 6 trials" in tiles[1]


def test_a_run_whose_models_all_fail_has_no_green_tick(tmp_path):
    with refusing() as models:
        run = run_of(tmp_path, [models.wrong], CASES[:2])
    with serving(tmp_path) as address:
        text = fetched(f"{address}/arena/{run}")[2].decode()
    assert "<b>No scores.</b>" in text
    assert "HTTP 404" in text
    assert "okb" not in text


def test_a_retry_runs_what_failed(tmp_path):
    with refusing() as models, serving(tmp_path) as address:
        run = run_of(tmp_path, [models.dead], CASES[:2])
        asked = posted(f"{address}/arena/{run}/resume", {"again": "failed"})
        with Store.open(tmp_path / STORE_FILE) as store:
            assert store.jobs.find_newest(run).body["retry_failed"] is True
    assert asked == (303, f"/arena/{run}")


def test_a_failed_run_can_be_dismissed(tmp_path):
    with refusing() as models:
        run = run_of(tmp_path, [models.wrong], CASES[:2])
    with serving(tmp_path) as address:
        assert f'action="/runs/{run}/dismiss"' in fetched(f"{address}/")[2].decode()
        assert posted(f"{address}/runs/{run}/dismiss") == (303, "/")
        home = fetched(f"{address}/")[2].decode()
    assert "Action needed" not in home
    assert run in home


@pytest.mark.long
def test_the_next_row_has_the_focus_after_dismissing_one_by_keyboard(tab, tmp_path):
    with refusing() as models:
        for _ in range(2):
            aside(run_of, tmp_path, [models.wrong], CASES[:2])
    with serving(tmp_path) as address:
        tab.goto(address)
        buttons = tab.get_by_role("button", name="Dismiss")
        buttons.first.focus()
        tab.keyboard.press("Enter")
        expect(buttons).to_have_count(1)
        expect(buttons).to_be_focused()
        tab.keyboard.press("Enter")
        expect(buttons).to_have_count(0)


def test_a_dismissed_run_that_is_resumed_needs_action_again(tmp_path):
    with refusing() as models:
        run = run_of(tmp_path, [models.wrong], CASES[:2])
    with serving(tmp_path) as address:
        posted(f"{address}/runs/{run}/dismiss")
    with Store.open(tmp_path / STORE_FILE) as store:
        assert store.run(run).is_dismissed
        store.set_run_state(run, RunState.FINISHED, finished_at="9999-01-01T00:00:00.000Z")
        assert not store.run(run).is_dismissed


def test_another_site_cannot_dismiss_a_run(failed):
    address, run, _ = failed
    parts = urlsplit(address)
    with closing(http.client.HTTPConnection(parts.netloc, timeout=120)) as made:
        made.request("POST", f"/runs/{run}/dismiss", headers={"origin": "https://evil.example"})
        assert made.getresponse().status == 403


@pytest.mark.parametrize("path", ["/", "/runs", "/compare", "/runs/{run}", "/arena/{run}"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_pages_fit_a_phone(tab, failed, path, theme):
    address, run, _ = failed
    tab.set_viewport_size({"width": 390, "height": 844})
    tab.emulate_media(color_scheme=theme)
    tab.goto(address + path.format(run=run))
    wide = "document.documentElement.scrollWidth"
    assert tab.evaluate(wide) <= 390
    held = "[...document.querySelectorAll('.scroll')].every(e => e.scrollHeight <= e.clientHeight)"
    assert tab.evaluate(held)
    if path in {"/", "/runs"}:
        chip = tab.locator("table .chip").first.bounding_box()
        assert chip["x"] + chip["width"] <= 390


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/{run}", "/arena/{run}"])
def test_axe_finds_nothing_on_the_pages_of_failed_models(tab, failed, path):
    address, run, _ = failed
    assert violations(tab, address + path.format(run=run)) == []


def imported_run(home):
    """The id of a run of stored answers that lack those to a case."""
    rows = [{"id": case.id, "model": "m", "output": "Lima"} for case in CASES[1:]]
    answers = home / "answers.jsonl"
    answers.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    suite = benchmaker.Suite("cities", CASES, scorer="exact")
    return aside(benchmaker.run, suite, recorded=answers, home=home).run_ids[0]


def test_the_filter_by_state_finds_the_runs_that_the_list_shows_with_it(tmp_path):
    with refusing() as models:
        made = {
            "stopped": {run_of(tmp_path, models)},
            "failed": {run_of(tmp_path, [models.locked], CASES[:1])},
            "finished": {run_of(tmp_path, [models.good], CASES[:1]), imported_run(tmp_path)},
            "interrupted": set(),
            "running": set(),
        }
    with Store.open(tmp_path / STORE_FILE) as store:
        states = shown_states(store, store.runs())
    assert made == {word: {i for i, it in states.items() if it.word == word} for word in made}
    words = {run: it.word for run, it in states.items()}
    with serving(tmp_path, works=False) as address:
        table = csv.DictReader(fetched(f"{address}/runs.csv")[2].decode().splitlines())
        items = json.loads(fetched(f"{address}/api/v1/runs")[2])["items"]
        asked = {
            word: json.loads(fetched(f"{address}/api/v1/runs?state={word}")[2])["items"]
            for word in made
        }
        listed = fetched(f"{address}/runs")[2].decode()
        found = {word: fetched(f"{address}/runs.json?state={word}")[2] for word in made}
    assert re.findall(r"<option>(\w+)</option>", listed.partition("<span>State</span>")[2]) == [
        *RunState,
        "stopped",
        "failed",
    ]
    assert {row["run"]: row["state"] for row in table} == words
    assert {row["run_id"]: row["state"] for row in items} == words
    assert made == {word: {it["run_id"] for it in rows} for word, rows in asked.items()}
    assert made == {w: {it["run"] for it in json.loads(body)["runs"]} for w, body in found.items()}
