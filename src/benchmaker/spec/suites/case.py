"""One case of a suite: the question and the expected answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Required, Self, TypeAlias, TypedDict

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from benchmaker.spec.suites.check_spec import (
    CHECKS,
    CheckInput,
    CheckSpec,
    Label,
    ScorerInput,
    ScorerSpec,
    Threshold,
)
from benchmaker.spec.suites.page_checks import Page
from benchmaker.spec.suites.spec_model import SpecModel
from benchmaker.spec.suites.tools import Steps

Id = Annotated[str, StringConstraints(min_length=1, max_length=512)]


HAS_PROMPTS = "has_prompts"
"""The key of a validation's context that is true for cases of a suite with prompts."""

_OMITTED_IF_EMPTY = (
    "choices",
    "vars",
    "rendered",
    "expansion_of",
    "checks",
    "checks_only",
    "tools",
)
_OMITTED_IF_NONE = ("page", "threshold", "max_steps")
"""Fields that the first versions of a case did not have."""


def refuse_nested_lists(given: dict[str, Any]) -> dict[str, Any]:
    """Return variables whose lists hold no lists; ValueError for others."""
    for name, value in given.items():
        if isinstance(value, (list, tuple)):
            if not value:
                msg = f"{name} is an empty list, which leaves no case"
                raise ValueError(msg)
            if any(isinstance(one, (list, tuple)) for one in value):
                msg = f"{name} holds a list in a list; put the inner one in a mapping"
                raise ValueError(msg)
    return given


