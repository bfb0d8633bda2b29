"""Models of a suite that take no reasoning effort, as can be determined without a request."""

from pathlib import Path

from benchmaker.errors import Finding, SpecError
from benchmaker.providers.endpoints.endpoint_file import endpoints_of
from benchmaker.providers.endpoints.endpoints import resolve_model
from benchmaker.providers.live import dialect_of
from benchmaker.spec import Parameters, Suite
from benchmaker.spec.suites.prompts import ModelSpec

_EFFORT = "reasoning_effort"


def note_unsent_efforts(suite: Suite, home: Path | None) -> list[Finding]:
    """Return a note on the models of the suite that are not sent its efforts; no key is needed.

    Programs and unknown endpoints are not checked.
    """
    if not suite.efforts or suite.places is None:
        return []
    without = [one.name for one in suite.models if _is_without_effort(one, suite.efforts[0], home)]
    if not without:
        return []
    message = f"{_EFFORT} {', '.join(suite.efforts)} is not sent to {', '.join(without)}."
    return [Finding(*suite.places.locate(("efforts",)), message, _hint(suite, without))]


def _hint(suite: Suite, without: list[str]) -> str:
    if len(without) == len(suite.models):
        return "Remove efforts: no model of the suite takes one."
    return "Their setups differ only in name: run these models without efforts, in another suite."


def _is_without_effort(model: ModelSpec, effort: str, home: Path | None) -> bool:
    try:
        endpoint, name = resolve_model(model.model, endpoints_of(home))
    except SpecError:
        return False
    parameters = Parameters(reasoning_effort=effort)
    return _EFFORT in dialect_of(endpoint, name).unsent_parameters(parameters)
