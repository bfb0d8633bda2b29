"""Writes Inspect's logs of recorded answers: ANSWERS LOGS. Runs in an environment of inspect_ai."""

import json
import sys
from pathlib import Path

from inspect_ai import Task, eval  # noqa: A004  its own name
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver


@solver
def recorded(model: str, answers: dict[str, str]):
    async def solve(state, generate):  # noqa: ARG001  what a solver is called with
        state.output = ModelOutput.from_content(model, answers[state.sample_id])
        return state

    return solve


def main(answers: str, logs: str) -> None:
    given = json.loads(Path(answers).read_text())
    samples = [
        Sample(id=it["id"], input=it["question"], target=str(it["expected"]))
        for it in given["cases"]
    ]
    for models in given["answers"].values():
        for model, texts in models.items():
            eval(
                Task(
                    name="cups",
                    dataset=MemoryDataset(samples),
                    solver=recorded(model, texts),
                    scorer=match(numeric=True),
                ),
                model=f"mockllm/{model}",
                log_dir=logs,
                display="none",
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
