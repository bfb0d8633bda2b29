"""A gate on a metric of checks: exit code, words, and the record that exports read."""

import json
from xml.etree import ElementTree as ET

import pytest

CASES = [
    {"id": "a", "prompt": "p", "expected": "yes"},
    {"id": "b", "prompt": "p", "expected": "yes"},
]
CHECKS = [
    {"type": "exact", "metric": "right"},
    {"type": "contains", "value": "e", "metric": "form", "weight": 0},
]
ANSWERS = [
    {"id": "a", "model": "m", "output": "yes"},
    {"id": "b", "model": "m", "output": "never"},
]


@pytest.fixture
def words(tmp_path):
    suite, answers = tmp_path / "suite.json", tmp_path / "answers.jsonl"
    suite.write_text(json.dumps({"name": "s", "checks": CHECKS, "cases": CASES}))
    answers.write_text("\n".join(map(json.dumps, ANSWERS)))
    return ("run", suite, "--recorded", answers, "--threshold", 80)


def test_the_metric_decides_and_is_named(cli, words):
    said = " ".join(cli(*words, "--gate-metric", "form").stderr.split())
    assert "Threshold met by all models: at least 80% in the metric form." in said
    said = " ".join(cli(*words, "--gate-metric", "right", code=1).stderr.split())
    assert "Threshold missed: m has 50.0% in the metric right, threshold 80%." in said
    assert cli(*words, code=1).stderr.count("the metric") == 0


def test_json_and_exports_have_the_decision_of_the_metric(cli, words):
    found = cli(*words, "--gate-metric", "form", "--json").data
    assert found["gate"]["gate_metric"] == "form"
    assert [(it["verdict"], it["metric"], it["mean"]) for it in found["gate"]["models"]] == [
        ("pass", "form", 1.0)
    ]
    junit = ET.fromstring(cli("export", "latest", "--format", "junit").stdout)  # noqa: S314  our own text
    assert sum(int(one.get("failures")) for one in junit) == 0
    cli("export", "latest", "--format", "junit", "--threshold", 80, code=1)
    metric = ("--gate-metric", "right")
    cli("export", "latest", "--format", "junit", "--threshold", 80, *metric, code=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--gate-metric", "formm"), "unknown metric 'formm'"),
        (("--gate-metric", "strict"), "Use --metric strict"),
    ],
)
def test_another_metric_is_refused(cli, words, given, said):
    assert said in cli(*words, *given, code=2).stderr
    assert cli("runs", "--json").data["runs"] == []


def test_resume_refuses_another_metric_before_it_sends_anything(cli, words):
    cli(*words, "--gate-metric", "right", code=1)
    said = cli("resume", "latest", "--threshold", 80, "--gate-metric", "forms", code=2).stderr
    assert "unknown metric 'forms'. Did you mean 'form'?" in said


def test_a_metric_needs_a_threshold(cli, words):
    said = cli(*words[:-2], "--gate-metric", "form", code=2).stderr
    assert "--gate-metric needs a threshold" in said
