"""A run while it fills: stop, kill, restart, resume, reload, and the stream behind it."""

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from itertools import islice
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from playwright.sync_api import expect

import benchmaker
from benchmaker import Case, ScorerSpec, Suite
from benchmaker.arenas.standard.job_handlers import RUN, ask_for
from benchmaker.record.job import JobState
from benchmaker.store import Store
from benchmaker.store.home import STORE_FILE
from benchmaker.web.live.events import Listener, RunWatch
from tests.waiting import until
from tests.web.accessible import violations
from tests.web.answering import answering
from tests.web.browser import answers_to, weight
from tests.web.refusing import refusing
from tests.web.serving import apps, serving

CASES = 12
MANY, SLOWLY_S = 50, 0.7
"""So many answers take two minutes at that pause between words: to stop them takes less."""

EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def put(home, *, cases=CASES, prompt="What is 40 + 2?", name="sums"):
    """A suite in the store; returns its hash."""
    suite = Suite(
        name,
        [Case(id=f"{name}-{n}", prompt=f"{prompt} {n}", expected="42") for n in range(cases)],
        scorer=ScorerSpec(id="numeric"),
        profile="robust",
    )
    with Store.open(home / "benchmaker.db") as store:
        return store.put_suite(suite)


@contextmanager
def asking(address, method, path, body=None, **headers):
    """One request, and its answer while the block lasts."""
    made = http.client.HTTPConnection(urlsplit(address).netloc, timeout=120)
    with closing(made):
        made.request(method, path, body, headers)
        yield made.getresponse()


def begun(address, suite, models, *, times=1, **more):
    """Begin a run as the page does; returns its id."""
    form = [("set", "1"), ("suite", suite), ("times", times), *more.items()]
    form += [("models", model) for model in models]
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    with asking(address, "POST", "/arena", urlencode(form), **kind) as answer:
        body = answer.read().decode()
        assert answer.status == 303, body
        return answer.getheader("location").rpartition("/")[2]


def listened(address, path, *, last="", most=1):
    """The first events of a stream, as (id, kind, data)."""
    headers = {"Last-Event-ID": last} if last else {}
    with asking(address, "GET", path, **headers) as answer:
        assert answer.getheader("content-type").startswith("text/event-stream")
        return list(islice(events_in(answer), most))


def events_in(answer):
    """Each event of a stream as (id, kind, data)."""
    lines = []
    while line := answer.readline().decode():
        if line.strip():
            lines.append(line.rstrip("\n").partition(": ")[::2])
        elif lines:
            fields = dict(lines)
            data = "\n".join(value for name, value in lines if name == "data")
            yield fields.get("id"), fields.get("event"), data
            lines = []


@pytest.fixture
def home(tmp_path):
    """An empty data folder."""
    return tmp_path / "home"


def held_at(models, number):
    """From that request on no answer gets further, until ``models.flows`` is set."""

    def reply(_):
        if len(models.asked) == number:
            models.flows.clear()
        return "It is 42"

    models.reply = reply


def test_the_grid_fills_without_a_reload(tab, home):
    suite = put(home)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"])
        tab.goto(f"{address}/arena/{name}?at=0.0")
        expect(tab.locator("#c0m0")).to_contain_text("writing")
        expect(tab.locator("#said-so-far .answer")).to_contain_text("It")
        expect(tab.locator("header.top")).to_contain_text("1 running")
        tab.evaluate("window.kept = true")
        models.flows.set()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        expect(tab.locator("#c0m0")).to_contain_text("100.0")
        expect(tab.locator("#said-so-far .answer")).to_contain_text("It is 42")
        expect(tab.locator("#figure0")).to_contain_text("12 cases")
        assert tab.evaluate("window.kept")
        expect(tab.locator("#said")).to_contain_text("12 of 12 trials done")


def test_a_cell_is_chosen_in_place_and_by_arrows(tab, home):
    suite = put(home)
    with answering(lambda prompt: f"Said to {prompt}") as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#small", f"{models.url}#large"])
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        tab.evaluate("window.kept = true")
        tab.locator("#c0m0").focus()
        tab.keyboard.press("ArrowDown")
        tab.keyboard.press("ArrowRight")
        tab.keyboard.press("Enter")
        expect(tab.locator("#said-so-far")).to_contain_text("Said to What is 40 + 2? 1")
        assert tab.url.endswith("?at=1.1")
        assert tab.locator("#c1m1").get_attribute("aria-current") == "true"
        assert tab.evaluate("window.kept")
        tab.reload()
        expect(tab.locator("#said-so-far")).to_contain_text("Said to What is 40 + 2? 1")


