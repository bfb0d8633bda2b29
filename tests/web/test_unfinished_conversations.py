"""While a run goes on, a conversation without its last answer is unfinished on all surfaces."""

import json
import shutil

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from benchmaker import RunOptions, Suite, results, run
from benchmaker.cli.main import main
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, Outcome, RunState, ToolCall
from benchmaker.web import Settings, create_app

pytestmark = pytest.mark.sqlite("copies the folder of the data")

TOOLS = [{"name": "clock", "reply": "12:00"}]
CASES = [{"id": it, "prompt": f"{it}: what time is it?", "tools": ["clock"]} for it in "abc"]
CHECK = {"type": "contains", "value": "12"}
CALL = ToolCall(name="clock", arguments={}, id="1")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The data as they are between the two requests of the second of three cases."""
    folder = tmp_path_factory.mktemp("unfinished")

    def answer(request):
        if not request.steps:
            return Completion(
                text="", finish=FinishReason.TOOL_CALLS, tool_calls=(CALL,), cost_usd=0.5
            )
        if request.case_id == "b":
            shutil.copytree(folder / "live", folder / "seen")
        return Completion(text="12:00", cost_usd=0.25)

    suite = Suite("s", CASES, tools=TOOLS, checks=[CHECK], profile="robust")
    options = RunOptions(concurrency=1)
    run(suite, provider=Scripted(answer, models=["m"]), home=folder / "live", options=options)
    return folder / "seen"


@pytest.fixture(scope="module")
def client(home):
    with TestClient(create_app(Settings(home=home)), base_url="http://localhost") as opened:
        yield opened


@pytest.fixture
def said(home):
    def call(*words):
        return CliRunner().invoke(main, [*words, "--home", str(home)]).stdout

    return call


def test_results_count_it_apart_with_its_cost(home):
    made = results("latest", home=home)
    (model,) = made.summary.models
    assert made.runs[0].state is RunState.RUNNING
    assert dict(model.outcomes) == {Outcome.SCORED: 1, Outcome.UNFINISHED: 1}
    assert (model.n_ended, model.n_done, model.n_unfinished) == (1, 1, 1)
    assert model.cost_usd == 1.25


def test_the_terminal_says_unfinished(said):
    shown = said("results", "latest")
    assert "Unfinished: 1 of 3 trials stored so far, 1 unfinished." in shown
    listed = json.loads(said("runs", "--json"))["runs"]
    assert [(it["done"], it["planned"]) for it in listed] == [(1, 3)]
    for words in (("show", "latest"), ("show", "latest", "b"), ("explain", "latest", "b")):
        text = said(*words)
        assert "unfinished" in text
        assert "cancelled" not in text


def test_pages_and_api_say_unfinished(client):
    run_id = client.get("/api/v1/runs").json()["items"][0]["run_id"]
    status = client.get(f"/api/v1/runs/{run_id}").json()
    assert (status["done"], status["outcomes"]["unfinished"]) == (1, 1)
    pages = [f"/arena/{run_id}", f"/runs/{run_id}", f"/runs/{run_id}?tab=cases"]
    for page in (*pages, f"/runs/{run_id}/trials/1-0", f"/runs/{run_id}/cases/1"):
        text = client.get(page).text
        assert "unfinished" in text.casefold(), page
        assert "cancelled" not in text.casefold(), page
