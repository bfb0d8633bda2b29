"""Runs with recorded answers for the pages of cases: the engine scores them, twice with changes."""

from pathlib import Path

from benchmaker import Case, Suite, run

SETUPS = (
    "openrouter/anthropic/claude-sonnet-4.5-20250929",
    "openrouter/openai/gpt-5.1-codex-max-2025-11-13",
    "ollama/qwen3:30b",
)
"""The second one is the best, so that the order of ranks is not that of the run."""

CASES = tuple(
    Case(
        id=f"c{number}",
        prompt=f"What is {number} + 1? Think of Lima.",
        expected=str(number + 1),
        category="even" if number % 2 == 0 else "odd",
        tags=("small",) if number < 3 else ("large", "rest"),
    )
    for number in range(8)
)
WRONG = {
    "before": {(0, 5), (0, 6), (2, 1), (2, 2), (2, 3), (2, 4)},
    "after": {(0, 0), (0, 1), (0, 2), (0, 6), (2, 1), (2, 2), (2, 3), (2, 4), (1, 7)},
}
"""The wrong answers by setup and case: the first setup loses three cases and wins one."""


def answers(when: str):
    """Return what answers as it did then."""

    def answer(request) -> str:
        at, number = SETUPS.index(request.model), int(request.case_id[1:])
        if (at, number) in WRONG[when]:
            return f"7 + 1 = 8. The answer is {number + 40}. A zebra% crosses in {when}."
        return f"First {number}, then 1. The answer is {number + 1}. I checked {number + 1} twice."

    return answer


def answered_runs(home: Path, cases=CASES) -> tuple[str, str]:
    """The ids of an earlier and a later run of one suite."""
    suite = Suite("sums", cases, scorer="numeric", profile="robust")
    made = [
        run(suite, provider=answers(when), models=list(SETUPS), home=home).run_ids[0]
        for when in ("before", "after")
    ]
    return made[0], made[1]
