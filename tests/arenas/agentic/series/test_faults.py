"""Faults of endpoint, gateway, budget and runner: they decide what is scored, not the workspace."""

import asyncio
import io
import json
import re
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from benchmaker.arenas.agentic.evaluation.metrics import metrics_of
from benchmaker.arenas.agentic.running.scripted.model import SHELL_TOOLS, Scripted
from benchmaker.arenas.agentic.running.scripted.server import ScriptedHandler, running
from benchmaker.arenas.agentic.series.api import agent_series
from benchmaker.arenas.agentic.series.attempt import SeriesLimits
from benchmaker.arenas.agentic.series.plan import PlannedCaps
from benchmaker.arenas.agentic.traces.trace import build_trace, stored_source
from benchmaker.cli import main
from benchmaker.providers.prices.costs import Prices
from benchmaker.record.agent_trial import AGENT_LEFT, AgentTrial, GatewayRequest, TrialKey, Wire
from benchmaker.record.dollars import dollars
from benchmaker.report.arenas.submission_explained import explained_data, explained_text
from benchmaker.report.arenas.submission_text import submission_text
from benchmaker.report.result_tables.agent_systems import AGENT_SYSTEMS
from benchmaker.report.sentences.trace_words import clock, session_cost
from tests.arenas.agentic.series.conftest import MODEL, TURNS
from tests.waiting import PATIENCE_S

RAW = """
import json, os, socket, sys, time, urllib.error, urllib.request
BASE, TOKEN = os.environ["BENCHMAKER_BASE_URL"], os.environ["BENCHMAKER_TOKEN"]

def ask(**fields):
    body = {"model": "x", "messages": [{"role": "user", "content": "hi"}], **fields}
    head = {"Authorization": "Bearer " + TOKEN}
    data = json.dumps(body).encode()
    sent = urllib.request.Request(BASE + "/v1/chat/completions", data, head)
    try:
        return urllib.request.urlopen(sent).status
    except urllib.error.HTTPError as exc:
        return exc.code

def leave():
    body = json.dumps({"model": "x", "messages": [{"role": "user", "content": "hi"}]}).encode()
    host, port = BASE.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as one:
        one.sendall(b"POST /v1/chat/completions HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer "
                    + TOKEN.encode() + b"\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body)
        time.sleep(1)
    time.sleep(1)

def write(word):
    open("answer.txt", "w").write(word)
"""


def raw(agents, name, lines):
    return agents.adapter(RAW + lines, name=name, wire="chat")


class Broken(Scripted):
    """A model whose server breaks every connection."""

    def reply(self, *_):
        raise ConnectionResetError


class Breaking(Scripted):
    """A model whose server breaks its second connection."""

    has_answered = False

    def reply(self, *words):
        if self.has_answered:
            raise ConnectionResetError
        self.has_answered = True
        return super().reply(*words)


class Slow(Scripted):
    """A model that answers once it is released."""

    released: threading.Event

    def reply(self, *words):
        self.released.wait(60)
        return super().reply(*words)


def test_an_impossible_number_spoils_no_trial(agents):
    hostile = raw(agents, "hostile", "ask(max_tokens=10**30); ask(n=10**30)")
    honest = raw(agents, "honest", "assert ask() == 200; write('right')")
    with agents.model():
        made = agents.run(1, [hostile, honest], models=MODEL, attempts=2)
    assert {(it.system, str(it.outcome)) for it in made.trials} == {
        ("hostile · gpt-4o-mini", "failed"),
        ("honest · gpt-4o-mini", "solved"),
    }
    assert {it.tries for it in made.trials} == {1}


@pytest.mark.parametrize("word", ["right", "wrong"])
def test_a_trial_whose_endpoint_failed_is_not_scored_whatever_it_left(agents, word):
    agent = raw(agents, "raw", f"write('{word}'); ask(); sys.exit(3)")
    with agents.model(script=Broken(TURNS, SHELL_TOOLS)):
        made = agents.run(1, agent, models=MODEL)
    (trial,) = made.trials
    assert (str(trial.outcome), trial.reward, trial.tries) == ("gateway_error", None, 3)
    assert trial.submission_id is None
    assert trial.detail.endswith("; the workspace passed") == (word == "right")
    assert made.systems[0].success is None


class Alternating(Scripted):
    """A model whose server breaks every second connection."""

    number = 0

    def reply(self, *words):
        self.number += 1
        if not self.number % 2:
            raise ConnectionResetError
        return super().reply(*words)


