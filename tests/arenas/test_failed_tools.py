"""A tool of which every call failed in a run is named in its results."""

import json

import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from benchmaker import Suite, export, results, run
from benchmaker.cli.main import main
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, FinishReason, ToolCall
from benchmaker.record.failure import FailedTool
from benchmaker.report.sentences.notes import summary_warnings
from benchmaker.web import Settings, create_app

FUNCTIONS = """
def price(product):
    raise KeyError(product)

def add(a, b):
    return a + b

def stall():
    while True:
        pass
"""
CHECK = {"type": "contains", "value": "done"}
SENTENCE = "All 2 calls of the tool price failed, the first with: price raised KeyError: 'lamp'"


def _tool(name, *parameters, **more):
    schema = {"type": "object", "properties": {it: {} for it in parameters}}
    return {"name": name, "parameters": schema | {"required": list(parameters)}, **more}


def _suite(folder):
    (folder / "functions.py").write_text(FUNCTIONS)
    at = f"{folder}/functions.py"
    tools = [
        _tool("price", "product", python=f"{at}:price"),
        _tool("add", "a", "b", python=f"{at}:add"),
        _tool("stall", python=f"{at}:stall", timeout=0.1),
        _tool("clock", reply="12:00"),
    ]
    names = [it["name"] for it in tools]
    cases = [{"id": it, "prompt": it, "tools": names} for it in ("one", "two")]
    return Suite("s", cases, tools=tools, checks=[CHECK], profile="robust")


def _run(folder, *calls):
    """A run whose model makes the calls of each case, in one answer, and then says that it is done.

    ``calls`` are the lists of calls of the two cases.
    """
    by_case = dict(zip(("one", "two"), calls, strict=True))

    def answer(request):
        if request.steps:
            return Completion(text="done")
        made = [
            ToolCall(name=name, arguments=given, id=str(at))
            for at, (name, given) in enumerate(by_case[request.case_id])
        ]
        finish = FinishReason.TOOL_CALLS if made else FinishReason.STOP
        return Completion(text="", finish=finish, tool_calls=tuple(made))

    return run(_suite(folder), provider=Scripted(answer, models=["m"]), home=folder / "home")


@pytest.fixture
def always(tmp_path):
    """A run in which one tool always fails."""
    good = ("add", {"a": 1, "b": 2})
    return _run(
        tmp_path,
        [("price", {"product": "lamp"}), good, ("add", {})],
        [("price", {}), good],
    )


def test_the_summary_counts_the_calls_and_has_the_first_reason(always):
    reason = "price raised KeyError: 'lamp'"
    assert always.summary.failed_tools == (FailedTool(tool="price", calls=2, reason=reason),)
    assert SENTENCE in summary_warnings(always.summary)


@pytest.mark.long
@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        ([[("price", {"product": "x"})], []], [("price", 1)]),
        ([[("add", {})], [("add", {"a": 1, "b": 2})]], []),
        ([[("add", {}), ("add", {"a": 1})], [("clock", {})]], [("add", 2)]),
        ([[("stall", {})], [("unknown", {})]], [("stall", 1)]),
        ([[("clock", {})], []], []),
    ],
)
def test_a_tool_that_succeeded_once_or_is_none_of_the_suite_is_not_named(tmp_path, calls, wanted):
    found = _run(tmp_path, *calls).summary.failed_tools
    assert [(it.tool, it.calls) for it in found] == wanted


def test_every_surface_that_has_notes_has_it(always):
    home = always.place.home
    run_id = always.run_ids[0]
    shown = CliRunner().invoke(main, ["results", run_id, "--home", str(home)])
    assert SENTENCE in " ".join(shown.output.split())
    as_json = CliRunner().invoke(main, ["results", run_id, "--json", "--home", str(home)])
    assert [it["tool"] for it in json.loads(as_json.stdout)["failed_tools"]] == ["price"]
    for kind in ("html", "markdown", "text"):
        text = " ".join(export(run_id, form=kind, home=home).split())
        assert "calls of the tool price failed" in text, kind
    with TestClient(create_app(Settings(home=home)), base_url="http://localhost") as client:
        assert "calls of the tool price failed" in client.get(f"/runs/{run_id}").text
        told = client.get(f"/api/v1/runs/{run_id}/summary").json()
        assert [it["calls"] for it in told["failed_tools"]] == [2]


def test_it_is_read_from_the_store_again(always):
    again = results(always.run_ids[0], home=always.place.home)
    assert again.summary.failed_tools == always.summary.failed_tools
