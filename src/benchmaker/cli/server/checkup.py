"""The checks of ``doctor``: each returns its finding and, if necessary, the remedy."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata

from benchmaker.cli.context import Context
from benchmaker.errors import BenchmakerError, RenderError
from benchmaker.spec.documents.sizes import readable_size
from benchmaker.version import __version__

_PYTHON = (3, 11)
_ENDLESS = "(a+)+$"
_LITTLE_SPACE = 200_000_000
_SHOWN = 3


class CheckState(StrEnum):
    """The result of a check; ``missing`` is something needed, ``note`` is informational."""

    OK = "ok"
    NOTE = "note"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class CheckupLine:
    """One line of the checkup; ``cure`` is the command or setting that helps."""

    name: str
    state: CheckState
    found: str
    cure: str = ""


def checkup(context: Context) -> Iterator[CheckupLine]:
    """Yield every check in turn; a failing check is itself a finding."""
    checks: tuple[tuple[str, Callable[[Context], CheckupLine]], ...] = (
        ("Benchmaker", _benchmaker),
        ("Python", _python),
        ("Packages", _packages),
        ("Data folder", _home),
        ("Store", _store),
        ("Timed worker", _timed_worker),
        ("Sandbox", _sandbox),
        ("Code checks", _code_checks),
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
            yield CheckupLine(name, CheckState.MISSING, f"{where}{error.message}", error.hint)
        except Exception as error:  # noqa: BLE001  whatever is broken, the checkup goes on
            finding = f"the check failed: {type(error).__name__}: {error}"
            yield CheckupLine(name, CheckState.MISSING, finding, "benchmaker doctor --debug")


def _benchmaker(_: Context) -> CheckupLine:
    return CheckupLine("Benchmaker", CheckState.OK, __version__)


def _python(_: Context) -> CheckupLine:
    version = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info < _PYTHON:
        return CheckupLine("Python", CheckState.MISSING, version, "Install Python 3.11 or newer.")
    return CheckupLine("Python", CheckState.OK, version)


def _packages(_: Context) -> CheckupLine:
    needed = [line for line in metadata.requires("benchmaker") or () if "extra ==" not in line]
    names = [_distribution_name(line) for line in needed]
    absent = [name for name in names if not _is_installed(name)]
    if absent:
        cure = f"{sys.executable} -m pip install {' '.join(absent)}"
        return CheckupLine(
            "Packages", CheckState.MISSING, f"not installed: {', '.join(absent)}", cure
        )
    return CheckupLine("Packages", CheckState.OK, f"all {len(names)} installed")


def _distribution_name(requirement: str) -> str:
    return "".join(
        char if char.isalnum() or char in "-_." else " " for char in requirement
    ).split()[0]


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _home(context: Context) -> CheckupLine:
    import os

    home = context.home
    nearest = next(it for it in (home, *home.parents) if it.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        cure = "Choose another folder with --home or BENCHMAKER_HOME."
        return CheckupLine("Data folder", CheckState.MISSING, f"{home} can't be written", cure)
    free = shutil.disk_usage(nearest).free
    finding = f"{home}, {readable_size(free)} free" + (
        "" if home.exists() else ", created when needed"
    )
    state = CheckState.NOTE if free < _LITTLE_SPACE else CheckState.OK
    cure = "Free space on that disk." if free < _LITTLE_SPACE else ""
    return CheckupLine("Data folder", state, finding, cure)


def _timed_worker(_: Context) -> CheckupLine:
    from time import monotonic

    from benchmaker.errors import ScorerTimeout
    from benchmaker.sandbox import TimedWorker

    worker = TimedWorker("benchmaker.scoring.pattern_work:handle_request")
    started = monotonic()
    try:
        worker.call(["compile", _ENDLESS, 0], timeout_s=10)
        started = monotonic()
        worker.call(["search", _ENDLESS, 0, "a" * 40 + "b"], timeout_s=0.2)
    except ScorerTimeout:
        took = monotonic() - started
        finding = f"stopped a runaway regular expression after {took:.1f} s"
        return CheckupLine("Timed worker", CheckState.OK, finding)
    finally:
        worker.close()
    finding = "a runaway regular expression was not stopped"
    return CheckupLine("Timed worker", CheckState.MISSING, finding)


def _sandbox(_: Context) -> CheckupLine:
    from benchmaker.sandbox.isolation import Isolation
    from benchmaker.sandbox.isolation_check import unmet_prerequisite
    from benchmaker.sandbox.selftest import failing_walls

    missing = unmet_prerequisite(Isolation.NAMESPACE)
    if missing is not None:
        finding = f"commands of submissions can't run: {missing.message}"
        return CheckupLine("Sandbox", CheckState.NOTE, finding, missing.hint)
    if broken := failing_walls():
        finding = "; ".join(f"{wall.name}: {wall.seen}" for wall in broken[:_SHOWN])
        cure = "Do not verify submissions on this machine. Details: benchmaker sandbox check"
        return CheckupLine(
            "Sandbox", CheckState.MISSING, f"isolation checks failed: {finding}", cure
        )
    return CheckupLine("Sandbox", CheckState.OK, "bubblewrap; all isolation checks passed")


def _code_checks(_: Context) -> CheckupLine:
    from benchmaker.scoring.program.languages import missing_program, missing_wall

    missing = missing_wall()
    if missing is not None:
        finding = "programs in answers can't be tested without bubblewrap"
        return CheckupLine("Code checks", CheckState.NOTE, finding, missing.hint)
    tools = "Python with pytest" if _is_installed("pytest") else "Python without pytest"
    missing = missing_program("node")
    if missing is not None:
        finding = f"{tools}; no JavaScript: {missing.message}"
        return CheckupLine("Code checks", CheckState.NOTE, finding, missing.hint)
    return CheckupLine("Code checks", CheckState.OK, f"{tools}, JavaScript")


def _browser(_: Context) -> CheckupLine:
    import asyncio

    from benchmaker.arenas.code.probe import INSTALL_BROWSER, find_browser

    if find_browser() is None:
        return CheckupLine(
            "Browser", CheckState.NOTE, "none; pages are only read, not rendered", INSTALL_BROWSER
        )
    if not _is_installed("playwright"):
        cure = f"{sys.executable} -m pip install playwright"
        return CheckupLine("Browser", CheckState.NOTE, "no driver; pages can't be rendered", cure)
    try:
        return CheckupLine("Browser", CheckState.OK, asyncio.run(_isolated_browser()))
    except RenderError as error:
        return CheckupLine("Browser", CheckState.NOTE, error.message, error.hint)


async def _isolated_browser() -> str:
    from benchmaker.arenas.code.probe import Prober
    from benchmaker.record.counts import count

    async with Prober.open() as prober:
        tried = len(prober.self_test.tried) if prober.self_test else 0
        attempts = f"{count(tried, 'escape attempt')}, all blocked"
        return f"version {prober.browser}, isolation {prober.isolation}: {attempts}"


def _store(context: Context) -> CheckupLine:
    from benchmaker.cli.database import existing_store
    from benchmaker.record.counts import count

    found = existing_store(context)
    if found is None:
        return CheckupLine("Store", CheckState.OK, "none yet, created by the first run")
    with found as store:
        checked = store.check()
        where = str(store.address)
    if checked.problems:
        finding = f"{where}: {'; '.join(checked.problems[:_SHOWN])}"
        return CheckupLine("Store", CheckState.MISSING, finding, "Replace it with a backup.")
    rows = [count(checked.counts.get(f"{noun}s", 0), noun) for noun in ("run", "trial")]
    finding = f"intact: {', '.join(rows)}, {readable_size(checked.size_bytes)}"
    return CheckupLine("Store", CheckState.OK, finding)


def _postgresql(context: Context) -> CheckupLine:
    is_configured = (context.store_url or "").startswith("postgres")
    if _is_installed("psycopg"):
        return CheckupLine("PostgreSQL", CheckState.OK, "driver installed")
    cure = f"{sys.executable} -m pip install 'psycopg[binary]'"
    if is_configured:
        return CheckupLine(
            "PostgreSQL", CheckState.MISSING, "BENCHMAKER_STORE needs its driver", cure
        )
    return CheckupLine(
        "PostgreSQL", CheckState.NOTE, "no driver; needed for a team's store only", cure
    )


def _plugins(_: Context) -> CheckupLine:
    from benchmaker import plugins

    found = [plugin for kind in plugins.KINDS for plugin in plugins.list_plugins(kind)]
    broken = [plugin.id for plugin in found if plugin.error]
    if broken:
        finding = f"{len(broken)} can't be loaded: {', '.join(broken)}"
        return CheckupLine("Plug-ins", CheckState.NOTE, finding, "benchmaker plugins")
    foreign = sum(plugin.distribution != "benchmaker" for plugin in found)
    finding = f"{len(found)} loaded, {foreign or 'none'} from other packages"
    return CheckupLine("Plug-ins", CheckState.OK, finding)


def _terminal(_: Context) -> CheckupLine:
    encoding = (getattr(sys.stdout, "encoding", None) or "none").lower()
    if encoding.replace("-", "") == "utf8":
        return CheckupLine("Terminal", CheckState.OK, "UTF-8")
    finding = f"{encoding}; missing characters are approximated"
    return CheckupLine("Terminal", CheckState.NOTE, finding, "export PYTHONIOENCODING=utf-8")
