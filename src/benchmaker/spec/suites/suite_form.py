"""The form of a suite's file: which fields it may hold, and of what kind."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from benchmaker.spec.suites.case import Label, Message, ScorerSpec
from benchmaker.spec.suites.fields import CaseFields
from benchmaker.spec.suites.judge import JudgeSpec
from benchmaker.spec.suites.page_checks import PAGE_PARTS
from benchmaker.spec.suites.parameters import Parameters
from benchmaker.spec.suites.policies import Policies
from benchmaker.spec.suites.profile import Metric

FileName = Annotated[str, Field(min_length=1, max_length=1000)]


class CaseSource(BaseModel):
    """Cases in a data file beside the suite: its name, where the values stand, what fills gaps.

    Without ``fields`` each line holds a case's own fields. ``defaults`` are values of cases.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: FileName
    fields: CaseFields | None = None
    defaults: dict[str, Any] = Field(default_factory=dict)


class SuiteForm(BaseModel):
    """Everything in a suite's file but the cases, which are read apart."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Label | None = None
    description: str = ""
    system_prompt: str | None = None
    judge_prompt: str | None = None
    profile: str = "classic"
    scorer: ScorerSpec | None = None
    grades: bool = False
    metric: Metric = "mean"
    judge: JudgeSpec | None = None
    parameters: Parameters = Field(default_factory=Parameters)
    policies: Policies = Field(default_factory=Policies)
    cases: Any = None


CASE_PARTS: dict[str, type[BaseModel]] = {"messages": Message, **PAGE_PARTS}
"""The models of values inside a case, by the field that holds them."""

SUITE_PARTS: dict[str, type[BaseModel]] = {
    "parameters": Parameters,
    "policies": Policies,
    "judge": JudgeSpec,
    "fields": CaseFields,
}
"""The models of values inside a suite, by the field that holds them."""