@pytest.mark.long
def test_a_faulty_endpoint_has_three_tries_per_process_and_every_try_is_paid(agents):
    agent = raw(agents, "raw", "ask(); ask()")
    with agents.model(script=Alternating(TURNS, SHELL_TOOLS)) as model:
        first = agents.run(1, agent, models=MODEL)
        again = agents.resume()
    with agents.store() as store:
        rows = list(store.agent_trials.series_requests(first.series))
    costs = [it.cost_usd for it in rows if it.cost_usd is not None]
    assert (model.number, len(rows), len(costs)) == (12, 12, 6)
    for made, tries in ((first, 3), (again, 6)):
        (trial,) = made.trials
        assert (str(trial.outcome), trial.tries, trial.requests) == (
            "gateway_error",
            tries,
            2 * tries,
        )
        assert (trial.cost_usd, trial.gateway.unknown_costs) == (None, tries)
        assert trial.known_cost_usd == pytest.approx(sum(costs[:tries]))
        assert (made.state, made.open) == ("unfinished", 1)


@pytest.mark.long
def test_a_stop_between_two_tries_starts_no_further_one(agents):
    stop = asyncio.Event()

    def look(_progress):
        if any(it.outcome for it in agent_series(home=agents.home).trials):
            stop.set()

    limits = SeriesLimits(pause_s=60, drain_s=120)
    with agents.model(script=Broken(TURNS, SHELL_TOOLS)):
        agent = raw(agents, "raw", "ask()")
        options = {"limits": limits, "on_progress": look, "stop": stop}
        made = agents.run(1, agent, models=MODEL, **options)
    (trial,) = made.trials
    assert (str(trial.outcome), trial.tries) == ("gateway_error", 1)


@pytest.fixture
def capped(agents):
    """A series whose endpoint broke the only answer that the budget of the trial had room for."""
    agent = raw(agents, "raw", "ask(max_tokens=50)")
    with agents.model(script=Broken(TURNS, SHELL_TOOLS)):
        yield agents.run(1, agent, models=MODEL, trial_budget=1e-5)


def test_broken_answers_count_under_the_budget_of_the_trial_over_all_its_tries(capped):
    (trial,) = capped.trials
    assert (str(trial.outcome), trial.tries, trial.requests) == ("gateway_error", 1, 1)
    assert (trial.cost_usd, trial.gateway.unknown_costs) == (None, 1)
    assert trial.known_cost_usd is capped.systems[0].known_cost_usd is None


@pytest.mark.long
def test_the_known_part_of_a_cost_is_given_with_a_plus(agents):
    with agents.model(script=Breaking(TURNS, SHELL_TOOLS)):
        agent = raw(agents, "raw", "ask(); ask()")
        made = agents.run(1, agent, models=MODEL, limits=SeriesLimits(further_tries=0))
    (trial,) = made.trials
    assert (trial.cost_usd, trial.gateway.unknown_costs) == (None, 1)
    assert trial.known_cost_usd == made.systems[0].known_cost_usd > 0
    assert f"{dollars(trial.known_cost_usd)}+" in AGENT_SYSTEMS.table(made).text(width=200)


def test_a_trial_whose_cap_is_used_up_is_neither_left_nor_run_again(agents, capped):
    assert (capped.open, capped.state) == (0, "finished")
    assert [it["attempt"] for it in capped.capped_trials] == [1]
    again = agents.resume()
    assert (again.trials, again.capped_trials) == (capped.trials, capped.capped_trials)
    shown = CliRunner().invoke(main, ["agents", "show", "latest", "--home", str(agents.home)])
    assert "1 trial can't be run again: the cap of the trial is used up." in shown.stderr
    assert capped.systems[0].cost_reason == "no attempt was scored"


@pytest.mark.parametrize("word", ["right", "wrong"])
def test_a_trial_that_the_series_budget_cut_off_is_not_scored_whatever_it_left(agents, word):
    agent = raw(agents, "raw", f"ask(); write('{word}'); ask()")
    with agents.model():
        made = agents.run(1, agent, models=MODEL, attempts=2, budget=1e-9)
    (trial,) = made.trials
    assert (str(trial.outcome), trial.reward, trial.tries) == ("gateway_error", None, 1)
    assert "for this series is reached" in trial.detail
    assert trial.detail.endswith("; the workspace passed") == (word == "right")
    assert [it["attempt"] for it in made.not_started] == [2]


@pytest.mark.parametrize(("word", "outcome"), [("right", "solved"), ("wrong", "budget")])
def test_a_trial_that_its_own_budget_ended_is_scored_by_its_workspace(agents, word, outcome):
    agent = raw(agents, "raw", f"ask(); write('{word}'); ask()")
    with agents.model():
        made = agents.run(1, agent, models=MODEL, trial_budget=1e-9)
    assert [str(it.outcome) for it in made.trials] == [outcome]


