"""A reducer that is plainly right: it keeps every event and looks everything up again.

It shares no code with the real one. Sessions are lists of events; ids are told apart as there:
long ones anywhere, short ones within their session.
"""

from benchmaker.arenas.agentic.logs.events import (
    FileChange,
    LlmCall,
    ToolCall,
    ToolResult,
    UserTurn,
)

KINDS = (
    "input_uncached",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "output",
    "reasoning",
    "other",
)


def total(usage):
    known = [getattr(usage, kind) for kind in KINDS if kind != "reasoning"] if usage else []
    return sum(n for n in known if n is not None)


def identity(given, session, place):
    if given is None:
        return ("nothing", session, place)
    return ("anywhere", given) if len(given) >= 16 else ("here", session, given)


def everything(sessions, kind, name):
    """(identity, session number, event) of every event of a kind, in the order of reading."""
    return [
        (identity(getattr(event, name), number, place), number, event)
        for number, events in enumerate(sessions)
        for place, event in enumerate(events)
        if isinstance(event, kind)
    ]


def groups(found):
    together = {}
    for key, number, event in found:
        together.setdefault(key, []).append((number, event))
    return list(together.values())


def rank(usage):
    if usage is None:
        return (-1,)
    kinds = [getattr(usage, kind) for kind in KINDS]
    return (total(usage), *(-1 if n is None else n for n in kinds))


def requests(sessions):
    """One row for each answer: owner, whether the main agent's, usage, cost, model."""
    rows = []
    for group in groups(everything(sessions, LlmCall, "id")):
        costs = [event.cost_usd for _, event in group if event.cost_usd is not None]
        best = max(group, key=lambda it: rank(it[1].usage))[1]
        rows.append(
            {
                "owner": group[0][0],
                "main": any(not event.agent for _, event in group),
                "usage": best.usage,
                "cost": max(costs) if costs else None,
                "model": best.model,
            }
        )
    return rows


def figures(sessions, *, main=False):
    """Of each session: tokens by kind, counts, reported cost."""
    out = []
    for number in range(len(sessions)):
        mine = [r for r in requests(sessions) if r["owner"] == number and (r["main"] or not main)]
        usages = [r["usage"] for r in mine if r["usage"] is not None]
        kinds = {
            kind: sum(n for usage in usages if (n := getattr(usage, kind)) is not None)
            if any(getattr(usage, kind) is not None for usage in usages)
            else None
            for kind in KINDS
        }
        if mine and not sum(map(total, usages)):
            kinds = dict.fromkeys(KINDS)
        if kinds["reasoning"] is not None and kinds["reasoning"] > (kinds["output"] or 0):
            kinds["reasoning"] = None
        costs = [r["cost"] for r in mine if r["cost"] is not None]
        out.append(
            {
                "usage": kinds,
                "llm_calls": len(mine),
                "reported_usd": sum(costs) if costs else None,
                **_counts(sessions, number, main=main),
            }
        )
    return out


def _counts(sessions, number, *, main):
    calls = [
        group
        for group in groups(everything(sessions, ToolCall, "id"))
        if group[0][0] == number and (not main or any(not event.agent for _, event in group))
    ]
    tools = {}
    for group in calls:
        name = group[0][1].name
        tools[name] = tools.get(name, 0) + 1
    turns = [
        group
        for group in groups([it for it in everything(sessions, UserTurn, "id") if not it[2].agent])
        if group[0][0] == number
    ]
    return {
        "tool_calls": len(calls),
        "tools_by_name": dict(sorted(tools.items())),
        "tool_errors": len(_errors(sessions, number, main=main)),
        "iterations": len(turns),
        "files_created": _created(sessions, number),
    }


def _errors(sessions, number, *, main):
    calls = {}
    for key, owner, event in everything(sessions, ToolCall, "id"):
        first, is_main = calls.get(key, (owner, False))
        calls[key] = (first, is_main or not event.agent)
    errors = {}
    for key, owner, event in everything(sessions, ToolResult, "call_id"):
        if event.is_error:
            first, is_main = errors.get(key, (owner, False))
            errors[key] = (first, is_main or not event.agent)
    placed = [calls.get(key, at) for key, at in errors.items()]
    return [owner for owner, is_main in placed if owner == number and (is_main or not main)]


def _created(sessions, number):
    found = []
    for place, event in enumerate(sessions[number]):
        if not isinstance(event, FileChange):
            continue
        same = [
            (owner, other)
            for owner, events in enumerate(sessions)
            for at, other in enumerate(events)
            if isinstance(other, FileChange)
            and other.path == event.path
            and identity(other.call_id, owner, at) == identity(event.call_id, number, place)
        ]
        if same[0][0] != number or any(other.failed for _, other in same):
            continue
        if same[0][1].change == "created":
            found.append(event.path)
    return sorted(set(found))
