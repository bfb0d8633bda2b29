"""The page of importers, from the registry."""

from pathlib import Path

from benchmaker import plugins
from benchmaker.arenas.agentic.tool_places import PLACES, VARIABLE, ToolPlace
from scripts.reference.docstring import markdown

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "agent-logs"

HEAD = """\
# Agent logs

`benchmaker import PATH` recognises what a file is by its content; `--importer ID` says it. What the
file is called plays no part, so that output is read under whatever name it was kept. Folders are
walked, and what belongs to one session is put together. `benchmaker plugins` lists what is
installed, plug-ins included.

| importer | reads | version |
|---|---|---|
"""

TAIL = """
Whatever the tool, tokens come out in five kinds that don't overlap: uncached input, cache reads,
cache writes for five minutes and for an hour, output; reasoning is a part of output. Every figure
says where it comes from: imported from the log, computed, estimated from rounded figures, or
self-reported.

`--task` names the task of logs and rows that name none. A log that `submit` takes is about the task
that is given there; a row keeps the task that it names.

## Figures that are refused or missing

What a log does not tell is missing, never 0. 0 tokens, 0 seconds or 0 dollars beside calls of a
model tell nothing, and are missing with that reason: the flags `zero_tokens`, `zero_seconds` and
`zero_cost`. A model that the price list calls free costs 0. A session without a call of a model may
have taken nothing.

A figure that is negative or not finite can't be true. A row of a table that has one is refused,
and the others are taken in; a session whose log has one is stored with the flag `figures_refused`,
and is not scored. Both are reported with file, line, field, value and what to do, and the exit
code is 4, or 2 where nothing was left to take in. A figure that is no number, or too large to be
believed, is left out and reported in the same way, and the rest counts.

A file is recognised by fields that only its format has; its name does not matter.

[Newest releases](drift.md) says which releases of the tools were checked last, and what came of it.

## Several forms of one session

Many tools write a session down more than once: a log, an export, what was printed while it ran.
All that is imported together is one submission, in whatever order it lies there and however often;
so is what is imported later, as long as the earlier files still lie where they did.
Requests, calls of tools, prompts and interruptions are each taken from the form that has most of
them, the log where two have as many; a reported cost, the seconds of the models and how the
session ended come from whichever form says so. A cost that was told of some of the runs only is
flagged `reported_cost_partial`.
"""


PLACES_HEAD = f"""
## Where logs are looked for

`benchmaker usage`, and `benchmaker import` without a path, look for logs where the tools keep
them, below your home folder. A tool's own variable moves them; several folders have commas
between them. `{VARIABLE}` names folders to look in instead of all of these, empty for none.

| tool | folders | variable |
|---|---|---|
"""


def page() -> str:
    """The page's Markdown."""
    places = [PLACES_HEAD, *map(_place, PLACES)]
    return "".join([HEAD, *map(_row, ours()), TAIL, *places, *map(_section, ours())])


def ours() -> list[plugins.Plugin]:
    """The importers that ship with the package."""
    return [it for it in plugins.available("importer") if it.distribution == "benchmaker"]


def page_of(importer: str) -> str:
    """The page that says what an importer reads."""
    named = {
        "claude_code": "claude-code.md",
        "codex_exec": "codex.md",
        "kilo": "opencode.md",
        "qwen_code": "qwen-code.md",
    }
    name = named.get(importer, f"{importer}.md")
    return name if (FOLDER / name).exists() else "others.md"


def _row(plugin: plugins.Plugin) -> str:
    title = plugins.load("importer", plugin.id).title
    return f"| [`{plugin.id}`]({page_of(plugin.id)}) | {title} | {plugin.version} |\n"


def _place(place: ToolPlace) -> str:
    names = {"$DATA": "$XDG_DATA_HOME", "$CONFIG": "$XDG_CONFIG_HOME"}
    folders = [it if it.startswith("$") else f"~/{it}" for it in place.defaults]
    for short, name in names.items():
        folders = [it.replace(short, name) for it in folders]
    told = ", ".join(f"`{it}`" for it in folders)
    variables = ", ".join(f"`{it}`" for it in place.variables)
    return f"| {place.tool} | {told} | {variables} |\n"


def _section(plugin: plugins.Plugin) -> str:
    text = markdown(plugins.load("importer", plugin.id))
    return f"\n## `{plugin.id}`\n\n{text.strip()}\n"
