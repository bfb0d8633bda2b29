"""Checks of tool calls and steps that no answer to a case can pass, or that every one passes."""

import json
from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from benchmaker.record.counts import count
from benchmaker.scoring.checks.call_ranges import passing_range
from benchmaker.scoring.checks.tool_checks import Steps, ToolCalled
from benchmaker.scoring.examination import ExaminedScorer
from benchmaker.scoring.tool_faults import ToolFault
from benchmaker.spec import Case, Suite, Tool
from benchmaker.spec.documents.source_map import Path
from benchmaker.spec.documents.suggestions import did_you_mean
from benchmaker.spec.suites.check_spec import CHECKS

_CORRECT = "Correct the arguments of the check, or the parameters of the tool."


class _ToolCheck(NamedTuple):
    """A check of tool calls or steps at its path in the scorer of a case."""

    path: Path
    scorer: ToolCalled | Steps
    is_negated: bool

    @property
    def bounds(self) -> tuple[float, float]:
        """The numbers of calls or steps with which it passes: the least and the greatest."""
        return passing_range(self.scorer, is_negated=self.is_negated)


def tool_check_faults(known: ExaminedScorer, suite: Suite, case: Case) -> Iterator[ToolFault]:
    """Yield the checks that no answer passes, with the tools and ``max_steps`` of the case."""
    for check in _tool_checks(known) if case.tools else ():
        low, high = check.bounds
        if isinstance(check.scorer, Steps):
            yield from _step_faults(check, suite.most_steps(case))
        elif high < low or high < 0:
            message = "no answer can pass: not forbids every number of calls."
            yield ToolFault((*check.path, "times"), message, "Set times, or remove not.")
        elif low > 0:
            yield from _call_faults(check.path, check.scorer, suite, case)


def tool_check_notes(known: ExaminedScorer, suite: Suite, case: Case) -> Iterator[ToolFault]:
    """Yield the checks that every answer passes, or that need several calls in one answer."""
    limit = suite.most_steps(case)
    for check in _tool_checks(known) if case.tools else ():
        low, high = check.bounds
        if isinstance(check.scorer, Steps):
            if low <= 1 and high >= limit:
                ended = f"max_steps ends a trial after {count(limit, 'step')}"
                message = f"every answer passes: {ended}."
                yield ToolFault((*check.path, "max"), message)
        elif (low, high) == (0, inf) and not check.is_negated:
            yield ToolFault((*check.path, "times"), "every answer passes with any number of calls.")
        elif low > limit:
            message = f"{low:g} calls need several in one answer: max_steps is {limit}."
            yield ToolFault((*check.path, "times"), message)
        elif low > 0:
            yield from _unknown_arguments(check.path, check.scorer, suite)


def _tool_checks(known: ExaminedScorer) -> Iterator[_ToolCheck]:
    """The checks of tool calls and steps, in sets without ``not``, too."""
    if isinstance(known.scorer, (ToolCalled, Steps)) and not known.faults:
        yield _ToolCheck((), known.scorer, is_negated=False)
    for at, part in enumerate(known.parts):
        is_negated = part.spec.is_negated
        if part.spec.threshold == 0 or (is_negated and part.examined.parts):
            continue
        for check in _tool_checks(part.examined):
            path = (CHECKS, at, *check.path)
            yield check._replace(path=path, is_negated=is_negated or check.is_negated)


def _step_faults(check: _ToolCheck, limit: int) -> Iterator[ToolFault]:
    low, _ = check.bounds
    if low > limit:
        needed = count(int(low), "step")
        message = f"no answer can pass: it needs {needed}, and max_steps is {limit}."
        yield ToolFault((*check.path, "max"), message, "Lower max, or raise max_steps.")


def _call_faults(path: Path, called: ToolCalled, suite: Suite, case: Case) -> Iterator[ToolFault]:
    """The faults of a required call: a tool that is not offered, and arguments it refuses."""
    tool = _tool(called, suite)
    if called.value not in case.tools:
        if called.bounds[1] == 0:  # else the check itself objects to the case
            inside, message = called.missing_tool(case)
            yield ToolFault((*path, *inside), message)
    elif tool and (why := _refusal(tool, called)):
        message = f"no call that fits the parameters of {tool.name} has these arguments: {why}."
        yield ToolFault((*path, "arguments"), message, _CORRECT)


def _refusal(tool: Tool, called: ToolCalled) -> str:
    """Why the schema of a tool refuses each call with the required arguments; else empty."""
    if not called.arguments:
        return ""
    from benchmaker.scoring.checks.json_checks import refusal_of_part  # noqa: PLC0415  for few

    return refusal_of_part(json.dumps(tool.parameters), json.dumps(called.arguments, default=str))


def _unknown_arguments(path: Path, called: ToolCalled, suite: Suite) -> Iterator[ToolFault]:
    """The arguments of a required call that are no parameters of the tool."""
    tool = _tool(called, suite)
    schema = tool.parameters if tool else {}
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties or schema.keys() & _MORE:
        return
    for name in called.arguments or {}:
        if name not in properties:
            hint = did_you_mean(name, list(properties)) or f"Known: {', '.join(properties)}."
            message = f"{called.value} has no parameter {name!r}."
            yield ToolFault((*path, "arguments", name), message, hint)


_MORE = frozenset({"additionalProperties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"})
"""Keywords of a schema that may admit parameters besides its properties, or refuse them."""


def _tool(called: ToolCalled, suite: Suite) -> Tool | None:
    return next((tool for tool in suite.tools if tool.name == called.value), None)
