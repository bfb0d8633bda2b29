"""The page of importers, from the registry."""

from pathlib import Path

from benchmaker import plugins
from benchmaker.arenas.agentic.tool_places import PLACES, VARIABLE, ToolPlace
from scripts.reference.docstring import markdown

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "agent-logs"

HEAD = """\
# Agent logs

`benchmaker import PATH` recognises what a file is; `--importer ID` says it. Folders are walked,
and what belongs to one session is put together. `benchmaker plugins` lists what is installed,
plug-ins included.

| importer | reads | version |
|---|---|---|
"""

TAIL = """
Whatever the tool, tokens come out in five kinds that don't overlap: uncached input, cache reads,
cache writes for five minutes and for an hour, output; reasoning is a part of output. What a log
does not tell is missing, never 0: a tool that reports 0 tokens beside calls of a model has told
nothing. Every figure says where it comes from: imported from the log, computed, estimated from
rounded figures, or self-reported.
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
    named = {"claude_code": "claude-code.md", "codex_exec": "codex.md"}
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
