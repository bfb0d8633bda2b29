"""The python check: a function of the suite's author scores the answer."""

import sys
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from benchmaker.errors import SandboxError, ScorerError, ScorerTimeout, SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.function_result import calls_data, case_data, score_of_result
from benchmaker.scoring.checks.python_functions import FORM, PythonFunction, digest
from benchmaker.spec import Case

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

TIMEOUT_S = 10.0
"""The default time limit of one call, in seconds of processor time."""


@scorer
@dataclass(frozen=True, slots=True)
class Python:
    """The score that a Python function gives: ``function(output, case)``.

    ``value`` is ``file.py:function``; a relative path starts at the folder of the suite's file, in
    Python at the working directory. A suite is stored, and identified, with the path as written and
    the ``sha256`` of the file, which is added when the suite is read. If the file has changed
    since, rescore with the suite's file. ``output`` is the text of the answer, ``case`` a
    dictionary with the case's id, prompt, messages, expected, expectations, choices, vars,
    metadata, category, difficulty, group and tags. ``vars`` includes the suite's. A function with a
    parameter ``calls`` gets the tool calls as a list of ``{name, arguments, result, step}``, one
    with a parameter ``transcript`` all messages with ``role``, ``content`` and ``tool_calls``; both
    are None if none were recorded.

    The function returns a boolean, a number from 0 to 1, or a dictionary with ``passed``, ``score``
    and ``reason``, of which ``passed`` or ``score`` is required. It may be a coroutine function. It
    may import modules beside its file and the packages installed here.

    It runs in a separate process with ``timeout`` seconds of processor time (10 by default), or ten
    times as long for waiting, 1 GiB of memory and an empty environment, but with your rights: use
    your own code only. An answer for
    which it fails has no score. A server for several users refuses this check.

    Example:
        ``scorer: {id: python, value: "checks.py:is_polite"}``

        with ``def is_polite(output, case): return "please" in output.lower()``
    """

    value: str
    timeout: float = TIMEOUT_S
    sha256: str | None = None

    check_needs: ClassVar = ("value",)

    def __post_init__(self) -> None:
        if not 0 < self.timeout <= 3600:  # noqa: PLR2004  seconds of an hour
            raise SpecError("timeout must be more than 0 and at most 3600 seconds.")

    async def score(self, case: Case, trial: Trial) -> Score:
        """The function's score; the verdict, if it gives one, is in ``detail["passed"]``.

        Raises:
            SpecError: there is no such file or function, or code is refused here.
            ScorerTimeout: the function takes too long.
            ScorerError: the function raises, or returns something else.
        """
        source = self._function.source()
        file, name = self._function.parts
        folders = [str(file.parent), *filter(None, sys.path)]
        calls = calls_data(trial)
        request = [folders, str(file), source, name, trial.text, case_data(case), calls]
        label = f"{file.name}:{name}"
        try:
            reply = await _worker().acall(request, timeout_s=self.timeout)
        except ScorerTimeout as exc:
            raise ScorerTimeout(f"{label}: timed out after {self._limits}.") from exc
        except SandboxError as exc:
            raise ScorerError(f"{label}: {exc.message}") from exc
        detail = {"function": label, "sha256": digest(source)}
        return self._make_score(reply, detail)

    def faults(self) -> list[Objection]:
        """A file that is missing or no Python, or has no such function."""
        message = self._function.fault()
        return [Objection(("value",), message)] if message else []

    def explain(self, score: Score) -> list[str]:
        """The function, the version of its file, and its result."""
        detail = score.detail
        lines = [f"{detail['function']}, file {detail['sha256'][:12]}"]
        if "passed" in detail:
            lines.append(f"passed: {'yes' if detail['passed'] else 'no'}")
        return [*lines, f"{score.notes}: {score.score:g}"]

    @property
    def _limits(self) -> str:
        from benchmaker.sandbox.timed_worker import WAITS  # noqa: PLC0415  for timeouts alone

        return f"{self.timeout:g} s of processor time, or {WAITS * self.timeout:g} s of waiting"

    @property
    def _function(self) -> PythonFunction:
        return PythonFunction(self.value, self.sha256)

    def _make_score(self, reply: list[Any], detail: dict[str, Any]) -> Score:
        if reply[0] == "absent":
            raise SpecError(f"{detail['function']}: there is no such function.", hint=FORM)
        if reply[0] == "raised":
            raise ScorerError(f"{detail['function']} raised {reply[1]}: {reply[2]}")
        return score_of_result(reply[1], detail["function"], detail)


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for suites with functions alone

    return TimedWorker("benchmaker.scoring.checks.python_work:call_function")
