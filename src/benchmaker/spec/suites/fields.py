"""Field mappings: how lines of somebody else's file become cases and recorded answers.

A mapping value is a path (``turns.0.content``) or, where it holds braces, a template of paths
(``{task}-{mode}-{i}``). Nothing else is evaluated.
"""

from pydantic import ConfigDict, Field

from benchmaker.spec.suites.spec_model import SpecModel

FieldPath = str


class CaseFields(SpecModel):
    """Where a case's values stand in a line; a field not named is looked up under its own name."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: FieldPath = "id"
    prompt: FieldPath = "prompt"
    messages: FieldPath = "messages"
    expected: FieldPath = "expected"
    choices: FieldPath = "choices"
    scorer: FieldPath = "scorer"
    weight: FieldPath = "weight"
    category: FieldPath = "category"
    difficulty: FieldPath = "difficulty"
    tags: FieldPath = "tags"
    group: FieldPath = "group"
    page: FieldPath = "page"


class AnswerFields(SpecModel):
    """Where a recorded answer's values stand in a line.

    ``outcome``, ``error`` and ``error_type`` say of a request that failed why there is no answer.
    ``models`` serves wide lines, one question a line: it maps each model's name to the path of
    its answer; of the others only ``id`` and ``run`` are then read. A path that begins with ``=``
    stands for the text behind it, so that a file of one model can do without a model's name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: FieldPath = "id"
    model: FieldPath = "model"
    output: FieldPath = "output"
    run: FieldPath = "run"
    usage: FieldPath = "usage"
    latency_s: FieldPath = "latency_s"
    cost_usd: FieldPath = "cost_usd"
    finish: FieldPath = "finish"
    outcome: FieldPath = "outcome"
    error: FieldPath = "error"
    error_type: FieldPath = "error_type"
    models: dict[str, FieldPath] = Field(default_factory=dict)
