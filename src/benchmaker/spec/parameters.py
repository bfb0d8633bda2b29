"""Sampling parameters, and what benchmark mode makes of them."""

from pydantic import ConfigDict, Field

from benchmaker.spec.spec_model import SpecModel


class Parameters(SpecModel):
    """What is sent with every request; the published defaults."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    temperature: float = Field(0.7, ge=0, le=2)
    top_p: float = Field(1.0, gt=0, le=1)
    max_tokens: int = Field(2048, ge=1)
    frequency_penalty: float = Field(0.0, ge=-2, le=2)
    presence_penalty: float = Field(0.0, ge=-2, le=2)
    benchmark_mode: bool = False


_LOCKED = {"temperature": 0.0, "frequency_penalty": 0.0, "presence_penalty": 0.0}


def effective_parameters(parameters: Parameters | None = None) -> Parameters:
    """The parameters as sent: benchmark mode locks temperature and both penalties to 0.

    Source: the published method, section 5 (``getEffectiveParameters``).

    >>> effective_parameters(Parameters(temperature=0.7, benchmark_mode=True)).temperature
    0.0
    """
    given = parameters or Parameters()
    return given.model_copy(update=_LOCKED) if given.benchmark_mode else given
