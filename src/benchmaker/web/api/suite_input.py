"""Suites and cases as they are sent, and what becomes of them."""

from collections.abc import Sized
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from benchmaker.errors import Finding, SpecError
from benchmaker.spec import Case, Suite
from benchmaker.spec.documents.findings import Findings
from benchmaker.spec.documents.source_map import Mark, Places
from benchmaker.spec.suites.draft import examined
from benchmaker.spec.suites.header import read_header
from benchmaker.spec.suites.value_errors import Objections
from benchmaker.web.api.paging import Sent

_STRICT = ConfigDict(extra="forbid", frozen=True, strict=True)
_HEADER = ("name", "description", "system_prompt", "judge_prompt", "profile", "scorer", "judge")

Label = Annotated[str, Field(min_length=1, max_length=200)]
Plain = dict[str, Any]


class MessageIn(Sent):
    """One turn of a conversation."""

    model_config = _STRICT

    role: Literal["system", "user", "assistant"]
    content: str


class ScorerIn(Sent):
    """A scorer by its id, with its parameters beside it."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)

    id: Label


class CaseIn(Sent):
    """A case, as in a suite's file: exactly one of `prompt` and `messages` is given."""

    model_config = _STRICT

    id: Annotated[str, Field(min_length=1, max_length=512)]
    prompt: str | None = None
    messages: list[MessageIn] | None = None
    expected: str | None = None
    scorer: ScorerIn | Label | None = None
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    category: Label | None = None
    difficulty: Label | None = None
    tags: list[Label] | None = None
    group: Label | None = None
    metadata: Plain | None = None
    page: Plain | None = None

    def plain(self) -> Plain:
        """What was said, and nothing else."""
        return self.model_dump(exclude_none=True)


class HeaderIn(Sent):
    """Fields of a suite's header; what is not given stays, null takes a field away."""

    model_config = _STRICT

    name: Label | None = None
    description: str | None = None
    system_prompt: str | None = None
    judge_prompt: str | None = None
    profile: Literal["classic", "robust"] | None = None
    scorer: ScorerIn | Label | None = None
    judge: Plain | None = None
    parameters: Plain | None = None
    policies: Plain | None = None


class SuiteIn(HeaderIn):
    """A suite as its file says it, cases and all."""

    model_config = _STRICT

    name: Label
    cases: Annotated[list[CaseIn], Field(min_length=1)]

    def plain(self) -> Plain:
        """What was said, and nothing else."""
        header = self.model_dump(exclude_none=True, exclude={"cases"})
        return header | {"cases": [case.plain() for case in self.cases]}


def patched(suite: Suite, header: HeaderIn) -> Suite:
    """The suite with other fields in its header.

    Raises:
        SpecError: something in them is wrong.
    """
    written = {**suite.header(), "parameters": suite.parameters.written}
    data = {**written, **header.model_dump(exclude_unset=True)}
    findings = Findings()
    objections = Objections(Places("suite", Mark(0, 0, inside={})), findings)
    form, _ = read_header({name: it for name, it in data.items() if it is not None}, objections)
    findings.raise_if_any()
    if not form.name:
        raise SpecError("a suite needs a name.", where="body.name", hint="Write one.")
    return replace(
        suite,
        **{name: getattr(form, name) for name in _HEADER},
        parameters=form.parameters,
        policies=form.policies,
    )


def case_of(sent: CaseIn) -> Case:
    """The case that was sent.

    Raises:
        SpecError: something in it is wrong; every fault at once.
    """
    case, faults = examined(sent.plain(), lambda _: "")
    told = [
        Finding(".".join(("body", *map(str, one.path))), 0, 0, one.message, one.hint)
        for one in faults
    ]
    if told:
        raise SpecError.of(told)
    return case


def counted(suite: Suite) -> int:
    """How many cases there are."""
    cases = suite.cases
    return len(cases) if isinstance(cases, Sized) else sum(1 for _ in cases)
