"""One small question to a model: if it answers, how fast, and what it costs."""

from dataclasses import dataclass

from benchmaker.arenas.standard.answers import Answers
from benchmaker.arenas.standard.live import LiveOptions, open_live
from benchmaker.engine.requests.retry import Retry
from benchmaker.engine.requests.single_request import RequestResult, ask
from benchmaker.engine.trials.clock import SystemClock
from benchmaker.errors import BenchmakerError
from benchmaker.providers.base import Request
from benchmaker.record import Usage
from benchmaker.spec import Message, Parameters

QUESTION = "Reply with the single word OK."
_PARAMETERS = Parameters(temperature=None, top_p=None, max_tokens=64)
"""Only the limit of tokens is sent, since some models refuse other parameters."""

_ONCE = Retry(retries=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCheck:
    """The answer to one small question, with its time, tokens and cost; None where unknown.

    ``error`` is the message of the endpoint, or the reason why nothing was sent; empty if the model
    answered.
    """

    model: str
    text: str = ""
    latency_s: float | None = None
    usage: Usage | None = None
    cost_usd: float | None = None
    error: str = ""


async def check_model(model: str, options: LiveOptions) -> ModelCheck:
    """Send one small question to a model, without retries."""
    try:
        answers = Answers(open_live([model], options), (model,), None, {})
    except BenchmakerError as exc:
        return ModelCheck(model=model, error=f"{exc.message} {exc.hint}".strip())
    request = Request(
        model=model,
        case_id="check",
        messages=(Message(role="user", content=QUESTION),),
        parameters=_PARAMETERS,
        stream=False,
    )
    async with answers.session():
        result = await ask(answers.provider, request, clock=SystemClock(), retry=_ONCE)
    return _to_check(model, result)


def _to_check(model: str, result: RequestResult) -> ModelCheck:
    found = result.completion
    if found is None:
        return ModelCheck(model=model, error=result.error or str(result.outcome))
    return ModelCheck(
        model=model,
        text=found.text,
        latency_s=found.latency_s,
        usage=found.usage,
        cost_usd=found.cost_usd,
    )
