"""The page of importers, from the registry."""

from pathlib import Path

from benchmaker import plugins
from benchmaker.arenas.agentic.logs.tool_places import PLACES, VARIABLE, ToolPlace
from scripts.reference.docstring import markdown

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "agent-logs"

HEAD = """\
# Agent logs

`benchmaker import PATH` recognises files by their content, whatever their names; `--importer ID`
names the format. Folders are searched, and the files of one session are combined.
`benchmaker plugins` lists the installed importers, plug-ins included.

| importer | reads | version |
|---|---|---|
"""

TAIL = """
Tokens of all tools are divided into five kinds that don't overlap: uncached input, cache reads,
cache writes for five minutes and for an hour, output; reasoning is a part of output. Every figure
has an origin: imported from the log, computed, estimated from rounded figures, or self-reported.

`--task` names the task of logs and rows that name none. `submit` sets the task of a log; a row
keeps the task that it names.

## Figures that are refused or missing

A figure that a log does not contain is missing, never 0. 0 tokens, 0 seconds or 0 dollars beside
calls of a model count as missing, too, with the flags `zero_tokens`, `zero_seconds` and `zero_cost`
as the reason. A model that the price list calls free costs 0. In a session without calls of a model
a figure may be 0.

A figure that is negative or not finite can't be right. A table row with such a figure is refused,
and the other rows are imported; a session whose log has one is stored with the flag
`figures_refused`, and is not scored. Both are reported with file, line, field, value and what to
do, and the exit code is 4, or 2 where nothing could be imported. A figure that is not a number
("12k", "26,000", "$0.2"), or is implausibly large, is left out and reported in the same way; the
rest of the row or session counts, and `show`, `explain` and `trace` quote the row's text. A row
whose `success` is neither true, yes, 1, pass, passed or success, nor false, no, 0, fail, failed or
failure is refused, too; an empty one is unknown. A table without rows is reported.

A file is recognised by fields that only its format has; its name does not matter.

[Newest releases](drift.md) lists the last checked release of each tool, with the results.

## Several forms of one session

Many tools record a session more than once: as a log, an export, printed output. Imported together,
in any order and with any repetitions, they become one submission; so does a form that is imported
later, as long as the earlier files are still in place. Requests, calls of tools, prompts and
interruptions are each taken from the form that has most of them, from the log in a tie; a reported
cost, the seconds of the models and the outcome come from whichever form has them. A cost reported
for only some of the runs or requests is flagged `reported_cost_partial` and left out: the computed
one is used, if the prices are known.

A log with a unique session id replaces the stored state of its session once the earlier file is
gone, even if it is shorter. The earlier state remains as a revision. Earlier states of Copilot
CLI's logs add nothing.

## A log in several parts

A log that was split into several files is joined if every part names the session. Claude Code, Qwen
Code, OpenCode, newer releases of Codex, and Grok CLI's updates with a session id do. Other parts
depend on the format:

- Codex exec, Copilot CLI, Gemini CLI, OpenClaw and Pi name the session only in the first row. Rows
  without it are not read: they are reported, and the exit code is 4. Append them to the first part.
- Aider, older releases of Codex, Kimi CLI, and Grok CLI's updates without a session id do not name
  the session in their rows. Each part counts as a session of its own, and the figures add up to
  those of the whole log. Older releases of Codex write most token counts twice: a request counts
  twice if the log was split between the two. Import the parts or the whole log, not both.
- The end of a JSON document or of a table is not recognised.

A later part of a Codex log has the model that its earlier parts name. Imported alone, its requests
before the first row with a model have no known model and no cost; `benchmaker import --model NAME`
sets it.

An answer that a log names by its id counts once, with the largest usage over all files and imports.
If a log was cut between the rows of an answer, a later import of the rest or of the whole log
replaces the partial count. A line that was cut in the middle is not read: it is reported with its
number, the rest is imported, and the exit code is 4. Its other half is no line either, so import
the whole log again.

Import unpacked logs: ZIP and tar archives of logs are refused, also with gzip. Single logs with
gzip (`.jsonl.gz`) are read, and so are formats that are archives themselves, such as the `.eval`
files of Inspect. Other compressions are not recognised.

`benchmaker import` names each file in a folder that it did not read.
"""


PLACES_HEAD = f"""
A log without a unique session id is found by its beginning when it has grown. Earlier versions did
not store beginnings; their logs are found if the file still begins with all bytes of the stored
one. mini-swe-agent, SWE-agent and Cline's older extension write the whole file again: such a log,
if it grew between its last import by an earlier version and the next one, is stored as a second
submission. Find both in `benchmaker usage session`, and remove the earlier one with
`benchmaker delete SUBMISSION`.

## Numbers without texts

`benchmaker import --drop-content` keeps the numbers of sessions and rows, without texts, arguments,
outputs and further fields. Sessions that were imported with their texts before are revised: the
texts are deleted, also from the search, and `benchmaker vacuum` reclaims their disk space. Evidence
quoted by flags remains, and so do the texts of the same session stored for another task, until it
is imported for that task as well.

## Where logs are looked for

`benchmaker usage`, and `benchmaker import` without a path, look for logs in the folders where the
tools keep them, below your home folder. A tool's own variable moves them; separate several folders
with commas. `{VARIABLE}` names the folders to search instead; if empty, none are searched.

| tool | folders | variable |
|---|---|---|
"""


def page() -> str:
    """The page's Markdown."""
    places = [PLACES_HEAD, *map(_place, PLACES)]
    return "".join([HEAD, *map(_row, ours()), TAIL, *places, *map(_section, ours())])


def ours() -> list[plugins.Plugin]:
    """The importers that ship with the package."""
    return [it for it in plugins.list_plugins("importer") if it.distribution == "benchmaker"]


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
