"""Criterion: a JSON file is of a schema."""

import asyncio
import json
import signal
import sys
from math import ceil
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.arenas.agentic.verify import runner
from benchmaker.arenas.agentic.verify.criterion_context import GradingContext, Unreadable
from benchmaker.arenas.agentic.verify.finding import (
    Finding,
    error_with,
    fail_with,
    one_line,
    pass_with,
)
from benchmaker.sandbox import wall_limit
from benchmaker.spec.tasks.criterion import JsonSchema

_WORKER: Final = Path(runner.__file__).with_name("schema.py")


async def json_schema(criterion: JsonSchema, place: GradingContext) -> Finding:
    """Validate in a separate process, so that neither schema nor file can block us."""
    schema = _schema(criterion, place)
    if isinstance(schema, str):
        return error_with(schema)
    found = place.matching_files(criterion.path)
    if not found:
        return fail_with(f"not found: {criterion.path}")
    for path in found:
        try:
            text = place.text(path)
            msgspec.json.decode(text)
        except (Unreadable, msgspec.DecodeError, RecursionError) as exc:
            return fail_with(f"{one_line(path)} is not JSON: {exc}")
        finding = await _check(schema, text, path, criterion.timeout_s)
        if finding.state != "pass":
            return finding
    return pass_with(f"schema violations: {', '.join(map(one_line, found[:5]))}")


def _schema(criterion: JsonSchema, place: GradingContext) -> dict[str, Any] | str:
    """Return the schema, or its fault."""
    given = criterion.schema_
    if isinstance(given, str):
        text = place.answer(given)
        if text is None:
            return f"the task has no file tests/{given}"
        try:
            given = msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError as exc:
            return f"tests/{given} has no schema: {exc}"
    if '"$ref": "#' not in (text_of := json.dumps(given)) and '"$ref"' in text_of:
        return "the schema has an external reference"
    return given


async def _check(schema: dict[str, Any], text: str, path: str, seconds: float) -> Finding:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", str(_WORKER), str(ceil(seconds))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={},
    )
    late = fail_with(f"{one_line(path)} could not be checked within {seconds:g} s")
    words = json.dumps(schema).encode() + b"\n" + text.encode()
    try:
        out, err = await asyncio.wait_for(process.communicate(words), wall_limit(seconds))
    except TimeoutError:
        return late
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode == -signal.SIGXCPU:
        return late
    try:
        verdict = msgspec.json.decode(out, type=dict[str, str])
    except msgspec.DecodeError:
        return error_with(f"the schema check failed: {one_line(err[-400:])}")
    if "schema" in verdict:
        return error_with(f"invalid schema: {one_line(verdict['schema'])}")
    if "fault" in verdict:
        return fail_with(f"{one_line(path)}: {one_line(verdict['fault'], 500)}")
    return pass_with("")
