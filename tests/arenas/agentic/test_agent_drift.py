"""The check of new releases in benchmarks: its scripted model, and a tiny tool behind walls."""

import json
import sys
import urllib.request
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmaker.arenas.agentic.running.scripted.model import Scripted
from benchmaker.arenas.agentic.running.scripted.server import serve_model

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
MODULES = ("comparing", "installing", "running", "script", "table", "tool")


@pytest.fixture(scope="module")
def drift():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield SimpleNamespace(**{it: import_module(f"drift.{it}") for it in MODULES})


def of_chat(piece):
    return [it["delta"].get("content") for it in piece["choices"]]


def of_responses(piece):
    return [piece["delta"] if piece["type"] == "response.output_text.delta" else None]


def of_messages(piece):
    return [piece.get("delta", {}).get("text")]


def of_generate(piece):
    parts = piece["candidates"][0]["content"]["parts"]
    return [part.get("text") for part in parts if not part.get("thought")]


BASH = {"name": "bash"}
WIRES = {
    "chat": ("/v1/chat/completions", [{"type": "function", "function": BASH}], of_chat),
    "responses": ("/v1/responses", [BASH], of_responses),
    "messages": ("/v1/messages", [BASH], of_messages),
    "generate": (
        "/v1beta/models/m:streamGenerateContent",
        [{"functionDeclarations": [BASH]}],
        of_generate,
    ),
}


def asked(address, body):
    request = urllib.request.Request(address, json.dumps(body).encode())  # noqa: S310  our own server
    with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  our own server
        return answer.read().decode()


def pieces(stream):
    lines = (line.removeprefix("data: ") for line in stream.splitlines() if "data: {" in line)
    return [json.loads(line) for line in lines]


@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_says_what_the_script_says(drift, wire):
    path, tools, words = WIRES[wire]
    model = Scripted(drift.script.TURNS, calls={"bash": {"command": "{command}"}})
    with serve_model(model) as base:
        stream = asked(base + path, {"model": "m", "stream": True, "tools": tools})
    said = "".join(text or "" for piece in pieces(stream) for text in words(piece))
    (sent,) = model.sent
    assert said == drift.script.WORK.text
    assert (sent.turn, sent.model, sent.call) == (0, "m", "bash")
    assert sent.tokens.output == drift.script.WORK.tokens.output


def test_what_offers_no_tool_is_beside_the_conversation(drift):
    model = Scripted(drift.script.TURNS, calls={"bash": {}})
    with serve_model(model) as base:
        asked(f"{base}/v1/messages", {"model": "m"})
    assert [it.turn for it in model.sent] == [None]


TINY = """
import json, pathlib, subprocess, sys, urllib.request

messages = [{"role": "system", "content": ""}, {"role": "user", "content": sys.argv[1]}]
log = list(messages)
tools = [{"type": "function", "function": {"name": "bash"}}]
for _ in range(3):
    body = json.dumps({"model": "tiny", "messages": messages, "tools": tools}).encode()
    address = "http://127.0.0.1:8377/v1/chat/completions"
    answer = json.load(urllib.request.urlopen(urllib.request.Request(address, body)))
    message = answer["choices"][0]["message"]
    messages.append(message)
    calls = message.get("tool_calls") or []
    commands = [json.loads(it["function"]["arguments"])["command"] for it in calls]
    log.append({"role": "assistant", "content": message["content"],
                "extra": {"response": answer | {"choices": []}, "actions": commands}})
    for command in commands:
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        told = f"<returncode>{done.returncode}</returncode>" + done.stdout + done.stderr
        told = "" if command.startswith(sys.argv[3]) else told
        messages.append({"role": "tool", "content": told})
        log.append(messages[-1] | {"extra": {"returncode": done.returncode}})
del log[len(log) - int(sys.argv[2]):]
data = {"trajectory_format": "mini-swe-agent-1.1", "messages": log}
pathlib.Path("run.json").write_text(json.dumps(data))
"""


def lines(drift, lost, calls="bash", silent="never"):
    form = drift.tool.Form("log", "project/run.json")
    tiny = drift.tool.Tool(
        name="Tiny",
        index="pip",
        packages=("tiny",),
        commands=(("{python}", "tiny.py", drift.script.PROMPT, str(lost), silent),),
        files={"project/tiny.py": TINY},
        calls={calls: {"command": "{command}"}},
        importer="mini_swe_agent",
        forms=(form,),
    )
    here = Path(sys.executable)
    made = drift.installing.Installed("1.0", here, here, ())
    with drift.running.ran(tiny, made) as left:
        return list(drift.comparing.lines_of(tiny, made.version, left))


def test_what_is_read_whole_is_green(drift):
    (line,) = lines(drift, 0)
    assert line.faults == ()
    assert (line.prompts, line.answers, line.calls) == ("1 / 1", "3 / 3", "2 / 2")
    assert line.tokens == "12,483 / 12,483"
    assert drift.table.result(line) == "all read"


def test_what_a_log_loses_is_named(drift):
    (line,) = lines(drift, 3)
    assert line.faults == (
        "1 answers",
        f"without “{drift.script.FAIL.text}”",
        f"without “{drift.script.SAY.text}”",
        "1 calls",
        f"without the call “{drift.script.FAIL.command}”",
        "0 failed calls",
        "uncached 1,103 for 1,913",
        "cached 2,207 for 10,263",
        "output 151 for 307",
        "reasoning 67 for 119",
    )
    assert drift.table.result(line).startswith("**lost**: 1 answers; without")


def test_a_tool_that_stops_early_is_not_green(drift):
    with pytest.raises(drift.running.NotRunError, match="stopped after 0 of 3 answers"):
        lines(drift, 0, calls="shell")


def test_a_tool_that_loses_an_output_is_not_green(drift):
    with pytest.raises(drift.running.NotRunError, match="itself lost the output of “cat no-such"):
        lines(drift, 0, silent="cat no-such")
