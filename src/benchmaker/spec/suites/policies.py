"""A suite's score for each outcome other than an answer."""

from typing import Literal

from pydantic import ConfigDict

from benchmaker.spec.suites.spec_model import SpecModel

Policy = Literal["zero", "leave_out"]


class Policies(SpecModel):
    """One policy for each outcome caused by the model; the default scores it 0.

    ``truncated`` answers are scored as they are by default.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    empty: Policy = "zero"
    filtered: Policy = "zero"
    refused: Policy = "zero"
    context_overflow: Policy = "zero"
    truncated: Literal["score", "zero", "leave_out"] = "score"