def test_a_run_is_stopped_by_keyboard_and_resumed(tab, home):
    suite = put(home, cases=MANY)
    with answering() as models, serving(home) as address:
        held_at(models, 4)
        name = begun(address, suite, [f"{models.url}#small"], concurrency=1)
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#tiles .v").first).not_to_contain_text(re.compile("^0 "))
        tab.keyboard.press("s")
        expect(tab.locator("#confirm")).to_contain_text("Stop the run?")
        tab.locator("#really-stop").click()
        models.pause_s = SLOWLY_S
        models.flows.set()
        expect(tab.locator("#notice")).to_contain_text("Stopped with")
        assert 4 <= len(models.asked) < MANY
        tab.reload()
        expect(tab.locator("#notice")).to_contain_text("Stopped with")
        models.pause_s = 0.0
        tab.locator("#resume").click()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        assert len(models.asked) == MANY


def test_a_reload_in_the_middle_shows_the_same_page(tab, home):
    suite = put(home)
    with answering(pause_s=0.05) as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#small"], concurrency=1)
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#c2m0")).to_contain_text("100.0")
        tab.reload()
        assert "100.0" in tab.locator("#c0m0").inner_text()
        assert "100.0" in tab.locator("#c2m0").inner_text()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        assert len(models.asked) == CASES