@pytest.mark.parametrize(("word", "outcome"), [("right", "solved"), ("wrong", "failed")])
def test_an_agent_that_closes_its_connection_is_scored_once(agents, word, outcome):
    agent = raw(agents, "raw", f"write('{word}'); leave()")
    model = Slow(TURNS, SHELL_TOOLS)
    model.released = threading.Event()
    with agents.model(script=model):
        made = agents.run(1, agent, models=MODEL)
        model.released.set()
    (trial,) = made.trials
    assert (str(trial.outcome), trial.tries, trial.requests) == (outcome, 1, 1)
    with agents.store() as store:
        (row,) = store.agent_trials.series_requests(made.series)
    assert (row.status, row.was_cut, row.sends) == (AGENT_LEFT, True, 1)


def lose_first_try(agents, series, *, cost_usd):
    """Store a first try as a killed runner leaves it: one paid request, and one in flight."""
    with agents.store() as store:
        rooms = store.agent_trials
        (done,) = rooms.trials(series)
        key = TrialKey(series, done.key.task, done.key.system, 2)
        fixed = {"key": key, "wire": Wire.CHAT, "model": "m", "endpoint": "openai"}
        rooms.put_requests(
            [
                GatewayRequest(number=1, status=200, cost_usd=cost_usd, started_at="", **fixed),
                GatewayRequest(number=2, most_usd=5.0, most_tokens=9, started_at="", **fixed),
            ]
        )
        rooms.put_trial(
            AgentTrial(key=key, task_hash=done.task_hash, agent=done.agent, model=done.model)
        )
        plan = rooms.series(series).plan
        rooms.change_plan(series, {**plan, "attempts": 2})
        rooms.finish_series(series, None)


def test_a_request_in_flight_of_a_killed_runner_leaves_the_trial_its_cap(agents):
    with agents.model():
        made = agents.run(1, agents.adapter(), models=MODEL, trial_budget=0.5)
        lose_first_try(agents, made.series, cost_usd=0.1)
        again = agents.resume()
    trial = again.trials[1]
    assert (str(trial.outcome), trial.tries, trial.requests) == ("solved", 2, 4)


@pytest.mark.long
def test_a_submission_says_that_its_cost_leaves_out_earlier_tries(agents):
    with agents.model():
        made = agents.run(1, agents.adapter(), models=MODEL)
        lose_first_try(agents, made.series, cost_usd=0.1)
        again = agents.resume()
    with agents.store() as store:
        first, second = (store.submission(it.submission_id) for it in again.trials)
        trace = build_trace(stored_source(store, second.id), Prices(agents.home), content=False)
    assert (first.cost.earlier_tries, second.cost.earlier_tries) == (0, 1)
    assert second.cost.usd == pytest.approx(first.cost.usd)
    for text in (submission_text(second), explained_text(trace, width=200), session_cost(trace)):
        assert ", without 1 earlier try" in text
    assert explained_data(trace)["cost"]["earlier_tries"] == 1
    assert "earlier tr" not in submission_text(first)


def test_a_trial_that_the_runner_lost_and_can_not_pay_again_is_not_scored(agents):
    with agents.model():
        made = agents.run(1, agents.adapter(), models=MODEL, trial_budget=0.5)
        lose_first_try(agents, made.series, cost_usd=0.6)
        again = agents.resume()
    trial = again.trials[1]
    assert (str(trial.outcome), trial.reward, trial.tries) == ("gateway_error", None, 2)
    assert trial.detail == (
        "The cap of $0.50 for this trial is reached: "
        "$0.60 were spent, $0.60 of it by earlier tries."
    )


def test_a_cap_on_requests_that_a_lost_try_used_in_part_is_not_the_agents(agents):
    """The second request of the second try is refused: the agent made one itself."""
    with agents.model():
        made = agents.run(1, agents.adapter(), models=MODEL, caps=PlannedCaps(requests=3))
        lose_first_try(agents, made.series, cost_usd=0.1)
        again = agents.resume()
    trial = again.trials[1]
    assert (str(trial.outcome), trial.reward) == ("gateway_error", None)
    assert trial.detail.startswith(
        "The cap of 3 requests for this trial is reached: 3 were made, 2 of them by earlier tries"
    )


def test_a_stopped_series_remembers_its_budget(agents):
    agent = raw(agents, "raw", "ask(); write('right'); ask()")
    with agents.model():
        made = agents.run(2, [agent, "nop"], models=MODEL, attempts=2, budget=1e-9)
        shown = agent_series(home=agents.home)
        assert "for this series is reached" in shown.halted
        assert (shown.halted, shown.not_started) == (made.halted, made.not_started)
        assert agents.resume(budget=1.0).halted == agent_series(home=agents.home).halted == ""
    assert agent_series(home=agents.home).not_started == ()


