"""Criterion: a JSON file is of a schema."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any, Final

import msgspec

from benchmaker.arenas.agentic.verify import runner
from benchmaker.arenas.agentic.verify.criterion_context import Place, Unreadable
from benchmaker.arenas.agentic.verify.finding import Finding, error, failed, one_line, passed
from benchmaker.spec.tasks.criterion import JsonSchema

_WORKER: Final = Path(runner.__file__).with_name("schema.py")


async def json_schema(criterion: JsonSchema, place: Place) -> Finding:
    """Checked in a process of its own, so that neither schema nor file can hold us up."""
    schema = _schema(criterion, place)
    if isinstance(schema, str):
        return error(schema)
    found = place.named(criterion.path)
    if not found:
        return failed(f"not there: {criterion.path}")
    for path in found:
        try:
            text = place.text(path)
            msgspec.json.decode(text)
        except (Unreadable, msgspec.DecodeError, RecursionError) as exc:
            return failed(f"{one_line(path)} is no JSON: {exc}")
        finding = await _checked(schema, text, path, criterion.timeout_s)
        if finding.state != "pass":
            return finding
    return passed(f"of the schema: {', '.join(map(one_line, found[:5]))}")


def _schema(criterion: JsonSchema, place: Place) -> dict[str, Any] | str:
    """The schema, or what is wrong with it."""
    given = criterion.schema_
    if isinstance(given, str):
        text = place.answer(given)
        if text is None:
            return f"the task has no file tests/{given}"
        try:
            given = msgspec.json.decode(text, type=dict[str, Any])
        except msgspec.DecodeError as exc:
            return f"tests/{given} holds no schema: {exc}"
    if '"$ref": "#' not in (text_of := json.dumps(given)) and '"$ref"' in text_of:
        return "the schema refers to something outside of it"
    return given


async def _checked(schema: dict[str, Any], text: str, path: str, seconds: float) -> Finding:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-B", str(_WORKER)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={},
    )
    words = json.dumps(schema).encode() + b"\n" + text.encode()
    try:
        out, err = await asyncio.wait_for(process.communicate(words), seconds)
    except TimeoutError:
        return failed(f"{one_line(path)} could not be checked within {seconds:g} s")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        told = msgspec.json.decode(out, type=dict[str, str])
    except msgspec.DecodeError:
        return error(f"the check of the schema broke: {one_line(err[-400:])}")
    if "schema" in told:
        return error(f"the schema is not one: {one_line(told['schema'])}")
    if "fault" in told:
        return failed(f"{one_line(path)}: {one_line(told['fault'], 500)}")
    return passed("")
