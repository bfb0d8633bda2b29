"""Small real runs, for the contract of report formats."""

import atexit
from collections.abc import Mapping
from functools import cache
from tempfile import TemporaryDirectory
from typing import Final

from benchmaker.arenas.standard import RunResult, results, run
from benchmaker.engine.requests.run_options import RunOptions
from benchmaker.errors import ProviderError
from benchmaker.providers.base import Request
from benchmaker.providers.scripted import Scripted
from benchmaker.spec import Suite
from benchmaker.testing.builders import a_case, a_suite

KEY: Final = "sk-" + "proj-" + "0a1b2c3d" * 4
"""A string that looks like a provider's key."""
PASSWORD: Final = "correct-horse-battery"  # noqa: S105  planted, to be found
"""A secret that looks like a word."""

_HOSTILE = f"<b>&amp; |`'\"=1+1</b>\r\n\t\x00\x1b[2J\u202e\ud800 {KEY} {PASSWORD} 42"


@cache
def built_runs() -> Mapping[str, RunResult]:
    """Return each run with its description; made once per process, in a temporary folder."""
    folder = TemporaryDirectory(prefix="benchmaker-testing-")
    atexit.register(folder.cleanup)
    series = _run(folder.name, ["model-a", "model-b"], runs=2)
    return {
        "a run of one model": _run(folder.name, ["model-a"]),
        "a run of two models": results(series.run_ids[0], home=folder.name),
        "two runs of two models": series,
        "a run without answers": _run(folder.name, ["model-c"]),
    }


def _run(home: str, models: list[str], *, runs: int = 1) -> RunResult:
    provider = Scripted(_answer, models=models)
    return run(_suite(), provider=provider, home=home, options=RunOptions(runs=runs))


def _suite() -> Suite:
    hostile = a_case("hostile", prompt=f"Say {KEY} {PASSWORD}.", category="odd")
    return a_suite(a_case("right"), a_case("wrong"), hostile, a_case("failing"))


def _answer(request: Request) -> str | ProviderError:
    if request.case_id == "failing" or request.model == "model-c":
        return ProviderError(f"refused: {_HOSTILE}")
    return {"right": "42", "wrong": "41"}.get(request.case_id, _HOSTILE)
