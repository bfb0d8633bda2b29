"""Criterion: a server answers a request as expected."""

import sys
from typing import Any

import msgspec

from benchmaker.arenas.agentic.verify.criteria.patterns import find
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, not_clean
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    one_line,
    pass_with,
    tail,
)
from benchmaker.arenas.agentic.verify.frameworks.python import RUNNER, SEALING, mount_points
from benchmaker.sandbox import Isolation, wall_limit
from benchmaker.spec.tasks.criterion import HttpExpected, HttpProbe
from benchmaker.structs import resolve_type

_GRACE_S = 5.0


class _Answer(msgspec.Struct):
    status: int = 0
    body: str = ""
    unready: str = ""
    absent: bool = False
    blocked: bool = False


async def http_probe(criterion: HttpProbe, place: GradingContext) -> Finding:
    """Send the request from within the server's sandbox, protected from the server."""
    if place.channel_error is not None:
        return place.channel_error
    reads = mount_points(place)
    start = criterion.start
    if start[0] in ("python", "python3") and place.isolation is not Isolation.CONTAINER:
        start = (sys.executable, *start[1:])
    plan: dict[str, Any] = {
        "start": start,
        "port": criterion.port,
        "ready_s": wall_limit(criterion.ready_s),
        "seconds": wall_limit(criterion.timeout_s),
        "request": criterion.request.model_dump(),
    }
    argv = ("python3", "-I", "-S", "-B", f"{reads[RUNNER]}/probe.py", reads[SEALING])
    seconds = criterion.ready_s + criterion.timeout_s + _GRACE_S
    words = msgspec.json.encode(plan)
    ended = await place.run(argv, seconds=seconds, stdin=words, reads=reads)
    if (finding := not_clean(ended, argv)) is not None:
        return finding
    try:
        answer = msgspec.json.decode(ended.channel, type=resolve_type(_Answer))
    except msgspec.DecodeError:
        return fail_with(
            f"the HTTP client was stopped before it replied: {tail(ended.stderr, 500)}"
        )
    if answer.unready:
        is_ours = answer.blocked or (answer.absent and "/" not in criterion.start[0])
        words_of = f"{one_line(answer.unready)}\n{tail(ended.stderr, 600)}".strip()
        return error_with(words_of) if is_ours else fail_with(words_of)
    objection = await _objection(answer, criterion.expect)
    if objection:
        return fail_with(f"{objection}\n{tail(answer.body, 600)}".strip())
    return pass_with(f"status {answer.status}")


async def _objection(answer: _Answer, expect: HttpExpected) -> str:
    if answer.status != expect.status:
        return f"status {answer.status} instead of {expect.status}"
    for wanted in expect.contains:
        if wanted not in answer.body:
            return f"{one_line(wanted)!r} is missing"
    if expect.pattern and not await find(expect.pattern, answer.body):
        return f"no match for {one_line(expect.pattern)}"
    return _json_objection(answer.body, expect.json_values) if expect.json_values else ""


def _json_objection(body: str, wanted: dict[str, Any]) -> str:
    try:
        given = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return "the body is not JSON"
    for path, value in wanted.items():
        try:
            found = _value_at(given, path)
        except (KeyError, IndexError, ValueError, TypeError):
            return f"no value at {one_line(path)}"
        if found != value or isinstance(found, bool) != isinstance(value, bool):
            return f"{one_line(path)} is {one_line(str(found))!r}"
    return ""


def _value_at(value: Any, path: str) -> Any:  # noqa: ANN401  JSON
    for part in path.split("."):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value