@pytest.mark.long
@pytest.mark.parametrize("word", ["right", "wrong"])
def test_a_replayed_trial_with_another_request_is_not_scored_whatever_it_left(
    agents, tmp_path, word
):
    record = tmp_path / "record"
    with agents.model():
        agents.run(1, raw(agents, "raw", "ask()"), models=MODEL, record=record)
    other = raw(agents, "raw", f"ask(); ask(seed=2); write('{word}')")
    made = agents.run(1, other, models=MODEL, replay=record)
    (trial,) = made.trials
    assert (str(trial.outcome), trial.reward) == ("gateway_error", None)
    assert "not recorded" in trial.detail


class Pausing(ScriptedHandler):
    """A server that refuses the first request with seed 1, and asks for a pause in seconds.

    Requests with seed 2 are answered once it has.
    """

    model = Scripted(TURNS * 9, SHELL_TOOLS)
    refused: threading.Event
    pause_s: int

    def do_POST(self):  # noqa: N802  as the base class has it
        content = self._content()
        seed = json.loads(content).get("seed")
        if seed == 1 and not self.refused.is_set():
            self.refuse()
            return
        if seed == 2:
            assert self.refused.wait(PATIENCE_S)
        self.rfile = io.BytesIO(content)
        super().do_POST()

    def refuse(self):
        self.send_response(429)
        self.send_header("Retry-After", str(self.pause_s))
        self.send_header("Content-Length", "2")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b"{}")
        self.wfile.flush()
        self.refused.set()


@contextmanager
def pausing(agents, pause_s, lines="assert ask(seed=SEED) == 200; write('right')"):
    """Serve a model that asks for a pause, and yield two agents.

    The request of the first is refused for now; that of the second waits behind it.
    """
    fields = {"pause_s": pause_s, "refused": threading.Event()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Pausing,), fields))
    with running(server):
        url = f"http://127.0.0.1:{server.server_port}/v1"
        agents.variables = {"OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": url}
        refused = raw(agents, "refused", f"SEED = 1; {lines}")
        behind = raw(agents, "behind", f"SEED = 3; ask(seed=2); {lines}")
        yield [refused, behind]


@pytest.mark.long
def test_the_pace_of_the_endpoint_takes_no_time_of_a_trial(agents):
    """Neither of the refused trial, nor of another system whose request waits behind it."""
    with pausing(agents, 12) as both:
        made = agents.run(1, both, models=MODEL, jobs=2, caps=PlannedCaps(wall_s=9))
    assert [(str(it.outcome), it.tries) for it in made.trials] == [("solved", 1)] * 2
    with agents.store() as store:
        for trial in made.trials:
            submission = store.submission(trial.submission_id)
            time = submission.time
            assert time.queue_s > 9
            assert time.active_s == metrics_of(submission).seconds == time.wall_s - time.queue_s
            assert ", without the queue at the gateway" in submission_text(submission, width=200)
            trace = build_trace(stored_source(store, submission.id), Prices(agents.home))
            assert "wall − queue at the gateway = " in explained_text(trace, width=200)
            assert " in the queue at the gateway)." in clock(trace)


@pytest.mark.long
def test_a_trial_whose_agent_gives_up_on_a_held_request_is_not_scored(agents):
    """One request is refused for now and waits to be sent again, the other waits behind it."""
    lines = "socket.setdefaulttimeout(15); write('right'); ask(seed=SEED)"
    with pausing(agents, 200, lines) as both:
        made = agents.run(1, both, models=MODEL, jobs=2, limits=SeriesLimits(further_tries=0))
    assert [(str(it.outcome), it.reward) for it in made.trials] == [("gateway_error", None)] * 2
    details = {
        it.system.partition(" ")[0]: re.sub(r"\d+ s", "… s", it.detail) for it in made.trials
    }
    passed = "; the workspace passed"
    assert details == {
        "refused": f"the last request to openai failed: status 429{passed}",
        "behind": f"the agent gave up on its last request after … s in the gateway{passed}",
    }


@pytest.mark.long
def test_a_trial_whose_request_the_gateway_holds_until_the_last_limit_is_not_scored(agents):
    options = {"caps": PlannedCaps(wall_s=3), "limits": SeriesLimits(further_tries=0)}
    with pausing(agents, 200) as both:
        made = agents.run(1, both, models=MODEL, jobs=2, **options)
    assert [(str(it.outcome), it.reward) for it in made.trials] == [("gateway_error", None)] * 2
    assert any("the gateway held its requests" in it.detail for it in made.trials)
