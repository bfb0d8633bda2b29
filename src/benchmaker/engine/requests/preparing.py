"""What is made of answers before they are judged, such as pages rendered, each once."""

import asyncio
import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Protocol

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
    """What is known of an answer before anything is rendered.

    ``content`` names what would be rendered and how, wherever that is done; None where there is
    nothing to render.
    """

    artifact: Artifact
    content: str | None


class RenderResult(NamedTuple):
    """What came of rendering, with its files by SHA-256."""

    rendering: Rendering
    files: Mapping[str, Blob]


class Prepare(Protocol):
    """How an arena makes answers ready; what it starts, it starts when it is first needed."""

    @property
    def concurrency(self) -> int:
        """How many answers are rendered at once."""

    @property
    def options(self) -> Mapping[str, object]:
        """What it was made with, as plain data, so that a run can be gone on with."""

    async def begin(self, wish: PrepareRequest) -> ExtractedAnswer:
        """The code of an answer, and what rendering it would be called."""

    async def place(self) -> str:
        """What renders here, as far as it may change what is found.

        Raises:
            PrerequisiteError: pages can't be rendered here in safety.
        """

    async def make(
        self, wish: PrepareRequest, begun: ExtractedAnswer, *, key: str, place: str
    ) -> RenderResult:
        """Render the answer."""

    async def close(self) -> None:
        """Let go of all that was started."""


class AnswerPreparer:
    """Makes the answers of one run ready, each at most once.

    What was rendered before is taken from the store: for the same answer wherever it was rendered,
    for another answer with the same code if it was rendered in the same place. Renders have slots
    of their own and never hold up a request; none begins once ``halted`` says why not. What comes
    back from :meth:`prepared_answer` is durable.
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
        """The answer, ready to be judged.

        Raises:
            AskingHalted: nothing is begun any more.
            PrerequisiteError: pages can't be rendered here in safety.
            StoreError: the store can't be read or written.
        """
        wish = PrepareRequest(case, trial, self._folder)
        begun = await self._prepare.begin(wish)
        known = await asyncio.to_thread(self._renders.find_prepared, trial.key)
        if known is not None and _content(known) == begun.content:
            self.found += begun.content is not None
            if known.artifact == begun.artifact:
                return known
        rendering = await self._find_or_render(wish, begun, known)
        made = PreparedAnswer(artifact=begun.artifact, rendering=rendering)
        await asyncio.to_thread(self._renders.put_artifact, trial.key, made)
        return made

    async def close(self) -> None:
        """Give up what is being rendered."""
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
    """SHA-256 over what is rendered and where; 64 hex digits."""
    return hashlib.sha256(f"{content}\n{place}".encode()).hexdigest()


def _content(prepared: PreparedAnswer) -> str | None:
    return prepared.rendering.content if prepared.rendering else None
