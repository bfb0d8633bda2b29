"""What a process for the fault tests does: it runs and resumes through the public API.

It says ``ready`` when it begins, every snapshot as ``done N``, and at the end the result, or the
error, as JSON.
"""

import asyncio
import json
import os
import resource
import sys
import tempfile
from pathlib import Path

from benchmaker import BenchmakerError, Case, ScorerSpec, Suite, resume, run
from benchmaker.providers.scripted import Scripted

MODELS = ("m0", "m1")
NOBODY = 65534


def a_suite(cases):
    made = [Case(id=f"c{n}", prompt=f"{n} + {n}?", expected=str(2 * n)) for n in range(cases)]
    return Suite("sums", made, scorer=ScorerSpec(id="exact"))


def answer(case_id, model):
    number = 2 * int(case_id.removeprefix("c"))
    return str(number) if (number + len(model)) % 3 else f"It is {number}."


def write_answers(path, cases):
    """Recorded answers to the suite, in a file."""
    lines = (
        {"model": model, "id": f"c{n}", "output": answer(f"c{n}", model), "latency_s": 0.5}
        for n in range(cases)
        for model in MODELS
    )
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def live(latency_s):
    """A provider that gives the recorded answers after a while."""
    return Scripted(
        lambda request: answer(request.case_id, request.model),
        models=MODELS,
        latency_s=latency_s,
        sleep=asyncio.sleep,
    )


def main(say, work):
    """Do the work that :func:`tests.faults.processes.start` was given."""
    if work.denied:
        become_nobody()
    if work.file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (work.file_limit, work.file_limit))
    say.send("ready")
    try:
        result = done(say, work)
    except BenchmakerError as exc:
        say.send(json.dumps({"error": type(exc).__name__, "message": str(exc)}))
        sys.exit(4)
    told = {"finished": result.is_finished, "interrupted": result.interrupted}
    say.send(json.dumps(told))


def done(say, work):
    asked = {"home": work.home, "on_progress": lambda moment: say.send(f"done {moment.done}")}
    if work.command == "resume":
        return resume("latest", **asked)
    if work.latency_s:
        return run(a_suite(work.cases), provider=live(work.latency_s), **asked)
    return run(a_suite(work.cases), recorded=work.answers, **asked)


def become_nobody():
    """Load everything, then become somebody who may write nothing of root's."""
    with tempfile.TemporaryDirectory() as home:
        write_answers(Path(home) / "answers.jsonl", 1)
        run(a_suite(1), recorded=Path(home) / "answers.jsonl", home=home)
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
