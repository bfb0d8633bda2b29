"""The judges of a suite's answers: the block ``judge:`` of a suite's file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from benchmaker.spec.suites.check_spec import Label
from benchmaker.spec.suites.spec_model import SpecModel


@dataclass(frozen=True, slots=True)
class Juror:
    """One judge of a panel: the model, and its weight where a calibration gave it one."""

    model: Label
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None


def _juror(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    return {"model": given} if isinstance(given, str) else given


def _jurors(given: Any) -> Any:  # noqa: ANN401  what stands in the file
    return (given,) if isinstance(given, (str, dict)) else given


_One = Annotated[Juror, BeforeValidator(_juror, json_schema_input_type=str | Juror)]

Jurors = Annotated[
    tuple[_One, ...],
    BeforeValidator(_jurors, json_schema_input_type=str | list[str | Juror]),
]
"""Judges by name, or with their weights; a single judge becomes a list of one."""

Repeats = Annotated[int, Field(ge=1, le=100)]


class JudgeSpec(SpecModel):
    """The judges, the number of repeats, and the context sent to them.

    A bare name stands for ``{models: [name]}``. These settings apply to every judging scorer that
    does not override them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    models: Jurors = ()
    repeats: Repeats = 1
    temperature: float = Field(0.1, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(2048, ge=1)

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"models": given} if isinstance(given, (str, list)) else given

    @property
    def parameters(self) -> dict[str, Any]:
        """The fields that were set, as parameters of a judging scorer."""
        given = self.model_dump(mode="json", exclude_unset=True)
        if "models" in given:
            given["models"] = [
                one.model if one.weight is None else {"model": one.model, "weight": one.weight}
                for one in self.models
            ]
        return given

    def with_fallback(self, below: Self | None) -> Self:
        """Return these settings, completed by those of ``below``."""
        if below is None:
            return self
        return type(self).model_validate({**below.parameters, **self.parameters})


JudgeNames = JudgeSpec | Mapping[str, Any] | Sequence[str | Mapping[str, Any]] | str
"""A judge by name, several, or a mapping as under ``judge:`` in a suite."""
