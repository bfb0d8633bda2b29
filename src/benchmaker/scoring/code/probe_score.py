"""Scores the four criteria by the probe alone.

The probe finds faults, not beauty. An unavailable fact is excluded from its criterion, and a
criterion without facts has no value. A loaded page that shows nothing is a fact: nothing works at
any width.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from benchmaker.documents import Document
from benchmaker.record import Artifact, MissingResource, ProbeOutcome, ProbeReport
from benchmaker.record.prepared_answer import PreparedAnswer, VisualMatch
from benchmaker.scoring.code.criteria import WEIGHTS, Cap, CriterionPart, CriterionRating
from benchmaker.spec.suites.page_checks import Page

BLANK = "blank"
ERROR_ON_LOAD = "error_on_load"
HANG = "hang"
HANG_ON_CLICK = "hang_on_click"
NO_BROWSER = "no_browser"
MACHINE_BUSY = "machine_busy"
NO_CHECKS = "no_checks"

ERROR_MOST, BLANK_VISUAL_MOST = 60.0, 5.0
"""The published caps: of functionality after an error, of what is seen where nothing is."""

_HANGS = {
    ProbeOutcome.HANG: "it hangs",
    ProbeOutcome.CRASH: "it crashes the page",
    ProbeOutcome.MEMORY: "it takes all memory",
    ProbeOutcome.RELOAD_LOOP: "it reloads itself without end",
    ProbeOutcome.LOAD_ERROR: "it can't be loaded",
}
_UNSEEN = {ProbeOutcome.NO_BROWSER: NO_BROWSER, ProbeOutcome.UNKNOWN: MACHINE_BUSY}
"""Outcomes that say nothing of the rendered page, and the flag for each."""

_ONE_COLOUR = 0.99
_IMPACT = {"critical": 1.0, "serious": 0.7, "moderate": 0.4, "minor": 0.2}
_CONTRAST = "color-contrast"
_FEW = 10
"""So many small texts are as bad as any more."""


class ProbeScore(NamedTuple):
    """The criteria by the probe alone, with flags."""

    rated: dict[str, CriterionRating]
    flags: tuple[str, ...]

    @property
    def values(self) -> dict[str, float | None]:
        """Each criterion from 0 to 100, None without facts."""
        return {name: it.value for name, it in self.rated.items()}


def score_probe(prepared: PreparedAnswer, page: Page | None = None) -> ProbeScore:
    """Return the probe's score of an answer's page.

    Raises:
        ValueError: the answer has no code and was never rendered.
    """
    report = prepared.report
    if report is None:
        raise ValueError("there is no report of an answer without code")
    page = page or Page()
    match = prepared.rendering.match if prepared.rendering else None
    if report.outcome in _UNSEEN:
        unknown = {name: CriterionRating(name, None) for name in WEIGHTS}
        code = CriterionRating.of("code", list(_code(report, prepared.artifact)))
        return ProbeScore({**unknown, "code": code}, (_UNSEEN[report.outcome],))
    caps = dict(_caps(report))
    rated = (
        CriterionRating.of("visual", list(_visual_parts(report, match)), caps.get("visual", ())),
        CriterionRating.of("code", list(_code(report, prepared.artifact))),
        CriterionRating.of(
            "functionality", list(_functionality(report, page)), caps.get("functionality", ())
        ),
        CriterionRating.of("responsiveness", list(_responsiveness(report))),
    )
    return ProbeScore({it.name: it for it in rated}, tuple(_flags(report, page)))


@dataclass(frozen=True, slots=True)
class PageChecks(Document):
    """The number of a page's checks that passed, and their weighted share from 0 to 1."""

    passed: int
    of: int
    share: float


def checks_passed(report: ProbeReport | None, page: Page | None) -> PageChecks | None:
    """Return a case's checks on an answer's page; None without checks or without a render.

    Without a report there is no code, and no check passes, as for a page that never loaded.
    """
    if page is None or not page.checks:
        return None
    if report is not None and report.outcome in _UNSEEN:
        return None
    right = {it.index for it in report.checks if it.passed} if report else set()
    weights = {number: check.weight for number, check in enumerate(page.checks, 1)}
    passed = [weight for number, weight in weights.items() if number in right]
    share = math.fsum(passed) / math.fsum(weights.values())
    return PageChecks(len(passed), len(weights), share)


def why_nothing_shown(report: ProbeReport) -> str:
    """Return the reason why a page shows nothing; empty if it shows something."""
    if report.outcome in _HANGS:
        return _HANGS[report.outcome]
    return "it is blank" if report.outcome is ProbeOutcome.BLANK else ""


def load_errors(report: ProbeReport) -> int:
    """Errors while the page was loaded: uncaught ones, and files that the answer does not hold."""
    return len(report.page_errors) + sum(it.kind == "local" for it in report.missing)


def _caps(report: ProbeReport) -> Iterator[tuple[str, tuple[Cap, ...]]]:
    if why := why_nothing_shown(report):
        yield "functionality", (Cap(why, 0.0),)
        yield "visual", (Cap(why, BLANK_VISUAL_MOST),)
    elif load_errors(report):
        yield "functionality", (Cap("errors on load", ERROR_MOST),)
    elif report.click is not None and report.click.hangs:
        yield "functionality", (Cap("a control hangs the page", ERROR_MOST),)


def _flags(report: ProbeReport, page: Page) -> Iterator[str]:
    if report.outcome is ProbeOutcome.BLANK:
        yield BLANK
    elif why_nothing_shown(report):
        yield HANG
    elif load_errors(report):
        yield ERROR_ON_LOAD
    elif report.click is not None and report.click.hangs:
        yield HANG_ON_CLICK
    if not page.checks:
        yield NO_CHECKS


