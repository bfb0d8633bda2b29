"""A run whose checks ask a judge: ``python -m tests.arenas.checked HOME LOG CALLS``.

Each question to the judge is logged before it is answered, and each reply costs the same. Run again
with the same HOME, it goes on where it was. Once the judge was asked CALLS times, the process kills
itself.
"""

import asyncio
import itertools
import os
import signal
import sys
from pathlib import Path

from benchmaker import RunOptions, Suite, aresume, arun
from benchmaker.errors import SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.testing.judges import judge_script

USD = 0.0004
CONCURRENCY = 3
CASES = 12
JUDGED = [
    {"type": "llm_judge", "metric": "style", "instructions": "Judge the style."},
    {"type": "set", "checks": [{"type": "llm_judge", "value": "It says it.", "threshold": 0.6}]},
]


def suite():
    cases = [{"id": f"c{n}", "prompt": f"Say {n}.", "expected": f"{n}"} for n in range(CASES)]
    checks = [{"type": "regex", "pattern": "says", "metric": "style"}, *JUDGED]
    return Suite("checked", cases, checks=checks, threshold=0.5)


def models():
    return Scripted(lambda asked: f"{asked.model} says {asked.case_id}", models=("a", "b"))


def judge(log, calls=None, latency_s=0.0):
    said = judge_script(lambda parts: {"score": len(parts["answer"]) % 11, "rationale": "by rule"})
    number = itertools.count(1)

    def reply(request):
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{request.case_id}\n")
        if next(number) == calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return Completion(text=said(request), cost_usd=USD)

    return Scripted(reply, models=("j",), latency_s=latency_s)


async def work(home, log, calls=None, latency_s=0.0):
    """Begin the run, or go on with it."""
    asked = judge(log, calls, latency_s)
    options = RunOptions(judge_concurrency=CONCURRENCY)
    try:
        return await aresume(
            "latest", provider=models(), judge_provider=asked, home=home, options=options
        )
    except SpecError:
        return await arun(
            suite(), provider=models(), judge_provider=asked, home=home, options=options
        )


if __name__ == "__main__":
    _home, _log, _calls = sys.argv[1:]
    asyncio.run(work(Path(_home), Path(_log), int(_calls), latency_s=0.01))
