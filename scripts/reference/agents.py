"""The page of agents, from the adapter files."""

from collections.abc import Iterator

from benchmaker.arenas.agentic.running.agents import STAND_INS, bundled_adapters
from benchmaker.spec.agents.adapter import AgentAdapter

HEAD = """\
# Agents

The coding agents that Benchmaker can run. `benchmaker agents list` prints which are installed, with
their versions and install commands. `benchmaker agents check NAME` runs one small task through an
agent with a scripted model. [Add an agent](../how-to/add-an-agent.md) explains how to write an
adapter for another one.

An agent runs in a namespace of the [sandbox](../explanation/sandbox.md), with a home of its own and
the start folder of the task as its working folder. The tests, the solution and any history stay
outside. Its only way out is the gateway, which meters each request. The workspace and the logs are
collected after every end.

| Agent | Wire | Install |
|---|---|---|
"""

STAND_IN_HEAD = """
## Agents without a model

They show that a task can be solved, and that it is not solved by doing nothing or by cheating. They
have no figures, so that no comparison depends on them.

| Name | |
|---|---|
"""

KEYS_HEAD = """
## Keys of an adapter file

An adapter is a TOML file; `benchmaker schema agent` prints its JSON Schema. In the command, the
variables and the files, `{prompt}`, `{model}`, `{base_url}`, `{token}`, `{effort}`, `{home}` and
`{project}` stand for the values of a trial. `{base_url}` has no `/v1`. Other braces are plain text.

| Key | |
|---|---|
"""

OUTCOMES = """
## Outcomes of a trial

The workspace is verified in a fresh place, whatever the agent printed or wrote. A workspace that
passes is `solved`, even if its agent was stopped, unless the infrastructure failed.

| Outcome | Meaning |
|---|---|
| `solved` | the workspace passes the task's criteria |
| `failed` | the agent ended, and the workspace does not pass |
| `budget` | the agent reached a cap of the trial |
| `timeout` | the time limit ended the agent, not counting requests held by the gateway |
| `refused` | the model declined the task |
| `agent_crashed` | the agent ended with an error, or a limit of the sandbox ended it |
| `setup_failed` | the agent was not started |
| `gateway_error` | the last request failed at the endpoint; the gateway failed; a cap was \
reached that the agent did not use up itself; a replay has no reply to a request; or the gateway \
held requests until ten times the time limit, or until the agent gave up on the last one |
| `verifier_error` | a required criterion has no verdict |

The last three are caused by the infrastructure: such a trial is tried twice more and never scored.
[Outcomes](../how-to/run-agents.md#outcomes) has the details.
An agent that does not end within 9 seconds after a refusal for a cap is ended.
"""


def page() -> str:
    """The page's Markdown."""
    found = tuple(bundled_adapters())
    stand_ins = (f"| `{name}` | {text} |\n" for name, text in STAND_INS.items())
    command = (
        "| `command:LINE` | the wire that the command uses | |\n"
        "| [`harbor:NAME`](../how-to/run-agents.md#run-harbors-agents) | that of harbor's adapter "
        "| `uv tool install harbor` |\n"
    )
    parts = (
        *(HEAD, *map(_row, found), command),
        *(STAND_IN_HEAD, *stand_ins),
        *(KEYS_HEAD, *_keys(), OUTCOMES),
        *map(_section, found),
    )
    return "".join(parts)


def _row(adapter: AgentAdapter) -> str:
    link = f"[`{adapter.name}`](#{adapter.name})"
    return f"| {link} | `{adapter.wire}` | {_install(adapter)} |\n"


def _install(adapter: AgentAdapter) -> str:
    if adapter.install.startswith("https://"):
        return f"[{adapter.install.split('/')[2]}]({adapter.install})"
    return f"`{adapter.install}`"


def _keys() -> Iterator[str]:
    for name, field in AgentAdapter.model_fields.items():
        must = " Required." if field.is_required() else ""
        yield f"| `{name}` | {field.description}{must} |\n"


def _section(adapter: AgentAdapter) -> str:
    lines = (
        f"Command: `{' '.join(adapter.argv)}`.",
        f"Variables: {_names(adapter.env)}.",
        f"Files: {_names(adapter.files)}." if adapter.files else "",
        f"Logs: {_names(adapter.logs)}.",
        _effort(adapter),
    )
    return f"\n## {adapter.name}\n\n{adapter.title}. {' '.join(filter(None, lines))}\n"


def _names(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names)  # type: ignore[attr-defined]  of texts


def _effort(adapter: AgentAdapter) -> str:
    if not adapter.has_effort:
        return "It takes no effort."
    texts = adapter.effort_argv or [f"{k}={v}" for k, v in adapter.effort_env.items()]
    return f"Effort: `{' '.join(texts)}`."
