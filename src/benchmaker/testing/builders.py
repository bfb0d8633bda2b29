"""Builders: a whole value from the one field that a test is about.

>>> a_trial(text="42").text
'42'
"""

from typing import Any

from benchmaker.providers.base import Request
from benchmaker.record import (
    Completion,
    Outcome,
    Run,
    RunState,
    Score,
    ToolCall,
    Transcript,
    TranscriptMessage,
    Trial,
)
from benchmaker.spec import Case, Message, Parameters, ScorerSpec, Suite

_STARTED = "2025-01-01T00:00:00.000Z"
_FINISHED = "2025-01-01T00:00:01.000Z"


def a_case(id: str = "case-1", **fields: Any) -> Case:  # noqa: A002, ANN401  the fields of Case
    """Return a case with the question 6 x 7; override fields of :class:`~benchmaker.spec.Case`."""
    question = {} if "messages" in fields else {"prompt": "What is 6 x 7?"}
    return Case(**{"id": id, "expected": "42", **question, **fields})


def a_completion(text: str = "42", **fields: Any) -> Completion:  # noqa: ANN401  of Completion
    """Return a completion with that text."""
    return Completion(text=text, **fields)


def a_transcript(*calls: tuple[str, Any]) -> Transcript:
    """Return a transcript of calls (name, arguments), each in its own answer, and a last answer."""
    messages = [TranscriptMessage(role="user", content="What is 6 x 7?")]
    for name, arguments in calls:
        call = ToolCall(name=name, arguments=arguments)
        messages.append(TranscriptMessage(role="assistant", content="", tool_calls=(call,)))
        messages.append(TranscriptMessage(role="tool", content="42", name=name))
    messages.append(TranscriptMessage(role="assistant", content="42"))
    return Transcript(messages=tuple(messages), steps=len(calls) + 1)


def a_score(score: float | None = 1.0, **fields: Any) -> Score:  # noqa: ANN401  of Score
    """Return a score of the exact scorer, in classic."""
    defaults = {"scorer": "exact", "scorer_version": "1", "profile": "classic/1", "confidence": 1.0}
    return Score(score=score, **{**defaults, **fields})


def a_trial(text: str = "42", **fields: Any) -> Trial:  # noqa: ANN401  the fields of Trial
    """Return a trial of ``case-1`` with that answer."""
    defaults = {
        "run_id": "run-1",
        "case_id": "case-1",
        "model": "model-a",
        "position": 0,
        "outcome": Outcome.SCORED,
        "completion": a_completion(text),
        "finished_at": _FINISHED,
    }
    return Trial(**{**defaults, **fields})


def a_run(id: str = "run-1", **fields: Any) -> Run:  # noqa: A002, ANN401  the fields of Run
    """Return a finished run of one model over one case."""
    defaults = {
        "suite_hash": "0" * 64,
        "suite_name": "a suite",
        "models": ("model-a",),
        "profile": "classic",
        "profile_version": "1",
        "planned": 1,
        "state": RunState.FINISHED,
        "started_at": _STARTED,
        "finished_at": _FINISHED,
    }
    return Run(id=id, **{**defaults, **fields})


def a_suite(*cases: Case, **fields: Any) -> Suite:  # noqa: ANN401  the fields of Suite
    """Return a suite of those cases, by default of one, scored by exact."""
    defaults = {"name": "a suite", "scorer": ScorerSpec(id="exact")}
    return Suite(cases=cases or (a_case(),), **{**defaults, **fields})


def a_request(model: str = "model-a", case_id: str = "case-1", **fields: Any) -> Request:  # noqa: ANN401  of Request
    """Return a request as sent by the engine in the first run."""
    defaults = {
        "run": 1,
        "messages": (Message(role="user", content="What is 6 x 7?"),),
        "parameters": Parameters(),
    }
    return Request(model=model, case_id=case_id, **{**defaults, **fields})
