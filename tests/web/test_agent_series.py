"""Series of agents that the real runner makes, on their pages and everywhere else."""

import csv
import io
import itertools
import json
import os
import re
import statistics
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from click.testing import CliRunner
from playwright.sync_api import expect

import benchmaker
from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.series.series_results import known_tokens_of
from benchmaker.cli import main
from benchmaker.record.agent_trial import GatewayRequest, TrialKey, TrialMeter, total_tokens
from benchmaker.record.usage import Usage
from benchmaker.report.tables import numbers
from benchmaker.sandbox import Isolation
from benchmaker.sandbox.isolation_check import unmet_prerequisite
from benchmaker.store import Store
from benchmaker.web.agentic.gateway_requests import request_tokens
from benchmaker.web.agentic.series_grid import tokens_text
from tests.arenas.agentic.series.conftest import MODEL, TURNS, Agents, shell
from tests.left_out import leave_out
from tests.waiting import until
from tests.web.accessible import violations_here
from tests.web.aside import aside
from tests.web.results_data import fetched
from tests.web.serving import serving

TINY = "tiny · gpt-4o-mini"
STAND_INS = ("oracle", "nop", "cheat")
FLAKY = shell("printf right > answer.txt; exit 0")
KINDS = ("cost_usd", "requests")


def pytest_collection_modifyitems(config, items):
    """Without bubblewrap series fail under CI, and are deselected elsewhere."""
    fault = unmet_prerequisite(Isolation.NAMESPACE)
    if fault and os.environ.get("CI", "") not in {"1", "true"}:
        leave_out(config, items, items, f"of pages of series not run: {fault}")


@dataclass(frozen=True)
class Ran:
    """A finished series, its data folder and a server over it."""

    id: str
    home: object
    address: str

    def page(self, path):
        status, _, text = fetched(self.address + path)
        assert status == 200, path
        return text.decode()

    def show(self):
        said = ["agents", "show", self.id, "--json", "--home", str(self.home)]
        return json.loads(CliRunner().invoke(main, said).stdout)

    def open_store(self):
        return Store.open(self.home / "benchmaker.db")


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    agents = Agents(folder := tmp_path_factory.mktemp("agents"), folder / "home")
    chosen = [agents.adapter(), *STAND_INS]
    with agents.model():
        made = aside(agents.run, 2, chosen, models=MODEL, attempts=2, jobs=2, budget=1.0)
    with serving(agents.home, works=False) as address:
        yield Ran(made.series, agents.home, address)


