"""Results of promptfoo, version 3, which ``promptfoo import`` and its viewer open.

Source: the files that promptfoo 0.121.20 writes with ``--output results.json``.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, TextIO

from benchmaker.plugins import report_format
from benchmaker.report.formats.exported_trials import ExportedTrial, exported_trials
from benchmaker.report.formats.report_format import ReportSubject
from benchmaker.scoring.checks.checks import results_of
from benchmaker.version import __version__

_VERSION = 3
_NO_FAILURE, _FAILED_CHECK, _ERROR = 0, 1, 2


@dataclass(slots=True)
class _Totals:
    """The sums of the rows of one prompt and model."""

    score: float = 0.0
    passed: int = 0
    failed: int = 0
    errors: int = 0
    latency_ms: float = 0.0
    cost: float = 0.0
    named: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self.score += row["score"]
        self.passed += row["success"]
        self.errors += row["failureReason"] == _ERROR
        self.failed += row["failureReason"] == _FAILED_CHECK
        self.latency_ms += row["latencyMs"] or 0
        self.cost += row["cost"] or 0
        for name, value in row["namedScores"].items():
            self.named[name] = self.named.get(name, 0.0) + value
            self.counts[name] = self.counts.get(name, 0) + 1


@report_format(id="promptfoo")
class PromptfooResults:
    """Results of promptfoo, for its viewer and its import.

    A setup is a column: a prompt with a model. Each run of a series adds tests. An answer without
    a score is an error, as promptfoo has no other word for it.
    """

    suffixes: ClassVar = (".promptfoo",)
    media_type: ClassVar = "application/json"
    takes_threshold: ClassVar = False

    def write(self, subject: ReportSubject, stream: TextIO) -> None:
        """Write the rows, then the sums of each column."""
        totals: dict[str, _Totals] = {}
        head = subject.redactor.tree(_head(subject))
        stream.write(f'{json.dumps(head)[:-1]}, "results": {{"version": {_VERSION}, ')
        created = json.dumps(subject.result.runs[0].started_at)
        stream.write(f'"timestamp": {created}, "results": [')
        for number, (setup, row) in enumerate(_rows(subject)):
            totals.setdefault(setup, _Totals()).add(row)
            text = json.dumps(subject.redactor.tree(row))
            stream.write(f"{',' if number else ''}\n{text}")
        columns = subject.redactor.tree(_columns(subject, totals))
        stats = _stats(list(totals.values()))
        stream.write(f'\n], "prompts": {json.dumps(columns)}, "stats": {json.dumps(stats)}}}}}\n')


def _head(subject: ReportSubject) -> dict[str, Any]:
    run = subject.result.runs[0]
    return {
        "evalId": f"eval-{run.id}-{run.started_at[:19]}",
        "config": {
            "description": subject.suite.name,
            "prompts": [one.prompt or "" for one in subject.suite.prompts] or ["{{prompt}}"],
            "providers": sorted({run.setup(name).model_label for name in run.models}),
            "tests": [],
        },
        "shareableUrl": None,
        "metadata": {
            "promptfooVersion": "0.121.20",
            "exportedAt": run.finished_at or run.started_at,
            "evaluationCreatedAt": run.started_at,
            "writtenBy": f"benchmaker {__version__}",
        },
    }


def _rows(subject: ReportSubject) -> Iterator[tuple[str, dict[str, Any]]]:
    """The row of each trial, with the name of its setup."""
    names = list(subject.result.runs[0].models)
    places = {name: place for place, name in enumerate(names)}
    tests: dict[tuple[int, str], int] = {}
    for one in exported_trials(subject):
        test = tests.setdefault((one.run.number, one.case.id), len(tests))
        yield one.setup.name, _row(one, test, places.get(one.setup.name, 0))


def _row(one: ExportedTrial, test: int, column: int) -> dict[str, Any]:
    score, verdict = one.score, one.verdict
    value = 0.0 if score is None or score.score is None else score.score
    latency = one.trial.latency_s
    named = dict(score.metrics) if score else {}
    reason = one.trial.error or (one.trial.score.notes if one.trial.score else "no score")
    failure = _ERROR if verdict is None else _NO_FAILURE if verdict else _FAILED_CHECK
    variables = {**one.case.vars} or {"prompt": one.prompt}
    made: dict[str, Any] = {
        "id": f"{one.run.id}-{test}-{column}",
        "promptIdx": column,
        "testIdx": test,
        "promptId": f"{one.setup.name}",
        "testCase": {"description": one.case.id, "vars": variables, "assert": [], "options": {},
                     "metadata": dict(one.case.metadata)},
        "prompt": {"raw": one.prompt, "label": one.setup.prompt_id or "prompt"},
        "provider": {"id": one.setup.model, "label": one.setup.model_label},
        "vars": variables,
        "success": bool(verdict),
        "score": value,
        "namedScores": named,
        "failureReason": failure,
        "latencyMs": 0 if latency is None else round(latency * 1000),
        "cost": one.trial.cost_usd or 0,
        "metadata": {"outcome": one.trial.outcome.value, "costIsKnown":
                     one.trial.cost_usd is not None},
    }  # fmt: skip
    if one.trial.completion is not None:
        made["response"] = {"output": one.text, "tokenUsage": _tokens(one)}
    if failure != _NO_FAILURE:
        made["error"] = reason
    if verdict is not None:
        made["gradingResult"] = _grading(one, verdict, value, reason)
    return made


def _tokens(one: ExportedTrial) -> dict[str, int]:
    tokens_in, tokens_out = one.trial.tokens
    known = {"prompt": tokens_in, "completion": tokens_out}
    made = {name: it for name, it in known.items() if it is not None}
    return made | ({"total": sum(made.values())} if len(made) == len(known) else {})


def _grading(one: ExportedTrial, verdict: bool, value: float, reason: str) -> dict[str, Any]:  # noqa: FBT001  the verdict of a row
    parts = results_of(one.score.detail) if one.score else []
    return {
        "pass": verdict,
        "score": value,
        "reason": reason,
        "namedScores": dict(one.score.metrics) if one.score else {},
        "componentResults": [
            {
                "pass": bool(it.passed),
                "score": it.score or 0.0,
                "reason": it.reason,
                "assertion": {"type": f"{'not-' if it.negated else ''}{it.type}",
                              "weight": it.weight,
                              **({"metric": it.metric} if it.metric else {})},
            }
            for it in parts
        ],
    }  # fmt: skip


def _columns(subject: ReportSubject, totals: dict[str, _Totals]) -> list[dict[str, Any]]:
    """The columns with their sums."""
    run = subject.result.runs[0]
    templates = {one.id: one.prompt or "" for one in subject.suite.prompts}
    made = []
    for name in run.models:
        setup, found = run.setup(name), totals.get(name, _Totals())
        made.append(
            {
                "raw": templates.get(setup.prompt_id or "", "{{prompt}}"),
                "label": setup.prompt_id or "prompt",
                "id": name,
                "provider": setup.model_label,
                "metrics": {
                    "score": found.score,
                    "testPassCount": found.passed,
                    "testFailCount": found.failed,
                    "testErrorCount": found.errors,
                    "assertPassCount": found.passed,
                    "assertFailCount": found.failed,
                    "totalLatencyMs": found.latency_ms,
                    "tokenUsage": {},
                    "namedScores": found.named,
                    "namedScoresCount": found.counts,
                    "cost": found.cost,
                },
            }
        )
    return made


def _stats(totals: list[_Totals]) -> dict[str, Any]:
    return {
        "successes": sum(it.passed for it in totals),
        "failures": sum(it.failed for it in totals),
        "errors": sum(it.errors for it in totals),
        "tokenUsage": {},
    }
