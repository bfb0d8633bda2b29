"""Judged runs over Arena-Hard: ``python -m tests.arenas.judged HOME LOG DATA LIMIT CALLS``.

The judge is scripted; each of its replies costs the same, and is logged in a file of its own
before it is given. Run again with the same HOME, it goes on where it was. Once the judge was asked
CALLS times the process kills itself, in the middle of what it does.
"""

import asyncio
import itertools
import os
import signal
import sys
import zlib
from dataclasses import replace
from pathlib import Path

from benchmaker import RunOptions, Suite, aresume, arun
from benchmaker.errors import SpecError
from benchmaker.providers.scripted import Scripted
from benchmaker.record import Completion
from benchmaker.scoring.check import load_checked
from benchmaker.spec import AnswerFields, CaseFields
from benchmaker.testing.judges import judge_script

USD = 0.0004
CONCURRENCY = 4
FIELDS = AnswerFields(id="question_id", model="model", output="output")


def suite(data: Path) -> Suite:
    return load_checked(
        data / "questions.jsonl.gz",
        fields=CaseFields(id="question_id", prompt="turns.0.content"),
        defaults={"scorer": {"id": "llm_judge", "repeats": 2}},
    )


def judge(log: Path, *, latency_s: float = 0.0, calls: int | None = None) -> Scripted:
    """Scores by the answer's length and a hash of the question; logs every call."""
    said, number = judge_script(_judged), itertools.count(1)

    def reply(request):
        with log.open("a", encoding="utf-8") as file:
            file.write(f"{request.case_id} {request.run}\n")
        if next(number) == calls:
            os.kill(os.getpid(), signal.SIGKILL)
        return Completion(text=said(request), cost_usd=USD, latency_s=0.25)

    return Scripted(reply, models=("scripted-judge",), latency_s=latency_s)


def _judged(parts):
    score = (zlib.crc32(parts["question"].encode()) + len(parts["answer"])) % 11
    return {"evidence": "", "rationale": "by a rule", "score": score, "confidence": 0.5}


async def work(
    home: Path,
    log: Path,
    data: Path,
    limit: int,
    *,
    latency_s: float = 0.0,
    calls: int | None = None,
):
    """Begin the run, or go on with it."""
    asked = judge(log, latency_s=latency_s, calls=calls)
    options = RunOptions(judge_concurrency=CONCURRENCY)
    try:
        return await aresume("latest", judge_provider=asked, home=home, options=options)
    except SpecError:
        answers = data / "answers.jsonl.gz"
        return await arun(
            suite(data),
            recorded=answers,
            fields=FIELDS,
            judge_provider=asked,
            home=home,
            options=replace(options, limit=limit),
        )


if __name__ == "__main__":
    *_paths, _limit, _calls = sys.argv[1:]
    _work = work(*map(Path, _paths), int(_limit), latency_s=0.02, calls=int(_calls))
    asyncio.run(_work)
