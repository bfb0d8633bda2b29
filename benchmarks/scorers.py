"""Scorer throughput: replies a second of one core's time.

Scorers that work in this process are measured by its processor time, which other work on the
machine does not change. The regex scorer waits for its worker process: there the clock counts.
"""

import asyncio
import inspect
import random
import time
from collections.abc import Sequence

from figures import Figure, arguments, at_least, show
from workload import reply

from benchmaker.record import Completion, Outcome, Trial
from benchmaker.scoring.base import Scorer
from benchmaker.scoring.build import build
from benchmaker.spec import Case, ScorerSpec, profile

SHORT = (
    "Paris",
    "paris",
    "Paris.",
    "Number {} is Paris",
    "Pariz{}",
    "I do not know {}",
    "London {}",
)


def trial(text: str) -> Trial:
    return Trial(
        run_id="r",
        case_id="c",
        model="m",
        position=0,
        outcome=Outcome.SCORED,
        completion=Completion(text=text),
    )


def rate(
    spec: ScorerSpec, family: str, expected: str, texts: Sequence[str], *, rounds: int
) -> float:
    """Replies a second, the best of ``rounds`` passes over all texts."""
    scorer = build(spec, profile(family))
    case = Case(id="c", prompt="?", expected=expected)
    trials = [trial(text) for text in texts]
    if inspect.iscoroutinefunction(scorer.score):
        return max(asyncio.run(_awaited(scorer, case, trials)) for _ in range(rounds))
    return max(_called(scorer, case, trials) for _ in range(rounds))


def _called(scorer: Scorer, case: Case, trials: Sequence[Trial]) -> float:
    began = time.process_time()
    for one in trials:
        scorer.score(case, one)
    return len(trials) / (time.process_time() - began)


async def _awaited(scorer: Scorer, case: Case, trials: Sequence[Trial]) -> float:
    began = time.perf_counter()
    for one in trials:
        await scorer.score(case, one)
    return len(trials) / (time.perf_counter() - began)


def main() -> None:
    given = arguments(__doc__, texts=50_000, patterns=5_000, rounds=5)
    rng = random.Random(7)  # noqa: S311  not a secret
    short = [rng.choice(SHORT).format(number) for number in range(given.texts)]
    long = [reply(rng, 1000, "") for _ in range(given.texts // 10)]
    anchored = [f"{text[:-21]} So the answer is 42." for text in long]

    def one(what: str, scorer: str, family: str, texts: list[str], bar: float | None) -> Figure:
        expected = {"exact": "Paris", "numeric": "42", "regex": r"answer is (\d+)"}[scorer]
        got = rate(ScorerSpec(id=scorer), family, expected, texts, rounds=given.rounds)
        if bar is None:
            return Figure(what, got, "a second")
        return at_least(what, got, bar, "a second")

    show(
        "python benchmarks/scorers.py",
        [
            one("exact, short texts, classic", "exact", "classic", short, 200_000),
            one("exact, short texts, robust", "exact", "robust", short, 200_000),
            one("numeric, 1 kB with an anchor, robust", "numeric", "robust", anchored, 20_000),
            one("numeric, 1 kB without an anchor, robust", "numeric", "robust", long, 10_000),
            one("numeric, 1 kB, classic", "numeric", "classic", long, 10_000),
            one(
                "regex, 1 kB through the worker",
                "regex",
                "robust",
                anchored[: given.patterns],
                None,
            ),
        ],
    )


if __name__ == "__main__":
    main()
