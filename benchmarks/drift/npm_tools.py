"""The tools from npm, configured as their documentation says for a custom base URL."""

import json
from dataclasses import replace
from functools import partial

from drift.script import PROMPT
from drift.tool import COMMAND, KEY, Form, Tool, of_adapter
from drift.walled import V1

_tool = partial(Tool, index="npm")
_SHELL = COMMAND | {"description": "Does what was asked"}
_ACCOUNT = "needs an account on its vendor's server"

CLAUDE_CODE = of_adapter(
    "claude-code",
    index="npm",
    packages=("@anthropic-ai/claude-code",),
    calls={"Bash": _SHELL},
    importer="claude_code",
    forms=(Form("session"), Form("stream-json", "out.0", frozenset({"prompt text"}))),
)

CODEX = of_adapter(
    "codex",
    model="gpt-5",
    index="npm",
    packages=("@openai/codex",),
    calls={
        "exec_command": {"cmd": "{command}"},
        "shell_command": COMMAND,
        "shell": {"command": ["sh", "-c", "{command}"]},
    },
    importer="codex",
    forms=(
        Form("rollout"),
        Form("exec --json", "out.0", frozenset({"prompt text", "answers", "model"})),
    ),
)

_SUCCESS = "the tool records a failed command as a success"

GEMINI = of_adapter(
    "gemini-cli",
    model="gemini-2.5-flash",
    index="npm",
    packages=("@google/gemini-cli",),
    calls={"run_shell_command": _SHELL},
    importer="gemini",
    forms=(
        Form("chat"),
        Form("stream-json", "out.0", frozenset({"answers", "errors"}), about=_SUCCESS),
    ),
)

QWEN = of_adapter(
    "qwen-code",
    index="npm",
    packages=("@qwen-code/qwen-code",),
    calls={"run_shell_command": _SHELL | {"is_background": False}},
    importer="qwen_code",
    forms=(
        Form("chat"),
        Form("stream-json", "out.0", frozenset({"prompt text", "reasoning tokens"})),
    ),
)

_PROVIDER = {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Drift",
    "options": {"baseURL": V1, "apiKey": KEY},
    "models": {"scripted": {"name": "Scripted", "reasoning": True, "tool_call": True}},
}
_OPENCODE = json.dumps(
    {
        "provider": {"drift": _PROVIDER},
        "model": "drift/scripted",
        "autoupdate": False,
        "share": "disabled",
        "permission": "allow",
    }
)

_EXPORT = """exec "$0" export "$("$0" session list --format json |
sed -n 's/.*"id": "\\(ses[^"]*\\)".*/\\1/p' | head -1)"
"""
"""Exports the first session of the list."""

OPENCODE = of_adapter(
    "opencode",
    index="npm",
    packages=("opencode-ai",),
    further=(("sh", "-c", _EXPORT, "{program}"),),
    calls={"bash": _SHELL},
    importer="opencode",
    forms=(
        Form("database"),
        Form("run --format json", "out.0", frozenset({"prompt text", "model"})),
        Form("export", "out.1"),
    ),
)

KILO = replace(
    OPENCODE,
    name="Kilo Code",
    packages=("@kilocode/cli",),
    program="kilo",
    commands=(("{program}", "run", "--auto", "--format", "json", "-m", "drift/scripted", PROMPT),),
    files={"home/.config/kilo/opencode.json": _OPENCODE, "home/.config/kilo/kilo.json": _OPENCODE},
    environment={"KILO_DISABLE_MODELS_FETCH": "1", "KILO_DISABLE_AUTOUPDATE": "1"},
    importer="kilo",
    forms=(Form("database"),),
)

PI = _tool(
    name="Pi",
    packages=("@earendil-works/pi-coding-agent", "node"),  # newer than that of many systems
    program="pi",
    commands=(("{program}", "-p", "--provider", "drift", "--model", "scripted", PROMPT),),
    environment={"PI_OFFLINE": "1", "PI_SKIP_VERSION_CHECK": "1"},
    files={
        "home/.pi/agent/models.json": json.dumps(
            {
                "providers": {
                    "drift": {
                        "baseUrl": V1,
                        "api": "openai-completions",
                        "apiKey": KEY,
                        "models": [{"id": "scripted", "reasoning": True}],
                    }
                }
            }
        )
    },
    calls={"bash": COMMAND},
    importer="pi",
    forms=(Form("session"),),
)

COPILOT = _tool(
    name="Copilot CLI",
    packages=("@github/copilot",),
    program="copilot",
    commands=(("{program}", "-p", PROMPT, "--allow-all-tools", "--no-color"),),
    environment={
        "COPILOT_PROVIDER_BASE_URL": V1,
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-5",
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
    },
    calls={"bash": _SHELL},
    importer="copilot",
    forms=(Form("events"),),
)

AMP = _tool(name="Amp", packages=("@sourcegraph/amp",), account=_ACCOUNT)
DROID = _tool(name="Droid", packages=("@factory/cli",), account=_ACCOUNT)

NPM_TOOLS = (CLAUDE_CODE, CODEX, GEMINI, QWEN, OPENCODE, KILO, PI, COPILOT, AMP, DROID)
"""In the order of the table."""
