"""What ``doctor`` looks at: each check says what it found and, where something lacks, the cure."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata

from benchmaker.cli.context import Context
from benchmaker.cli.output.sizes import readable
from benchmaker.errors import BenchmakerError, RenderError
from benchmaker.version import __version__

_PYTHON = (3, 11)
_ENDLESS = "(a+)+$"
_LITTLE_SPACE = 200_000_000
_SHOWN = 3


class State(StrEnum):
    """How a check went; ``missing`` is something needed, ``note`` something good to know."""

    OK = "ok"
    NOTE = "note"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the checkup; ``cure`` is the command or setting that helps."""

    name: str
    state: State
    found: str
    cure: str = ""


def checkup(context: Context) -> Iterator[Check]:
    """Every check, one after the other; a check that itself fails is a finding."""
    checks: tuple[tuple[str, Callable[[Context], Check]], ...] = (
        ("Benchmaker", _benchmaker),
        ("Python", _python),
        ("Packages", _packages),
        ("Data folder", _home),
        ("Store", _store),
        ("Timed worker", _timed_worker),
        ("Sandbox", _sandbox),
        ("Browser", _browser),
        ("PostgreSQL", _postgresql),
        ("Plug-ins", _plugins),
        ("Terminal", _terminal),
    )
    for name, check in checks:
        try:
            yield check(context)
        except BenchmakerError as error:
            where = f"{error.where}: " if error.where else ""
            yield Check(name, State.MISSING, f"{where}{error.message}", error.hint)
        except Exception as error:  # noqa: BLE001  whatever is broken, the checkup goes on
            told = f"the check failed: {type(error).__name__}: {error}"
            yield Check(name, State.MISSING, told, "benchmaker doctor --debug")


def _benchmaker(_: Context) -> Check:
    return Check("Benchmaker", State.OK, __version__)


def _python(_: Context) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _PYTHON:
        return Check("Python", State.MISSING, version, "Install Python 3.11 or newer.")
    return Check("Python", State.OK, version)


def _packages(_: Context) -> Check:
    needed = [line for line in metadata.requires("benchmaker") or () if "extra ==" not in line]
    names = [_bare(line) for line in needed]
    absent = [name for name in names if not _is_installed(name)]
    if absent:
        cure = f"{sys.executable} -m pip install {' '.join(absent)}"
        return Check("Packages", State.MISSING, f"not installed: {', '.join(absent)}", cure)
    return Check("Packages", State.OK, f"all {len(names)} installed")


