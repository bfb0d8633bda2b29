"""The faults of a suite's tools, and of the tools that its cases list."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from benchmaker.spec import Case, Suite, Tool
from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.expansion import texts_in
from benchmaker.spec.suites.templates import is_template

if TYPE_CHECKING:
    import ast

    from benchmaker.scoring.checks.python_functions import PythonFunction


class ToolFault(NamedTuple):
    """A fault at a path of the suite or of the case."""

    path: Path
    message: str
    hint: str = ""


def tool_faults(suite: Suite) -> Iterator[ToolFault]:
    """Yield the faults of parameters and functions of a suite's tools."""
    if not suite.tools:
        return
    from benchmaker.scoring.checks.python_functions import PythonFunction  # noqa: PLC0415  few suites have tools

    for index, tool in enumerate(suite.tools):
        yield from _schema_faults(tool, ("tools", index, "parameters"))
        yield from _template_faults(tool, ("tools", index))
        if tool.python is not None:
            function = PythonFunction(str(suite.folder / tool.python), tool.sha256, "tool")
            if fault := function.fault():
                yield ToolFault(("tools", index, "python"), fault)
            else:
                yield from _signature_faults(tool, function, ("tools", index))


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


def _template_faults(tool: Tool, place: Path) -> Iterator[ToolFault]:
    """The templates of a tool outside its reply, which are sent as they are written."""
    texts = texts_in((*place, "parameters"), tool.parameters)
    for path, text in (((*place, "description"), tool.description), *texts):
        if is_template(text):
            message = f"{text[:80]!r} is not rendered: only the reply of a tool may be a template."
            yield ToolFault(path, message, "Write the text without {{ }} and {% %}.")


def _signature_faults(tool: Tool, function: "PythonFunction", place: Path) -> Iterator[ToolFault]:
    """The parameters that the function lacks, and those that it requires and calls may omit."""
    file, name = function.parts
    node = function.node()
    composed = {"$ref", "allOf", "anyOf", "oneOf"} & tool.parameters.keys()
    if node is None or composed:
        return
    taken = node.args
    if taken.posonlyargs:
        only = taken.posonlyargs[0].arg
        message = f"{file.name}:{node.lineno}: {name} takes {only!r} by position only."
        yield ToolFault((*place, "python"), message, "Calls give arguments by name.")
        return
    named = [it.arg for it in (*taken.args, *taken.kwonlyargs)]
    properties = tool.parameters.get("properties")
    schema = (*place, "parameters")
    for given in properties if isinstance(properties, dict) and taken.kwarg is None else ():
        if given not in named:
            message = f"the function {name} has no parameter {given!r}."
            hint = did_you_mean(given, named) or f"Its parameters: {', '.join(named) or 'none'}."
            yield ToolFault((*schema, "properties", given), message, hint)
    required = tool.parameters.get("required")
    certain = required if isinstance(required, list) else []
    for given in _without_default(taken):
        if given not in certain:
            message = f"the function {name} requires {given!r}, which calls may omit."
            hint = f"Add {given!r} to properties and to required, or give it a default."
            yield ToolFault(schema, message, hint)


def _without_default(taken: "ast.arguments") -> list[str]:
    """The parameters that a function requires."""
    positional = taken.args[: len(taken.args) - len(taken.defaults)]
    keyword = zip(taken.kwonlyargs, taken.kw_defaults, strict=True)
    return [it.arg for it in positional] + [it.arg for it, default in keyword if default is None]


def _schema_faults(tool: Tool, path: Path) -> Iterator[ToolFault]:
    from benchmaker.scoring.checks.json_checks import JsonSchema  # noqa: PLC0415  as above

    if tool.parameters.get("type", "object") != "object":
        message = f"the type of the parameters must be object, not {tool.parameters['type']!r}."
        yield ToolFault((*path, "type"), message)
        return
    for _, message in JsonSchema(tool.parameters).faults():
        told = message.replace("no answer can pass", "no call can fit")
        yield ToolFault(path, told)
