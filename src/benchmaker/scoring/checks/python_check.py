"""The python check: a function of the suite's author scores the answer."""

import ast
import hashlib
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from benchmaker.errors import SandboxError, ScorerError, ScorerTimeout, SpecError
from benchmaker.plugins import NAMED_ONLY, scorer
from benchmaker.record import Score, Trial
from benchmaker.scoring.base import Objection
from benchmaker.scoring.checks.function_result import case_data, score_of_result
from benchmaker.spec import Case

if TYPE_CHECKING:
    from benchmaker.sandbox import TimedWorker

TIMEOUT_S = 10.0
"""The default time limit of one call, in seconds of processor time."""

_FORM = "Write it as file.py:function."


@scorer
@dataclass(frozen=True, slots=True)
class Python:
    """The score that a Python function gives: ``function(output, case)``.

    ``value`` is ``file.py:function``; a relative path starts at the folder of the suite's file, in
    Python at the working directory. A suite is stored, and identified, with the path as written and
    the ``sha256`` of the file, which is added when the suite is read. If the file has changed
    since, rescore with the suite's file. ``output`` is the text of the answer, ``case`` a
    dictionary with the case's id, prompt, messages, expected, expectations, choices, vars,
    metadata, category, difficulty, group and tags. ``vars`` includes the suite's.

    The function returns a boolean, a number from 0 to 1, or a dictionary with ``passed``, ``score``
    and ``reason``, of which ``passed`` or ``score`` is required. It may be a coroutine function. It
    may import modules beside its file and the packages installed here.

    It runs in a separate process with ``timeout`` seconds of processor time (10 by default), 1 GiB
    of memory and an empty environment, but with your rights: use your own code only. An answer for
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
        _refuse_where_shared()
        file, name = self._parts()
        source = self._read(file)
        folders = [str(file.parent), *filter(None, sys.path)]
        request = [folders, str(file), source, name, trial.text, case_data(case)]
        try:
            reply = await _worker().acall(request, timeout_s=self.timeout)
        except ScorerTimeout as exc:
            raise ScorerTimeout(f"{self.value}: {exc.message}") from exc
        except SandboxError as exc:
            raise ScorerError(f"{self.value}: {exc.message}") from exc
        detail = {"function": f"{file.name}:{name}", "sha256": _digest(source)}
        return self._make_score(reply, detail)

    def faults(self) -> list[Objection]:
        """A file that is missing or no Python, or has no such function."""
        try:
            _refuse_where_shared()
            file, name = self._parts()
            defined = _names(self._read(file), file)
        except SpecError as exc:
            return [Objection(("value",), f"{exc}")]
        message = f"{file} defines no {name!r}."
        return [] if name in defined else [Objection(("value",), message)]

    def explain(self, score: Score) -> list[str]:
        """The function, the version of its file, and its result."""
        detail = score.detail
        lines = [f"{detail['function']}(output, case), file {detail['sha256'][:12]}"]
        if "passed" in detail:
            lines.append(f"passed: {'yes' if detail['passed'] else 'no'}")
        return [*lines, f"{score.notes}: {score.score:g}"]

    def _parts(self) -> tuple[Path, str]:
        """The file and the name of the function."""
        path, _, name = self.value.rpartition(":")
        if not path or not name.isidentifier():
            raise SpecError(f"no function in {self.value!r}.", hint=_FORM)
        return Path(path).expanduser().absolute(), name

    def _read(self, file: Path) -> str:
        """The source of the file.

        Raises:
            SpecError: it can't be read, or is another than the suite was read with.
        """
        source = _read(file)
        if self.sha256 is not None and _digest(source) != self.sha256:
            hint = "Read the suite again: benchmaker rescore RUN --suite FILE, or a new run."
            raise SpecError(f"{file} has changed since the suite was read.", hint=hint)
        return source

    def _make_score(self, reply: list[Any], detail: dict[str, Any]) -> Score:
        if reply[0] == "absent":
            raise SpecError(f"{self.value}: there is no such function.", hint=_FORM)
        if reply[0] == "raised":
            raise ScorerError(f"{self.value} raised {reply[1]}: {reply[2]}")
        return score_of_result(reply[1], self.value, detail)


def _refuse_where_shared() -> None:
    if NAMED_ONLY.get():
        raise SpecError(
            "a python check runs code, which is not allowed on a shared server.",
            hint="Ask the administrator to install it as a plug-in, and use its id.",
        )


def _read(file: Path) -> str:
    try:
        return file.read_bytes().decode()
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or "it is not UTF-8"
        hint = "Put it beside the suite's file; it is not part of an uploaded suite."
        raise SpecError(f"{file} can't be read: {reason}.", hint=hint) from exc


def _digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


def _names(source: str, file: Path) -> set[str]:
    """The names that the file may define at its top level."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as exc:
        line = getattr(exc, "lineno", None) or 0
        raise SpecError(f"{file}:{line}: {getattr(exc, 'msg', exc)}.") from exc
    return {name for node in ast.walk(tree) for name in _names_of(node)}


def _names_of(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return (node.name,)
    if isinstance(node, ast.alias):
        return (node.asname or node.name,)
    return (node.id,) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else ()


@cache
def _worker() -> "TimedWorker":
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415  for suites with functions alone

    return TimedWorker("benchmaker.scoring.checks.python_work:call_function")