def _bare(requirement: str) -> str:
    return "".join(
        char if char.isalnum() or char in "-_." else " " for char in requirement
    ).split()[0]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _home(context: Context) -> Check:
    import os  # noqa: PLC0415  the environment itself is read in context.py alone

    home = context.home
    nearest = next(it for it in (home, *home.parents) if it.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        cure = "Name another folder with --home or BENCHMAKER_HOME."
        return Check("Data folder", State.MISSING, f"{home} can't be written", cure)
    free = shutil.disk_usage(nearest).free
    told = f"{home}, {readable(free)} free" + ("" if home.exists() else ", made when needed")
    state = State.NOTE if free < _LITTLE_SPACE else State.OK
    cure = "Make room on that disk." if free < _LITTLE_SPACE else ""
    return Check("Data folder", state, told, cure)


def _timed_worker(_: Context) -> Check:
    from time import monotonic  # noqa: PLC0415

    from benchmaker.errors import ScorerTimeout  # noqa: PLC0415
    from benchmaker.sandbox import TimedWorker  # noqa: PLC0415

    worker = TimedWorker("benchmaker.scoring.pattern_work:run")
    started = monotonic()
    try:
        worker.call(["compile", _ENDLESS, 0], timeout_s=10)
        started = monotonic()
        worker.call(["search", _ENDLESS, 0, "a" * 40 + "b"], timeout_s=0.2)
    except ScorerTimeout:
        took = monotonic() - started
        return Check("Timed worker", State.OK, f"stopped an endless pattern after {took:.1f} s")
    finally:
        worker.close()
    return Check("Timed worker", State.MISSING, "an endless pattern was not stopped")


def _sandbox(_: Context) -> Check:
    from benchmaker.sandbox.isolation import Isolation  # noqa: PLC0415
    from benchmaker.sandbox.isolation_check import lacking  # noqa: PLC0415
    from benchmaker.sandbox.selftest import failing  # noqa: PLC0415

    missing = lacking(Isolation.NAMESPACE)
    if missing is not None:
        told = f"no command of a submission is run: {missing.message}"
        return Check("Sandbox", State.NOTE, told, missing.hint)
    if broken := failing():
        told = "; ".join(f"{wall.name}: {wall.seen}" for wall in broken[:_SHOWN])
        cure = "Verify nothing on this machine; see: benchmaker sandbox check"
        return Check("Sandbox", State.MISSING, f"walls do not hold: {told}", cure)
    return Check("Sandbox", State.OK, "bubblewrap; every wall held against its test")


def _browser(_: Context) -> Check:
    import asyncio  # noqa: PLC0415

    from benchmaker.arenas.code.probe import INSTALL_BROWSER, find_browser  # noqa: PLC0415

    if find_browser() is None:
        return Check("Browser", State.NOTE, "none; pages are read, not rendered", INSTALL_BROWSER)
    if not _is_installed("playwright"):
        cure = f"{sys.executable} -m pip install playwright"
        return Check("Browser", State.NOTE, "no driver; pages can't be rendered", cure)
    try:
        return Check("Browser", State.OK, asyncio.run(_behind_walls()))
    except RenderError as error:
        return Check("Browser", State.NOTE, error.message, error.hint)


async def _behind_walls() -> str:
    from benchmaker.arenas.code.probe import Prober  # noqa: PLC0415

    async with Prober.open() as prober:
        tried = len(prober.self_test.tried) if prober.self_test else 0
        return f"{prober.browser}, isolation by {prober.isolation}: {tried} ways out, none open"


def _store(context: Context) -> Check:
    from benchmaker.cli.database import existing_store  # noqa: PLC0415
    from benchmaker.report.tables.numbers import count  # noqa: PLC0415

    found = existing_store(context)
    if found is None:
        return Check("Store", State.OK, "none yet, the first run makes it")
    with found as store:
        checked = store.check()
        where = str(store.database.address)
    if checked.problems:
        told = f"{where}: {'; '.join(checked.problems[:_SHOWN])}"
        return Check("Store", State.MISSING, told, "Put a backup of it in its place.")
    rows = [count(checked.counts.get(f"{noun}s", 0), noun) for noun in ("run", "trial")]
    told = f"whole: {', '.join(rows)}, {readable(checked.size_bytes)}"
    return Check("Store", State.OK, told)


def _postgresql(context: Context) -> Check:
    asked = (context.store_url or "").startswith("postgres")
    if _is_installed("psycopg"):
        return Check("PostgreSQL", State.OK, "driver installed")
    cure = f"{sys.executable} -m pip install 'psycopg[binary]'"
    if asked:
        return Check("PostgreSQL", State.MISSING, "BENCHMAKER_STORE needs its driver", cure)
    return Check("PostgreSQL", State.NOTE, "no driver; needed for a team's store only", cure)


def _plugins(_: Context) -> Check:
    from benchmaker import plugins  # noqa: PLC0415  loads every scorer

    found = [plugin for kind in plugins.KINDS for plugin in plugins.available(kind)]
    broken = [plugin.id for plugin in found if plugin.error]
    if broken:
        told = f"{len(broken)} can't be loaded: {', '.join(broken)}"
        return Check("Plug-ins", State.NOTE, told, "benchmaker plugins")
    foreign = sum(plugin.distribution != "benchmaker" for plugin in found)
    return Check("Plug-ins", State.OK, f"{len(found)} load, {foreign} of them not ours")


def _terminal(_: Context) -> Check:
    encoding = (getattr(sys.stdout, "encoding", None) or "none").lower()
    if encoding.replace("-", "") == "utf8":
        return Check("Terminal", State.OK, "UTF-8")
    told = f"{encoding}; signs that it lacks are approximated"
    return Check("Terminal", State.NOTE, told, "export PYTHONIOENCODING=utf-8")