def cells_of(text, name):
    """The texts of the cells of each row of a table, by the id of what holds it."""
    table = re.search(rf'id="{name}".*?<tbody>(.*?)</tbody>', text, re.DOTALL)[1]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)
    return [
        [
            " ".join(re.sub(r"<[^>]+>", " ", cell).split())
            for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def test_every_surface_has_the_same_series(ran):
    shown = ran.show()
    assert json.loads(ran.page(f"/agentic/run/{ran.id}.json")) == shown
    assert json.loads(ran.page(f"/api/v1/agents/series/{ran.id}")) == shown
    assert json.loads(ran.page("/api/v1/agents/series/latest")) == shown
    assert benchmaker.agent_series(ran.id, home=ran.home).to_dict() == shown
    items = json.loads(ran.page(f"/api/v1/agents/series/{ran.id}/trials?limit=500"))["items"]
    assert [{k: v for k, v in it.items() if k != "number"} for it in items] == shown["trials"]
    for it in items:
        one = json.loads(ran.page(f"/api/v1/agents/trials/{it['number']}"))
        assert one == json.loads(ran.page(f"/agentic/trials/{it['number']}.json"))
        assert {"number": one["number"], **one["trial"]} == it
        assert sum(each["requests"] for each in one["tries"]) == it["requests"]


def test_the_file_of_trials_has_their_figures(ran):
    rows = list(csv.DictReader(io.StringIO(ran.page(f"/agentic/run/{ran.id}.csv"))))
    for row, it in zip(rows, ran.show()["trials"], strict=True):
        assert (row["task"], row["system"], row["outcome"]) == (
            it["task"], it["system"], it["outcome"],
        )  # fmt: skip
        for name in KINDS:
            assert row[name] == "" if it[name] is None else float(row[name]) == it[name]
        for kind, count in it["usage"].items():
            assert row[kind] == ("" if count is None else str(count))
    chosen = ran.page(f"/agentic/run/{ran.id}.csv?outcome=failed&system=nop")
    assert {it["system"] for it in csv.DictReader(io.StringIO(chosen))} == {"nop"}


def test_figures_of_the_page_are_those_of_a_plain_computation(ran):
    with ran.open_store() as store:
        trials = store.agent_trials.trials(ran.id)
        requests = list(store.agent_trials.series_requests(ran.id))
    rows = {row[0]: row for row in cells_of(ran.page(f"/agentic/run/{ran.id}"), "systems")}
    assert set(rows) == {TINY, *STAND_INS}
    for name, row in rows.items():
        own = [it for it in trials if it.key.system == name]
        rewards = [it.reward for it in own]
        by_task = {}
        for it in own:
            by_task.setdefault(it.key.task, []).append(it.reward == 1)
        pairs = {task: list(itertools.combinations(won, 2)) for task, won in by_task.items()}
        at_least_one = statistics.mean(any(p) for all_ in pairs.values() for p in all_)
        every = statistics.mean(all(p) for all_ in pairs.values() for p in all_)
        assert row[1].startswith(numbers.share(statistics.mean(rewards))), row
        assert row[2:5] == [str(len(own)), numbers.share(at_least_one), numbers.share(every)]
        if name == TINY:
            cost = sum(it.cost_usd for it in requests)
            won = sum(it.reward == 1 for it in own)
            assert row[6:] == [numbers.money(cost), numbers.money(cost / won)]
    grid = cells_of(ran.page(f"/agentic/run/{ran.id}"), "grid")
    tokens = sum(total_tokens(it.usage) for it in requests) / 4
    solved = f"solved {numbers.money(cost / 4)} · {numbers.tokens(int(tokens))} tokens"
    assert [row[1:] for row in grid] == [[solved, "solved", "failed", "failed"]] * 4


def test_unknown_tokens_are_not_reported_and_partly_unknown_ones_have_a_plus():
    known = Usage(input_tokens=900, output_tokens=100)
    assert tokens_text(TrialMeter(requests=1, unknown_usages=1)) == "tokens not reported"
    assert tokens_text(TrialMeter(requests=2, usage=known, unknown_usages=1)) == "1,000+ tokens"
    assert tokens_text(TrialMeter(requests=1, usage=known)) == "1,000 tokens"


def test_impossible_counts_of_tokens_are_unknown_and_not_0():
    unusable = Usage(flags=("usage_negative",))
    fixed = {"wire": "chat", "model": "m", "endpoint": "e", "started_at": "", "number": 1}
    key = TrialKey("s", "t", "a", 1)
    assert request_tokens(GatewayRequest(key=key, usage=unusable, **fixed)) is None
    refused = Usage(input_tokens=0, output_tokens=0)
    assert request_tokens(GatewayRequest(key=key, usage=refused, **fixed)) == 0
    cut = Usage(input_tokens=7)
    assert request_tokens(GatewayRequest(key=key, usage=cut, **fixed)) == 7
    assert known_tokens_of(TrialMeter(requests=1, unknown_usages=1)) is None
    assert known_tokens_of(TrialMeter()) == 0


def test_the_budget_used_is_the_sum_of_all_requests(ran):
    with ran.open_store() as store:
        cost = sum(it.cost_usd for it in store.agent_trials.series_requests(ran.id))
    text = " ".join(re.sub(r"<[^>]+>", " ", ran.page(f"/agentic/run/{ran.id}")).split())
    assert f"Cost {numbers.money(cost)} of a budget of $1.00" in text
    listed = ran.page("/agentic/run")
    assert numbers.money(cost) in listed
    assert "<span>1 series</span>" in listed


def test_the_grid_is_filtered_by_outcome_and_system(ran):
    page = ran.page(f"/agentic/run/{ran.id}?outcome=failed&system=nop")
    assert [row[1:] for row in cells_of(page, "grid")] == [["failed"]] * 4
    none = ran.page(f"/agentic/run/{ran.id}?outcome=solved&system=nop")
    assert "No matching trials." in none
    status, _, text = fetched(f"{ran.address}/agentic/run/{ran.id}?outcome=faild")
    assert (status, b"failed" in text) == (422, True)


def test_a_trial_leads_to_its_submission_its_trace_and_its_requests(ran, tab):
    tab.goto(f"{ran.address}/agentic/run/{ran.id}")
    tab.locator("#grid a.cell").first.click()
    expect(tab.locator("h1")).to_contain_text(TINY)
    expect(tab.locator("#trial")).to_contain_text("Solved.")
    expect(tab.locator("#requests tbody tr")).to_have_count(2)
    tab.get_by_role("link", name="Submission", exact=True).click()
    expect(tab.locator("h1")).to_contain_text("t0")
    tab.go_back()
    tab.get_by_role("link", name="Trace", exact=True).click()
    expect(tab.locator("h1")).to_be_visible()
    assert tab.url.endswith("/trace")


class BrokenOnce(Scripted):
    """A model whose server breaks its first connection."""

    is_broken = False

    def reply(self, *words):
        if not self.is_broken:
            self.is_broken = True
            raise ConnectionResetError
        return super().reply(*words)


@pytest.mark.long
def test_an_earlier_try_is_shown_with_its_outcome_and_the_reason(tmp_path):
    agents = Agents(tmp_path, tmp_path / "home")
    with agents.model(script=BrokenOnce(TURNS, SHELL_TOOLS)):
        made = agents.run(1, agents.adapter(), models=MODEL)
    assert [(str(it.outcome), it.tries) for it in made.trials] == [("solved", 2)]
    with serving(agents.home, works=False) as address:
        page = fetched(f"{address}/agentic/trials/1")[2].decode()
        document = json.loads(fetched(f"{address}/api/v1/agents/trials/1")[2])
    reason = "the last request to openai failed: status 502, no reply"
    first, second = cells_of(page, "tries")
    assert first[0] == f"1 gateway error {reason}"
    assert second[0] == "2 solved"
    ends = [(it["try"], it["outcome"], it["detail"]) for it in document["tries"]]
    assert ends == [(1, "gateway_error", reason), (2, "solved", None)]


def test_unknown_series_and_trials_are_not_found(ran):
    for path in ("run/none", "run/none.csv", "trials/9999", "run/none/events", "trials/9999.csv"):
        assert fetched(f"{ran.address}/agentic/{path}")[0] == 404, path
    for path in ("series/none", "series/none/trials", "trials/9999", "trials/9999/requests"):
        assert fetched(f"{ran.address}/api/v1/agents/{path}")[0] == 404, path


class Gated(Scripted):
    """A model that answers once it may."""

    def __init__(self):
        super().__init__(TURNS, SHELL_TOOLS)
        self.may_answer = threading.Event()

    def reply(self, wire, body, model):
        assert self.may_answer.wait(300)
        return Scripted.reply(self, wire, body, model)


def test_trials_appear_on_the_open_page_as_they_end(tab, tmp_path):
    """Of a series in progress, with and without a filter, and on the page of a trial."""
    agents, model = Agents(tmp_path, tmp_path / "home"), Gated()
    chosen = ["oracle", agents.adapter()]
    with agents.model(script=model), ThreadPoolExecutor(1) as pool:
        running = pool.submit(agents.run, 2, chosen, models=MODEL, attempts=1)
        until(lambda: model_was_asked(agents))
        with serving(agents.home, works=False) as address:
            tab.goto(f"{address}/agentic/run/latest?outcome=solved&system={TINY}")
            expect(tab.locator("#grid")).to_contain_text("No trial of the series matches")
            tab.evaluate("window.kept = true")
            other = tab.context.new_page()
            other.goto(f"{address}/agentic/run/latest")
            expect(other.locator("#notice")).to_contain_text("Running.")
            expect(other.locator("#r0a1 td").nth(1)).to_contain_text("running")
            expect(other.locator("#r1a1 td").nth(1)).to_contain_text("queued")
            assert violations_here(other) == []
            href = other.locator("#r0a1 td").nth(1).locator("a").get_attribute("href")
            trial = tab.context.new_page()
            trial.goto(address + href)
            expect(trial.locator("#requests tbody tr")).to_have_count(1)
            expect(trial.locator("#requests")).to_contain_text("no reply yet")
            for page in (other, trial):
                page.evaluate("window.kept = true")
            model.may_answer.set()
            expect(tab.locator("#grid tbody tr")).to_have_count(2)
            expect(other.locator("#r1a1 td").nth(1)).to_contain_text("solved")
            expect(other.locator("#notice")).to_contain_text("Finished.")
            expect(other.locator("#systems tbody tr").nth(1)).to_contain_text("100.0%")
            expect(trial.locator("#trial")).to_contain_text("Solved.")
            expect(trial.locator("#requests tbody tr")).to_have_count(2)
            assert all(page.evaluate("window.kept") for page in (tab, other, trial))
            other.reload()
            expect(other.locator("#stream")).to_have_count(0)
        assert running.result().finished_at


def model_was_asked(agents):
    """Whether the gateway has the row of a request in progress."""
    if not (agents.home / "benchmaker.db").exists():
        return False
    with agents.store() as store:
        every = store.agent_trials.every_series()
        return bool(every) and any(True for _ in store.agent_trials.series_requests(every[0].id))


def test_a_stopped_series_shows_how_to_resume_it(tmp_path):
    agents = Agents(tmp_path, tmp_path / "home")
    chosen = [shell("exit 3"), "oracle"]
    with agents.model():
        made = agents.run(2, chosen, models=MODEL, attempts=2)
    with serving(agents.home, works=False) as address:
        page = fetched(f"{address}/agentic/run/{made.series}")[2].decode()
    assert "Stopped with 1 trial left." in page
    assert f"benchmaker agents resume {made.series}" in page
    assert "was stopped: its first 3 trials all ended agent_crashed" in page
    (crashing,) = re.findall("<b>3 crashes of <bdi>(.+?)</bdi>:</b> <bdi>exit code 3</bdi>", page)
    assert "exit 3" in crashing
    assert [row[1:] for row in cells_of(page, "grid")][-1] == ["not run", "solved"]
