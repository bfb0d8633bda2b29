"""Suites with faults planted in them, written so that the line of every value is known."""

import copy
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

Steps = tuple[str | int, ...]

SOUND: dict[str, Any] = {
    "name": "sound",
    "description": "Sums.",
    "profile": "robust",
    "scorer": {"id": "numeric", "tolerance": 0.01},
    "parameters": {"temperature": 0.5, "top_p": 0.9},
    "policies": {"refused": "leave_out"},
    "cases": [
        {
            "id": f"case-{i}",
            "prompt": f"What is {i} + 1?",
            "expected": str(i + 1),
            "weight": 1.5,
            "category": "sums",
            "tags": ["easy", "short"],
            "metadata": {"source": "me"},
        }
        for i in range(7)
    ],
}


class Planted(NamedTuple):
    """Where a fault must be reported, and words that the report must hold."""

    path: Steps
    words: str
    is_key: bool = False


class Kind(NamedTuple):
    """A kind of fault: what it changes, so that no two meet, and how it is planted."""

    slots: tuple[str, ...]
    plant: Callable[[dict[str, Any], Steps], Planted]


KINDS: dict[str, Kind] = {}


def kind(*slots: str) -> Callable[[Callable[[Any, Steps], Planted]], Any]:
    """Register a kind by its name; it is given the suite or the case, and the path to it."""

    def register(plant: Callable[[Any, Steps], Planted]) -> Any:
        KINDS[plant.__name__] = Kind(slots, plant)
        return plant

    return register


def value(name: str, slots: tuple[str, ...], given: Any, words: str, inside: Steps = ()) -> None:
    """Register a kind that sets a value; ``inside`` leads to where in it the fault stands."""
    is_key = ": unknown" in name
    key = slots[0].removeprefix(".")

    def plant(owner: dict[str, Any], above: Steps) -> Planted:
        owner[key] = copy.deepcopy(given)
        return Planted((*above, key, *inside), words, is_key)

    KINDS[name] = Kind(slots, plant)


# the header: slots begin with a dot
value("header: unknown key", (".colour",), "red", "unknown field 'colour'")
value("profile: unheard of", (".profile",), "robst", "unknown profile 'robst'")
value("name: empty", (".name",), "", "name must not be empty")
value("description: NUL", (".description",), "a\0", "U+0000")
value("system_prompt: list", (".system_prompt",), [1], "system_prompt must be text")
value("policies: bad value", (".policies",), {"empty": "maybe"}, "not 'maybe'", ("empty",))
value("policies: unknown", (".policies",), {"emty": "zero"}, "unknown field 'emty'", ("emty",))
value("parameters: hot", (".parameters",), {"temperature": 3}, "at most 2", ("temperature",))
value("parameters: nan", (".parameters",), {"top_p": math.nan}, "not a valid number", ("top_p",))
value(
    "scorer: unknown parameter in header",
    (".scorer",),
    {"id": "numeric", "colour": [1]},
    "unknown parameter 'colour'",
    ("colour",),
)
value(
    "scorer: bad rule in header",
    (".scorer",),
    {"id": "numeric", "extract": ["auto", "boxd"]},
    "unknown rule 'boxd'",
    ("extract", 1),
)
value(
    "scorer: bad pattern among rules in header",
    (".scorer",),
    {"id": "numeric", "extract": ["/(/", "auto"]},
    "invalid regular expression",
    ("extract", 0),
)

# the cases
value("case: unknown key", ("colour",), [1], "unknown field 'colour'")
value("weight: negative", ("weight",), -1, "weight must be at least 0")
value("weight: nan", ("weight",), math.nan, "not a valid number")
value("weight: text", ("weight",), "much", "weight must be a number")
value("id: empty", ("id",), "", "id must not be empty")
value("id: list", ("id",), ["a"], "id must be text")
value("category: list", ("category",), ["a"], "category must be text")
value("tags: empty", ("tags",), ["a", ""], "tags[1] must not be empty", (1,))
value("tags: mapping", ("tags",), {}, "tags must be a list")
value("metadata: text", ("metadata", "expected"), "me", "metadata must be a mapping")
value("prompt: NUL", ("prompt",), "a\0", "U+0000")
value("prompt: mapping", ("prompt",), {"a": 1}, "prompt must be text")
value("expected: unreadable", ("expected", "metadata"), "many", "needs an expected number")
value("expected: mapping", ("expected",), {"a": 4}, "expected must be text")
value("scorer: number", ("scorer", "expected"), 5, "scorer must be a mapping")
value("scorer: unheard of", ("scorer", "expected"), {"id": "exat"}, "unknown scorer 'exat'")
value("scorer: no id", ("scorer", "expected"), {"tolerance": 1}, "id is missing")
value(
    "scorer: wrong type",
    ("scorer",),
    {"id": "numeric", "tolerance": "x"},
    "tolerance must be a number",
    ("tolerance",),
)
value(
    "scorer: below 0",
    ("scorer",),
    {"id": "numeric", "tolerance": -1},
    "tolerance must be at least 0",
    ("tolerance",),
)
value(
    "scorer: unknown parameter",
    ("scorer",),
    {"id": "numeric", "tolerence": 1},
    "unknown parameter 'tolerence'",
    ("tolerence",),
)
value(
    "scorer: bad pattern",
    ("scorer", "expected"),
    {"id": "regex", "pattern": "[a"},
    "invalid regular expression",
    ("pattern",),
)
value(
    "scorer: bad step",
    ("scorer", "expected"),
    {"id": "exact", "normalise": ["casefold", "shout"]},
    "unknown step 'shout'",
    ("normalise", 1),
)


