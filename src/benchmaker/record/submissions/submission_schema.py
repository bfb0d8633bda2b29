"""The JSON Schema of ``benchmaker.submission/1``."""

from typing import Any

import msgspec

from benchmaker.record.submissions.submission import SCHEMA, Submission


def submission_schema() -> dict[str, Any]:
    """The schema, draft 2020-12; counts and amounts are 0 or more, or null if unknown."""
    (_,), parts = msgspec.json.schema_components((Submission,), ref_template="#/$defs/{name}")
    for part in parts.values():
        _forbid_negative(part)
    body = parts.pop("Submission")
    body["properties"]["schema_version"] = {"const": SCHEMA}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": SCHEMA,
        **body,
        "required": ["schema_version", *body["required"]],
        "$defs": parts,
    }


def _forbid_negative(part: dict[str, Any]) -> None:
    """Say of every number in a part that it is not negative."""
    for field in part.get("properties", {}).values():
        for kind in (field, *field.get("anyOf", ())):
            if kind.get("type") in {"integer", "number"}:
                kind["minimum"] = 0
