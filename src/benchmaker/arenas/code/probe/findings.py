"""The findings in words: one sentence each, worst first."""

from collections.abc import Iterator

import msgspec

from benchmaker.arenas.code.probe.examination import PageObservations
from benchmaker.record import ProbeFinding, ProbeOutcome, ProbeReport, Severity
from benchmaker.record.counts import count

_ENDS = {
    ProbeOutcome.BLANK: "The page is blank: no text, no control, one colour.",
    ProbeOutcome.HANG: "The page does not respond (endless loop).",
    ProbeOutcome.LOAD_ERROR: "The page failed to load.",
    ProbeOutcome.CRASH: "The page process crashed.",
    ProbeOutcome.MEMORY: "The page exceeded the memory limit and was stopped.",
    ProbeOutcome.RELOAD_LOOP: "The page reloads itself in a loop.",
    ProbeOutcome.NAVIGATED_AWAY: "The page navigated to another address by itself.",
}
_ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_GRAVE = ("critical", "serious")


def findings(report: ProbeReport, seen: PageObservations | None) -> ProbeReport:
    """The report with its findings."""
    found = [*_of_end(report), *_of_load(report), *_of_sources(report), *_of_widths(report)]
    found += [*_of_clicks(report), *_of_document(report), *_of_checks(report)]
    if seen is not None and "axe_left_out" in seen.flags:
        found.append(_info("axe", "The page is too large for the accessibility rules."))
    found.sort(key=lambda one: _ORDER[one.severity])
    return msgspec.structs.replace(report, findings=tuple(found))


def _error(key: str, message: str, elements: tuple[str, ...] = ()) -> ProbeFinding:
    return ProbeFinding(key=key, severity=Severity.ERROR, message=message, elements=elements)


def _warning(
    key: str, message: str, elements: tuple[str, ...] = (), viewport: int | None = None
) -> ProbeFinding:
    return ProbeFinding(
        key=key, severity=Severity.WARNING, message=message, elements=elements, viewport=viewport
    )


def _info(key: str, message: str, elements: tuple[str, ...] = ()) -> ProbeFinding:
    return ProbeFinding(key=key, severity=Severity.INFO, message=message, elements=elements)


def _of_end(report: ProbeReport) -> Iterator[ProbeFinding]:
    if report.outcome in _ENDS:
        yield _error("outcome", _ENDS[report.outcome])
    if report.outcome is ProbeOutcome.UNKNOWN:
        yield _info("outcome", f"No result: {report.error}")
    if report.outcome is ProbeOutcome.NO_BROWSER:
        yield _info("outcome", "The page was only read, not rendered in a browser.")
    if "budget_spent" in report.flags:
        yield _warning(
            "timeout", "The time limit of the page was reached before the end of the examination."
        )


def _of_load(report: ProbeReport) -> Iterator[ProbeFinding]:
    for message in report.page_errors:
        yield _error("page_errors", f"Uncaught error: {message}")
    for message in report.rejections:
        yield _error("rejections", f"Unhandled promise rejection: {message}")
    if report.console_errors:
        yield _info("console_errors", f"{count(report.console_errors, 'error')} in the console.")
    if report.dialogs:
        yield _warning("dialogs", "A dialog opens without user action.")


def _of_sources(report: ProbeReport) -> Iterator[ProbeFinding]:
    for one in report.missing:
        make = _info if "fonts.g" in one.url else _warning
        yield make("missing", f"Missing ({one.kind}): {one.url}")
    if report.broken_images:
        yield _warning("broken_images", f"{count(report.broken_images, 'image')} without content.")


def _of_widths(report: ProbeReport) -> Iterator[ProbeFinding]:
    for width, facts in report.viewports.items():
        wide = int(width)
        if px := report.overflow_px[width]:
            said = f"The page is {px} px wider than the window of {width} px."
            yield _warning("overflow", said, facts.offenders, wide)
        if facts.small_text:
            said = f"{facts.small_text} elements with text below 12 px."
            yield _warning("small_text", said, (), wide)
        if facts.small_taps:
            said = f"{facts.small_taps} controls below 24 px."
            yield _warning("small_taps", said, (), wide)


def _of_clicks(report: ProbeReport) -> Iterator[ProbeFinding]:
    click = report.click
    if click is None:
        return
    if click.hangs:
        yield _error("click.hangs", "A click hangs the page; the remaining controls are untested.")
    for message in click.messages:
        yield _error("click.errors", f"Error on click: {message}")
    if click.dead:
        said = f"{click.dead} of {click.tried} controls do nothing."
        yield _warning("click.dead", said, click.dead_controls)


def _of_document(report: ProbeReport) -> Iterator[ProbeFinding]:
    for rule, impact in report.axe or ():
        make = _warning if impact in _GRAVE else _info
        yield make("axe", f"Accessibility, {impact}: {rule}")
    if report.viewport_meta is False:
        yield _warning("viewport_meta", "No viewport declared: phones show the desktop layout.")
    if report.duplicate_ids:
        yield _warning("duplicate_ids", "Duplicate ids.", report.duplicate_ids)
    if report.quirks:
        yield _info("quirks", "No doctype: the browser uses quirks mode.")
    if report.code.missing_ids:
        yield _info("code.missing_ids", "Scripts refer to missing ids.",
                    report.code.missing_ids)  # fmt: skip
    if report.code.missing_handlers:
        yield _warning("code.missing_handlers", "Attributes call missing functions.",
                       report.code.missing_handlers)  # fmt: skip


def _of_checks(report: ProbeReport) -> Iterator[ProbeFinding]:
    for one in report.checks:
        if not one.passed:
            yield _error("checks", f"Check {one.index} failed: {one.text}: {one.message}")
