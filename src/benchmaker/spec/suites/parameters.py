"""Sampling parameters, and the effect of benchmark mode on them."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from benchmaker.spec.suites.spec_model import SpecModel

NEUTRAL = {"top_p": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.0}
"""Values without effect; they are sent only if given explicitly."""

_EXPLICIT = "explicit"


class Parameters(SpecModel):
    """The sampling parameters sent with every request; the published defaults.

    None (``null`` in a file) omits a parameter. A neutral value (a top_p of 1 or a penalty of 0) is
    sent if it was written explicitly, not if it is the default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float | None = Field(0.7, ge=0, le=2)
    top_p: float | None = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(2048, ge=1)
    frequency_penalty: float | None = Field(0.0, ge=-2, le=2)
    presence_penalty: float | None = Field(0.0, ge=-2, le=2)
    benchmark_mode: bool = False

    @classmethod
    def of_record(cls, stored: Mapping[str, Any]) -> Self:
        """Restore dumped parameters; neutral values count as explicit if the dump lists them."""
        values = dict(stored)
        explicit = values.pop(_EXPLICIT, ())
        for name, neutral in NEUTRAL.items():
            if name not in explicit and values.get(name) == neutral:
                del values[name]
        return cls.model_validate(values)

    @property
    def explicit_names(self) -> tuple[str, ...]:
        """The names of neutral values that were written explicitly and are therefore sent."""
        return tuple(
            name
            for name, neutral in NEUTRAL.items()
            if name in self.model_fields_set and getattr(self, name) == neutral
        )

    @property
    def sent_values(self) -> dict[str, float | int]:
        """The values by name, as sent to a model that accepts all of them."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return {
            name: value
            for name, value in given.items()
            if name != "benchmark_mode"
            and value is not None
            and (value != NEUTRAL.get(name) or name in self.explicit_names)
        }

    @property
    def written_values(self) -> dict[str, Any]:
        """The values set in the file, null included."""
        given = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in given.items() if name in self.model_fields_set}

    def override(self, given: Mapping[str, Any]) -> Self:
        """These parameters with others in place of some; a ValidationError where one is wrong."""
        return type(self).model_validate({**self.written_values, **given})

    @model_serializer(mode="wrap")
    def _omit_implicit_values(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without explicit neutral values it is written, and hashed, as it always was."""
        values: dict[str, Any] = dump(self)
        return {**values, _EXPLICIT: list(self.explicit_names)} if self.explicit_names else values


_LOCKED = ("temperature", "frequency_penalty", "presence_penalty")


def effective_parameters(parameters: Parameters | None = None) -> Parameters:
    """The parameters as sent: benchmark mode locks temperature and both penalties to 0.

    Omitted parameters stay omitted.

    Source: the published method, section 5 (``getEffectiveParameters``).

    >>> effective_parameters(Parameters(temperature=0.7, benchmark_mode=True)).temperature
    0.0
    """
    given = parameters or Parameters()
    if not given.benchmark_mode:
        return given
    written = given.model_fields_set | {"temperature"}
    values = {name: getattr(given, name) for name in type(given).model_fields}
    locked = {name: 0.0 for name in _LOCKED if values[name] is not None}
    return Parameters.model_construct(_fields_set=set(written), **{**values, **locked})
