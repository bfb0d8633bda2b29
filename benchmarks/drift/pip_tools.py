"""The tools from PyPI, configured as their documentation says for a custom base URL."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from drift.script import PROMPT, SAY, TURNS
from drift.tool import COMMAND, KEY, Form, Tool, of_adapter
from drift.walled import V1

_tool = partial(Tool, index="pip")
_OFFLINE = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "HF_HUB_OFFLINE": "1"}


def _driver(name: str) -> str:
    path = Path(__file__).resolve().parent / "drivers" / name
    return (
        path.read_text(encoding="utf-8")
        .replace("{base}", V1)
        .replace("{key}", KEY)
        .replace("{prompt}", PROMPT)
    )


AIDER = of_adapter(
    "aider",
    index="pip",
    packages=("aider-chat",),
    pythons=((3, 10), (3, 13)),
    turns=(replace(SAY, thought=""),),
    importer="aider",
    forms=(
        Form(
            "analytics log",
            "home/analytics.jsonl",
            frozenset({"prompts", "answer text", "cached tokens", "reasoning tokens"}),
        ),
        Form(
            "chat history",
            "home/.aider.chat.history.md",
            frozenset({"cached tokens", "reasoning tokens"}),
            about="its tokens are rounded",
            is_rounded=True,
        ),
    ),
    has_one_id=False,
)

MINI = of_adapter(
    "mini-swe-agent",
    index="pip",
    packages=("mini-swe-agent", "mcp"),  # litellm imports it without requiring it
    calls={"bash": COMMAND},
    turns=(*TURNS[:-1], replace(SAY, command="echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")),
    importer="mini_swe_agent",
    forms=(Form("trajectory", "home/run.traj.json"),),
)

INSPECT = _tool(
    name="Inspect",
    packages=("inspect-ai", "openai"),
    program="inspect",
    commands=(
        (
            *("{program}", "eval", "task.py", "--model", "openai-api/drift/scripted"),
            *("--display", "plain", "--log-dir", "logs"),
        ),
    ),
    environment={"DRIFT_API_KEY": KEY, "DRIFT_BASE_URL": V1},
    files={"project/task.py": _driver("inspect_task.py")},
    calls={"bash": COMMAND},
    importer="inspect_log",
    forms=(Form("log", "project/logs/*.eval", frozenset({"errors"})),),
)

OPENHANDS = _tool(
    name="OpenHands SDK",
    packages=("openhands-sdk", "openhands-tools"),
    pythons=((3, 12), (4, 0)),
    commands=(("{python}", "converse.py"),),
    environment=_OFFLINE
    | {"OPENHANDS_SUPPRESS_BANNER": "1", "OH_TERMINAL_PROCESS_PRIORITY": "none"},
    files={"project/converse.py": _driver("openhands_converse.py")},
    calls={"terminal": COMMAND},
    importer="openhands_sdk",
    forms=(Form("conversation"),),
)

_KIMI = f"""\
default_model = "scripted"
[models.scripted]
provider = "drift"
model = "scripted"
max_context_size = 200000
[providers.drift]
type = "openai_legacy"
base_url = "{V1}"
api_key = "{KEY}"
"""

KIMI = _tool(
    name="Kimi CLI",
    packages=("kimi-cli<1.52",),
    pythons=((3, 12), (4, 0)),
    program="kimi",
    commands=(("{program}", "--print", "--yolo", "--prompt", PROMPT),),
    environment={"KIMI_CLI_NO_AUTO_UPDATE": "1"},
    files={"home/.kimi/config.toml": _KIMI},
    calls={"Shell": COMMAND},
    importer="kimi",
    forms=(
        Form(
            "wire log",
            lacks=frozenset({"model", "reasoning tokens"}),
            about="1.52 only points to Kimi Code CLI, which is on no package index",
        ),
    ),
)

HARBOR = _tool(
    name="harbor",
    packages=("harbor",),
    account="starts its agents in containers, which the sandbox does not allow",
)

PIP_TOOLS = (AIDER, MINI, INSPECT, OPENHANDS, KIMI, HARBOR)
"""In the order of the table."""
