"""What a hand in another process does: an errand, told once, and then item after item."""

import inspect
from dataclasses import dataclass, field
from typing import Any, Protocol

from benchmaker import plugins
from benchmaker.engine.executors.batches import Fault
from benchmaker.engine.executors.worker import fault_of, refuse_other
from benchmaker.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A class by its dotted path, and what it is made with; printing shows the class alone.

    ``version`` is Benchmaker's, which has to be that of the hand.
    """

    target: str
    told: Any = field(default=None, repr=False)
    version: str = __version__


@dataclass(frozen=True, slots=True)
class Done:
    """What came of an item."""

    value: Any


class Craft(Protocol):
    """What an errand's class can do; ``open`` and ``close`` may be absent."""

    async def do(self, item: Any) -> Any:  # noqa: ANN401  each has items of its own
        """What comes of an item."""
        ...


class Hand:
    """Does the items of an errand in this process, from :meth:`open` on; it writes nothing down."""

    def __init__(self) -> None:
        self._craft: Craft | None = None

    async def open(self, errand: Errand) -> Fault | None:
        """Make ready; what keeps it from that is returned."""
        try:
            refuse_other(errand.version)
            craft: Craft = plugins.resolve(errand.target)(errand.told)
            await _called(craft, "open")
            self._craft = craft
        except Exception as exc:  # noqa: BLE001  it is raised where the errand came from
            return fault_of(exc)
        return None

    async def do(self, item: object) -> Done | Fault:
        """What comes of an item, or what was raised instead."""
        if self._craft is None:
            return Fault("PrerequisiteError", "the worker was not told what to do.")
        try:
            return Done(await self._craft.do(item))
        except Exception as exc:  # noqa: BLE001  as above
            return fault_of(exc)

    async def close(self) -> None:
        """Let go of everything."""
        craft, self._craft = self._craft, None
        if craft is not None:
            await _called(craft, "close")


async def _called(craft: Craft, name: str) -> None:
    method = getattr(craft, name, None)
    made = method() if method is not None else None
    if inspect.isawaitable(made):
        await made
