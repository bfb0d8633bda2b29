"""A client of the API: what it is asked, what it answers, and what it promised to answer."""

import contextlib
import http.client
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import jsonschema_rs

ROOT = "/api/v1"


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> dict[str, Any]:
        return self.data["error"]


class Client:
    """Asks one server, and holds every answer against the document."""

    def __init__(self, address: str) -> None:
        self.address = address

    @cached_property
    def document(self) -> dict[str, Any]:
        return json.loads(self._asked("GET", f"{ROOT}/openapi.json").body)

    def get(self, path: str, /, **words: Any) -> Any:
        """The data of an answer that must be fine."""
        found = self.ask("GET", path, **words)
        assert found.status == 200, found.body
        return found.data

    def post(self, path: str, body: Any = None, *, status: int = 200, method: str = "POST") -> Any:
        """The data of an answer that must have that status."""
        found = self.ask(method, path, body=body)
        assert found.status == status, found.body
        return found.data

    def ask(self, method: str, path: str, /, *, body: Any = None, headers=None, **words) -> Answer:
        """Any answer; JSON is sent where there is a body."""
        query = f"?{urlencode(words, doseq=True)}" if words else ""
        sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body)
        kind = {} if body is None else {"Content-Type": "application/json"}
        found = self._asked(method, f"{ROOT}{path}{query}", sent, {**kind, **(headers or {})})
        self._hold(method, path, found)
        return found

    def upload(self, path: str, name: str, file: bytes, **fields: str) -> Answer:
        """Any answer to a form with a file."""
        edge = "x-edge-x"
        parts = [
            f'--{edge}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{it}\r\n'.encode()
            for key, it in fields.items()
        ]
        head = f'--{edge}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = b"".join([*parts, head.encode(), file, f"\r\n--{edge}--\r\n".encode()])
        kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
        return self.ask("POST", path, body=body, headers=kind)

    def pages(self, path: str, /, **words: Any) -> Iterator[dict[str, Any]]:
        """Every page of a list."""
        after = ""
        while True:
            found = self.get(path, **words, **({"after": after} if after else {}))
            yield found
            after = found["next"]
            if after is None:
                return

    def rows(self, path: str, /, **words: Any) -> list[Any]:
        """Every row of a list."""
        return [row for page in self.pages(path, **words) for row in page["items"]]

    def _asked(self, method, path, body=None, headers=None) -> Answer:
        made = http.client.HTTPConnection(urlsplit(self.address).netloc, timeout=60)
        with contextlib.closing(made) as connection:
            connection.request(method, path, body, headers or {})
            found = connection.getresponse()
            told = {key.lower(): it for key, it in found.getheaders()}
            return Answer(found.status, told, found.read())

    def _hold(self, method: str, path: str, found: Answer) -> None:
        """What is answered is of the type that the document says."""
        operation = self.operation(method, path)
        if operation is None:
            return
        promised = operation["responses"][str(found.status)]["content"]
        kind = found.headers["content-type"].partition(";")[0]
        assert kind in promised, (kind, list(promised))
        if kind == "application/json":
            schema = promised[kind]["schema"] | {"components": self.document["components"]}
            jsonschema_rs.Draft202012Validator(schema).validate(found.data)
            said_nothing_of = list(unknown(found.data, promised[kind]["schema"], self.document))
            assert not said_nothing_of, said_nothing_of

    def operation(self, method: str, path: str) -> dict[str, Any] | None:
        """The operation of a path, None where the document has none."""
        for template, methods in self.document["paths"].items():
            if method.lower() in methods and _fits(template.removeprefix(ROOT), path):
                return methods[method.lower()]
        return None


def _fits(template: str, path: str) -> bool:
    """Whether a path is of a template; words stand before parameters."""
    wanted, given = template.split("/"), path.split("/")
    if len(wanted) != len(given):
        return False
    return all(it == own or it.startswith("{") for it, own in zip(wanted, given, strict=True))


def unknown(value: Any, schema: Any, document: Any, place: str = "") -> Iterator[str]:
    """Where an answer holds a field of which the document says nothing."""
    schemas = [_named(one, document) for one in _ways(_named(schema, document), document)]
    if isinstance(value, list):
        for at, item in enumerate(value):
            inner = [one["items"] for one in schemas if one.get("items")]
            if inner:
                yield from unknown(item, {"anyOf": inner}, document, f"{place}[{at}]")
    if isinstance(value, dict):
        objects = [one for one in schemas if one.get("type") == "object"]
        for key, item in value.items():
            known = [one["properties"][key] for one in objects if key in one.get("properties", {})]
            free = [one["additionalProperties"] for one in objects if "additionalProperties" in one]
            free += [{} for one in objects if not one.get("properties")]
            if not known and not [one for one in free if one is not False]:
                yield f"{place}.{key}"
            elif known:
                yield from unknown(item, {"anyOf": known}, document, f"{place}.{key}")


def _ways(schema: dict[str, Any], document: Any) -> list[Any]:
    """The schemas that a value may be of."""
    found: list[Any] = []
    for one in schema.get("anyOf", [schema]):
        named = _named(one, document)
        found += _ways(named, document) if "anyOf" in named else [named]
    return found


def _named(schema: Any, document: Any) -> dict[str, Any]:
    if "$ref" in schema:
        return document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def named(text: str) -> str:
    """A text as a part of a path."""
    return quote(text, safe="")