@contextmanager
def started(home):
    """The real command in a process of its own; gives it, and its address."""
    command = [sys.executable, "-m", "benchmaker", "serve", "--port", "0", "--json"]
    env = {
        **os.environ,
        "BENCHMAKER_HOME": str(home),
        "PYTHONUNBUFFERED": "1",
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as process:
        try:
            told = "".join(iter(process.stdout.readline, "}\n")) + "}"
            yield process, json.loads(told)["address"]
        finally:
            process.kill()


def test_a_killed_server_goes_on_where_it_was(tab, home):
    suite = put(home)
    with answering() as models:
        held_at(models, 6)
        with started(home) as (process, address):
            tab.goto(address.replace("/?", "/arena?"))
            tab.locator("#suite").select_option(suite)
            tab.locator("#byname").fill(f"{models.url}#small")
            tab.locator("#b-concurrency").fill("2")
            tab.keyboard.press("Control+Enter")
            tab.wait_for_url(re.compile(r"/arena/\d{8}-"))
            path = urlsplit(tab.url).path
            expect(tab.locator("#c2m0")).to_contain_text("100.0")
            tab.evaluate("document.body.id = 'same'")
            with Store.open(home / "benchmaker.db") as store:
                run = path.rpartition("/")[2]
                until(lambda: store.count_done(run) == len(models.asked) - 2)
                process.send_signal(signal.SIGKILL)
                process.wait()
                before = store.count_done(run)
            expect(tab.locator("#stale")).to_contain_text("Not live since")
        asked = len(models.asked)
        assert 0 < before < CASES
        models.flows.set()
        with started(home) as (_, address):
            tab.goto(address.partition("/?")[0] + path)
            expect(tab.locator("#notice")).to_contain_text("Finished.")
        assert asked - before <= 2, "no more was in flight"
        assert len(models.asked) <= CASES + 2, "only what was in flight was asked again"
    result = benchmaker.results(path.rpartition("/")[2], home=home)
    assert result.is_finished
    assert sum(1 for _ in result.trials()) == CASES
    tab.complaints.clear()  # the browser notes that the server was gone


def test_a_server_that_is_ended_lets_pages_go_and_its_run_is_gone_on_with(home):
    suite = put(home)
    with answering() as models:
        held_at(models, 3)
        with started(home) as (process, address):
            token = address.partition("?")[2]
            with asking(address, "GET", f"/?{token}") as answer:
                cookie = answer.getheader("set-cookie").partition(";")[0]
            form = urlencode(
                {"set": 1, "suite": suite, "models": f"{models.url}#small", "concurrency": 1}
            )
            kind = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": cookie}
            with asking(address, "POST", "/arena", form, **kind) as answer:
                path = answer.getheader("location")
            with asking(address, "GET", f"{path}/events", Cookie=cookie) as answer:
                until(lambda: len(models.asked) >= 3)
                process.send_signal(signal.SIGINT)
                answer.read()
                models.flows.set()
                assert process.wait(120) in {0, 130, -signal.SIGINT}
        with Store.open(home / "benchmaker.db") as store:
            assert [job.state for job in store.jobs.list_open()] == [JobState.QUEUED]
        with started(home), Store.open(home / "benchmaker.db") as store:
            until(lambda: not store.jobs.list_open())
        assert len(models.asked) == CASES


def test_a_stop_is_noticed_soon(home):
    suite = put(home, cases=MANY)
    with answering() as models, serving(home) as address:
        held_at(models, 2)
        name = begun(address, suite, [f"{models.url}#small"], concurrency=1)
        until(lambda: len(models.asked) >= 2)
        with asking(address, "POST", f"/arena/{name}/stop") as answer:
            assert answer.status == 303
        models.pause_s = SLOWLY_S
        models.flows.set()
        with Store.open(home / "benchmaker.db") as store:
            until(lambda: store.jobs.find_newest(name).state is JobState.STOPPED)
        assert len(models.asked) < MANY


def test_a_stream_goes_on_where_it_was_cut(home):
    suite = put(home)
    with answering(pause_s=0.02) as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#small"], concurrency=1)
        path = f"/arena/{name}/events?after=0"
        seen = listened(address, path, most=4)
        numbers = [int(number) for number, _, _ in seen if number]
        assert numbers == sorted(numbers)
        with Store.open(home / "benchmaker.db") as store:
            until(lambda: not store.jobs.list_open())
        rest = listened(address, path, last=str(numbers[-1]), most=1)[0][2]
        first = set(re.findall(r'id="(c\d+m\d+)"[^>]*>\s*<b', "".join(data for *_, data in seen)))
        later = set(re.findall(r'id="(c\d+m\d+)"[^>]*>\s*<b', rest))
        assert first | later == {f"c{n}m0" for n in range(CASES)}
        assert len(later) < CASES
        assert listened(address, path, last=str(numbers[-1]), most=2)[1][1] == "over"


def test_many_listeners_share_one_look(home):
    suite = put(home, cases=4)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small"])
        with ExitStack() as stack:
            path = f"/arena/{name}/events"
            streams = [stack.enter_context(asking(address, "GET", path)) for _ in range(30)]
            for answer in streams:
                assert answer.readline().startswith(b"id: ")
            tail = apps[address].state.bench.watch.tails[name]
            looks, since = tail.looks, time.monotonic()
            assert len(tail.listeners) == 30
            models.flows.set()
            assert all(b"event: over" in answer.read() for answer in streams)
            assert tail.looks - looks <= 2 + (time.monotonic() - since) / 0.25


def test_a_slow_listener_is_dropped():
    listener = Listener()
    for _ in range(40):
        listener.offer(None)
    assert listener.is_dropped
    assert RunWatch().tails == {}


def test_hostile_names_and_answers_stay_text(tab, home):
    suite = put(home, cases=2, prompt=EVIL, name=f"s{EVIL}")
    with answering(lambda _: f"{EVIL} 42 \u202e\x1b[2J") as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#{EVIL}"])
        tab.goto(f"{address}/arena/{name}?at=0.0")
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        tab.reload()
        expect(tab.locator("#said-so-far .answer")).to_contain_text(EVIL)
        tab.locator("#c1m0").click()
        expect(tab.locator("#chosen")).to_contain_text(f"s{EVIL}-1")
        assert tab.locator("main img").count() == 0
        assert tab.locator("main script").count() == 0
        tab.goto(f"{address}/arena")
        assert tab.locator("main img").count() == 0


def test_long_suites_come_in_pages_of_fifty(tab, home):
    suite = put(home, cases=120)
    with answering() as models, serving(home) as address:
        name = begun(address, suite, [f"{models.url}#small"], concurrency=50)
        tab.goto(f"{address}/arena/{name}")
        assert tab.locator("table.live tbody tr").count() == 50
        tab.get_by_role("link", name="Next cases").click()
        expect(tab.locator("#c50m0")).to_be_visible()
        expect(tab.locator("#notice")).to_contain_text("Finished.")
        expect(tab.locator("#c99m0")).to_contain_text("100.0")
        came = answers_to(tab)
        tab.goto(f"{address}/arena/{name}", wait_until="networkidle")
        assert weight(came) < 150_000


def test_axe_finds_nothing_while_it_runs_and_after(tab, home):
    suite = put(home, cases=3)
    with answering() as models, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small", f"{models.url}#large"], times=3)
        until(lambda: models.asked)
        for path in ("", "?at=0.0", "?confirm=stop"):
            assert violations(tab, f"{address}/arena/{name}{path}") == []
        models.flows.set()
        with Store.open(home / "benchmaker.db") as store:
            until(lambda: not store.jobs.list_open())
        for path in ("", "?at=0.0&run=2"):
            assert violations(tab, f"{address}/arena/{name}{path}") == []


def test_without_a_worker_it_says_how_to_start_one(tab, home):
    suite = put(home, cases=1)
    with answering() as models, serving(home, works=False) as address:
        name = begun(address, suite, [f"{models.url}#small"])
        tab.goto(f"{address}/arena/{name}")
        expect(tab.locator("#notice")).to_contain_text("benchmaker worker")
        command = [sys.executable, "-m", "benchmaker", "worker", "--once", "--home", str(home)]
        subprocess.run(command, check=True, timeout=300)
        expect(tab.locator("#notice")).to_contain_text("Finished.")


def test_pages_that_are_not_there_say_so(tab, demo):
    for path in ("/arena/s-20200101-aaaaaa", "/arena/nothing"):
        assert tab.goto(demo + path).status == 404
    tab.complaints.clear()  # the browser notes the 404s


def test_a_second_resume_changes_nothing(home):
    suite = put(home, cases=2)
    with answering() as models, serving(home, works=False) as address:
        name = begun(address, suite, [f"{models.url}#small"])
        with asking(address, "POST", f"/arena/{name}/resume") as answer:
            assert answer.status == 303
        with Store.open(home / "benchmaker.db") as store:
            assert len(store.jobs.list_open()) == 1
            with pytest.raises(benchmaker.BenchmakerError, match="already has a job in progress"):
                ask_for(store, RUN, name)


def test_trials_of_a_stopped_model_are_not_run_at_once(tab, home):
    """The other model is still being queried, and its trials are queued."""
    suite = put(home)
    with answering() as models, refusing() as others, serving(home) as address:
        models.flows.clear()
        name = begun(address, suite, [f"{models.url}#small", others.locked], concurrency="1")
        tab.goto(f"{address}/arena/{name}?at=11.1")
        expect(tab.locator("#notice")).to_contain_text("Stopped querying")
        expect(tab.locator("#c11m1")).to_have_text("not run")
        expect(tab.locator("#c11m0")).to_have_text("queued")
        left = tab.locator("table.live td:nth-child(3) a", has_text="not run").count()
        expect(tab.locator("#progress")).to_contain_text(f"{left} not run")
        expect(tab.locator("#said-so-far")).to_contain_text("Not run: a failure stopped")
        tab.reload()
        expect(tab.locator("#c11m1")).to_have_text("not run")
        expect(tab.locator("#c11m0")).to_have_text("queued")
        models.flows.set()
        expect(tab.locator("#c11m0")).to_contain_text("100.0")
        expect(tab.locator("#c11m1")).to_have_text("not run")


_READ_OUT = """steps => {
  let now = 1e13;
  Date.now = () => now;
  const counts = document.querySelector("#spoken"), said = document.querySelector("#said");
  return steps.map(([text, step, seconds]) => {
    counts.textContent = text;
    counts.dataset.step = step;
    now += 1000 * seconds;
    document.body.dispatchEvent(new Event("htmx:sseMessage"));
    return said.textContent;
  });
}"""


def test_counts_are_read_out_at_tenths_and_at_the_first_failure(tab, demo, demo_home):
    with Store.open(demo_home / STORE_FILE, read_only=True) as store:
        run = store.runs()[0]
    tab.goto(f"{demo}/arena/{run.id}")
    assert tab.locator("#spoken").get_attribute("data-step").startswith(f"{run.number} 10")
    steps = [
        ("3 of 90", "1 0", 1), ("9 of 90", "1 1", 5), ("9 of 90", "1 1", 6),
        ("12 of 90", "1 1", 60), ("13 of 90, 1 failed", "1 1 failures", 60),
        ("14 of 90, 2 failed", "1 1 failures", 60), ("18 of 90, 2 failed", "1 2 failures", 60),
    ]  # fmt: skip
    assert tab.evaluate(_READ_OUT, steps) == [
        "3 of 90", "3 of 90", "9 of 90", "9 of 90", "13 of 90, 1 failed", "13 of 90, 1 failed",
        "18 of 90, 2 failed",
    ]  # fmt: skip
