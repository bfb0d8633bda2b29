"""How a suite scores what a model did instead of answering."""

from typing import Literal

from pydantic import ConfigDict

from benchmaker.spec.suites.spec_model import SpecModel

Policy = Literal["zero", "leave_out"]


class Policies(SpecModel):
    """One policy for each outcome that is the model's doing; the default counts it as 0.

    ``truncated`` answers are scored on what is there unless said otherwise.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    empty: Policy = "zero"
    filtered: Policy = "zero"
    refused: Policy = "zero"
    context_overflow: Policy = "zero"
    truncated: Literal["score", "zero", "leave_out"] = "score"