@kind("scorer", "expected")
def expected_bad_pattern(case: Any, above: Steps) -> Planted:
    case |= {"scorer": "regex", "expected": "a(("}
    return Planted((*above, "expected"), "invalid regular expression")


@kind("prompt")
def missing_prompt(case: Any, above: Steps) -> Planted:
    del case["prompt"]
    return Planted(above, "prompt is missing")


@kind("prompt")
def both_questions(case: Any, above: Steps) -> Planted:
    case["messages"] = [{"role": "user", "content": "Hm?"}]
    return Planted(above, "both prompt and messages are given")


@kind("prompt")
def bad_role(case: Any, above: Steps) -> Planted:
    del case["prompt"]
    case["messages"] = [{"role": "robot", "content": "Hm?"}]
    return Planted((*above, "messages", 0, "role"), "not 'robot'")


@kind("id")
def control_character_in_id(case: Any, above: Steps) -> Planted:
    case["id"] += "\n"
    return Planted((*above, "id"), "U+000A")


@kind("id")
def duplicate_id(case: Any, above: Steps) -> Planted:
    case["id"] = "case-0"
    return Planted((*above, "id"), "duplicate id 'case-0'")


SOURCE_KINDS = {
    "source: unknown key": ({"colour": 1}, ("colour",), "unknown field 'colour'", True),
    "defaults: unknown key": (
        {"defaults": {"hue": 1}}, ("defaults", "hue"), "unknown field 'hue'", True,
    ),
    "defaults: id": (
        {"defaults": {"id": "x"}}, ("defaults", "id"), "an id can't be a default", False,
    ),
    "defaults: empty group": (
        {"defaults": {"group": ""}}, ("defaults", "group"), "group must not be empty", False,
    ),
    "defaults: bad scorer": (
        {"defaults": {"scorer": {"id": "numeric", "curve": "flat"}}},
        ("defaults", "scorer", "curve"), "curve must be", False,
    ),
    "fields: unknown key": (
        {"fields": {"hue": "x"}}, ("fields", "hue"), "unknown field 'hue'", True,
    ),
    "fields: braces": ({"fields": {"group": "{a"}}, ("fields", "group"), "do not match", False),
    "fields: number": ({"fields": {"group": 5}}, ("fields", "group"), "group must be text", False),
}  # fmt: skip
"""What can be wrong where a suite names its data file: values, path, words, is it the key."""


@dataclass
class Written:
    """A document under way, with the lines of its keys and values."""

    is_json: bool
    lines: list[str] = field(default_factory=list)
    keys: dict[Steps, int] = field(default_factory=dict)
    values: dict[Steps, int] = field(default_factory=dict)

    def put(self, lead: str, given: Any, path: Steps = (), end: str = "") -> None:
        """Write a value behind ``lead``, one line for each scalar."""
        self.values[path] = len(self.lines) + 1
        if not (isinstance(given, (dict, list)) and given):
            self.lines.append(f"{lead}{self.scalar(given)}{end}")
        elif self.is_json:
            self.in_json(lead, given, path, end)
        else:
            self.in_yaml(lead, given, path)

    def scalar(self, given: Any) -> str:
        text = json.dumps(given)
        return ".nan" if text == "NaN" and not self.is_json else text

    def in_json(self, lead: str, given: Any, path: Steps, end: str) -> None:
        indent = " " * (len(lead) - len(lead.lstrip()) + 1)
        opening, closing = "{}" if isinstance(given, dict) else "[]"
        self.lines.append(f"{lead}{opening}")
        entries = list(entries_of(given))
        for number, (key, inner) in enumerate(entries, 1):
            self.keys[(*path, key)] = len(self.lines) + 1
            name = f"{json.dumps(key)}: " if isinstance(key, str) else ""
            self.put(indent + name, inner, (*path, key), "," if number < len(entries) else "")
        self.lines.append(f"{indent}{closing}{end}")

    def in_yaml(self, lead: str, given: Any, path: Steps) -> None:
        """A mapping begins in the line of its dash, anything else in the line below its key."""
        is_item = lead.endswith("- ") and isinstance(given, dict)
        indent = " " * (len(lead) if is_item else len(lead) - len(lead.lstrip()) + 2)
        if not is_item and lead:
            self.lines.append(lead.rstrip())
        self.values[path] = len(self.lines) + 1
        for key, inner in entries_of(given):
            self.keys[(*path, key)] = len(self.lines) + 1
            before = lead if is_item else indent if lead else ""
            self.put(
                f"{before}{key}: " if isinstance(key, str) else f"{before}- ", inner, (*path, key)
            )
            lead = indent if is_item else lead
            is_item = False if is_item else is_item


def entries_of(given: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(given.items()) if isinstance(given, dict) else enumerate(given)


def write(folder: Path, suite: dict[str, Any], form: str) -> tuple[Path, Callable[[Planted], str]]:
    """Write a suite; gives its path, and for what was planted ``file:line``."""
    document = dict(suite)
    cases = document.pop("cases")
    source = document.pop("source", {})
    is_apart = form == "jsonl"
    document["cases"] = {"file": "q.jsonl", **source} if is_apart else cases
    written = Written(is_json=form == "json")
    written.put("", document)
    path = folder / f"suite.{'json' if form == 'json' else 'yaml'}"
    path.write_text("\n".join(written.lines) + "\n")
    (folder / "q.jsonl").write_text("\n".join(map(json.dumps, cases)) + "\n")

    def spot(planted: Planted) -> str:
        match planted.path:
            case ("cases", int(index), *_) if is_apart:
                return f"q.jsonl:{index + 1}"
        lines = written.keys if planted.is_key else written.values
        return f"{path.name}:{lines[planted.path]}"

    return path, spot
