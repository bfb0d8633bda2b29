"""``benchmaker code probe``: files rendered by a browser that reaches no network, and the facts."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.base_command import FILE, FOLDER
from benchmaker.cli.base_command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.options.numbers import WholeNumber
from benchmaker.cli.options.options import executor_option
from benchmaker.cli.output.output import one_line, say, say_json, tell
from benchmaker.cli.output.rendering import BROWSER
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.code.probe import ProbePage
    from benchmaker.arenas.code.remote_preparing import ProbeOptions, Seen
    from benchmaker.engine.executors.workers import TaskPool, TaskRunnerSource
    from benchmaker.record import ProbeReport

    Probe = Callable[[ProbePage], Awaitable[Seen]]

_ISOLATIONS = ("auto", "namespace", "flags")
_MOST_BYTES = 10_000_000
_SHOWN = 12
_WIDTH = 110


@declare(
    "probe",
    examples=(
        "benchmaker code probe page.html",
        "benchmaker code probe pages/*.html --workers 2 --json",
        "benchmaker code probe answer.md --shots shots",
        "benchmaker code probe pages/*.html --executor head:6379 --workers 8",
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--no-mapping",
    is_flag=True,
    help="Leave addresses of well-known libraries unchanged. These libraries are then missing.",
)
@click.option(
    "--shots", metavar="DIR", type=FOLDER, help="Write screenshots to this folder, as PNG."
)
@click.option(
    "--workers",
    metavar="N",
    type=WholeNumber(1, 32),
    default=1,
    help="Number of pages in parallel. Default: 1.",
)
@click.option(
    "--browser",
    metavar="PATH",
    type=BROWSER,
    help="Path of Chromium or a compatible browser. Default: the first one installed.",
)
@click.option(
    "--isolation",
    type=click.Choice(_ISOLATIONS),
    default="auto",
    help="Network isolation of pages. Default: the strongest that works.",
)
@executor_option
def command(
    context: Context,
    *,
    files: tuple[Path, ...],
    no_mapping: bool,
    shots: Path | None,
    workers: int,
    browser: str | None,
    isolation: str,
    executor: str | None,
) -> ExitCode:
    """Render untrusted pages and report their behaviour.

    HTML and SVG files are rendered directly; in other files, the page is extracted as from a
    model's answer. Each page is loaded at 375, 768 and 1440 pixels and its controls are clicked,
    offline, within ten seconds; on a busy machine, it is examined up to three times, within two
    minutes. Without a browser, the files are only read.
    """
    import asyncio

    from benchmaker.arenas.code.remote_preparing import ProbeOptions

    texts = {file: _text(file) for file in files}
    options = ProbeOptions(browser, not no_mapping, isolation)
    work = _probe_all(texts, options, executor=executor, shots=shots, workers=workers)
    pages = asyncio.run(work)
    if context.use_json:
        say_json({"pages": [{"file": str(file), **_data(report)} for file, report in pages]})
        return ExitCode.OK
    for file, report in pages:
        _say(file, report)
    return ExitCode.OK


def _text(file: Path) -> bytes:
    try:
        with file.open("rb") as source:
            data = source.read(_MOST_BYTES + 1)
    except OSError as exc:
        raise SpecError(f"can't be read: {exc.strerror}", where=str(file)) from exc
    if len(data) > _MOST_BYTES:
        raise SpecError(f"longer than {_MOST_BYTES:,} bytes", where=str(file))
    return data


async def _probe_all(
    texts: dict[Path, bytes],
    options: "ProbeOptions",
    *,
    executor: str | None,
    shots: Path | None,
    workers: int,
) -> list[tuple[Path, "ProbeReport"]]:
    import asyncio

    from benchmaker.engine.executors.executor_names import worker_source_named

    async with worker_source_named(executor) as crew, _open_probe(crew, options, workers) as probe:
        work = [_probe_file(probe, file, data, options, shots) for file, data in texts.items()]
        return list(await asyncio.gather(*work))


@asynccontextmanager
async def _open_probe(
    crew: "TaskRunnerSource | None", options: "ProbeOptions", workers: int
) -> AsyncIterator["Probe"]:
    """Return the prober of a page: of this process, or of a task runner."""
    from benchmaker.arenas.code.remote_preparing import PageProber, PageTask, probe_pool

    pool: PageProber | TaskPool
    if crew is None:
        pool = PageProber(options, workers=workers, on_repeat=tell)
        await pool.open()
    else:
        pool = probe_pool(crew, options, number=workers)
    do: Callable[[PageTask | None], Awaitable[Any]] = pool.do
    try:
        _tell_isolation(*await do(None))
        yield lambda page: do(PageTask(page.bundle, page.sha256))
    finally:
        await pool.close()


async def _probe_file(
    probe: "Probe", file: Path, data: bytes, options: "ProbeOptions", shots: Path | None
) -> tuple[Path, "ProbeReport"]:
    from benchmaker.arenas.code.probe import page_of_file

    report, pictures = await probe(page_of_file(file.name, data, mapping=options.mapping))
    if shots is not None:
        _write(shots, file, report, pictures)
    return file, report


def _write(folder: Path, file: Path, report: "ProbeReport", pictures: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for shot in report.screenshots:
        name = f"{file.stem}-{report.sha}-{shot.viewport}.png"
        (folder / name).write_bytes(pictures[shot.sha256])


def _tell_isolation(browser: str | None, isolation: str) -> None:
    from benchmaker.arenas.code.probe import INSTALL_BROWSER

    if browser is None:
        tell(f"No browser found, so the files are only read. {INSTALL_BROWSER}")
    else:
        tell(f"Chromium {browser}, isolated from the network by {isolation}.")


def _data(report: "ProbeReport") -> dict[str, Any]:
    import msgspec

    data: dict[str, Any] = msgspec.to_builtins(report)
    return data


def _say(file: Path, report: "ProbeReport") -> None:
    say(f"{file}: {report.outcome.replace('_', ' ')}{_click_summary(report)}")
    for finding in report.findings[:_SHOWN]:
        at = f" at {finding.viewport} px" if finding.viewport else ""
        say(f"  {finding.severity:<7}  {one_line(finding.message, _WIDTH)}{at}")
    if more := len(report.findings[_SHOWN:]):
        say(f"  and {more} more: --json")


def _click_summary(report: "ProbeReport") -> str:
    click = report.click
    if click is None or not click.candidates:
        return ""
    return f", {click.tried} of {click.candidates} controls tried, {click.dead} of them dead"
