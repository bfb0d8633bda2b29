"""A suite written after a configuration of promptfoo gives the verdicts that promptfoo gave.

The verdicts and named scores are those of a run of promptfoo 0.121 on these answers, with the
assertions contains, not-icontains, regex, assert-set, contains-any, is-json, javascript, equals,
levenshtein, latency and cost.
"""

import json

import pytest

from benchmaker import run

SUITE = r"""
name: cities
profile: robust
vars: {hint: ""}
prompts: ["How many thousand people live in {{ city }}?{% if hint %} Hint: {{ hint }}.{% endif %}"]
checks:
  - {type: latency, max: 5}
  - {type: cost, max: 0.01, metric: money, weight: 0}
cases:
  - id: paris
    vars: {city: Paris, people: 2103, hint: census}
    checks: &number
      - {type: contains, value: "{{ people }}", weight: 3, metric: named}
      - {type: contains, value: as an ai, ignore_case: true, not: true}
      - {type: regex, pattern: '\d{3,4}'}
  - {id: rome, vars: {city: Rome, people: 2746, hint: census}, checks: *number}
  - id: oslo
    vars: {city: Oslo}
    checks:
      - type: set
        threshold: 0.5
        checks:
          - {type: contains_any, value: [Oslo, Paris], metric: named}
          - json
      - {type: python, value: "short.py:is_short"}
  - id: digits
    vars: {city: Rome}
    threshold: 0.8
    checks:
      - {type: equals, value: "2746", weight: 2}
      - {type: levenshtein, value: "2746", max: 1}
"""
FUNCTION = "def is_short(output, case):\n    return 1 if len(output) < 120 else 0.5\n"
ANSWERS = [
    ("paris", "a", "The city of Paris has about 2103 thousand people.", True, 1.0),
    ("paris", "b", '{"city":"Paris","thousands":2103}', True, 1.0),
    ("rome", "a", '{"city":"Rome","thousands":2746}', True, 1.0),
    ("rome", "b", "The city of Rome has about 2747 thousand people.", False, 0.0),
    ("oslo", "a", "The city of Oslo has about 717 thousand people.", True, 1.0),
    ("oslo", "b", '{"city":"Oslo","thousands":717}', True, 1.0),
    ("digits", "a", "2746", True, None),
    ("digits", "b", "2747", False, None),
]
"""The case, the model, the answer, promptfoo's verdict, and its named score."""


@pytest.fixture
def result(tmp_path):
    (tmp_path / "short.py").write_text(FUNCTION)
    (tmp_path / "cities.yaml").write_text(SUITE)
    rows = [
        {"id": case, "model": model, "output": text, "latency_s": 0.012, "cost_usd": 0.0001}
        for case, model, text, _, _ in ANSWERS
    ]
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    recorded = tmp_path / "answers.jsonl"
    return run(tmp_path / "cities.yaml", recorded=recorded, home=tmp_path / "home")


def test_the_verdicts_are_those_of_promptfoo(result):
    found = {(it.case_id, it.model.split(" ")[0]): it.score.verdict for it in result.trials()}
    assert found == {(case, model): passed for case, model, _, passed, _ in ANSWERS}


def test_the_named_scores_are_those_of_promptfoo(result):
    for trial in result.trials():
        key = (trial.case_id, trial.model.split(" ")[0])
        (named,) = (it[4] for it in ANSWERS if it[:2] == key)
        assert trial.score.metrics.get("named") == named
        assert trial.score.metrics["money"] == 1.0
