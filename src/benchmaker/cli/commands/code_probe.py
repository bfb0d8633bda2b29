"""``benchmaker code probe``: files rendered by a browser that reaches no network, and the facts."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchmaker.cli.command import FILE, FOLDER
from benchmaker.cli.command import command as declare
from benchmaker.cli.context import Context
from benchmaker.cli.exit_codes import ExitCode
from benchmaker.cli.output import one_line, say, say_json, tell
from benchmaker.errors import SpecError

if TYPE_CHECKING:
    from benchmaker.arenas.code.probe import Page, Prober
    from benchmaker.record import ProbeReport

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
    ),
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=FILE)
@click.option(
    "--no-mapping",
    is_flag=True,
    help="Leave addresses of well-known libraries as they are; they are then missing.",
)
@click.option("--shots", metavar="DIR", type=FOLDER, help="Write the screenshots there, as PNG.")
@click.option(
    "--workers",
    metavar="N",
    type=click.IntRange(1, 32),
    default=1,
    help="Pages at once; default 1.",
)
@click.option(
    "--browser",
    metavar="PATH",
    type=FILE,
    help="Chromium or a kin; default: the first that is installed.",
)
@click.option(
    "--isolation",
    type=click.Choice(_ISOLATIONS),
    default="auto",
    help="What keeps pages from the network; default: the strongest that holds.",
)
def command(
    context: Context,
    *,
    files: tuple[Path, ...],
    no_mapping: bool,
    shots: Path | None,
    workers: int,
    browser: Path | None,
    isolation: str,
) -> ExitCode:
    """Render pages that nobody trusts, and print what they do.

    A file of HTML or SVG is the page; in any other file the page is looked for as in a model's
    answer. Each page is loaded at 375, 768 and 1440 pixels and its controls are clicked, without
    any network; it has ten seconds. Without a browser the files are only read.
    """
    import asyncio  # noqa: PLC0415  --help needs none of it

    texts = {file: _text(file) for file in files}
    work = _probe_all(
        texts,
        mapping=not no_mapping,
        shots=shots,
        workers=workers,
        browser=None if browser is None else str(browser),
        isolation=isolation,
    )
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
    *,
    mapping: bool,
    shots: Path | None,
    workers: int,
    browser: str | None,
    isolation: Any,  # noqa: ANN401  one of the choices, which Click has checked
) -> list[tuple[Path, "ProbeReport"]]:
    import asyncio  # noqa: PLC0415

    from benchmaker.arenas.code.probe import Prober, page_of_file  # noqa: PLC0415

    async with Prober.open(browser=browser, workers=workers, isolation=isolation) as prober:
        _tell_of(prober)
        work = []
        for file, data in texts.items():
            page = page_of_file(file.name, data, mapping=mapping)
            work.append(_probe(prober, file, page, shots))
        return list(await asyncio.gather(*work))


async def _probe(
    prober: "Prober", file: Path, page: "Page", shots: Path | None
) -> tuple[Path, "ProbeReport"]:
    report, pictures = await prober.probe(page.bundle, sha=page.sha256)
    if shots is not None:
        _write(shots, file, report, pictures)
    return file, report


def _write(folder: Path, file: Path, report: "ProbeReport", pictures: dict[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for shot in report.screenshots:
        name = f"{file.stem}-{report.sha}-{shot.viewport}.png"
        (folder / name).write_bytes(pictures[shot.sha256])


def _tell_of(prober: "Prober") -> None:
    from benchmaker.arenas.code.probe import INSTALL_BROWSER  # noqa: PLC0415

    if prober.browser is None:
        tell(f"No browser was found: the files are only read. {INSTALL_BROWSER}")
    else:
        tell(f"Chromium {prober.browser}, kept from the network by {prober.isolation}.")


def _data(report: "ProbeReport") -> dict[str, Any]:
    import msgspec  # noqa: PLC0415

    data: dict[str, Any] = msgspec.to_builtins(report)
    return data


def _say(file: Path, report: "ProbeReport") -> None:
    say(f"{file}: {report.outcome.replace('_', ' ')}{_walked(report)}")
    for finding in report.findings[:_SHOWN]:
        at = f" at {finding.viewport} px" if finding.viewport else ""
        say(f"  {finding.severity:<7}  {one_line(finding.message, _WIDTH)}{at}")
    if more := len(report.findings[_SHOWN:]):
        say(f"  and {more} more: --json")


def _walked(report: "ProbeReport") -> str:
    click = report.click
    if click is None or not click.candidates:
        return ""
    return f", {click.tried} of {click.candidates} controls tried, {click.dead} of them dead"
