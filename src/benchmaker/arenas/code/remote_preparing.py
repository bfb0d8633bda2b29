"""Pages rendered in other processes: bundles are sent, reports and screenshots returned.

Isolation is tested on the browser's machine. If none works nothing is rendered, and the error is
the same as that of a local prober.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmaker.arenas.code.prepare import Pages, reference_of
from benchmaker.arenas.code.preview import Bundle
from benchmaker.arenas.code.probe import Prober
from benchmaker.engine.executors.task import TaskSpec
from benchmaker.engine.executors.workers import TaskPool, TaskRunnerSource
from benchmaker.engine.requests.preparing import ExtractedAnswer, PrepareRequest, RenderResult
from benchmaker.errors import PrerequisiteError
from benchmaker.record import ProbeReport
from benchmaker.spec.suites.page_checks import Page

_HALF = 2
"""A page that is rendered keeps about so many processors busy."""


class RenderTask(NamedTuple):
    """An answer to be rendered, with the picture that it is compared with."""

    wish: PrepareRequest
    begun: ExtractedAnswer
    key: str
    place: str
    reference: bytes


class RemotePages:
    """Makes answers ready as :class:`Pages` does, in the hands of a crew; to be closed.

    Code is found in this process. A render counts for the place where it was made; so that one
    run has one, a hand whose browser or wall is another's refuses.
    """

    def __init__(self, pages: Pages, crew: TaskRunnerSource) -> None:
        self.options: Mapping[str, object] = pages.options
        workers = pages.options.get("workers")
        number = workers if isinstance(workers, int) else crew.size // _HALF
        target = f"{PageMaker.__module__}:{PageMaker.__qualname__}"
        task = TaskSpec(target=target, settings={**pages.options, "workers": 1})
        self._pages = pages
        self._pool = TaskPool(crew, task, number=max(1, number), is_beside=True)
        self._place = ""

    @property
    def concurrency(self) -> int:
        """The number of answers rendered in parallel."""
        return self._pool.number

    async def begin(self, wish: PrepareRequest) -> ExtractedAnswer:
        """Return the code of an answer, and the name of its rendering."""
        return await self._pages.begin(wish)

    async def place(self) -> str:
        """Return the browser's build, and the network isolation at the place of rendering.

        Raises:
            PrerequisiteError: the driver is missing, or no isolation works there.
        """
        if not self._place:
            place: str = await self._pool.do(None)
            self._place = self._place or place
        return self._place

    async def make(
        self, wish: PrepareRequest, begun: ExtractedAnswer, *, key: str, place: str
    ) -> RenderResult:
        """Render the page, run the task's checks, and compare with the reference."""
        page = wish.case.page or Page()
        reference = reference_of(wish, page) if page.reference else b""
        made: RenderResult = await self._pool.do(RenderTask(wish, begun, key, place, reference))
        return made

    async def close(self) -> None:
        """End the browsers."""
        await self._pool.close()


class PageMaker:
    """The craft of a hand that renders pages of answers."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._pages = Pages(**options)
        self._folder = TemporaryDirectory(prefix="benchmaker-pages-")

    async def open(self) -> None:
        """Start the browser in isolation, or report why there is none."""
        try:
            await self._pages.place()
        except BaseException:
            await self.close()
            raise

    async def do(self, item: RenderTask | None) -> RenderResult | str:
        """The render of a sheet; without one, the place."""
        place = await self._pages.place()
        if item is None:
            return place
        if place != item.place:
            raise PrerequisiteError(
                f"nodes render pages differently: {item.place} on one, {place} on another.",
                hint="Install the same browser on every node, and allow namespaces on all or none.",
            )
        return await self._pages.make(
            self._with_local_reference(item), item.begun, key=item.key, place=item.place
        )

    async def close(self) -> None:
        """End the browser."""
        await self._pages.close()
        self._folder.cleanup()

    def _with_local_reference(self, item: RenderTask) -> PrepareRequest:
        """The wish with its reference in a folder of this process."""
        wish, page = item.wish, item.wish.case.page
        if page is None or not page.reference:
            return wish
        folder = Path(self._folder.name)
        name = f"{hashlib.sha256(item.reference).hexdigest()}.png"
        (folder / name).write_bytes(item.reference)
        page = page.model_copy(update={"reference": name})
        return wish._replace(case=wish.case.model_copy(update={"page": page}), folder=folder)


@dataclass(frozen=True, slots=True)
class ProbeOptions:
    """Options of probing pages; see :meth:`Prober.open`."""

    browser: str | None = None
    mapping: bool = True
    isolation: str = "auto"


class ProberInfo(NamedTuple):
    """A prober's facts: the browser's build, None if pages are only read, and its isolation."""

    browser: str | None
    isolation: str


class PageTask(NamedTuple):
    """A page to be probed."""

    bundle: Bundle
    sha: str


Seen = tuple[ProbeReport, dict[str, bytes]]
"""A report, and the screenshots by their digest."""


class PageProber:
    """The craft of a hand that probes pages, ``workers`` at a time.

    ``on_repeat`` is called with the reason before a page is examined again.
    """

    def __init__(
        self,
        options: ProbeOptions,
        *,
        workers: int = 1,
        on_repeat: Callable[[str], None] | None = None,
    ) -> None:
        self._on_repeat = on_repeat
        self._options = options
        self._workers = workers
        self._stack = AsyncExitStack()
        self._prober: Prober | None = None

    async def open(self) -> None:
        """Start the browser in isolation, or report why there is none."""
        options = self._options
        opening = Prober.open(
            browser=options.browser,
            workers=self._workers,
            mapping=options.mapping,
            isolation=options.isolation,  # type: ignore[arg-type]  # checked by what opens it
            on_repeat=self._on_repeat,
        )
        self._prober = await self._stack.enter_async_context(opening)

    async def do(self, item: PageTask | None) -> Seen | ProberInfo:
        """Return the report of a page; without one, the prober's facts."""
        if self._prober is None:
            raise PrerequisiteError("the prober is not open.")
        if item is None:
            return ProberInfo(self._prober.browser, str(self._prober.isolation))
        return await self._prober.probe(item.bundle, sha=item.sha)

    async def close(self) -> None:
        """End the browser."""
        self._prober = None
        await self._stack.aclose()


def probe_pool(crew: TaskRunnerSource, options: ProbeOptions, *, number: int) -> TaskPool:
    """Hands that probe pages; see :class:`PageProber`."""
    target = f"{PageProber.__module__}:{PageProber.__qualname__}"
    return TaskPool(crew, TaskSpec(target=target, settings=options), number=number)
