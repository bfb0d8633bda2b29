"""Preparation of answers before judging, such as rendered pages, each once."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmaker.errors import RenderError
from benchmaker.record import Artifact, Trial
from benchmaker.record.prepared_answer import PreparedAnswer, Rendering
from benchmaker.scoring.base import AskingHalted
from benchmaker.spec import Case
from benchmaker.store import Store
from benchmaker.store.runs.renders import Blob


class PrepareRequest(NamedTuple):
    """An answer to be made ready; ``folder`` is that of its suite's file, where it has one."""

    case: Case
    trial: Trial
    folder: Path | None = None


class ExtractedAnswer(NamedTuple):
    """The facts on an answer before any rendering.

    ``content`` identifies the input of the rendering, independent of the place; None if there is
    nothing to render.
    """

    artifact: Artifact
    content: str | None


class RenderResult(NamedTuple):
    """The result of rendering, with its files by SHA-256."""

    rendering: Rendering
    files: Mapping[str, Blob]


class Prepare(Protocol):
    """An arena's preparation of answers; resources are started on first use."""

    @property
    def concurrency(self) -> int:
        """The number of answers rendered in parallel."""

    @property
    def options(self) -> Mapping[str, object]:
        """Its options as plain data, so that a run can be resumed."""

    async def begin(self, wish: PrepareRequest) -> ExtractedAnswer:
        """Return the code of an answer, and the name of its rendering."""

    async def place(self) -> str:
        """Return the local renderer, as far as it may affect the findings.

        Raises:
            PrerequisiteError: pages cannot be rendered safely here.
        """

    async def make(
        self, wish: PrepareRequest, begun: ExtractedAnswer, *, key: str, place: str
    ) -> RenderResult:
        """Render the answer."""

    async def close(self) -> None:
        """Let go of all that was started."""


class AnswerPreparer:
    """Prepares the answers of one run, each at most once.

    Earlier renderings are taken from the store: for the same answer from any place, for another
    answer with the same code from the same place. Renders have their own slots and never delay a
    request; none starts once ``halted`` returns a reason. The result of :meth:`prepared_answer` is
    durable.
    """

    def __init__(
        self, store: Store, prepare: Prepare, *, source: str | None, halted: Callable[[], str]
    ) -> None:
        self._renders = store.renders
        self._prepare = prepare
        self._folder = Path(source).parent if source else None
        self._halted = halted
        self._slots = asyncio.Semaphore(max(1, prepare.concurrency))
        self._flying: dict[str, asyncio.Task[Rendering]] = {}
        self.rendered = self.found = 0

    async def prepared_answer(self, case: Case, trial: Trial) -> PreparedAnswer:
        """Return the answer prepared for judging.

        If the render fails, the code is stored all the same, so that people can compare it.

        Raises:
            RenderError: the page has no render; it can be tried again.
            AskingHalted: nothing is started any more.
            PrerequisiteError: pages cannot be rendered safely here.
            StoreError: the store is not readable or writable.
        """
        wish = PrepareRequest(case, trial, self._folder)
        begun = await self._prepare.begin(wish)
        known = await asyncio.to_thread(self._renders.find_prepared, trial.key)
        if known is not None and _content(known) == begun.content:
            self.found += begun.content is not None
            if known.artifact == begun.artifact:
                return known
        try:
            rendering = await self._find_or_render(wish, begun, known)
        except RenderError:
            if known is None or known.artifact != begun.artifact:
                code = PreparedAnswer(artifact=begun.artifact)
                await asyncio.to_thread(self._renders.put_artifact, trial.key, code)
            raise
        made = PreparedAnswer(artifact=begun.artifact, rendering=rendering)
        await asyncio.to_thread(self._renders.put_artifact, trial.key, made)
        return made

    async def close(self) -> None:
        """Cancel renderings in progress."""
        flying = list(self._flying.values())
        for one in flying:
            one.cancel()
        await asyncio.gather(*flying, return_exceptions=True)

    async def _find_or_render(
        self, wish: PrepareRequest, begun: ExtractedAnswer, known: PreparedAnswer | None
    ) -> Rendering | None:
        if begun.content is None:
            return None
        if known is not None and _content(known) == begun.content:
            return known.rendering
        place = await self._prepare.place()
        key = rendering_key(begun.content, place)
        if key not in self._flying:
            task = asyncio.ensure_future(self._render(wish, begun, key=key, place=place))
            self._flying[key] = task
            task.add_done_callback(lambda _: self._flying.pop(key, None))
        return await asyncio.shield(self._flying[key])

    async def _render(
        self, wish: PrepareRequest, begun: ExtractedAnswer, *, key: str, place: str
    ) -> Rendering:
        """From the store, else rendered in a slot and written down."""
        there = await asyncio.to_thread(self._renders.find_rendering, key)
        if there is not None:
            self.found += 1
            return there
        async with self._slots:
            if reason := self._halted():
                raise AskingHalted(reason)
            made = await self._prepare.make(wish, begun, key=key, place=place)
            await asyncio.to_thread(self._renders.put_rendering, made.rendering, made.files)
        self.rendered += 1
        return made.rendering


def rendering_key(content: str, place: str) -> str:
    """Return the SHA-256 of the rendered content and the place; 64 hex digits."""
    return hashlib.sha256(f"{content}\n{place}".encode()).hexdigest()


def _content(prepared: PreparedAnswer) -> str | None:
    return prepared.rendering.content if prepared.rendering else None
