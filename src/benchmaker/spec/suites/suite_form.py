"""The fields of a suite's file, and their types."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from benchmaker.spec.suites.case import Message, refuse_nested_lists
from benchmaker.spec.suites.check_spec import CheckSpec, Label, ScorerSpec, Threshold
from benchmaker.spec.suites.fields import CaseFields
from benchmaker.spec.suites.judge import JudgeSpec
from benchmaker.spec.suites.page_checks import PAGE_PARTS
from benchmaker.spec.suites.parameters import Parameters
from benchmaker.spec.suites.profile import Metric
from benchmaker.spec.suites.prompts import (
    Efforts,
    FewShot,
    Models,
    ModelSpec,
    Prompt,
    Prompts,
    find_repeated,
)
from benchmaker.spec.suites.response_format import JsonSchemaFormat, NamedSchema
from benchmaker.spec.suites.spec_model import SpecModel
from benchmaker.spec.suites.tools import MAX_STEPS, Steps, Tool

Policy = Literal["zero", "leave_out"]
FileName = Annotated[str, Field(min_length=1, max_length=1000)]


NEWER = "newer"
"""Marks a field that a header holds only where it is set, so that older suites keep their hash."""


class Policies(SpecModel):
    """One policy for each outcome caused by the model; the default scores it 0.

    ``truncated`` answers are scored as they are by default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    empty: Policy = "zero"
    filtered: Policy = "zero"
    refused: Policy = "zero"
    context_overflow: Policy = "zero"
    truncated: Literal["score", "zero", "leave_out"] = "score"


class DatasetRecord(BaseModel):
    """The Hugging Face dataset that the cases of a suite were read from.

    ``revision`` is the commit on the hub, None for a local folder; ``fingerprint`` is the SHA-256
    of all rows of the split.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    hf: FileName
    config: str | None = None
    split: str
    revision: str | None = None
    fingerprint: str


class CaseSource(BaseModel):
    """Cases in a data file next to the suite, or in a Hugging Face dataset.

    Without ``fields`` each line holds a case's own fields. ``defaults`` fill absent fields.
    ``sheet`` names the sheet of a workbook (``.xlsx``) that has several. ``config``, ``split`` and
    ``revision`` choose a part of the dataset ``hf``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: FileName | None = None
    sheet: str | None = None
    hf: FileName | None = None
    config: str | None = None
    split: str | None = None
    revision: str | None = None
    fields: CaseFields | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)


class SuiteForm(BaseModel):
    """Everything in a suite's file but the cases, which are read apart."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Label | None = Field(
        None, description="The suite's name in every result; by default the file's name."
    )
    description: str = Field("", description="A description of the suite for readers.")
    system_prompt: str | None = Field(
        None, description="The system message of each case without its own."
    )
    judge_prompt: str | None = Field(None, description="Instructions for judging scorers.")
    profile: str = Field(
        "classic", description="The family of definitions; classic is the published method."
    )
    scorer: ScorerSpec | None = Field(None, description="The scorer of each case without its own.")
    checks: Annotated[tuple[CheckSpec, ...], NEWER] = Field(
        (), description="Checks of the answer to each case."
    )
    threshold: Annotated[Threshold | None, NEWER] = Field(
        None,
        description="The weighted share of the checks, from 0 to 1, that passes a case; without"
        " it, all checks must pass.",
    )
    grades: Annotated[bool, NEWER] = Field(
        False,
        description="Partial credit from exact and numeric in robust, by their published curves.",
    )
    metric: Annotated[Metric, NEWER] = Field(
        "mean",
        description="The metric of tables, comparisons and gates: mean, or strict (exactly right).",
    )
    judge: Annotated[JudgeSpec | None, NEWER] = Field(
        None, description="The judge of scorers that use a model: its name, or a mapping."
    )
    parameters: Parameters = Field(
        default_factory=Parameters, description="Sampling parameters sent with every request."
    )
    policies: Policies = Field(
        default_factory=Policies,
        description="The score of an answer that is empty, filtered, refused or cut off.",
    )
    models: Annotated[Models, NEWER] = Field(
        (), description="The models of a run without --model: names, or mappings."
    )
    efforts: Annotated[Efforts, NEWER] = Field(
        (), description="Reasoning efforts, each of which every model is run at."
    )
    vars: Annotated[dict[Label, Any], NEWER] = Field(
        {}, description="Variables of templates, for cases without their own."
    )
    prompts: Annotated[Prompts, NEWER] = Field(
        (), description="Prompt templates, each of which every case is run with."
    )
    tools: Annotated[tuple[Tool, ...], NEWER] = Field(
        (), description="Tools that cases may offer to models; a case lists those it offers."
    )
    max_steps: Annotated[Steps, NEWER] = Field(
        MAX_STEPS,
        description="The most answers of a model in one trial of a case with tools.",
    )
    dataset: Annotated[DatasetRecord | None, NEWER] = Field(
        None, description="The dataset of the cases; set when cases with hf are read."
    )
    cases: Any = Field(None, description="The questions, or the data file that holds them.")

    @field_validator("vars")
    @classmethod
    def _no_list_in_list(cls, given: dict[str, Any]) -> dict[str, Any]:
        return refuse_nested_lists(given)

    @field_validator("models", "efforts", "prompts", "tools")
    @classmethod
    def _unique_names(cls, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The values with names of their own."""
        names = [_name_of(one) for one in given]
        for place, name in find_repeated(filter(None, names)):
            msg = f"{name!r} is given twice, the second time as number {place + 1}"
            raise ValueError(msg)
        return given

    @property
    def header(self) -> dict[str, Any]:
        """The values of everything but the cases, by field."""
        return {name: getattr(self, name) for name in HEADER_FIELDS}


def _name_of(given: Any) -> str | None:  # noqa: ANN401  a model, an effort, a prompt, a tool
    """The name that must be unique among its kind; None where a file gives it later."""
    match given:
        case ModelSpec() | Tool():
            return given.name
        case Prompt():
            return given.id
        case _:
            return str(given)


def _header_fields() -> tuple[str, ...]:
    """The fields that every header has, then the newer ones."""
    fields = SuiteForm.model_fields
    newer = [name for name, info in fields.items() if NEWER in info.metadata]
    return (*(name for name in fields if name not in {"cases", *newer}), *newer)


HEADER_FIELDS = _header_fields()
"""The fields of a suite's header in the order in which it is written."""


def is_written(field: str, value: Any) -> bool:  # noqa: ANN401  the value of any field
    """True if a header writes the field: newer fields are written only if set."""
    info = SuiteForm.model_fields[field]
    return NEWER not in info.metadata or value != info.default


CASE_PARTS: dict[str, type[BaseModel]] = {"messages": Message, **PAGE_PARTS}
"""The models of values inside a case, by the field that holds them."""

SUITE_PARTS: dict[str, type[BaseModel]] = {
    "parameters": Parameters,
    "response_format": JsonSchemaFormat,
    "json_schema": NamedSchema,
    "policies": Policies,
    "judge": JudgeSpec,
    "fields": CaseFields,
    "models": ModelSpec,
    "prompts": Prompt,
    "few_shot": FewShot,
    "messages": Message,
    "tools": Tool,
}
"""The models of values inside a suite, by the field that holds them."""
