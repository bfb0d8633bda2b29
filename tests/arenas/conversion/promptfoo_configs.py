"""Twelve configurations of promptfoo, made for comparison, and the answers of a scripted model.

Each test has a variable ``mark`` such as ``texts-3``, which its prompt holds in brackets. The
scripted model answers by the last mark of a prompt.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Values = dict[str, Any]
PROVIDER_KEY = "sk-scripted"
PROMPT = "[{{mark}}] Tell me about {{city}}.{% if hint %} Hint: {{hint}}{% endif %}"


@dataclass(frozen=True)
class Configuration:
    """A configuration, the files beside it, and the answers by mark."""

    name: str
    values: Values
    answers: dict[str, str]
    files: dict[str, str] = field(default_factory=dict)

    def write(self, folder: Path, url: str) -> Path:
        """Write the configuration for a model behind ``url``; returns its file."""
        provider = {
            "id": "openai:chat:m",
            "config": {"apiBaseUrl": url, "apiKey": PROVIDER_KEY, **self.values.get("config", {})},
        }
        own = {key: it for key, it in self.values.items() if key != "config"}
        folder.mkdir(exist_ok=True)
        for name, text in self.files.items():
            (folder / name).write_text(text, encoding="utf-8")
        path = folder / f"{self.name}.yaml"
        values = {"description": self.name, "providers": [provider], "prompts": [PROMPT], **own}
        path.write_text(json.dumps(values, indent=1), encoding="utf-8")
        return path


def _tests(name: str, answers: list[str], assertions: list[Values], **more: Any) -> list[Values]:
    """A test for each pair of an answer and an assertion."""
    return [
        {"vars": {"mark": f"{name}-{row}", "city": "Rome"}, "assert": [one], **more}
        for row in range(len(answers))
        for one in assertions
    ]


def _answers(name: str, answers: list[str]) -> dict[str, str]:
    return {f"{name}-{row}": text for row, text in enumerate(answers)}


def _crossed(name: str, answers: list[str], assertions: list[Values], **more: Any) -> Configuration:
    return Configuration(
        name,
        {"tests": _tests(name, answers, assertions), **more},
        _answers(name, answers),
    )


def _script(source: str, **more: Any) -> Values:
    return {"type": "javascript", "value": source, **more}


TEXTS = [
    "Rome",
    " Rome\n",
    "rome",
    "Rome has 2746 thousand people.",
    "ROME!\nThe end",
    "Paris",
    "42\n",
]
TEXT_CHECKS = [
    {"type": "equals", "value": "Rome"},
    {"type": "not-equals", "value": "{{city}}"},
    {"type": "contains", "value": "{{city}}"},
    {"type": "not-contains", "value": "Paris"},
    {"type": "icontains", "value": "ROME"},
    {"type": "not-icontains", "value": "the END"},
    {"type": "contains", "value": 2746},
    {"type": "starts-with", "value": "Rome"},
    {"type": "not-starts-with", "value": "{{city}}"},
    {"type": "regex", "value": "\\d{3,4}"},
    {"type": "regex", "value": "^\\d+$"},
    {"type": "not-regex", "value": "^{{city}}$"},
    {"type": "regex", "value": "e.T"},
    {"type": "equals", "value": 42},
]
LISTS = ["red, green", "Green and blue", "blue", "red green blue", "a, b"]
LIST_CHECKS = [
    {"type": "contains-any", "value": ["red", "blue"]},
    {"type": "contains-all", "value": ["red", "green"]},
    {"type": "icontains-any", "value": "GREEN, black"},
    {"type": "icontains-all", "value": 'green, "blue"'},
    {"type": "not-contains-any", "value": "red,green"},
    {"type": "not-contains-all", "value": ["red", "blue"]},
    {"type": "contains-any", "value": '"a, b", c'},
    {"type": "contains-any", "value": "{{city}}, red"},
]
SCHEMA = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
OBJECTS = [
    '{"a": 1}',
    '{"a": "x", "b": [1, 2]}',
    '[{"a": 1}]',
    'So: {"a": 2} it is',
    "none",
    "7",
    "{'a': 1}",
]
OBJECT_CHECKS = [
    {"type": "is-json"},
    {"type": "not-is-json"},
    {"type": "is-json", "value": SCHEMA},
    {"type": "not-is-json", "value": SCHEMA},
    {"type": "is-json", "value": "required: [b]\ntype: object"},
    {"type": "equals", "value": {"a": 1}},
    {"type": "equals", "value": [{"a": 1}]},
]
INSIDE = ['{"a": 1}', 'So: {"a": 2} it is', "none", "[1, 2]", 'First {"b": 1}, then {"a": 3}']
INSIDE_CHECKS = [{"type": "contains-json"}, {"type": "contains-json", "value": SCHEMA}]
MEASURED = ["kitten", "sitting", "mitten ", "one two three", "I can't help with that.", "word"]
MEASURES = [
    {"type": "levenshtein", "value": "kitten", "threshold": 2},
    {"type": "levenshtein", "value": "kitten"},
    {"type": "not-levenshtein", "value": "mitten", "threshold": 0},
    {"type": "word-count", "value": 1},
    {"type": "word-count", "value": {"min": 2, "max": 3}},
    {"type": "not-word-count", "value": {"max": 2}},
    {"type": "latency", "threshold": 60000},
    {"type": "not-latency", "threshold": 60000},
]
SCRIPTED = [
    "short",
    "a much longer answer than that",
    '{"k": 5, "tags": ["x", "y"], "in": {"n": null}}',
    '{"k": "5", "tags": "xy"}',
    "[1]",
    "  Yes  ",
    "no: sorry",
    "null",
]
SCRIPTS = [
    _script("output.length < 8"),
    _script("output.length >= 5 && output.length <= 30"),
    _script("output.includes('sorry')"),
    _script("!output.includes('sorry')"),
    _script("output.toLowerCase().includes('yes') || output.startsWith('sh')"),
    _script("output.trim() === 'Yes'"),
    _script("/^\\w+$/.test(output)"),
    _script("JSON.parse(output).k === 5"),
    _script("JSON.parse(output).k !== 5"),
    _script("JSON.parse(output).tags.includes('x')"),
    _script("JSON.parse(output).tags.length > 1 && JSON.parse(output).k !== 4"),
    _script("JSON.parse(output).in.n === null"),
    _script("Array.isArray(JSON.parse(output).tags)"),
    _script("typeof JSON.parse(output).k === 'string'"),
    _script("['short', 'null'].includes(output)"),
    _script("output.length < 8 ? 1 : 0.5"),
    _script("output.length < 8 ? 1 : 0.5", threshold=0.8),
    _script("output.length < 8 ? 0.25 : 0"),
    _script("return output\n  .includes('a');"),
    _script("output === context.vars.mark"),
    {"type": "not-javascript", "value": "output.includes('a')"},
]
WEIGHED = ["red green", "green", "blue", "red", "kitten red"]
SET = [
    {"type": "contains", "value": "red", "metric": "colour"},
    {"type": "contains", "value": "green"},
]


def _weights() -> Configuration:
    lists: list[tuple[list[Values], Any]] = [
        (
            [
                {"type": "contains", "value": "red", "weight": 3},
                {"type": "contains", "value": "green"},
            ],
            0.7,
        ),
        (
            [
                {"type": "contains", "value": "red", "weight": 0, "metric": "m"},
                {"type": "contains", "value": "green"},
            ],
            None,
        ),
        ([{"type": "assert-set", "assert": SET, "threshold": 0.5}], None),
        ([{"type": "assert-set", "assert": SET}], None),
        (
            [
                {"type": "assert-set", "assert": SET, "weight": 2, "metric": "set"},
                {"type": "contains", "value": "blue"},
            ],
            0.5,
        ),
        (
            [
                {"type": "levenshtein", "value": "kitten re", "threshold": 2},
                {"type": "contains", "value": "red"},
            ],
            0.6,
        ),
        ([{"type": "contains", "value": "red"}, {"type": "not-contains", "value": "red"}], 0.5),
        ([{"type": "contains", "value": "red"}, {"type": "not-contains", "value": "red"}], None),
    ]
    tests = []
    for row in range(len(WEIGHED)):
        for assertions, threshold in lists:
            test: Values = {
                "vars": {"mark": f"weights-{row}", "city": "Rome"},
                "assert": assertions,
            }
            tests.append(test if threshold is None else {**test, "threshold": threshold})
    return Configuration("weights", {"tests": tests}, _answers("weights", WEIGHED))


def _scenarios() -> Configuration:
    answers = ["Paris 2103", "Rome 2746", "Rome 1", "Oslo", "as an AI, no"]
    values = {
        "prompts": [
            {"id": "plain", "label": "Plain", "raw": PROMPT},
            {"id": "order", "raw": "{{ city | upper }}: [{{mark}}]{{ tail }}"},
        ],
        "defaultTest": {
            "vars": {"tail": "!"},
            "assert": [{"type": "not-icontains", "value": "as an ai"}],
            "options": {
                "transformVars": "{...vars, city: Array.isArray(vars.city) "
                "? vars.city : vars.city.trim()}"
            },
        },
        "scenarios": [
            {
                "config": [
                    {"vars": {"city": " Paris", "people": 2103, "mark": "scenarios-0"}},
                    {"vars": {"city": "Rome", "people": 2746, "mark": "scenarios-1"}},
                    {
                        "vars": {"city": "Rome", "people": 2746, "mark": "scenarios-2"},
                        "assert": [{"type": "contains", "value": "Rome"}],
                    },
                ],
                "tests": [
                    {
                        "vars": {"hint": "census"},
                        "assert": [{"type": "contains", "value": "{{people}}"}],
                    },
                    {
                        "description": "again",
                        "assert": [{"type": "starts-with", "value": "{{city}}"}],
                    },
                ],
            }
        ],
        "tests": [
            {
                "vars": {"city": ["Oslo", "Rome"], "mark": ["scenarios-3", "scenarios-1"]},
                "assert": [{"type": "contains", "value": "{{city}}"}],
            },
            {
                "vars": {"city": ["Oslo", "Rome"], "mark": "scenarios-3"},
                "assert": [
                    _script("output.includes(context.vars.city)"),
                    {"type": "regex", "value": "^{{city}}"},
                ],
            },
            {"vars": {"city": "Rome", "mark": "scenarios-4"}},
            {
                "vars": {"city": "Rome", "mark": "scenarios-4"},
                "options": {"disableDefaultAsserts": True},
            },
        ],
    }
    return Configuration("scenarios", values, _answers("scenarios", answers))


def _tables() -> Configuration:
    rows = [
        "mark,city,__expected,__expected2,__description,__metric,__threshold,__config:__expected2:threshold",
        'tables-0,Paris,contains:2103,"levenshtein(2): Paris 2105",paris,named,,3',
        "tables-1,Rome,\"javascript: output.includes('2746')\",not-contains:sorry,rome,named,0.5,1",
        'tables-2,Rome,Rome 1,"contains-any: ""a, b"", 1",,,,1',
        "tables-3,Oslo,icontains-all: OS,is-json,,,0.4,1",
        "tables-4,Oslo,grey:1,,,,,1",
    ]
    lines = [
        {
            "vars": {"mark": "tables-0", "city": "Paris"},
            "assert": [{"type": "contains", "value": "2103"}],
        },
        {
            "vars": {"mark": "tables-3", "city": "Oslo"},
            "assert": [{"type": "equals", "value": "{{city}}"}],
        },
    ]
    written = [
        {
            "vars": {"mark": "tables-2", "city": "file://city.txt"},
            "assert": [{"type": "contains", "value": "{{city}}"}],
        }
    ]
    files = {
        "rows.csv": "\n".join(rows) + "\n",
        "lines.jsonl": "\n".join(map(json.dumps, lines)) + "\n",
        "more.yaml": json.dumps(written),
        "city.txt": "Rome\n",
        "prompts.txt": "First [{{mark}}] {{city}}\n---\nSecond: {{city}}\n[{{mark}}]\n",
    }
    values = {
        "prompts": ["file://prompts.txt"],
        "tests": ["file://rows.csv", "file://lines.jsonl", "file://more*.yaml"],
    }
    answers = ["Paris 2103", "Rome 2746, sorry", "Rome 1", "Oslo", "grey:1"]
    return Configuration("tables", values, _answers("tables", answers), files)


def _transforms() -> Configuration:
    answers = ["It has 2,746 people", '{"n": {"city": "Rome"}, "list": ["a", "b"]}', " Rome \n"]
    replaced = {"transform": "output.replace(/[^0-9]/g, '')"}
    parsed = {"transform": "JSON.parse(output)"}
    tests = [
        {
            "vars": {"mark": "transforms-0"},
            "options": replaced,
            "threshold": 0.8,
            "assert": [
                {"type": "equals", "value": "2746", "weight": 2},
                {"type": "levenshtein", "value": "2747", "threshold": 1},
            ],
        },
        {
            "vars": {"mark": "transforms-1"},
            "options": parsed,
            "assert": [
                {"type": "is-json"},
                _script("output.n.city === 'Rome' && output.list.includes('b')"),
                {"type": "contains-any", "transform": "output.list", "value": ["b", "c"]},
                {"type": "equals", "transform": "output.n.city", "value": "Rome"},
                {"type": "contains", "value": '"city":"Rome"'},
            ],
        },
        {
            "vars": {"mark": "transforms-1"},
            "options": parsed,
            "assert": [_script("output.n.city !== 'Rome'")],
        },
        {
            "vars": {"mark": "transforms-2"},
            "options": {"transform": "output.trim().toLowerCase()"},
            "assert": [
                {"type": "equals", "value": "rome"},
                {"type": "not-equals", "value": "Rome"},
            ],
        },
        {
            "vars": {"mark": "transforms-2"},
            "assert": [
                {"type": "equals", "value": "Rome", "transform": "output.trim()"},
                {"type": "equals", "value": " Rome \n"},
            ],
        },
    ]
    for one in tests:
        one["vars"]["city"] = "Rome"
    return Configuration("transforms", {"tests": tests}, _answers("transforms", answers))


def _chats() -> Configuration:
    talk = [
        {"role": "system", "content": "You know {{city}}."},
        {"role": "user", "content": 'Say "yes" to [{{mark}}].'},
    ]
    shared = {"type": "contains", "value": "yes", "metric": "polite"}
    values = {
        "prompts": [
            {"label": "chat", "raw": json.dumps(talk)},
            "file://talk.json",
            "- role: user\n  content: '[{{mark}}] in YAML'\n",
        ],
        "assertionTemplates": {"isPolite": shared},
        "config": {"temperature": 0.3, "max_tokens": 50, "stop": ["\n\n"]},
        "tests": [
            {
                "vars": {"mark": f"chats-{row}", "city": 'the "old" Rome'},
                "assert": [{"$ref": "#/assertionTemplates/isPolite"}],
            }
            for row in range(3)
        ],
    }
    answers = ["yes, I do", "no", "well\n\nyes"]
    return Configuration(
        "chats", values, _answers("chats", answers), {"talk.json": json.dumps(talk[1:])}
    )


def _foreign() -> Configuration:
    answers = ["Rome", "Paris", "Rome and Paris"]
    assertions = [
        _script("output.split(' ').map(it => it.length).reduce((a, b) => a + b, 0) > 5"),
        _script("const n = output.length; n > 4"),
        {
            "type": "assert-set",
            "threshold": 0.5,
            "assert": [
                {"type": "contains", "value": "Rome"},
                _script("output.split('').length > 4"),
            ],
        },
    ]
    tests = _tests("foreign", answers, assertions)
    for one in tests:
        one["assert"] = [{"type": "contains", "value": "Rome"}, *one["assert"]]
    return Configuration("foreign", {"tests": tests}, _answers("foreign", answers))


CONFIGURATIONS: tuple[Configuration, ...] = (
    _crossed("texts", TEXTS, TEXT_CHECKS),
    _crossed("lists", LISTS, LIST_CHECKS),
    _crossed("objects", OBJECTS, OBJECT_CHECKS),
    _crossed("inside", INSIDE, INSIDE_CHECKS),
    _crossed("measures", MEASURED, MEASURES),
    _crossed("scripts", SCRIPTED, SCRIPTS),
    _weights(),
    _scenarios(),
    _tables(),
    _transforms(),
    _chats(),
    _foreign(),
    Configuration(
        "formats",
        {
            "config": {
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "one", "schema": {"type": "object"}},
                }
            },
            "tests": _tests(
                "formats",
                ['{"mood": "good", "n": 3}', '{"mood": "bad"}'],
                [
                    _script("output.mood === 'good'"),
                    _script("output.n > 2"),
                    {"type": "is-json"},
                    _script("output.mood === context.vars.wanted ? 1 : 0"),
                ],
            ),
            "defaultTest": {"vars": {"wanted": "bad"}},
        },
        _answers("formats", ['{"mood": "good", "n": 3}', '{"mood": "bad"}']),
    ),
)