def _one_as_list(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    return (given,) if isinstance(given, str) else given


def _page_to_plain(page: Page | None) -> dict[str, Any] | None:
    return page.plain_data if page else None


class Message(SpecModel):
    """One turn of a conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    role: Literal["system", "user", "assistant"]
    content: str


def join_alternatives(texts: Iterable[str]) -> str:
    """Several right answers as one text.

    >>> join_alternatives(["Holland", "the Netherlands"])
    'Holland or the Netherlands'
    """
    return " or ".join(texts)


Text: TypeAlias = str | float | bool
"""A text, or a number that stands for its digits."""


class CaseDict(TypedDict, total=False):
    """A case as it stands in a file, as a dictionary for :class:`Suite`.

    Only ``id`` is required. The keys are the fields of :class:`Case`; a text may be a number, and
    a single tag a text.
    """

    id: Required[Text]
    prompt: Text | None
    messages: Sequence[Message | Mapping[str, Text]]
    expected: Text | Sequence[Text] | None
    choices: Sequence[Text]
    scorer: ScorerInput | None
    checks: Sequence[CheckInput]
    threshold: float | None
    checks_only: bool
    weight: float
    category: Text | None
    difficulty: Text | None
    tags: Text | Sequence[Text]
    group: Text | None
    vars: Mapping[str, Any]
    rendered: bool
    expansion_of: str | None
    tools: Sequence[str] | str
    max_steps: int | None
    metadata: Mapping[str, Any]
    page: Mapping[str, Any] | None


class Case(SpecModel):
    """One question with its expectation.

    Exactly one of ``prompt`` and ``messages`` is given; neither is needed with ``vars``, for the
    prompts of a suite. ``vars`` fill the templates in the case's texts and in the suite's prompts;
    a list makes one case of each value. ``rendered`` is true once that is done: the texts are then
    final. ``expansion_of`` is the id of the case whose lists made this one. Of several right
    answers (``expected: [a, b]``), ``expected`` is the first, ``also_expected`` holds the others
    and ``expectations`` all.
    ``choices`` are the options of a multiple-choice question. ``weight`` is at least 0. ``group``
    names cases that belong together (one document, one template), for clustered statistics.
    ``scorer`` is None if the suite's own applies. ``checks`` are added to the suite's, or replace
    them and its scorer with ``checks_only``; ``threshold`` takes precedence over the suite's.
    ``tools`` are the tools of the suite that the model may call, in at most ``max_steps`` answers.
    ``metadata`` is stored and never read. ``page``
    describes the examination of the answer's page, for the Code Arena. A number in a text field
    becomes text: ``expected=5`` is ``expected="5"``.

    Raises:
        SpecError: a value is invalid; all of them are reported together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    id: Id = Field(description="Unique within the suite; stored with every result.")
    prompt: str | None = Field(None, description="The question. Give either prompt or messages.")
    messages: tuple[Message, ...] = Field(
        (), description="A conversation. Give either prompt or messages."
    )
    expected: str | None = Field(
        None,
        description="The expected answer; of several, the best match counts. Numbers keep their"
        " digits.",
    )
    also_expected: tuple[str, ...] = Field((), exclude=True)
    choices: tuple[str, ...] = Field(
        (), description="The options of a multiple-choice question: texts, letters, or both."
    )
    scorer: ScorerSpec | None = None
    checks: tuple[CheckSpec, ...] = Field(
        (), description="Checks of the answer, in addition to those of the suite."
    )
    threshold: Threshold | None = Field(
        None,
        description="The weighted share of the checks, from 0 to 1, that passes the case; without"
        " it, all checks must pass.",
    )
    checks_only: bool = Field(
        False, description="True if the suite's checks and scorer do not apply to the case."
    )
    weight: float = Field(
        1.0,
        ge=0,
        allow_inf_nan=False,
        description="The case's weight in every mean, from 0 up.",
    )
    category: Label | None = Field(
        None, description="The category under which the case is reported."
    )
    difficulty: Label | None = Field(None, description="One word, such as easy.")
    tags: tuple[Label, ...] = Field((), description="Words by which cases can be selected.")
    group: Label | None = Field(
        None, description="Cases that belong together, such as questions on one text."
    )
    vars: dict[Label, Any] = Field(
        default_factory=dict,  # pydantic copies a default for each case, ten times as slowly
        json_schema_extra={"default": {}},
        description="Variables of templates; a list makes one case of each value.",
    )
    rendered: bool = Field(
        False, description="True if the texts hold no templates, as in exported suites."
    )
    expansion_of: Id | None = Field(
        None, description="The case whose lists made this one, as in exported suites."
    )
    tools: Annotated[tuple[Label, ...], BeforeValidator(_one_as_list)] = Field(
        (), description="The tools of the suite that the model may call, by name."
    )
    max_steps: Steps | None = Field(
        None, description="The most answers of the model; without it, the suite's max_steps."
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="Your own data; stored and never read."
    )
    page: Annotated[Page | None, PlainSerializer(_page_to_plain)] = Field(
        None, description="The examination of the answer's page, for the Code Arena."
    )

    @model_validator(mode="before")
    @classmethod
    def _several_expected(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        """A list under ``expected`` in its two fields."""
        several = given.get("expected") if isinstance(given, dict) else None
        if not (isinstance(several, (list, tuple)) and several):
            return given
        if any(isinstance(it, bool) or not isinstance(it, (str, int, float)) for it in several):
            return given
        return {**given, "expected": several[0], "also_expected": several[1:]}

    @property
    def expectations(self) -> tuple[str, ...]:
        """All texts that count as right; empty if none is expected."""
        return () if self.expected is None else (self.expected, *self.also_expected)

    @property
    def expectation(self) -> str | None:
        """All texts that count as right, as one readable text; None if none is expected."""
        return join_alternatives(self.expectations) if self.expectations else None

    @property
    def has_own_scoring(self) -> bool:
        """True if it is not scored exactly as the suite says."""
        return bool(self.scorer or self.checks or self.checks_only) or self.threshold is not None

    def with_fallback_scorer(self, scorer: ScorerSpec | None) -> Self:
        """Return it with ``scorer`` if it has neither a scorer nor checks."""
        if scorer is None or self.scorer or self.checks:
            return self
        return self.model_copy(update={"scorer": scorer})

    def scorer_id(self, default: str) -> str:
        """Return the id of its scorer, where that of the suite is ``default``; "" without one."""
        if self.checks or (default == CHECKS and not self.checks_only):
            return CHECKS
        own = self.scorer.id if self.scorer else ""
        return own or ("" if self.checks_only else default)

    @property
    def written_id(self) -> str:
        """The id of the case as written in the suite: ``a`` for the expansion ``a/1``."""
        return self.expansion_of or self.id

    @field_validator("vars")
    @classmethod
    def _no_list_in_list(cls, given: dict[str, Any]) -> dict[str, Any]:
        return refuse_nested_lists(given)

    @model_validator(mode="after")
    def _one_question(self, info: ValidationInfo) -> Self:
        has_prompt, has_messages = self.prompt is not None, bool(self.messages)
        may_lack = self.vars or self.rendered or (info.context or {}).get(HAS_PROMPTS)
        if (has_prompt and has_messages) or not (has_prompt or has_messages or may_lack):
            msg = "give either prompt or messages"
            raise ValueError(msg)
        return self

    @model_serializer(mode="wrap")
    def _omit_unset_fields(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A case without newer fields is written, and hashed, as before there were any."""
        values: dict[str, Any] = dump(self)
        for name in _OMITTED_IF_EMPTY:
            if not values.get(name, True):
                del values[name]
        for name in _OMITTED_IF_NONE:
            if values.get(name, True) is None:
                del values[name]
        if self.also_expected and "expected" in values:
            values["expected"] = list(self.expectations)
        return values

    def conversation(self, system_prompt: str | None = None) -> tuple[Message, ...]:
        """The messages to send, the suite's system prompt first when the case has none."""
        turns = self.messages or (Message(role="user", content=self.prompt or ""),)
        if system_prompt and turns[0].role != "system":
            return (Message(role="system", content=system_prompt), *turns)
        return turns
