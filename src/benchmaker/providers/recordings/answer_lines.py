"""Answers out of the rows of a file, by a field mapping."""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from msgspec.structs import replace

from benchmaker.errors import SpecError
from benchmaker.providers.protocols.finish import finish_of
from benchmaker.providers.protocols.token_logprobs import MOST_TOKENS, read_logprobs
from benchmaker.providers.protocols.usage import read_usage
from benchmaker.providers.recordings.failures import (
    FINISHES,
    RecordedFailure,
    failure_of,
    parse_outcome,
)
from benchmaker.providers.recordings.own_rows import ANSWER_FLAGS, LABELLED_MODEL
from benchmaker.record import (
    Completion,
    FinishReason,
    Outcome,
    Setup,
    TokenLogprob,
    Transcript,
    Usage,
    setup_name,
)
from benchmaker.spec import AnswerFields
from benchmaker.spec.documents.conditions import condition
from benchmaker.spec.documents.rows import DataRow
from benchmaker.spec.documents.source_map import as_text
from benchmaker.spec.documents.strict_json import decode_source
from benchmaker.spec.suites.mapping import (
    MISSING,
    Pick,
    answers_from_line,
    explain_missing,
    may_have,
    model_of,
    pick,
    picker,
)

_MOST_USD = 10**6
"""More than this for one answer can't be true."""

_MOST_LAYOUTS = 1_000
"""Different sets of keys that are remembered; a file has few."""

_OPTIONAL = (
    "run", "usage", "latency_s", "cost_usd", "finish", "outcome", "error", "error_type",
    "prompt_id", "effort", "logprobs", "transcript", "tool_calls", "steps", "stopped_by",
)  # fmt: skip


class RecordedAnswer(NamedTuple):
    """One recorded answer; ``run`` is its run label, None without one.

    ``model`` is the name of its setup, which is the model's where the line has neither a prompt nor
    an effort. ``failure`` is the reason of a failed request; the completion is then empty.
    """

    model: str
    case_id: str
    run: str | None
    completion: Completion
    failure: RecordedFailure | None = None