def _functionality(report: ProbeReport, page: Page) -> Iterator[CriterionPart]:
    """The task's checks are the main part; dead controls and errors the rest."""
    if report.checks:
        weights = [check.weight for check in page.checks]
        own = [weights[it.index - 1] if it.index <= len(weights) else 1.0 for it in report.checks]
        right = sum(w for w, it in zip(own, report.checks, strict=True) if it.passed)
        passed = sum(it.passed for it in report.checks)
        yield CriterionPart(
            "checks", right / sum(own), 70, f"{passed} of {len(report.checks)} pass"
        )
    click = report.click
    if click is not None and click.tried:
        dead = click.dead + click.hangs
        yield CriterionPart(
            "controls", _remaining_share(dead, click.tried), 15, f"{dead} of {click.tried} dead"
        )
    errors = [*report.page_errors, *report.rejections, *_missing_resources(report, page)]
    number = len(errors) + (click.errors if click else 0)
    yield CriterionPart("errors", 1 / (1 + number), 15, _faults(number))


def _faults(number: int) -> str:
    return "1 error or missing file" if number == 1 else f"{number:,} errors and missing files"


def _missing_resources(report: ProbeReport, page: Page) -> list[MissingResource]:
    """Return the page's missing resources, except libraries that the case allows."""
    return [
        it
        for it in report.missing
        if it.kind != "other" and not any(name in it.url for name in page.libraries)
    ]


def _responsiveness(report: ProbeReport) -> Iterator[CriterionPart]:
    if why := why_nothing_shown(report):
        yield CriterionPart("shown", 0.0, 100, why)
        return
    for width, weight in (("375", 35), ("768", 20)):
        if width in report.overflow:
            over = report.overflow_px.get(width, 0)
            fits = not report.overflow[width]
            why = "fits" if fits else f"{over} px too wide"
            yield CriterionPart(f"fits_{width}", float(fits), weight, why)
    if report.viewport_meta is not None:
        why = "given" if report.viewport_meta else "missing"
        yield CriterionPart("viewport_meta", float(report.viewport_meta), 15, why)
    phone = report.viewports.get("375")
    if phone is None:
        return
    yield CriterionPart(
        "text", _remaining_share(phone.small_text, _FEW), 15, f"{phone.small_text} below 12 px"
    )
    if report.interactive:
        taps = f"{phone.small_taps} of {report.interactive} below 24 px"
        yield CriterionPart(
            "taps", _remaining_share(phone.small_taps, report.interactive), 15, taps
        )


def _visual_parts(report: ProbeReport, match: VisualMatch | None) -> Iterator[CriterionPart]:
    """Yield the parts for drawing, images and legible text, and for similarity if requested."""
    if why := why_nothing_shown(report):
        yield CriterionPart("drawn", 0.0, 100, why)
        return
    if match is not None:
        why = f"blocks {match.blocks:.2f}, colours {match.colours:.2f}, SSIM {match.ssim:.2f}"
        yield CriterionPart("match", match.overall, 60, why)
    wide = report.viewports.get("1440")
    if wide is not None and wide.blank_ratio is not None:
        why = f"{wide.blank_ratio:.1%} of one colour"
        drawn = 1.0 if wide.blank_ratio <= _ONE_COLOUR else 0.5 if wide.text_len else 0.0
        yield CriterionPart("drawn", drawn, 20, why)
    if (axe := _axe(report)) is not None:
        poor = sum(name == _CONTRAST for name, _ in axe)
        yield CriterionPart("contrast", float(not poor), 10, "too little" if poor else "enough")
    if report.broken_images is not None:
        broken = report.broken_images
        yield CriterionPart("images", 1 / (1 + broken), 10, f"{broken} broken")


def _code(report: ProbeReport, artifact: Artifact) -> Iterator[CriterionPart]:
    """Yield the parts from the document and its accessibility tree."""
    axe = _axe(report)
    if axe is not None:
        others = [impact for name, impact in axe if name != _CONTRAST]
        weight = sum(_IMPACT.get(impact, 0.4) for impact in others)
        yield CriterionPart("accessibility", 1 / (1 + weight), 40, f"{len(others)} rules broken")
    said = {
        "lang": None if report.lang is None and axe is None else bool(report.lang),
        "title": None if report.title is None and axe is None else bool(report.title),
        "doctype": None if report.quirks is None else not report.quirks,
    }
    known = {name: it for name, it in said.items() if it is not None}
    if known:
        lacking = [name for name, it in known.items() if not it]
        why = f"no {', no '.join(lacking)}" if lacking else "language, title, doctype"
        yield CriterionPart("document", 1 - len(lacking) / len(known), 20, why)
    code = report.code
    astray = len(report.duplicate_ids or ()) + len(code.missing_ids) + len(code.missing_handlers)
    yield CriterionPart(
        "names", 1 / (1 + astray), 20, f"{astray} double or missing ids and handlers"
    )
    unclosed = len(code.unclosed or artifact.unclosed) + ("truncated" in artifact.flags)
    yield CriterionPart("closed", 1 / (1 + unclosed), 20, f"{unclosed} elements or texts left open")


def _axe(report: ProbeReport) -> tuple[tuple[str, str], ...] | None:
    """The accessibility rules that are broken; None where they were never tried."""
    is_tried = report.outcome not in _UNSEEN and not why_nothing_shown(report)
    return report.axe if is_tried else None


def _remaining_share(bad: int, of: int) -> float:
    """Return the remaining share of a whole, at least 0."""
    return max(0.0, 1 - bad / of)
