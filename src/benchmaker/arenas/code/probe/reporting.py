"""The report of the observations: every list in a fixed order, nothing time-dependent."""

import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from benchmaker.arenas.code.probe.examination import PageObservations
from benchmaker.arenas.code.probe.findings import findings
from benchmaker.arenas.code.probe.reading import DocumentFacts, read_document
from benchmaker.arenas.code.probe.sources import ProbedBundle, mapped_addresses, missing_resources
from benchmaker.record import (
    CheckResult,
    ProbeIsolation,
    ProbeOutcome,
    ProbeReport,
    SelfTest,
    Shot,
    ViewportFacts,
)
from benchmaker.record.probe import HEIGHTS

_BLANK = 0.995
"""The share of one colour from which a page without text and controls may be blank."""

_FEW_COLOURS = 8
"""A page with more colours shows something, however small."""


def rendered_report(
    bundle: ProbedBundle,
    seen: PageObservations,
    *,
    sha: str,
    browser: str,
    isolation: ProbeIsolation,
    self_test: SelfTest,
    checks: Sequence[CheckResult] = (),
    film: Mapping[str, bytes] = MappingProxyType({}),
) -> tuple[ProbeReport, dict[str, bytes]]:
    """The report of a page that was rendered, and its pictures by digest.

    ``film`` are the pictures of the checks' steps.
    """
    reading = read_document(bundle.document)
    facts = seen.widest_facts or {}
    shots = {hashlib.sha256(one).hexdigest(): one for one in seen.pictures.values()}
    notes = seen.notes
    report = ProbeReport(
        sha=sha[:12],
        outcome=outcome(seen),
        timeout=seen.timeout,
        error=seen.error,
        page_errors=tuple(notes.page_errors),
        rejections=tuple(notes.rejections),
        console_errors=notes.console_errors,
        blocked=tuple(sorted(notes.blocked)),
        dialogs=notes.dialogs > 0,
        overflow={str(one): seen.facts[one]["overflow_px"] > 0 for one in seen.facts},
        overflow_px={str(one): int(seen.facts[one]["overflow_px"]) for one in seen.facts},
        **_of_document(facts),
        axe=None if seen.axe is None else tuple(seen.axe),
        click=None if seen.walk is None else seen.walk.facts,
        animates=_is_animated(seen),
        viewports={str(one): _viewport(seen, one) for one in seen.facts},
        missing=missing_resources(bundle, notes),
        mapped=mapped_addresses(bundle),
        screenshots=tuple(_shot(one, seen.pictures[one]) for one in seen.pictures),
        checks=tuple(checks),
        code=reading.facts,
        flags=tuple(sorted({*bundle.flags, *seen.flags})),
        browser=browser,
        isolation=isolation,
        self_test=self_test,
    )
    return findings(report, seen), {**shots, **film}


def read_report(bundle: ProbedBundle, *, sha: str) -> ProbeReport:
    """Return the report of a page without rendering, by reading it."""
    reading: DocumentFacts = read_document(bundle.document)
    report = ProbeReport(
        sha=sha[:12],
        outcome=ProbeOutcome.NO_BROWSER,
        viewport_meta=reading.viewport_meta,
        lang=reading.lang,
        title=reading.title,
        headings=reading.headings,
        duplicate_ids=reading.duplicate_ids,
        quirks=reading.quirks,
        missing=missing_resources(bundle, None),
        mapped=mapped_addresses(bundle),
        code=reading.facts,
        flags=tuple(sorted({*bundle.flags, "not_rendered"})),
        isolation=ProbeIsolation.STATIC,
    )
    return findings(report, None)


def outcome(seen: PageObservations) -> ProbeOutcome:
    """The one word for how the page ended."""
    if seen.ended is ProbeOutcome.UNKNOWN:
        return seen.ended
    if seen.notes.reloads_stopped:
        return ProbeOutcome.RELOAD_LOOP
    if seen.ended is not None:
        return seen.ended
    if seen.notes.went_to is not None:
        return ProbeOutcome.NAVIGATED_AWAY
    if seen.widest_facts is None:
        return ProbeOutcome.LOAD_ERROR
    return ProbeOutcome.BLANK if _is_blank(seen) else ProbeOutcome.RENDERED


def _is_blank(seen: PageObservations) -> bool:
    facts = seen.widest_facts
    share, colours = seen.colours.get(seen.widths[-1], (0.0, 0))
    if facts is None or facts["text_len"] or facts["interactive"]:
        return False
    return share >= _BLANK and colours <= _FEW_COLOURS


def _is_animated(seen: PageObservations) -> bool | None:
    if seen.widest_facts is None or seen.walk is None:
        return None
    return bool(seen.widest_facts["endless"]) or seen.walk.animates


def _of_document(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The facts that the widest look tells of the document as a whole."""
    plain = (
        "viewport_meta", "lang", "title", "interactive", "text_len", "canvas", "broken_images",
        "quirks",
    )  # fmt: skip
    listed = ("headings", "landmarks", "duplicate_ids")
    return {
        **{name: facts.get(name) for name in plain},
        **{name: tuple(facts[name]) if name in facts else None for name in listed},
    }


def _viewport(seen: PageObservations, width: int) -> ViewportFacts:
    facts = seen.facts[width]
    share, count = seen.colours.get(width, (None, None))
    return ViewportFacts(
        small_text=facts["small_text"],
        small_taps=facts["small_taps"],
        offenders=tuple(facts["offenders"]),
        text_len=facts["text_len"],
        blank_ratio=share,
        colours=count,
        layout_shift=facts["layout_shift"],
    )


def _shot(width: int, picture: bytes) -> Shot:
    return Shot(
        viewport=width,
        width=width,
        height=HEIGHTS.get(width, 900),
        sha256=hashlib.sha256(picture).hexdigest(),
    )
