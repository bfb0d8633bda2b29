"""The dimensions of a suite beside its cases: models, prompts and efforts."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from benchmaker.spec.suites.case import Id, Message
from benchmaker.spec.suites.check_spec import Label
from benchmaker.spec.suites.parameters import Effort, Parameters
from benchmaker.spec.suites.spec_model import SparseModel


def _written_values(parameters: Parameters) -> dict[str, Any]:
    return parameters.written_values


WrittenParameters = Annotated[Parameters, PlainSerializer(_written_values)]
"""Parameters of one level: only the written ones count and are stored."""


class ModelSpec(SparseModel):
    """A model of the suite, with a label and parameters of its own where it needs them.

    A bare name stands for ``{model: name}``.
    """

    model: Label = Field(description="The model, as after --model.")
    label: Label | None = Field(None, description="The model's name in tables.")
    parameters: WrittenParameters = Field(
        default_factory=Parameters,
        description="Parameters for this model; they take precedence over those of prompts.",
    )

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"model": given} if isinstance(given, str) else given

    @model_serializer(mode="wrap")
    def _name_if_alone(self, dump: SerializerFunctionWrapHandler) -> Any:  # noqa: ANN401  plain data
        values = super()._omit_defaults(dump)
        return self.model if values.keys() == {"model"} else values

    @property
    def name(self) -> str:
        """The name of the model in tables: its label, else its own."""
        return self.label or self.model


class FewShot(SparseModel):
    """Examples from a file that precede a prompt: ``n`` of its lines, chosen by ``seed``.

    ``user`` and ``assistant`` are templates over the fields of a line. ``examples`` holds the
    resulting messages, so that a stored suite needs no file.
    """

    file: str | None = Field(None, min_length=1, max_length=1000)
    n: int = Field(3, ge=1, le=1000, description="The number of examples.")
    seed: int = Field(0, description="The seed of the choice.")
    user: str = Field("{{ prompt }}", description="The template of an example's question.")
    assistant: str = Field("{{ expected }}", description="The template of an example's answer.")
    examples: tuple[Message, ...] = Field((), description="The chosen examples.")

    @model_validator(mode="after")
    def _has_source(self) -> Self:
        if self.file is None and not self.examples:
            msg = "give a file with examples"
            raise ValueError(msg)
        return self


class Prompt(SparseModel):
    """A prompt template: exactly one of ``prompt``, ``messages`` and ``file``.

    A bare text stands for ``{prompt: text}``. The text of a ``file`` replaces it when a suite is
    read; a glob makes one prompt of each file.
    """

    id: Id | None = Field(None, description="Unique within the suite; stored with every result.")
    prompt: str | None = Field(None, description="The template of the question.")
    messages: tuple[Message, ...] = Field((), description="The templates of a conversation.")
    file: str | None = Field(
        None, min_length=1, max_length=1000, description="A file with the template, or a glob."
    )
    system_prompt: str | None = Field(None, description="The system message of this prompt.")
    parameters: WrittenParameters = Field(
        default_factory=Parameters,
        description="Parameters for this prompt; they take precedence over the suite's.",
    )
    few_shot: FewShot | None = Field(None, description="Examples that precede the question.")

    @model_validator(mode="before")
    @classmethod
    def _text_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"prompt": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _one_template(self) -> Self:
        if sum((self.prompt is not None, bool(self.messages), self.file is not None)) != 1:
            msg = "give exactly one of prompt, messages and file"
            raise ValueError(msg)
        return self

    @property
    def templates(self) -> tuple[tuple[tuple[str | int, ...], str], ...]:
        """The path of each template in this prompt, and its text."""
        system = () if self.system_prompt is None else ((("system_prompt",), self.system_prompt),)
        if self.prompt is not None:
            return (*system, (("prompt",), self.prompt))
        turns = enumerate(self.messages)
        return (*system, *((("messages", i, "content"), turn.content) for i, turn in turns))


def _one_or_more(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    """A single value as a list of one."""
    return (given,) if isinstance(given, (str, dict)) else given


def named_prompts(prompts: tuple[Prompt, ...]) -> tuple[Prompt, ...]:
    """Return the prompts with ids; one without is named for its place, or by its file later."""
    return tuple(named_prompt(place, prompt) for place, prompt in enumerate(prompts, 1))


def named_prompt(place: int, prompt: Prompt) -> Prompt:
    """Return a prompt with an id: its own, else by its place, from 1; a file gives one later."""
    if prompt.id or prompt.file:
        return prompt
    return prompt.model_copy(update={"id": f"prompt-{place}"})


Models = Annotated[
    tuple[ModelSpec, ...],
    BeforeValidator(_one_or_more, json_schema_input_type=str | ModelSpec | list[str | ModelSpec]),
]
Prompts = Annotated[
    tuple[Prompt, ...],
    BeforeValidator(_one_or_more, json_schema_input_type=str | Prompt | list[str | Prompt]),
    AfterValidator(named_prompts),
]
Efforts = Annotated[
    tuple[Effort, ...],
    BeforeValidator(_one_or_more, json_schema_input_type=Effort | list[Effort]),
]


def find_repeated(names: Iterable[str]) -> Sequence[tuple[int, str]]:
    """Return the places, from 0, and the names that an earlier place has, too.

    >>> find_repeated(["a", "b", "a"])
    [(2, 'a')]
    """
    seen: set[str] = set()
    found = []
    for place, name in enumerate(names):
        if name in seen:
            found.append((place, name))
        seen.add(name)
    return found
