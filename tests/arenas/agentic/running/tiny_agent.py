"""A small coding agent: asks by one of the four wires, runs shell commands, and keeps a log.

``python3 tiny_agent.py WIRE [LOG] [persist | lie]``; the log has the form of mini-swe-agent's. One
that persists repeats refused requests for ever, one that lies misstates its output tokens.
"""

import json
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import ClassVar

BASE, TOKEN = os.environ["BENCHMAKER_BASE_URL"], os.environ["BENCHMAKER_TOKEN"]
MODEL, PROMPT = os.environ["BENCHMAKER_MODEL"], os.environ["BENCHMAKER_PROMPT"]
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}


class Chat:
    path = "/v1/chat/completions"
    headers: ClassVar = {"Authorization": f"Bearer {TOKEN}"}
    tools: ClassVar = [{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}]

    def body(self, said):
        messages = [{"role": "user", "content": PROMPT}]
        for call, output in said:
            messages += [call, {"role": "tool", "content": output}]
        return {"messages": messages}

    def read(self, answer):
        message = answer["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        return message, [json.loads(it["function"]["arguments"])["command"] for it in calls]


class Responses(Chat):
    path = "/v1/responses"
    tools: ClassVar = [{"type": "function", "name": "bash", "parameters": SCHEMA}]

    def body(self, said):
        items = [{"type": "message", "role": "user", "content": PROMPT}]
        for _, output in said:
            items.append({"type": "function_call_output", "output": output})
        return {"input": items}

    def read(self, answer):
        calls = [it for it in answer["output"] if it["type"] == "function_call"]
        return answer, [json.loads(it["arguments"])["command"] for it in calls]


class Messages(Chat):
    path = "/v1/messages"
    headers: ClassVar = {"x-api-key": TOKEN}
    tools: ClassVar = [{"name": "bash", "input_schema": SCHEMA}]

    def body(self, said):
        messages = [{"role": "user", "content": PROMPT}]
        for _, output in said:
            block = {"type": "tool_result", "content": output}
            messages.append({"role": "user", "content": [block]})
        return {"messages": messages}

    def read(self, answer):
        calls = [it for it in answer["content"] if it["type"] == "tool_use"]
        return answer, [it["input"]["command"] for it in calls]


class Gemini(Chat):
    path = f"/v1beta/models/{MODEL}:generateContent"
    headers: ClassVar = {"x-goog-api-key": TOKEN}
    tools: ClassVar = [{"functionDeclarations": [{"name": "bash", "parameters": SCHEMA}]}]

    def body(self, said):
        contents = [{"role": "user", "parts": [{"text": PROMPT}]}]
        for _, output in said:
            part = {"functionResponse": {"response": {"output": output}}}
            contents.append({"role": "user", "parts": [part]})
        return {"contents": contents}

    def read(self, answer):
        parts = answer["candidates"][0]["content"]["parts"]
        calls = [it["functionCall"] for it in parts if "functionCall" in it]
        return answer, [it["args"]["command"] for it in calls]


def post(wire, body):
    data = json.dumps(body | {"model": MODEL, "tools": wire.tools}).encode()
    request = urllib.request.Request(BASE + wire.path, data, wire.headers)  # noqa: S310  loopback
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310  loopback
            return json.load(answer)
    except urllib.error.HTTPError as exc:
        if "persist" in sys.argv:
            return post(wire, body)
        sys.exit(f"status {exc.code}: {exc.read().decode()}")


def main():
    wires = {"chat": Chat, "responses": Responses, "messages": Messages, "gemini": Gemini}
    wire, said = wires[sys.argv[1]](), []
    log = [{"role": "system", "content": ""}, {"role": "user", "content": PROMPT}]
    for _ in range(9):
        answer = post(wire, wire.body(said))
        call, commands = wire.read(answer)
        extra = {"response": answer, "actions": commands}
        log.append({"role": "assistant", "content": call.get("content"), "extra": extra})
        if not commands:
            break
        for command in commands:
            done = subprocess.run(
                ["sh", "-c", command], capture_output=True, check=False, text=True
            )
            output = f"<returncode>{done.returncode}</returncode>{done.stdout}{done.stderr}"
            said.append((call, output))
            log.append({"role": "tool", "content": output, "extra": {"returncode": 0}})
    if len(sys.argv) > 2:
        text = json.dumps({"trajectory_format": "mini-swe-agent-1.1", "messages": log})
        if "lie" in sys.argv:
            text = re.sub(r'"completion_tokens": \d+', '"completion_tokens": 100', text)
        Path(sys.argv[2]).write_text(text)


main()
