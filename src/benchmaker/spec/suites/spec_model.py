"""The models of a suite, whose faults are ours when they are made in Python."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import (
    BaseModel,
    ConfigDict,
    SerializerFunctionWrapHandler,
    ValidationError,
    model_serializer,
)

from benchmaker.errors import SpecError
from benchmaker.spec.documents.messages import faults

if TYPE_CHECKING:  # pydantic has no public name for it
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class _Construction(ModelMetaclass):
    """Turns the ValidationError of a call into a SpecError; ``model_validate`` stays as it is."""

    def __call__(self, *args: Any, **values: Any) -> Any:  # noqa: ANN401  as the model declares
        try:
            return super().__call__(*args, **values)
        except ValidationError as exc:
            model: Any = self  # whatever this metaclass makes is a model
            raise refusal(exc, model, values) from exc


class SpecModel(BaseModel, metaclass=_Construction):
    """A model that can also be created from Python by field names."""


class SparseModel(SpecModel):
    """A model that is written, and hashed, without its defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    @model_serializer(mode="wrap")
    def _omit_defaults(self, dump: SerializerFunctionWrapHandler) -> Any:  # noqa: ANN401  plain data
        fields, values = type(self).model_fields, dump(self)
        return {
            name: value
            for name, value in values.items()
            if getattr(self, name) != fields[name].get_default(call_default_factory=True)
        }


def refusal(
    error: ValidationError, model: type[BaseModel], values: Mapping[str, Any], where: str = ""
) -> SpecError:
    """Return one SpecError for all invalid values of a model."""
    found = [f"{one.message} {one.hint}".rstrip() for one in faults(error, model, {})]
    named = f"{model.__name__} {values['id']!r}" if "id" in values else model.__name__
    return SpecError(" ".join(found), where=where or named)