class AnswerLines:
    """Reads the answers of rows; records the optional fields found."""

    def __init__(self, fields: AnswerFields) -> None:
        self.fields = fields
        named = fields.model_dump(exclude_unset=True)
        self._unmet = {name: str(path) for name, path in named.items() if name in _OPTIONAL}
        self._unmet_models = dict(fields.models)
        self._first: dict[str, Any] | None = None
        self._is_selected = None if fields.where is None else condition(fields.where)
        self._has_failed = None if fields.failed is None else condition(fields.failed)
        self._paths: dict[str, str] = {name: getattr(fields, name) for name in _OPTIONAL}
        self._picks_by_keys: dict[tuple[str, ...], Mapping[str, Pick]] = {}
        self._picks: Mapping[str, Pick] = {}
        self.setups: dict[str, Setup] = {}
        self.has_own_rows = False

    def answers(self, row: DataRow, models: frozenset[str]) -> Iterator[RecordedAnswer]:
        """Yield the answers in a row by these models or setups, or by all by default.

        SpecError for a row without id, model or output, or with a non-text output. A row that
        explains a missing answer needs no output.
        """
        self._first = self._first or row.values
        self._picks = self._possible_picks(row.values)
        if self._has_only_text(row):
            yield self._text_answer(row, models)
            return
        case_id = self._case_id(row)
        if not self.fields.models and (failure := self._failure(row)) is not None:
            model = self._setup(row, model_of(row.values, self.fields, number=row.number))
            known = self._facts(row)
            yield RecordedAnswer(model, case_id, known.run, known.completion(""), failure)
            return
        facts: _Facts | None = None
        for model, output in answers_from_line(row.values, self.fields, number=row.number):
            self._unmet_models.pop(model, None)
            name = self._setup(row, model)
            if models and models.isdisjoint(self.names_of(name)):
                yield RecordedAnswer(name, case_id, None, _UNREAD)
                continue
            facts = facts or self._facts(row)
            yield RecordedAnswer(
                name, case_id, facts.run, self._completion(row, model, output, facts)
            )

    def _possible_picks(self, values: Mapping[str, Any]) -> Mapping[str, Pick]:
        """The optional fields that a row may have; those of rows with the same keys are shared."""
        keys = tuple(values)
        found = self._picks_by_keys.get(keys)
        if found is None:
            if len(self._picks_by_keys) >= _MOST_LAYOUTS:
                self._picks_by_keys.clear()
            found = self._picks_by_keys[keys] = {
                name: picker(path) for name, path in self._paths.items() if may_have(keys, path)
            }
        return found

    def _has_only_text(self, row: DataRow) -> bool:
        """True if a row is an id, a model and an output, as far as the mapping goes."""
        is_mapped = self.fields.models or self._has_failed is not None or self.has_own_rows
        return not (self._picks or is_mapped or row.text is None)

    def _text_answer(self, row: DataRow, models: frozenset[str]) -> RecordedAnswer:
        case_id = self._case_id(row)
        output = pick(row.values, self.fields.output, number=row.number)
        model = model_of(row.values, self.fields, number=row.number)
        if models and models.isdisjoint(self.names_of(model)):
            return RecordedAnswer(model, case_id, None, _UNREAD)
        text = self._text(row, model, output)
        return RecordedAnswer(model, case_id, None, Completion(text=text))

    def names_of(self, name: str) -> tuple[str, ...]:
        """The names that choose a setup: its own, its model's, and the label of its model."""
        setup = self.setups.get(name)
        return (name, setup.model, setup.model_label) if setup else (name,)

    def _setup(self, row: DataRow, model: str) -> str:
        """The name of the setup of a row, which is noted."""
        if self.fields.models:
            return model
        prompt_id, effort = self._name(row, "prompt_id"), self._name(row, "effort")
        behind = row.values.get(LABELLED_MODEL) if self.has_own_rows else None
        if prompt_id is None and effort is None and behind is None:
            return model
        name = setup_name(model, prompt_id, effort)
        if name not in self.setups:
            self.setups[name] = Setup(
                name=name,
                model=behind or model,
                label=model if behind else "",
                prompt_id=prompt_id,
                effort=effort,
            )
        return name

    def _name(self, row: DataRow, field: str) -> str | None:
        value = self._optional_value(row, field)
        if value is None or value == "":
            return None
        if isinstance(value, (dict, list)):
            path = getattr(self.fields, field)
            raise SpecError(f"{path!r} is not a name.", hint="Use text.")
        return as_text(value)

    def unmatched_fields(self) -> Iterator[tuple[str, str]]:
        """Yield mapped fields that no row had, with suggestions."""
        for name, path in {**self._unmet, **self._unmet_models}.items():
            _, hint = explain_missing(self._first or {}, path)
            yield f"no line has the field {path!r}, the source of {name!r}.", hint

    def _case_id(self, row: DataRow) -> str:
        value = pick(row.values, self.fields.id, number=row.number)
        if isinstance(value, float):
            value = self._source(row, self.fields.id)
        if value is None or not isinstance(value, (str, int)) or value == "":
            raise SpecError(
                f"{self.fields.id!r} is not an id.", hint="Add the id of the case to each line."
            )
        return as_text(value)

    def _source(self, row: DataRow, path: str) -> str:
        """Return the source text of a number in the file."""
        line = row.values if row.text is None else decode_source(row.text)
        return as_text(picker(path)(line, row.number))

    def _completion(self, row: DataRow, model: str, output: Any, facts: "_Facts") -> Completion:  # noqa: ANN401  any JSON
        text = self._text(row, model, output)
        completion = facts.completion(text)
        transcript = None if self.fields.models else self._transcript(row, text)
        if transcript is None:
            return completion
        is_stopped = transcript.stopped_by is not None
        finish = FinishReason.TOOL_CALLS if is_stopped else completion.finish
        return replace(completion, transcript=transcript, finish=finish)

    def _text(self, row: DataRow, model: str, output: Any) -> str:  # noqa: ANN401  any JSON
        if isinstance(output, str):
            return output
        path = self.fields.models.get(model, self.fields.output)
        if isinstance(output, (dict, list)):
            message = f"the output of {model!r} ({path!r}) is not text."
            raise SpecError(message, hint="Map the field inside it that has the text.")
        if isinstance(output, float):
            output = self._source(row, path)
        return "" if output is None else as_text(output)

    def _transcript(self, row: DataRow, output: str) -> Transcript | None:
        """The messages or tool calls of a row, if it has any."""
        messages = self._optional_value(row, "transcript")
        calls = self._optional_value(row, "tool_calls")
        if messages is None and calls is None:
            return None
        from benchmaker.providers.recordings.recorded_calls import read_transcript  # noqa: PLC0415  few rows have any

        return read_transcript(
            messages,
            calls,
            output=output,
            steps=self._steps(row),
            stopped_by=self._optional_value(row, "stopped_by"),
        )

    def _steps(self, row: DataRow) -> Any:  # noqa: ANN401  any JSON
        """The number of steps; None where the line says that it is unknown, MISSING without it."""
        value = self._pick(row, "steps")
        is_absent = value is MISSING or (row.text is None and value == "")
        return MISSING if is_absent else self._optional_value(row, "steps")

    def _facts(self, row: DataRow) -> "_Facts":
        """Return the facts besides the output; a wide line's figures belong to no single answer."""
        if self.fields.models:
            return _Facts(self._run_label(row), FinishReason.STOP, None, None, None, ())
        flags = list(row.values.get(ANSWER_FLAGS, ())) if self.has_own_rows else []
        given = self._usage(row)
        usage = None if given is None else read_usage(given)
        flags.extend(usage.flags if usage else ())
        latency_s = _amount(self._optional_value(row, "latency_s"), "latency_dropped", flags)
        cost_usd = _amount(
            self._optional_value(row, "cost_usd"), "cost_dropped", flags, most=_MOST_USD
        )
        finish = _finish(self._optional_value(row, "finish"), self._outcome(row))
        reported = read_logprobs(self._optional_value(row, "logprobs"))
        logprobs = tuple(islice(reported, MOST_TOKENS))
        return _Facts(
            self._run_label(row),
            finish,
            usage,
            latency_s,
            cost_usd,
            tuple(dict.fromkeys(flags)),
            logprobs,
        )

    def _optional_value(self, row: DataRow, name: str) -> Any:  # noqa: ANN401  any JSON
        value = self._pick(row, name)
        if value is MISSING:
            return None
        self._unmet.pop(name, None)
        return None if row.text is None and value == "" else value

    def _pick(self, row: DataRow, name: str) -> Any:  # noqa: ANN401  any JSON, or MISSING
        get = self._picks.get(name)
        return MISSING if get is None else get(row.values, row.number)

    def _failure(self, row: DataRow) -> RecordedFailure | None:
        output = picker(self.fields.output)(row.values, row.number)
        is_empty = output is MISSING or output is None or not str(output).strip()
        error, kind = self._optional_value(row, "error"), self._optional_value(row, "error_type")
        outcome = self._outcome(row)
        if self._has_failed is not None:
            is_failure = self._has_failed(row.values)
            if not is_failure and outcome is None:
                return None
            outcome = outcome or Outcome.PROVIDER_ERROR
        return failure_of(outcome, error, kind, is_empty=is_empty)

    def is_selected(self, row: DataRow) -> bool:
        """True unless the mapping selects other rows."""
        return self._is_selected is None or self._is_selected(row.values)

    def _outcome(self, row: DataRow) -> Outcome | None:
        return parse_outcome(self._optional_value(row, "outcome"))

    def _run_label(self, row: DataRow) -> str | None:
        label = self._optional_value(row, "run")
        if label is None:
            return None
        if isinstance(label, (dict, list)):
            raise SpecError(
                f"{self.fields.run!r} is not a run label.", hint="Use a number or text."
            )
        return as_text(label)

    def _usage(self, row: DataRow) -> Any:  # noqa: ANN401  any JSON
        value = self._optional_value(row, "usage")
        if row.text is not None:
            return value
        if isinstance(value, str):
            return _json(value)
        below = f"{self.fields.usage}."
        cells = {
            name.removeprefix(below): _json(cell)
            for name, cell in row.values.items()
            if name.startswith(below) and cell != ""
        }
        if cells:
            self._unmet.pop("usage", None)
        return cells or None


