"""The page of importers, from the registry."""

from pathlib import Path

from benchmaker import plugins
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

A file is recognised by the fields that its format alone has; its name does not matter.

## Several forms of one session

Many tools write a session down more than once: a log, an export, what was printed while it ran.
All that is imported together is one submission, in whatever order it lies there and however often;
so is what is imported later, as long as the earlier files still lie where they did.
Requests, calls of tools, prompts and interruptions are each taken from the form that has most of
them, the log where two have as many; a reported cost, the seconds of the models and how the
session ended come from whichever form says so. A cost that was told of some of the runs only is
flagged `reported_cost_partial`.
"""


def page() -> str:
    """The page's Markdown."""
    return "".join([HEAD, *map(_row, ours()), TAIL, *map(_section, ours())])


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


def _section(plugin: plugins.Plugin) -> str:
    text = markdown(plugins.load("importer", plugin.id))
    return f"\n## `{plugin.id}`\n\n{text.strip()}\n"
