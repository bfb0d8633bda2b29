"""A suite and recorded answers of any size, the same each time."""

import json
import random
from pathlib import Path

WORDS = ("the", "answer", "is", "found", "by", "adding", "what", "was", "given", "before", "then")


def write(folder: Path, *, cases: int, models: int, reply_bytes: int = 500) -> tuple[Path, Path]:
    """Write ``suite.yaml``, its cases and ``answers.jsonl``; gives suite and answers."""
    answers = folder / "answers.jsonl"
    _write_answers(answers, cases, models, reply_bytes)
    return write_suite(folder, cases=cases), answers


def write_suite(folder: Path, *, cases: int, more: str = "") -> Path:
    """Write ``suite.yaml``, with ``more`` lines of YAML, and its cases in ``cases.jsonl``."""
    _write_cases(folder / "cases.jsonl", cases)
    suite = folder / "suite.yaml"
    head = "name: Workload\nprofile: robust\nscorer: numeric\ncases:\n  file: cases.jsonl\n"
    suite.write_text(f"{head}{more}", encoding="utf-8")
    return suite


def setups(prompts: int, efforts: tuple[str, ...]) -> str:
    """Lines of YAML for so many prompts, each a wording of the question, and for efforts."""
    texts = [f'"{{{{ prompt }}}} (wording {chr(ord("a") + at)})"' for at in range(prompts)]
    return f"prompts: [{', '.join(texts)}]\nefforts: [{', '.join(efforts)}]\n"


def reply(rng: random.Random, size: int, ending: str) -> str:
    """About ``size`` bytes of prose with a few numbers in it, then ``ending``."""
    text = ""
    while len(text) < size - len(ending):
        text += f"{rng.choice(WORDS)} " if rng.random() < 0.9 else f"{rng.randrange(1000)} "  # noqa: PLR2004
    return text + ending


def _write_cases(path: Path, cases: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(cases):
            line = {"id": f"case-{number}", "prompt": f"{number} + 1 = ?", "expected": number + 1}
            file.write(json.dumps(line) + "\n")


def _write_answers(path: Path, cases: int, models: int, reply_bytes: int) -> None:
    rng = random.Random(7)  # noqa: S311  not a secret
    with path.open("w", encoding="utf-8") as file:
        for model in range(models):
            for number in range(cases):
                right = number + 1 if rng.random() < 0.8 else number  # noqa: PLR2004
                output = reply(rng, reply_bytes, f"So the answer is {right}.")
                line = {"model": f"model-{model}", "id": f"case-{number}", "output": output}
                file.write(json.dumps(line) + "\n")
