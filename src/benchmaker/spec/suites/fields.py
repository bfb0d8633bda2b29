"""Field mappings from lines of a foreign file to cases and recorded answers.

A mapping value is a path (``turns.0.content``) or, with braces, a template of paths
(``{task}-{mode}-{i}``). Nothing else is evaluated.
"""

from pydantic import ConfigDict, Field, field_validator

from benchmaker.spec.documents.conditions import condition
from benchmaker.spec.suites.spec_model import SpecModel

FieldPath = str


class CaseFields(SpecModel):
    """The paths of a case's values in a line; unnamed fields are read under their own names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: FieldPath = "id"
    prompt: FieldPath = "prompt"
    messages: FieldPath = "messages"
    expected: FieldPath = "expected"
    choices: FieldPath = "choices"
    scorer: FieldPath = "scorer"
    checks: FieldPath = "checks"
    threshold: FieldPath = "threshold"
    checks_only: FieldPath = "checks_only"
    weight: FieldPath = "weight"
    category: FieldPath = "category"
    difficulty: FieldPath = "difficulty"
    tags: FieldPath = "tags"
    group: FieldPath = "group"
    page: FieldPath = "page"
    vars: FieldPath = "vars"
    tools: FieldPath = "tools"
    max_steps: FieldPath = "max_steps"


class AnswerFields(SpecModel):
    """The paths of a recorded answer's values in a line.

    Answers with a ``prompt_id`` or an ``effort`` are of one setup for each combination with the
    model. ``outcome``, ``error`` and ``error_type`` describe a failed request. ``logprobs`` are the
    log probabilities of the first tokens, in the form of OpenAI's replies. ``transcript`` is a list
    of messages with their tool calls, ``tool_calls`` a list of calls without messages; ``steps``
    and ``stopped_by`` are those of the export. ``models`` serves
    wide lines, one question a line: it maps each model's name to the path of its answer; of the
    others only ``id`` and ``run`` are then read. A path that begins with ``=`` is the literal text
    after it, so that a file of one model needs no model field. ``where`` selects lines, ``failed``
    those of failed requests: conditions such as ``filter=strict-match``, see
    :func:`benchmaker.spec.documents.conditions.condition`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: FieldPath = "id"
    model: FieldPath = "model"
    output: FieldPath = "output"
    prompt_id: FieldPath = "prompt_id"
    effort: FieldPath = "effort"
    run: FieldPath = "run"
    usage: FieldPath = "usage"
    latency_s: FieldPath = "latency_s"
    cost_usd: FieldPath = "cost_usd"
    finish: FieldPath = "finish"
    outcome: FieldPath = "outcome"
    error: FieldPath = "error"
    error_type: FieldPath = "error_type"
    logprobs: FieldPath = "logprobs"
    transcript: FieldPath = "transcript"
    tool_calls: FieldPath = "tool_calls"
    steps: FieldPath = "steps"
    stopped_by: FieldPath = "stopped_by"
    models: dict[str, FieldPath] = Field(default_factory=dict)
    where: str | None = None
    failed: str | None = None

    @field_validator("where", "failed")
    @classmethod
    def _check_condition(cls, given: str | None) -> str | None:
        if given is not None:
            condition(given)
        return given
