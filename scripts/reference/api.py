"""The page of the JSON API: every address, what it takes, what it gives, and every type."""

from collections.abc import Iterator
from typing import Any

from benchmaker.web.api.document import ERRORS, TAGS
from benchmaker.web.api.mounted import openapi_document

HEAD = """\
# JSON API

The API of `benchmaker serve` is at `/api/v1` and covers all functions of the workbench. Names and
numbers are those of the command line's `--json`. The OpenAPI 3.1 document is at
`/api/v1/openapi.json`. [How to use it](../how-to/use-the-api.md)

- **Session.** Open the address that `benchmaker serve` prints; its token opens one session, which
  is stored in a cookie. Requests that change data are refused from another origin. All requests
  are refused under another host name.
- **Lists** have `items` and `next`. Repeat the request with `after=` that value until it is null.
  `limit` is at most 500. Most lists are paged by key: rows added in between are neither repeated
  nor hidden.
- **Scores** come with their `scale`. Unknown values are null, never 0.
- **Errors** are `{"error": {…}}` with `type`, `status`, `message` (the fault), `where` (a field, or
  file, line and column), `hint` (the remedy) and `findings` (every fault in the request).
- Unknown parameters and fields are refused. Bodies are `application/json` up to 4 MB, or a form
  with a file up to 32 MB.
"""

TYPES_HEAD = """
## Types

A field with `?` may be left out.
"""


def page() -> str:
    """The page's Markdown."""
    return "\n".join((HEAD, *_errors(), *_operations(), TYPES_HEAD, *_types()))


def heading(method: str, path: str) -> str:
    """The heading of an operation."""
    return f"`{method.upper()} {path.removeprefix('/api/v1')}`"


def _errors() -> Iterator[str]:
    yield "| status | means |"
    yield "|---|---|"
    yield from (f"| {status} | {means} |" for status, means in ERRORS.items())


def _operations() -> Iterator[str]:
    for tag, says in TAGS.items():
        yield f"\n## {tag.capitalize()}\n\n{says}\n"
        for path, methods in openapi_document()["paths"].items():
            for method, operation in methods.items():
                if tag in operation["tags"]:
                    yield from _operation(method, path, operation)


def _operation(method: str, path: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### {heading(method, path)}\n"
    yield " ".join(operation["description"].split()) + "\n"
    words = [_word(one) for one in operation.get("parameters", ()) if one["in"] == "query"]
    if words:
        yield f"Takes {', '.join(words)}.\n"
    if body := operation.get("requestBody"):
        ((media, content),) = body["content"].items()
        yield f"Sent: {_type(content['schema'])} as `{media}`.\n"
    status, answer = next(iter(operation["responses"].items()))
    ((media, content),) = answer["content"].items()
    if "x-event-data" in content:
        yield f"Gives a stream of events with {_type(content['x-event-data'])}.\n"
    elif media == "application/json":
        yield f"Gives {_type(content['schema'])}{'' if status == '200' else f', {status}'}.\n"
    else:
        yield f"Gives `{media}`.\n"


def _word(parameter: dict[str, Any]) -> str:
    schema = parameter["schema"]
    usual = schema.get("default")
    said = "" if usual in (None, "", []) else f" = {usual}"
    return f"`{parameter['name']}{said}` ({_type(schema)})"


def _types() -> Iterator[str]:
    for name, schema in openapi_document()["components"]["schemas"].items():
        yield f"### {name}\n"
        if told := schema.get("description"):
            yield " ".join(told.partition("\n\n")[0].replace("``", "`").split()) + "\n"
        if properties := schema.get("properties"):
            needed = schema.get("required", ())
            fields = (
                f"`{field}{'' if field in needed else '?'}` {_type(it)}"
                for field, it in properties.items()
            )
            yield f"{'; '.join(fields)}.\n"
        elif "enum" in schema:
            yield f"One of {_values(schema['enum'])}.\n"


def _type(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema:
        return _values(schema["enum"])
    if "const" in schema:
        return _values([schema["const"]])
    if "prefixItems" in schema:
        return f"({', '.join(map(_type, schema['prefixItems']))})"
    return _plain(schema)


_PLAIN = {"string": "text", "integer": "whole number", "boolean": "true or false"}


def _plain(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if kind == "array":
        return f"list of {_type(schema.get('items') or {})}"
    if kind == "object":
        return _object(schema)
    return "anything" if kind is None else _PLAIN.get(kind, str(kind))


def _object(schema: dict[str, Any]) -> str:
    inner = schema.get("additionalProperties")
    if isinstance(inner, dict) and inner:
        return f"{_type(inner)} by name"
    if names := schema.get("properties"):
        return f"a form of {', '.join(f'`{name}`' for name in names)}"
    return "object"


def _values(values: list[Any]) -> str:
    return " or ".join(f"`{value}`" for value in values)
