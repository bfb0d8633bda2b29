"""YAML 1.2 as plain data with locations: bounded, without tags.

Scalars follow the core schema, so that ``NO`` is text. Aliases are limited, and their expanded
values are counted.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)
from ruamel.yaml.reader import ReaderError

from benchmaker.errors import SpecError
from benchmaker.spec.documents.document import NO_NUMBER, QUOTE_IT, Budget, Document
from benchmaker.spec.documents.findings import Findings, refusal
from benchmaker.spec.documents.limits import Limits
from benchmaker.spec.documents.source_map import SourceLocation, SourceMark

_Valued = MappingStartEvent | SequenceStartEvent | ScalarEvent
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_BASED = re.compile(r"0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40}")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")


def read_yaml(text: str, file: str, *, limits: Limits, findings: Findings) -> Document:
    """Return the one document in the text.

    Duplicate keys, tags, NaN and infinity are added to ``findings``. SpecError if reading cannot
    continue: wrong syntax, too deep, too many values or aliases.
    """
    composer = _Composer(_events(text, file), Budget(file, limits, findings))
    return composer.document()


def _events(text: str, file: str) -> Iterator[Event]:
    try:
        yield from YAML(typ="safe", pure=True).parse(text)
    except SpecError:
        raise
    except MarkedYAMLError as exc:
        raise _syntax(exc, text, file) from exc
    except ReaderError as exc:
        raise _control_character(exc, text, file) from exc
    except Exception as exc:  # the parser's own faults on hostile text
        message = "invalid YAML."
        raise refusal(SourceLocation(file), message, "Check its escapes and quotes.") from exc


def _syntax(exc: MarkedYAMLError, text: str, file: str) -> SpecError:
    mark = exc.problem_mark or exc.context_mark
    place = SourceLocation(file, mark.line + 1, mark.column + 1) if mark else SourceLocation(file)
    problem = " ".join(part for part in (exc.context, exc.problem) if part)
    for said, message, hint in _SYNTAX:
        if said in problem:
            own = _in_quotes(text, place.line) if said == _COLON else ""
            return refusal(place, message, own or hint)
    hint = "Check indentation, quotes and colons at this place."
    return refusal(place, f"invalid YAML: {problem}.", hint)


def _in_quotes(text: str, line: int) -> str:
    """The line's own text as it should be written; empty where that is not plain to see."""
    lines = text.splitlines()
    written = lines[line - 1].strip().removeprefix("- ") if line <= len(lines) else ""
    key, _, value = written.partition(": ")
    if ": " not in f"{value} " or not 0 < len(value) <= _LONGEST or value[0] in "\"'[{|>&*!#":
        return ""
    return f"Put the text in quotes: {key}: {json.dumps(value, ensure_ascii=False)}"


_COLON = "mapping values are not allowed"
_LONGEST = 200

_SYNTAX = (
    (
        r"'\t'",
        "tabs are not allowed for indentation or at the start of a value.",
        "Indent with spaces.",
    ),
    (
        _COLON,
        "unexpected colon with a space after it, which starts a value.",
        'Put the text in quotes: prompt: "Translate: bonjour"',
    ),
    (
        "that cannot start any token",
        "unquoted text can't start with this character in YAML.",
        "Put the text in quotes.",
    ),
)
"""What the parser says of frequent mistakes, what it means, and what to do."""


def _control_character(exc: ReaderError, text: str, file: str) -> SpecError:
    before = text[: exc.position]
    place = SourceLocation(file, before.count("\n") + 1, exc.position - before.rfind("\n"))
    code = text[exc.position : exc.position + 1]
    name = f"U+{ord(code):04X}" if code else "that"
    return refusal(place, f"the control character {name} is not allowed.", "Remove it.")


class _Node(NamedTuple):
    data: Any  # plain data
    mark: SourceMark
    size: int
    height: int


