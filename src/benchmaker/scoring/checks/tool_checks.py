"""Checks of the tool calls of a trial, and of its number of steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar, Literal, TypeAlias

from benchmaker.plugins import scorer
from benchmaker.record import Score, ToolCall, Trial
from benchmaker.record.counts import count
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.json_values import is_same_json
from benchmaker.scoring.excerpts import shorten
from benchmaker.spec import Case
from benchmaker.spec.documents.suggestions import did_you_mean

NO_TRANSCRIPT = "no tool calls were recorded with the answer"
"""The reason why these checks have no verdict."""

_NO_TOOLS = "the case has no tools, so no calls are recorded. Add tools to the case."

_SHOWN = 20
"""Maximum number of calls in ``detail``."""

Times: TypeAlias = int | dict[Literal["min", "max"], int]


@scorer
@dataclass(frozen=True, slots=True)
class ToolCalled:
    """Full marks if the model called the tool ``value``.

    With ``arguments``, only calls with these arguments count; a call may have others besides. They
    are compared as JSON: ``1`` equals ``1.0``, but not ``"1"``. A mapping inside requires only its
    own keys, a list must be equal. ``times`` is the required number of such calls, or ``{min,
    max}`` with one or both; without it, one call suffices. A call counts even if the tool returned
    an error, but not if the token limit cut off its arguments.

    A trial without a transcript has no score. Cases list their ``tools``; recorded answers may have
    ``tool_calls`` or a ``transcript``.

    Example:
        ``scorer: {id: tool_called, value: add, arguments: {a: 2}, times: 1}``

        >>> from benchmaker.testing import a_case, a_completion, a_transcript, a_trial
        >>> calls = a_transcript(("add", {"a": 2.0, "b": 3}))
        >>> trial = a_trial(completion=a_completion("5", transcript=calls))
        >>> ToolCalled("add", {"a": 2}).score(a_case(), trial).notes
        'add(a=2) called once'
    """

    value: str
    arguments: dict[str, Any] | None = None
    times: Times | None = None

    check_needs: ClassVar = ("value",)
    check_if_negated: ClassVar = False
    """A model may call a tool that it was not offered, so that ``not`` needs none."""

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0, or no score without a transcript; ``detail`` has the number of such calls."""
        if trial.transcript is None:
            return Score.unscored(NO_TRANSCRIPT)
        calls = trial.tool_calls
        named = [call for call in calls if call.name == self.value]
        number = sum(map(self._fits, named))
        low, high = self.bounds
        detail = {"count": number, "calls": [_call_text(it) for it in calls[:_SHOWN]]}
        notes = self._notes(number, len(named)) + self._cut_off(trial)
        return Score.of(float(low <= number <= high), confidence=1.0, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """Numbers of calls that no answer can have."""
        if self.times == {}:
            return [Objection(("times",), "neither min nor max is given.")]
        bounds = self.times.items() if isinstance(self.times, dict) else ()
        for name, number in bounds:
            if number < 0:
                return [Objection(("times", name), f"{name} must be at least 0.")]
        if isinstance(self.times, int) and self.times < 0:
            return [Objection(("times",), "times must be at least 0.")]
        low, high = self.bounds
        return [Objection(("times",), f"min {low} is more than max {high}.")] if low > high else []

    def check(self, case: Case) -> Sequence[str | Objection]:
        """A tool that the case does not offer, unless it must not be called."""
        if self.value in case.tools or (case.tools and self.bounds[1] == 0):
            return []
        return [self.missing_tool(case)]

    def missing_tool(self, case: Case) -> Objection:
        """The objection to a case that does not offer the tool."""
        if not case.tools:
            return Objection(("value",), _NO_TOOLS)
        known = ", ".join(case.tools)
        hint = did_you_mean(self.value, list(case.tools)) or f"Its tools: {known}."
        return Objection(("value",), f"the case has no tool {self.value!r}. {hint}")

    def explain(self, score: Score) -> list[str]:
        """The result; the calls belong to the trial, and several checks may count them."""
        return [_result_line(score)]

    @property
    def bounds(self) -> tuple[int, float]:
        """The least and the greatest number of such calls with which an answer passes."""
        match self.times:
            case None:
                return 1, inf
            case int():
                return self.times, self.times
            case _:
                return self.times.get("min", 0), self.times.get("max", inf)

    def _fits(self, call: ToolCall) -> bool:
        return self.arguments is None or contains_json(call.arguments, self.arguments)

    def _wanted_call(self) -> str:
        """The tool, with the required arguments if there are any."""
        if not self.arguments:
            return self.value
        return shorten(_call_text(ToolCall(name=self.value, arguments=self.arguments)))

    def _cut_off(self, trial: Trial) -> str:
        """A note on calls of the tool that the token limit cut off; empty without any."""
        number = sum(call.name == self.value for call in trial.cut_off_calls)
        if not number:
            return ""
        return f"; {count(number, 'call')} cut off by the token limit, not counted"

    def _notes(self, number: int, named: int) -> str:
        words = f"{self._wanted_call()} {_calls_in_words(number)}"
        if named > number:
            words = f"{words}, {self.value} {_calls_in_words(named)} in all"
        low, high = self.bounds
        if self.times is None:
            return words
        if low == high:
            return f"{words}, required {_times(low)}"
        upper = "" if high == inf else f", at most {_times(int(high))}"
        return f"{words}{f', at least {_times(low)}' if low else ''}{upper}"


@scorer
@dataclass(frozen=True, slots=True)
class Steps:
    """Full marks if the model gave at most ``max`` answers in the trial.

    Each request is one step: one round of tool calls and the answer to it are two. A trial without
    a transcript has no score: cases with ``tools`` have one, and recorded answers may have
    ``tool_calls`` or a ``transcript``.

    Example:
        ``scorer: {id: steps, max: 3}``

        >>> from benchmaker.testing import a_case, a_completion, a_transcript, a_trial
        >>> calls = a_transcript(("add", {"a": 2, "b": 3}))
        >>> trial = a_trial(completion=a_completion("5", transcript=calls))
        >>> Steps(max=1).score(a_case(), trial).notes
        '2 steps, at most 1'
    """

    max: int

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0, or no score without a transcript; the number is in ``detail``."""
        if trial.transcript is None:
            return Score.unscored(NO_TRANSCRIPT)
        number = trial.transcript.steps
        if number is None:
            return Score.unscored("the number of steps was not recorded")
        notes = f"{count(number, 'step')}, at most {self.max}"
        detail = {"count": number}
        return Score.of(float(number <= self.max), confidence=1.0, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """A maximum that no answer can reach."""
        if self.max >= 1:
            return []
        return [Objection(("max",), "no answer can pass: each takes at least 1 step.")]

    def check(self, case: Case) -> Sequence[str | Objection]:
        """A case without tools, whose steps are not recorded."""
        if case.tools:
            return []
        return [Objection(("max",), "steps are not counted without tools. Add tools to the case.")]

    def explain(self, score: Score) -> list[str]:
        """The number of steps and its limit."""
        return [_result_line(score)]


def contains_json(value: Any, wanted: Any) -> bool:  # noqa: ANN401  JSON
    """True if a JSON value equals the wanted one, mappings with further keys included.

    >>> contains_json({"a": {"b": 1.0, "c": 2}}, {"a": {"b": 1}}), contains_json([1, 2], [1])
    (True, False)
    """
    if not (isinstance(wanted, Mapping) and isinstance(value, Mapping)):
        return is_same_json(value, wanted)
    return all(name in value and contains_json(value[name], it) for name, it in wanted.items())


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number} times")


def _calls_in_words(number: int) -> str:
    return "never called" if number == 0 else f"called {_times(number)}"


def _call_text(call: ToolCall) -> str:
    if not isinstance(call.arguments, Mapping):
        return f"{call.name}({shorten(str(call.arguments))})"
    given = ", ".join(f"{name}={shorten(repr(it))}" for name, it in call.arguments.items())
    return f"{call.name}({given})"


def _result_line(score: Score) -> str:
    return score.notes if score.score is None else f"{score.notes}: {score.score:g}"
