"""Prepares answers for judging: their code, the assembled page, and its behaviour."""

import asyncio
import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from benchmaker.arenas.code.extract import extract_artifact
from benchmaker.engine.requests.preparing import ExtractedAnswer, PrepareRequest, RenderResult
from benchmaker.errors import PrerequisiteError, RenderError, ScorerError
from benchmaker.record import (
    EXTRACTION_VERSION,
    PROBE_VERSION,
    ArtifactKind,
    ProbeOutcome,
    ProbeReport,
)
from benchmaker.record.prepared_answer import Rendering, VisualMatch
from benchmaker.spec.suites.page_checks import Check, Page
from benchmaker.store.runs.renders import Blob

if TYPE_CHECKING:
    from benchmaker.arenas.code.probe import Prober

LIKENESS_VERSION = "1"
"""Of how screenshots are compared; it changes whenever a likeness would be another."""

_encode = msgspec.json.Encoder(order="deterministic").encode
_MOST_WORKERS = 4


class Pages:
    """Prepares answers for the Code Arena: extracts, assembles and probes their pages.

    One browser serves all of them; it is started for the first page, and ends
    with :meth:`close`.

    Args:
        mapping: whether addresses of well-known libraries are mapped to the bundled copies.
        browser: the path of the browser; by default the first one installed.
        workers: number of pages rendered in parallel; by default half of the processors, at most 4.
        isolation: the isolation of pages from the network, ``auto`` for the strongest.
        page_s: limit per page in wall-clock seconds; by default the probe's own limit.
    """

    remote = "benchmaker.arenas.code.remote_preparing:RemotePages"
    """The class that prepares them in other processes."""

    def __init__(
        self,
        *,
        mapping: bool = True,
        browser: str | None = None,
        workers: int | None = None,
        isolation: str = "auto",
        page_s: float | None = None,
    ) -> None:
        self.options: Mapping[str, object] = {
            name: value
            for name, value, usual in (
                ("mapping", mapping, True),
                ("browser", browser, None),
                ("workers", workers, None),
                ("isolation", isolation, "auto"),
                ("page_s", page_s, None),
            )
            if value != usual
        }
        self.concurrency = workers or max(1, min(_MOST_WORKERS, (os.cpu_count() or 1) // 2))
        self._mapping = mapping
        self._browser = browser
        self._isolation = isolation
        self._page_s = page_s
        self._stack = AsyncExitStack()
        self._opening = asyncio.Lock()
        self._prober: Prober | None = None

    async def begin(self, wish: PrepareRequest) -> ExtractedAnswer:
        """Return the code of an answer, and the name of its rendering.

        Raises:
            ScorerError: the reference screenshot is unreadable.
        """
        artifact = await asyncio.to_thread(extract_artifact, wish.trial.text)
        if artifact.kind is ArtifactKind.NONE:
            return ExtractedAnswer(artifact, None)
        page = wish.case.page or Page()
        specs = [
            artifact.sha256,
            [EXTRACTION_VERSION, PROBE_VERSION, LIKENESS_VERSION],
            self._mapping,
            page.model_dump(mode="json", exclude_defaults=True, include={"checks", "viewport"}),
            hashlib.sha256(reference_of(wish, page)).hexdigest() if page.reference else "",
        ]
        return ExtractedAnswer(artifact, hashlib.sha256(_encode(specs)).hexdigest())

    async def place(self) -> str:
        """Return the browser's build, and the network isolation of pages.

        Raises:
            PrerequisiteError: the driver is missing, or no isolation works on this machine.
        """
        prober = await self._ensure_open()
        return f"{prober.browser or 'no browser'}, {prober.isolation.value}"

    async def make(
        self, wish: PrepareRequest, begun: ExtractedAnswer, *, key: str, place: str
    ) -> RenderResult:
        """Render the page, run the task's checks, and compare with the reference."""
        from benchmaker.arenas.code.preview import assemble  # noqa: PLC0415  where pages are made

        page = wish.case.page or Page()
        prober = await self._ensure_open()
        bundle = await asyncio.to_thread(assemble, begun.artifact, mapping=self._mapping)
        began = time.monotonic()
        report, shots = await prober.probe(
            bundle, checks=_checks(page), sha=begun.artifact.sha256[:12]
        )
        took_s = time.monotonic() - began
        _refuse_doubtful(report)
        match = await asyncio.to_thread(_match, wish, page, report, shots)
        rendering = Rendering(
            key=key,
            content=begun.content or "",
            place=place,
            artifact_sha=begun.artifact.sha256,
            report=report,
            match=match,
            mapping=self._mapping,
            took_s=took_s,
        )
        types = {shot.sha256: shot.type for shot in report.all_pictures}
        return RenderResult(rendering, {sha: Blob(types[sha], shots[sha]) for sha in types})

    async def close(self) -> None:
        """End the browser."""
        async with self._opening:
            self._prober = None
            await self._stack.aclose()

    async def _ensure_open(self) -> "Prober":
        async with self._opening:
            if self._prober is None:
                self._prober = await self._open()
            return self._prober

    async def _open(self) -> "Prober":
        from benchmaker.arenas.code.probe import PAGE_S, Prober  # noqa: PLC0415  where pages are made

        opening = Prober.open(
            browser=self._browser,
            workers=self.concurrency,
            mapping=self._mapping,
            isolation=self._isolation,  # type: ignore[arg-type]  # checked by what opens it
            budget_s=self._page_s or PAGE_S,
        )
        try:
            return await self._stack.enter_async_context(opening)
        except RenderError as exc:
            raise PrerequisiteError(exc.message, hint=exc.hint) from exc


def _checks(page: Page) -> Sequence[Check]:
    """The task's checks, each in a window of its size."""
    return [
        check if check.viewport else check.model_copy(update={"viewport": page.viewport})
        for check in page.checks
    ]


def _refuse_doubtful(report: ProbeReport) -> None:
    """A time-out proves nothing where the page did not get its time, or passes checks.

    Raises:
        RenderError: the page timed out all the same. Nothing of it is kept, so that it can be
            rendered again.
    """
    is_hang = report.outcome is ProbeOutcome.HANG
    if is_hang and any(check.passed for check in report.checks):
        why = "the page passed checks and timed out"
    elif report.outcome is ProbeOutcome.UNKNOWN:
        why = "the page timed out on an overloaded machine"
    else:
        return
    raise RenderError(
        f"{why}, so there is no result.",
        hint="Resume the run with --retry-failed when the load is lower.",
    )


def _match(
    wish: PrepareRequest, page: Page, report: ProbeReport, shots: Mapping[str, bytes]
) -> VisualMatch | None:
    """Return the similarity of the closest-width screenshot to the reference; None without one."""
    if not page.reference or not report.screenshots:
        return None
    from benchmaker.arenas.code.image_similarity import likeness  # noqa: PLC0415  loads numpy

    near = min(report.screenshots, key=lambda it: abs(it.viewport - page.viewport.width))
    return likeness(shots[near.sha256], reference_of(wish, page))


def reference_of(wish: PrepareRequest, page: Page) -> bytes:
    """The screenshot that a page is compared with.

    Raises:
        ScorerError: it can't be read.
    """
    if wish.folder is None:
        raise ScorerError(f"the reference {page.reference} was not found: the suite has no folder.")
    try:
        return _read(wish.folder / (page.reference or ""))
    except OSError as exc:
        raise ScorerError(f"the reference {page.reference} can't be read: {exc.strerror}.") from exc


@lru_cache(maxsize=8)
def _read(path: Path) -> bytes:
    return path.read_bytes()
