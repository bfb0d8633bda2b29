"""Random series made by the real parts: models in no order of rank, weights, failures, a judge."""

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import benchmaker
from benchmaker import Case, RunOptions, ScorerSpec, Suite
from benchmaker.engine.requests.limits import RunLimits
from benchmaker.engine.requests.retry import Retry
from benchmaker.errors import AuthError, BadResponse
from benchmaker.providers.base import Request
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion, Usage
from benchmaker.store import Store
from benchmaker.testing.judges import judge_script
from tests.web.aside import aside

MODELS = {
    "made/middle": 0.6,
    "made/refused": 0.0,
    "made/flaky": 0.5,
    "openrouter/anthropic/claude-sonnet-4.5-20250929": 0.9,
    "made/weak": 0.25,
    "made/strong": 0.95,
}
"""The models in the order in which they are asked, which is neither that of their rank nor that of
the alphabet, and how often each is right. ``made/refused`` never answers."""

REFUSED = "made/refused"
REASON = "HTTP 401: Incorrect API key provided"
JUDGE_USD = 0.0007
"""What a judge's reply costs."""


@dataclass(frozen=True)
class Drawn:
    """A series and the folder that it is stored in."""

    home: Path
    series: str
    run_ids: tuple[str, ...]

    def trials(self, *run_ids: str):
        """The rows of these runs, or of all."""
        return _trials(self.home, run_ids or self.run_ids)


@cache
def _trials(home: Path, run_ids: tuple[str, ...]):
    with Store.open(home / "benchmaker.db") as store:
        return [trial for it in run_ids for trial in store.trials(it)]


def drawn_series(home: Path, seed: int, *, cases: int = 9, runs: int = 3) -> Drawn:
    """A series of runs through the engine, whatever it came to."""
    rnd = random.Random(seed)  # noqa: S311  a draw, no secret
    names = list(MODELS)
    asked = [_case(at, rnd) for at in range(cases)]
    suite = Suite("drawn", asked, scorer=ScorerSpec(id="numeric"), profile="robust")
    result = aside(
        benchmaker.run,
        suite,
        provider=Scripted(lambda request: _answer(request, seed), models=names),
        models=names,
        judge_provider=Scripted(lambda request: _judged(request, seed)),
        home=home,
        options=RunOptions(
            judge="made/judge",
            runs=runs,
            limits=RunLimits(concurrency=4, retry=Retry(base_s=0.001, empty_s=0.001)),
            seed=seed,
        ),
    )
    return Drawn(home, result.series_id, result.run_ids)


def _case(at: int, rnd: random.Random) -> Case:
    is_judged = at % 4 == 3
    return Case(
        id=f"case-{at}",
        prompt=f"What is {at} + 40?",
        expected=str(at + 40),
        weight=rnd.choice((0.5, 1.0, 2.0, 5.0)),
        category=rnd.choice(("sums", "words")),
        scorer=ScorerSpec(id="llm_judge") if is_judged else None,
    )


def _draw(request: Request, *words: object) -> random.Random:
    key = "/".join(map(str, (request.run, request.model, request.case_id, *words)))
    return random.Random(key)  # noqa: S311  a draw, no secret


def _answer(request: Request, seed: int) -> Completion | Exception:
    rnd = _draw(request, seed)
    if request.model == REFUSED:
        return AuthError(REASON)
    if request.model == "made/flaky" and rnd.random() < 0.3:
        return BadResponse("cut off", is_retryable=rnd.random() < 0.5)
    wanted = int(request.case_id.removeprefix("case-")) + 40
    is_right = rnd.random() < MODELS[request.model]
    text = str(wanted if is_right else wanted + rnd.randint(1, 9))
    return Completion(
        text="" if rnd.random() < 0.05 else text,
        usage=Usage(input_tokens=rnd.randint(5, 50), output_tokens=rnd.randint(1, 9)),
        cost_usd=None if request.model == "made/weak" else rnd.randint(1, 999) / 1e6,
        latency_s=rnd.randint(1, 999) / 1000,
    )


def _judged(request: Request, seed: int) -> Completion:
    reply = judge_script(lambda asked: _verdict(asked, seed))(request)
    return Completion(text=str(reply), cost_usd=JUDGE_USD)


def _verdict(asked: dict[str, str], seed: int) -> dict[str, object]:
    rnd = random.Random(f"{seed}/{asked['question']}/{asked['answer']}")  # noqa: S311  no secret
    return {"score": rnd.randint(0, 10), "rationale": "as drawn"}
