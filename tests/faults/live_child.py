"""A process that runs or resumes live models, for the tests that kill it."""

import json
import resource
import sys

from benchmaker import BenchmakerError, Case, RunOptions, ScorerSpec, Suite, resume, run

MODELS = ("openai/one", "anthropic/two")


def a_suite(cases):
    made = (
        Case(id=f"c{n}", prompt=f"[c{n}] {n} + {n}?", expected=f"{n + n}") for n in range(cases)
    )
    return Suite("sums", tuple(made), scorer=ScorerSpec(id="exact"))


def a_suite_with_setups(cases):
    """Sums whose prompts name the case, the prompt and the variable for the server's journal."""
    made = [
        {"id": f"c{n}", "vars": {"n": n, "by": [1, 2]}, "expected": f"{n + n}"}
        for n in range(cases)
    ]
    return Suite(
        "sums",
        made,
        scorer="exact",
        models=[*MODELS, {"model": MODELS[0], "label": "hot", "parameters": {"temperature": 1.5}}],
        prompts=[
            {"id": "p", "prompt": "[c{{ n }}-{{ by }}-p] {{ n }} + {{ n }}?"},
            {"id": "q", "prompt": "[c{{ n }}-{{ by }}-q] {{ n }} + {{ n }}?"},
        ],
        efforts=["low", "high"],
    )


def main(say, work):
    """Say ``ready``, every snapshot as ``done N``, and at the end the result or the error."""
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
    asked = {
        "home": work.home,
        "environ": work.environ,
        "options": RunOptions(concurrency=work.concurrency),
        "on_progress": lambda moment: say.send(f"done {moment.done}"),
    }
    if work.command == "resume":
        return resume("latest", **asked)
    if work.has_setups:
        return run(a_suite_with_setups(work.cases), **asked)
    return run(a_suite(work.cases), models=MODELS, **asked)