@dataclass(slots=True)
class _Composer:
    """Builds data from events, keeping the place of each value."""

    events: Iterator[Event]
    budget: Budget
    aliases: int = 0
    anchors: dict[str, _Node | None] = field(default_factory=dict)

    def document(self) -> Document:
        event = next(self.events)
        while not isinstance(event, NodeEvent):
            if isinstance(event, StreamEndEvent):
                return Document(None, SourceMark(1, 1, ""))
            event = next(self.events)
        node = self.node(event, 1)
        for after in self.events:
            if isinstance(after, DocumentStartEvent):
                message = "a second document starts here."
                raise self.budget.stop(self.place(after), message, "Use one document per file.")
        return Document(node.data, node.mark)

    def place(self, event: Event) -> SourceLocation:
        return self.budget.place(event.start_mark.line + 1, event.start_mark.column + 1)

    def node(self, event: Event, depth: int) -> _Node:
        place = self.place(event)
        self.budget.check_depth(depth, place)
        if isinstance(event, AliasEvent):
            return self.alias(event, depth, place)
        if not isinstance(event, (MappingStartEvent, SequenceStartEvent, ScalarEvent)):
            raise self.budget.stop(place, "missing value.")
        self.budget.spend(1, place)
        self.refuse_tag(event, place)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        node = self.value(event, depth, place)
        if event.anchor is not None:
            self.anchors[event.anchor] = node
        return node

    def value(self, event: _Valued, depth: int, place: SourceLocation) -> _Node:
        if isinstance(event, MappingStartEvent):
            return self.mapping(depth, place)
        if isinstance(event, SequenceStartEvent):
            return self.sequence(depth, place)
        return self.scalar(event, place)

    def alias(self, event: AliasEvent, depth: int, place: SourceLocation) -> _Node:
        self.aliases += 1
        if self.aliases > self.budget.limits.aliases:
            message = f"more than {self.budget.limits.aliases} aliases are used."
            raise self.budget.stop(place, message, "Write out the values.")
        name = event.anchor
        if name not in self.anchors:
            raise self.budget.stop(place, f"the alias *{name} has no anchor.", f"Write &{name}.")
        node = self.anchors[name]
        if node is None:
            raise self.budget.stop(place, f"the alias *{name} is inside its own anchor.")
        self.budget.spend(node.size, place)
        self.budget.check_depth(depth + node.height - 1, place)
        seen = node.mark
        mark = SourceMark(place.line, place.column, seen.source, seen.keys, seen.inside)
        return node._replace(mark=mark)

    def refuse_tag(self, event: _Valued, place: SourceLocation) -> None:
        tag = event.tag
        if tag is not None:
            name = str(tag).replace("tag:yaml.org,2002:", "!!")
            self.budget.findings.add(place, f"unsupported tag {name}.", "Remove the tag.")

    def mapping(self, depth: int, place: SourceLocation) -> _Node:
        data: dict[str, Any] = {}
        mark = SourceMark.container(place)
        size, height = 1, 1
        while not isinstance(event := next(self.events), MappingEndEvent):
            key = self.key(event, depth)
            node = self.node(next(self.events), depth + 1)
            size, height = size + node.size, max(height, node.height + 1)
            if key is None:
                continue
            spot = self.place(event)
            if key in data:
                self.duplicate(key, spot, mark)
                continue
            data[key], mark.inside[key] = node.data, node.mark
            mark.keys[key] = (spot.line, spot.column)
        return _Node(data, mark, size, height)

    def key(self, event: Event, depth: int) -> str | None:
        if isinstance(event, ScalarEvent):
            self.budget.spend(1, self.place(event))
            self.refuse_tag(event, self.place(event))
            return str(event.value)
        self.node(event, depth + 1)
        self.budget.findings.add(self.place(event), "keys must be plain text.")
        return None

    def duplicate(self, key: str, place: SourceLocation, mark: SourceMark) -> None:
        line, column = mark.keys[key]
        message = f"duplicate key {key!r}; first at line {line}, column {column}."
        self.budget.findings.add(place, message, "Remove one of them.")

    def sequence(self, depth: int, place: SourceLocation) -> _Node:
        data: list[Any] = []
        mark = SourceMark.container(place)
        size, height = 1, 1
        while not isinstance(event := next(self.events), SequenceEndEvent):
            node = self.node(event, depth + 1)
            size, height = size + node.size, max(height, node.height + 1)
            mark.inside[len(data)] = node.mark
            data.append(node.data)
        return _Node(data, mark, size, height)

    def scalar(self, event: ScalarEvent, place: SourceLocation) -> _Node:
        text = str(event.value)
        is_plain = event.style is None and event.implicit[0]
        data = self.resolve(text, place) if is_plain else text
        source = None if isinstance(data, str) else text
        return _Node(data, SourceMark(place.line, place.column, source), 1, 1)

    def resolve(self, text: str, place: SourceLocation) -> str | float | bool | None:
        if text in _WORDS:
            return _WORDS[text]
        if _NUMBER.fullmatch(text):
            return self.budget.number(text, place)
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _NOT_FINITE.fullmatch(text):
            self.budget.findings.add(place, f"{text} is not a valid number.", QUOTE_IT)
            return NO_NUMBER
        return text
