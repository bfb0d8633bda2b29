"""A table of checks, answers and verdicts; half of them are facts from the tests of other tools.

A row has ``check`` (its type, its parameters and perhaps a threshold), ``answer``, ``passed`` (null
for undecided), and where needed ``expected`` of the case and ``record`` of the answer. ``from``
names the tool whose tests state the verdict: promptfoo (contains, icontains, equals, starts-with,
levenshtein, word-count, is-json, contains-json, bleu, cost, latency, is-refusal and their
negations, turned), DeepEval (exact match, JSON correctness) or Inspect (f1, exact).
"""

import asyncio
import json
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from benchmaker.record import Completion, FinishReason, Transcript, Usage
from benchmaker.scoring.build import build
from benchmaker.scoring.score import apply, explain, stamp
from benchmaker.spec import ScorerSpec, profile
from benchmaker.testing import a_case, a_trial

TABLE = Path(__file__).with_name("verdicts.jsonl")
ROWS = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]
KINDS = {
    *("contains", "contains_any", "contains_all", "starts_with", "ends_with", "equals"),
    *("levenshtein", "word_count", "sentence_count", "json", "json_schema", "json_path"),
    *("f1", "bleu", "rouge_1", "rouge_2", "rouge_l", "chrf", "language", "refusal"),
    *("latency", "cost", "tokens", "tool_called", "steps"),
}


def trial_of(row):
    record = dict(row.get("record", {}))
    if "usage" in record:
        record["usage"] = Usage(**record["usage"])
    if "finish" in record:
        record["finish"] = FinishReason(record["finish"])
    if "transcript" in record:
        record["transcript"] = msgspec.convert(record["transcript"], Transcript)
    return a_trial(completion=Completion(text=row["answer"], **record))


def spec_of(row):
    given = {key: value for key, value in row["check"].items() if key not in {"type", "threshold"}}
    return ScorerSpec(id=row["check"]["type"], **given)


def verdict(row, scorer, score):
    if score.score is None:
        return None
    if "passed" in score.detail:
        return score.detail["passed"]
    threshold = row["check"].get("threshold", getattr(scorer, "default_threshold", 1.0))
    return score.score >= threshold


def name_of(row):
    return f"{row['from'] or 'own'}-{row['check']['type']}"


def test_the_table_has_enough_rows_of_every_kind():
    assert len(ROWS) >= 400
    assert sum(bool(row["from"]) for row in ROWS) >= 200
    assert {row["check"]["type"] for row in ROWS} == KINDS
    verdicts = Counter((row["check"]["type"], row["passed"]) for row in ROWS)
    assert all(verdicts[kind, True] and verdicts[kind, False] for kind in KINDS)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_check_gives_the_verdict(row):
    spec = spec_of(row)
    case = a_case(expected=row.get("expected"))
    scorer = build(spec, profile("robust"))
    score = asyncio.run(apply(scorer, case, trial_of(row)))
    assert verdict(row, scorer, score) is row["passed"], score
    stamped = stamp(score, scorer, spec, profile("robust"), case.expectations)
    lines = explain(stamped)
    assert lines
    assert all(isinstance(line, str) and line for line in lines)
