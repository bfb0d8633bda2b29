"""The page of criteria, from their kinds."""

import json
from collections.abc import Iterator
from typing import Any

from benchmaker.spec.tasks.criterion import KINDS, Criterion
from scripts.reference.docstring import markdown

HEAD = """\
# Criteria

Criteria are checks of the workspace after a tool's session. A task lists them in `task.yaml`, each
with a `type` and its fields:

```yaml
criteria:
  - {id: there, type: file_exists, path: report.json}
  - {id: tests, type: tests_pass, framework: unittest, at_least: 10, required: true}
```

The result of each is `pass`, `fail`, `error` (caused by the machine, never a fail) or `skipped`
(not checked yet). There is no verdict while any criterion is an `error` or a `required` one is
`skipped`; other skipped criteria are pending and don't count as failed.
[Verification](../explanation/verification.md) describes the checks and their limits,
[write a task](../how-to/write-a-task.md) has an example. `benchmaker schema task` prints the JSON
Schema for editors.
"""


_WORDS = {
    "string": "text",
    "object": "a mapping",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
}


def page() -> str:
    """The page's Markdown."""
    shared = ["## Every criterion", *_fields(Criterion, frozenset())]
    return "\n".join([HEAD, "\n\n".join(shared) + "\n", *(map(_kind, sorted(KINDS)))])


def _kind(name: str) -> str:
    kind = KINDS[name]
    runs = "It runs a program, in isolation." if kind.runs_code else "It reads, and runs nothing."
    shared = frozenset(Criterion.model_fields) | {"type"}
    return "\n\n".join([f"## `{name}`", markdown(kind), runs, *_fields(kind, shared)]) + "\n"


def _fields(kind: type[Criterion], without: frozenset[str]) -> Iterator[str]:
    schema = kind.model_json_schema(by_alias=True)
    lines = [
        f"- `{name}`: {_type(field, schema)}. {_default(name, field, schema)}"
        for name, field in schema["properties"].items()
        if name not in without
    ]
    if lines:
        yield "\n".join(lines)


def _type(field: dict[str, Any], schema: dict[str, Any]) -> str:
    """The type of a field in words."""
    if "$ref" in field:
        inner = schema["$defs"][field["$ref"].rpartition("/")[2]]["properties"]
        return "a mapping with " + ", ".join(f"`{name}`" for name in inner)
    if "anyOf" in field:
        parts = [_type(one, schema) for one in field["anyOf"] if one.get("type") != "null"]
        return " or ".join(parts)
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field.get("type") == "array":
        return f"a list, each {_type(field['items'], schema)}"
    return _WORDS[field["type"]]


def _default(name: str, field: dict[str, Any], schema: dict[str, Any]) -> str:
    if name in schema.get("required", []):
        return "It must be given."
    default = field.get("default")
    return f"Default: `{json.dumps(default)}`." if default not in (None, "") else "Optional."
