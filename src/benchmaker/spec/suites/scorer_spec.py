"""A scorer as a suite names it."""

from typing import Annotated, Any

from pydantic import ConfigDict, StringConstraints, model_validator

from benchmaker.spec.suites.spec_model import SpecModel

Label = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ScorerSpec(SpecModel):
    """A scorer by its id, with its parameters beside it: ``{id: numeric, tolerance: 0.01}``.

    A bare name stands for the scorer with its defaults. Parameters are validated against the scorer
    when the suite is checked.
    """

    model_config = ConfigDict(frozen=True, extra="allow")

    id: Label

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, given: Any) -> Any:  # noqa: ANN401  what stands in the file
        return {"id": given} if isinstance(given, str) else given

    @property
    def parameters(self) -> dict[str, Any]:
        """The scorer's parameters as written."""
        return dict(self.model_extra or {})
