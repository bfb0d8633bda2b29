"""The verdict of two runs of the same tests: with the program in their process, and apart from it.

The run in one process has the meaning of plain pytest or node, but the program can forge its
report. The run in two processes can't be forged, but some objects have another meaning there. So an
answer is right if both pass, and wrong if the first fails. If the first passes and the second does
not, nothing is known, unless both end while the tests still await a promise of the program.
"""

from dataclasses import replace
from typing import Final

from benchmaker.sandbox import ResourceLimits
from benchmaker.scoring.program.javascript_tests import find_own_console
from benchmaker.scoring.program.languages import PYTHON
from benchmaker.scoring.program.own_process import find_unreached
from benchmaker.scoring.program.program_verdict import ProgramVerdict
from benchmaker.scoring.program.separated import UNCHECKED, run_separated
from benchmaker.scoring.program.together import run_together

_ONE_ONLY: Final = "the tests pass in one process, but not with the program apart: "
_NEVER: Final = "an awaited promise never settled"
_HINT: Final = "Let the tests compare plain values that the program returns."


async def run_twice(
    language: str, program: str, tests: str, *, timeout_s: float, limits: ResourceLimits
) -> ProgramVerdict:
    """Run tests against a program in Python or JavaScript; ``limits`` are the program's.

    Raises:
        PrerequisiteError: this machine has no namespaces; the hint is the command.
        SandboxError: a sandbox failed.
    """
    together = await run_together(language, program, tests, timeout_s=timeout_s, limits=limits)
    if together.state != "passed" and not together.is_doubtful:
        return _with_runs(together, together, None)
    apart = await run_separated(language, program, tests, timeout_s=timeout_s, limits=limits)
    cause = next(iter(find_causes(language, tests)), _HINT)
    return _with_runs(_judge(together, apart, cause), together, apart)


def find_causes(language: str, tests: str) -> list[str]:
    """Return what in the tests has no effect on a program in a process of its own.

    >>> find_causes("python", "def test_a(monkeypatch): assert f()")
    ['monkeypatch in line 1 does not reach the program, which runs in a process of its own.']
    """
    return find_unreached(tests) if language == PYTHON else find_own_console(tests)


def _judge(together: ProgramVerdict, apart: ProgramVerdict, cause: str) -> ProgramVerdict:
    if together.state != "passed":
        return apart if apart.state == "undecided" else together
    is_decided = apart.state == "passed" or apart.reason == UNCHECKED
    if is_decided or (together.is_waiting and _NEVER in apart.reason):
        return apart
    end = "" if apart.reason.endswith(".") else "."
    return replace(apart, state="undecided", reason=f"{_ONE_ONLY}{apart.reason}{end} {cause}")


def _with_runs(
    verdict: ProgramVerdict, together: ProgramVerdict, apart: ProgramVerdict | None
) -> ProgramVerdict:
    runs = {"together": together, "apart": apart}
    found = {
        name: {"state": run.state, "reason": run.reason} if run else {"state": "not run"}
        for name, run in runs.items()
    }
    return replace(verdict, runs=found)
