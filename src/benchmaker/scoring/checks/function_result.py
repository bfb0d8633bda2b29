"""The result of a function that scores answers, as a score."""

from typing import Any

from benchmaker.errors import ScorerError
from benchmaker.record import Score, Trial
from benchmaker.scoring.checks.values import is_share
from benchmaker.scoring.excerpts import shorten
from benchmaker.spec import Case

_RESULT = "a boolean, a number from 0 to 1, or {passed, score, reason}"
_TEXTS = ("id", "prompt", "expected", "category", "difficulty", "group")
_LISTS = ("messages", "choices", "tags")
_MAPPINGS = ("vars", "metadata")
_FIELDS = {*_TEXTS, *_LISTS, *_MAPPINGS}


def case_data(case: Case) -> dict[str, Any]:
    """Return the case as functions get it: plain data with all fields, empty ones included.

    ``expectations`` is a list.
    """
    known = case.model_dump(mode="json", include=_FIELDS)
    empty: dict[str, Any] = dict.fromkeys(_TEXTS)
    empty.update((name, []) for name in _LISTS)
    empty.update((name, {}) for name in _MAPPINGS)
    return {**empty, **known, "expectations": list(case.expectations)}


def calls_data(trial: Trial) -> dict[str, Any]:
    """Return what functions may take besides output and case: ``calls`` and ``transcript``.

    A call has its name, arguments, result (None without one) and step, the number of the answer
    that made it, from 1. Each message has its role, content and tool_calls, as in exports. Both are
    None without a transcript. Calls that the token limit cut off are in the transcript alone.

    >>> from benchmaker.testing import a_completion, a_transcript, a_trial
    >>> done = a_completion("42", transcript=a_transcript(("add", {"a": 2})))
    >>> calls_data(a_trial(completion=done))["calls"]
    [{'name': 'add', 'arguments': {'a': 2}, 'result': '42', 'step': 1}]
    """
    transcript, cut_off = trial.transcript, set(map(id, trial.cut_off_calls))
    if transcript is None:
        return {"calls": None, "transcript": None}
    calls, step = [], 0
    for at, message in enumerate(transcript.messages):
        step += message.role == "assistant"
        following = transcript.messages[at + 1 : at + 1 + len(message.tool_calls)]
        results = (one.content for one in following if one.role == "tool")
        calls += [
            {
                "name": call.name,
                "arguments": call.arguments,
                "result": next(results, None),
                "step": step,
            }
            for call in message.tool_calls
            if id(call) not in cut_off
        ]
    return {"calls": calls, "transcript": transcript.plain_messages}


def score_of_result(result: Any, function: str, detail: dict[str, Any]) -> Score:  # noqa: ANN401  as returned
    """Return the score for a result of ``function``; a verdict is in ``detail["passed"]``.

    Raises:
        ScorerError: it is no boolean, no number from 0 to 1, and no mapping with ``passed`` or
            ``score``.
    """
    if isinstance(result, dict):
        return _score_of_mapping(result, function, detail)
    name = function.rpartition("/")[2]
    if isinstance(result, bool):
        notes = f"{name} returned {'true' if result else 'false'}"
        return Score.of(float(result), notes=notes, detail=detail)
    if is_share(result):
        return Score.of(float(result), notes=f"{name} returned {result:g}", detail=detail)
    raise _result_error(result, function)


def _score_of_mapping(result: dict[str, Any], function: str, detail: dict[str, Any]) -> Score:
    passed, value = result.get("passed"), result.get("score")
    is_verdict = passed is None or isinstance(passed, bool)
    is_number = value is None or isinstance(value, bool) or is_share(value)
    if not (is_verdict and is_number) or (passed is None and value is None):
        raise _result_error(result, function)
    notes = shorten(str(result.get("reason") or "without a reason"))
    verdict = {} if passed is None else {"passed": passed}
    points = float(passed or 0) if value is None else float(value)
    return Score.of(points, notes=notes, detail={**detail, **verdict})


def _result_error(result: object, function: str) -> ScorerError:
    return ScorerError(f"{function} returned {shorten(repr(result))}, not {_RESULT}.")