class _Facts(NamedTuple):
    run: str | None
    finish: FinishReason
    usage: Usage | None
    latency_s: float | None
    cost_usd: float | None
    flags: tuple[str, ...]
    logprobs: tuple[TokenLogprob, ...] = ()

    def completion(self, text: str) -> Completion:
        """Return the answer with this text, and the other facts."""
        return Completion(
            text=text,
            finish=self.finish,
            usage=self.usage,
            latency_s=self.latency_s,
            cost_usd=self.cost_usd,
            flags=self.flags,
            logprobs=self.logprobs,
        )


_UNREAD = Completion(text="")


def _json(cell: str) -> Any:  # noqa: ANN401  any JSON, or the cell itself
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def _amount(
    value: Any,  # noqa: ANN401  any JSON
    flag: str,
    flags: list[str],
    *,
    most: float = sys.float_info.max,
) -> float | None:
    """A figure from 0 to ``most``; what can't be true is dropped with a flag."""
    if value is None:
        return None
    try:
        amount = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        amount = math.nan
    if 0 <= amount <= most:
        return amount
    flags.append(flag)
    return None


def _finish(value: Any, outcome: Outcome | None) -> FinishReason:  # noqa: ANN401  any JSON
    """Return the finish reason, by its word, or else by the outcome."""
    if value is not None:
        return finish_of(value)
    return FinishReason.STOP if outcome is None else FINISHES.get(outcome, FinishReason.STOP)
