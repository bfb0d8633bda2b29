"""The explanation of a score with many checks: on the page of a case, and of a trial."""

import json

import pytest

import benchmaker as bm
from tests.web.results_data import fetched_when_computed
from tests.web.serving import serving

ADD = {"name": "add", "arguments": {"a": 2}}
CHECKS = 20


def _suite(checks):
    return {
        "name": "sums",
        "profile": "robust",
        "tools": [{"name": "add", "reply": 5}],
        "cases": [{"id": "sum", "prompt": "2?", "tools": ["add"], "threshold": 0.5} | checks],
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """The pages of the case and of its trial, whose score has many checks of its calls."""
    home = tmp_path_factory.mktemp("steps")
    called = [{"type": "tool_called", "value": "add", "times": {"min": at}} for at in range(CHECKS)]
    answers = home / "answers.jsonl"
    answers.write_text(json.dumps({"id": "sum", "model": "m", "output": "5", "tool_calls": [ADD]}))
    made = bm.run(_suite({"checks": called}), recorded=answers, home=home / "home")
    with serving(home / "home") as address:
        run = f"{address}/runs/{made.run_ids[0]}"
        yield [fetched_when_computed(f"{run}/{it}") for it in ("cases/0", "trials/0-0")]


def test_a_long_explanation_ends_with_the_arithmetic_and_leads_to_the_other_lines(pages):
    case, _ = pages
    explained = case[case.index("Explain<") :]
    assert "/20 = 0.1<" in explained
    assert "0.1 &lt; threshold 0.5: failed" in explained
    assert f">all {2 * CHECKS + 3} lines</a>" in explained
    assert f">all {CHECKS} checks</a>" in case


def test_the_page_of_a_trial_has_every_line_and_the_calls_once(pages):
    _, trial = pages
    assert "0.1 &lt; threshold 0.5: failed" in trial
    assert trial.count("add(a=2)") == 1
    assert trial.count(", weight 1)") == CHECKS
