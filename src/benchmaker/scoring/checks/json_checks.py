"""Checks of answers in JSON: whether they are JSON, fit a schema, hold a value at a path.

JSON Schema and JSONPath are evaluated in a timed worker: a pattern or a path of a suite cannot
stall the process.
"""

import json
import sys
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from benchmaker.errors import SandboxError, ScorerError, ScorerTimeout, SpecError, TrialError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.json_formats import unchecked_formats
from benchmaker.scoring.checks.json_scan import spans_inside
from benchmaker.scoring.checks.json_schemas import contradiction
from benchmaker.scoring.checks.json_values import (
    NestedTooDeeply,
    NotJson,
    json_inside,
    read_json,
)
from benchmaker.scoring.checks.values import UNSET, BeyondLimit, require_length
from benchmaker.scoring.excerpts import shorten
from benchmaker.spec import Case

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

_NOTHING_INSIDE = "no object or list"
_PARTS = 1_000
TIMEOUT_S = 5.0
"""The time limit of one evaluation."""


@scorer
@dataclass(frozen=True, slots=True)
class Json:
    """Full marks if the whole answer is JSON, as RFC 8259 defines it.

    White space around it is allowed, a code fence or a sentence is not. ``inside: true`` requires
    only an object or a list somewhere in the answer.

    Example:
        ``scorer: json``

        >>> from benchmaker.testing import a_case, a_trial
        >>> Json().score(a_case(), a_trial(text='{"a": [1, 2.5]}')).score
        1.0
    """

    inside: bool = False

    def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0; the place of the fault is in the notes.

        Raises:
            ScorerError: with ``inside``, if the answer is too long.
        """
        try:
            self._require_json(trial.text)
        except NestedTooDeeply:
            pass
        except NotJson as exc:
            return _no_json(exc)
        return Score.of(1.0, confidence=1.0, notes="JSON", detail={"json": True})

    def _require_json(self, text: str) -> None:
        if not self.inside:
            read_json(text)
            return
        require_length(text)
        if next(spans_inside(text), None) is None:
            raise NotJson(_NOTHING_INSIDE)

    def explain(self, score: Score) -> list[str]:
        """The result, with the place of the fault."""
        return [f"{score.notes}: {score.score:g}"]


@scorer
@dataclass(frozen=True, slots=True)
class JsonSchema:
    """Full marks if the answer is JSON that a JSON Schema accepts.

    ``value`` is the schema. Its ``$schema`` names the draft; the default is 2020-12. References
    lead to the schema itself; nothing is loaded. ``inside: true`` accepts an answer with a fitting
    object or list somewhere in it. The first five errors are in ``detail``.

    These formats are checked: ``date``, ``date-time``, ``duration``, ``email`` (only for an @),
    ``hostname``, ``ipv4``, ``ipv6``, ``json-pointer``, ``regex``, ``relative-json-pointer``,
    ``time``, ``uri``, ``uri-reference`` and ``uuid``. Any other accepts every text.

    Source: https://json-schema.org/draft/2020-12, evaluated by the package jsonschema.

    Example:
        ``scorer: {id: json_schema, value: {type: object, required: [name]}}``

        >>> import asyncio
        >>> from benchmaker.testing import a_case, a_trial
        >>> check = JsonSchema({"type": "array", "minItems": 2})
        >>> asyncio.run(check.score(a_case(), a_trial(text="[1]"))).score
        0.0
    """

    value: dict[str, Any] | bool
    inside: bool = False

    async def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0; the errors are in ``detail``.

        Raises:
            SpecError: the schema is invalid.
            ScorerError: the answer is too long or nested too deeply, or the evaluation takes longer
                than five seconds.
        """
        require_length(trial.text)
        try:
            values = _values(trial.text, inside=self.inside)
        except NotJson as exc:
            return _no_json(exc)
        errors: list[str] = (await _evaluate("schema", self.value, values))[0]
        detail = {"errors": errors}
        notes = errors[0] if errors else "it fits"
        return Score.of(float(not errors), confidence=1.0, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """A schema that is invalid, or that nothing can fit."""
        found = _rule_faults("schema", "value", self.value)
        why = "" if found else contradiction(self.value)
        return [Objection(("value",), f"no answer can pass: {why}.")] if why else found

    def notes(self, case: Case) -> list[Objection]:  # noqa: ARG002  the contract's
        """The formats of the schema that are not checked."""
        names = dict.fromkeys(unchecked_formats(self.value))
        return [Objection(("value",), f"the format {it} is not checked.") for it in names]

    def explain(self, score: Score) -> list[str]:
        """The errors, or that there are none."""
        errors = score.detail.get("errors") or [score.notes]
        return [*errors, f"score = {score.score:g}"]


@scorer
@dataclass(frozen=True, slots=True)
class JsonPath:
    """Full marks if a JSONPath selects something in the answer, or the required value.

    The answer must be JSON. With ``value``, one of the selected values must equal it: ``1`` equals
    ``1.0``, but a text never equals a number. ``value: null`` requires ``null``. Without ``value``,
    one selected value of any kind suffices; ``null`` counts. ``inside: true`` searches the objects
    and lists somewhere in the answer.

    Source: RFC 9535, evaluated by the package python-jsonpath in its strict mode.

    Example:
        ``scorer: {id: json_path, path: "$.items[*].price", value: 9.5}``

        >>> import asyncio
        >>> from benchmaker.testing import a_case, a_trial
        >>> check = JsonPath("$.items[-1].id", value=7)
        >>> asyncio.run(check.score(a_case(), a_trial(text='{"items": [{"id": 7}]}'))).score
        1.0
    """

    path: str
    value: Any = UNSET
    inside: bool = False

    async def score(self, case: Case, trial: Trial) -> Score:  # noqa: ARG002  the contract's
        """1 or 0; the number of selected values and the first of them are in ``detail``.

        Raises:
            SpecError: the path is invalid.
            ScorerError: the answer is too long or nested too deeply, or the evaluation takes longer
                than five seconds.
        """
        require_length(trial.text)
        try:
            values = _values(trial.text, inside=self.inside)
        except NotJson as exc:
            return _no_json(exc)
        wanted = () if self.value is UNSET else (self.value,)
        selected, first, is_found = await _evaluate("path", self.path, values, *wanted)
        is_right = is_found if wanted else bool(selected)
        detail = {"selected": selected, "first": list(map(shorten, first))}
        notes = self._notes(selected, is_right=is_right)
        return Score.of(float(is_right), confidence=1.0, notes=notes, detail=detail)

    def faults(self) -> list[Objection]:
        """A path that is invalid."""
        return _rule_faults("path", "path", self.path)

    def explain(self, score: Score) -> list[str]:
        """The path, the selected values and the result."""
        first = score.detail.get("first", ())
        return [
            f"path {self.path}",
            *(f"selected {it}" for it in first),
            f"{score.notes}: {score.score:g}",
        ]

    def _notes(self, selected: int, *, is_right: bool) -> str:
        if not selected:
            return "the path selects nothing"
        if self.value is UNSET:
            return f"{selected} selected"
        return f"{'equal to' if is_right else 'none equals'} {_text_of(self.value)}"


def _text_of(value: Any) -> str:  # noqa: ANN401  JSON
    return "null" if value is None else shorten(repr(value))


def _values(text: str, *, inside: bool) -> list[Any]:
    """Return the values to examine: the whole answer, or those inside it.

    Raises:
        NotJson: there are none.
        BeyondLimit: one of them is nested too deeply.
    """
    try:
        found = list(json_inside(text)) if inside else [read_json(text)]
    except NestedTooDeeply as exc:
        raise BeyondLimit("the answer is nested too deeply.") from exc
    if not found:
        raise NotJson(_NOTHING_INSIDE)
    return found


def _no_json(exc: NotJson) -> Score:
    return Score.of(0.0, confidence=1.0, notes=f"no JSON: {exc}", detail={"json": False})


@lru_cache(maxsize=_PARTS)
def refusal_of_part(schema: str, part: str) -> str:
    """Return why no mapping with these keys fits a schema, both as JSON; empty if one may.

    An invalid schema, which is a fault of its own, refuses nothing here.
    """
    request = ["part", _folders(), json.loads(schema), [json.loads(part)]]
    try:
        reply = _result("schema", request[2], _worker().call(request, timeout_s=TIMEOUT_S))
    except (SpecError, TrialError):
        return ""
    return next(iter(reply[0]), "")


async def _evaluate(verb: str, rule: Any, values: list[Any], *wanted: Any) -> list[Any]:  # noqa: ANN401  JSON
    request = [verb, _folders(), rule, values, *wanted]
    try:
        reply = await _worker().acall(request, timeout_s=TIMEOUT_S)
    except (ScorerTimeout, SandboxError) as exc:
        raise ScorerError(f"the {verb} could not be evaluated: {exc.message}") from exc
    return _result(verb, rule, reply)


def _rule_faults(verb: str, parameter: str, rule: Any) -> list[Objection]:  # noqa: ANN401  JSON
    try:
        _result(verb, rule, _worker().call([verb, _folders(), rule, []], timeout_s=TIMEOUT_S))
    except (SpecError, TrialError) as exc:
        return [Objection((parameter,), exc.message)]
    return []


def _result(verb: str, rule: Any, reply: list[Any]) -> list[Any]:  # noqa: ANN401  JSON
    if reply[0] == "bad":
        name = f"JSON Schema: {reply[1]}" if verb == "schema" else f"JSONPath {rule!r}: {reply[1]}"
        raise SpecError(f"invalid {name.rstrip('.')}.")
    if reply[0] == "failed":
        raise ScorerError(f"the {verb} could not be evaluated: {reply[1]}.")
    return reply[1:]


def _folders() -> list[str]:
    return [folder for folder in sys.path if folder]


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for suites with JSON alone

    return TimedWorker("benchmaker.scoring.checks.json_work:evaluate_rule", is_pure=True)
