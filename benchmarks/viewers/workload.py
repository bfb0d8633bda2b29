"""Forty cases, three setups and two runs, the same each time: questions, answers and prices.

The cheapest setup loses three cases and gains one between the runs. In the second run the two
others have the same accuracy, at a sixth of the price.
"""

import json
from dataclasses import dataclass
from pathlib import Path

CASES = 40
RUNS = ("before", "after")
USD = {"mini": 0.0002, "medium": 0.001, "large": 0.006}
"""Dollars an answer, by model."""

WRONG = {
    "before": {"mini": {*range(0, CASES, 5)}, "medium": {3, 14, 25, 36}, "large": {8, 27}},
    "after": {
        "mini": {7, 18, 33, *range(5, CASES, 5)},
        "medium": {3, 14, 25},
        "large": {8, 27},
    },
}
"""The numbers of the wrong answers, by run and model."""

WORSE = ("sum-07", "sum-18", "sum-33")
"""The cases that are lower in the second run."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A case."""

    number: int

    @property
    def id(self) -> str:
        return f"sum-{self.number:02}"

    @property
    def parts(self) -> tuple[int, int]:
        return 17 + 3 * self.number, 5 + self.number

    @property
    def question(self) -> str:
        monday, tuesday = self.parts
        return f"A shop sells {monday} cups on Monday and {tuesday} on Tuesday. How many in all?"

    @property
    def expected(self) -> int:
        return sum(self.parts)

    def answer(self, run: str, model: str) -> str:
        """The answer of a model in a run; wrong ones are ten too low."""
        monday, tuesday = self.parts
        value = self.expected - (10 if self.number in WRONG[run][model] else 0)
        return (
            f"On Monday the shop sells {monday} cups, and on Tuesday {tuesday}. "
            f"Adding the two days, {monday} + {tuesday}. So the answer is {value}."
        )


SUMS = tuple(Sum(number) for number in range(CASES))


def write_answers(path: Path) -> None:
    """Write the cases, and the answers by run, model and case, for a tool in another process."""
    answers = {
        run: {model: {it.id: it.answer(run, model) for it in SUMS} for model in USD} for run in RUNS
    }
    cases = [{"id": it.id, "question": it.question, "expected": it.expected} for it in SUMS]
    path.write_text(json.dumps({"cases": cases, "answers": answers, "usd": USD}))
