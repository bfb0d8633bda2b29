"""The faults of a suite's tools, and of the tools that its cases list."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmaker.scoring.checks.json_checks import JsonSchema
from benchmaker.scoring.checks.python_functions import PythonFunction
from benchmaker.spec import Case, Suite, Tool
from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.documents.suggestions import did_you_mean


class ToolFault(NamedTuple):
    """A fault at a path of the suite or of the case."""

    path: Path
    message: str
    hint: str = ""


def tool_faults(suite: Suite) -> Iterator[ToolFault]:
    """Yield the faults of parameters and functions of a suite's tools."""
    for index, tool in enumerate(suite.tools):
        yield from _schema_faults(tool, ("tools", index, "parameters"))
        if tool.python is not None:
            value = str(suite.folder / tool.python)
            if fault := PythonFunction(value, tool.sha256, "tool").fault():
                yield ToolFault(("tools", index, "python"), fault)


def case_tool_faults(suite: Suite, case: Case) -> Iterator[ToolFault]:
    """Yield the names that a case lists and the suite does not have, and repeated ones."""
    known = [tool.name for tool in suite.tools]
    for index, name in enumerate(case.tools):
        if name not in known:
            hint = did_you_mean(name, known) or f"Tools: {', '.join(known) or 'none'}."
            yield ToolFault(("tools", index), f"unknown tool {name!r}.", hint)
        elif name in case.tools[:index]:
            yield ToolFault(("tools", index), f"the tool {name!r} is listed twice.", "Remove it.")
    if case.max_steps is not None and not case.tools:
        message = "max_steps has no effect without tools."
        yield ToolFault(("max_steps",), message, "Add tools, or remove it.")


def _schema_faults(tool: Tool, path: Path) -> Iterator[ToolFault]:
    if tool.parameters.get("type", "object") != "object":
        message = f"the type of the parameters must be object, not {tool.parameters['type']!r}."
        yield ToolFault((*path, "type"), message)
        return
    for _, message in JsonSchema(tool.parameters).faults():
        told = message.replace("no answer can pass", "no call can fit")
        yield ToolFault(path, told)
