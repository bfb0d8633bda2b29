"""Runs an experiment with pydantic-evals; started in its own environment.

    python drive_pydantic_evals.py FOLDER

Writes the report, with repeats and a task that fails, and prints its averages as JSON.
"""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

from pydantic_evals import Case, Dataset
from pydantic_evals.evaluators import EqualsExpected, Evaluator, EvaluatorContext
from pydantic_evals.reporting import EvaluationReportAdapter

REPEATS = 3
FAILING = 7


@dataclass
class Closeness(Evaluator):
    """A score from 0 to 1, and a second assertion."""

    def evaluate(self, ctx: EvaluatorContext) -> dict:
        distance = abs(int(ctx.output) - int(ctx.expected_output))
        return {"closeness": 1 / (1 + distance), "is_even": int(ctx.output) % 2 == 0}


async def scripted(question: str) -> str:
    """A model that adds, wrongly for every third sum; it fails for one."""
    left, right = map(int, question.split(" + "))
    if left == FAILING:
        raise ValueError("503 upstream")
    return str(left + right + (left % 3 == 0))


def main() -> None:
    """Run the experiment."""
    cases = [
        Case(name=f"sum {at}", inputs=f"{at} + 2", expected_output=str(at + 2)) for at in range(10)
    ]
    dataset = Dataset(name="sums", cases=cases, evaluators=[EqualsExpected(), Closeness()])
    report = dataset.evaluate_sync(scripted, repeat=REPEATS, progress=False)
    path = Path(sys.argv[1]) / "report.json"
    path.write_bytes(EvaluationReportAdapter.dump_json(report))
    averages = report.averages()
    figures = {"pydantic_evals/assertions": averages.assertions}
    figures |= {f"pydantic_evals/{name}": value for name, value in averages.scores.items()}
    print("FOUND " + json.dumps(figures))


if __name__ == "__main__":
    main()
