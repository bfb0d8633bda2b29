"""The click walk: clicks every control of the page, and records the effects.

A control that does nothing is clicked again with the empty fields filled, and after the others.
"""

from dataclasses import dataclass, field

from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.arenas.code.probe.visit import CLICK_MS, SETTLE_MS, Hung, Visit
from benchmaker.record import ClickWalk

MOST_CONTROLS = 40
_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class _Effect:
    """The effect of a click; false without any."""

    has_changed: bool
    has_left: bool
    is_unsure: bool
    notes: Witness

    def __bool__(self) -> bool:
        return bool(self.has_changed or self.has_left or self.notes.failures or self.is_unsure)


@dataclass(slots=True)
class Walk:
    """A walk in progress; its findings are kept if it is interrupted.

    ``animates`` is true if the page changed without interaction; ``dead`` are the indices in
    ``names`` of the controls without an effect.
    """

    names: list[str] = field(default_factory=list)
    tried: int = 0
    changed: int = 0
    errors: int = 0
    left: int = 0
    hangs: int = 0
    dead: list[int] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    is_late: bool = False
    animates: bool = False

    @property
    def facts(self) -> ClickWalk:
        """The findings."""
        return ClickWalk(
            candidates=len(self.names),
            tried=self.tried,
            changed=self.changed,
            errors=self.errors,
            left=self.left,
            hangs=self.hangs,
            dead=len(self.dead),
            dead_controls=tuple(self.names[index] for index in self.dead[:_MOST_NAMED]),
            messages=tuple(self.messages[:_MOST_NAMED]),
        )

    async def go(self, visit: Visit) -> None:
        """Walk a page that has settled.

        Raises:
            Crashed: the page's process ended under a click.
        """
        await self.only_count(visit)
        visit.pin()
        await self._rest(visit)
        try:
            for index in range(len(self.names)):
                await self._try(visit, index)
            await self._try_dead_again(visit)
        except Hung:
            self._note_hang(visit)

    async def only_count(self, visit: Visit) -> None:
        """Find the controls, and click none: no time passes for the page."""
        await visit.ask("walk")
        self.names = [str(name) for name in await visit.evaluate(f"walk.begin({MOST_CONTROLS})")]

    async def _rest(self, visit: Visit) -> None:
        """Observe the page without interaction."""
        await visit.evaluate("walk.rest()")
        await visit.settle(SETTLE_MS)
        self.animates = bool(await visit.evaluate("walk.rest()"))

    async def _try(self, visit: Visit, index: int) -> None:
        """Click a control; without an effect, once more with the empty fields filled."""
        effect = await self._click(visit, index)
        if effect is None:
            return
        self.tried += 1
        if not effect and await self._fill(visit):
            effect = await self._click(visit, index) or effect
        if effect:
            self._count(effect)
        else:
            self.dead.append(index)

    async def _try_dead_again(self, visit: Visit) -> None:
        """Click the dead controls again: the others may have given them something to act on.

        This ends with a round in which no dead control had an effect.
        """
        before = len(self.names) + 1
        while self.dead and self.tried > len(self.dead) < before:
            before = len(self.dead)
            for index in list(self.dead):
                await self._fill(visit)
                if effect := await self._click(visit, index):
                    self.dead.remove(index)
                    self._count(effect)

    async def _fill(self, visit: Visit) -> bool:
        """Fill the empty fields and let the page react; return False if there were none."""
        if not await visit.evaluate("walk.fill()"):
            return False
        await visit.settle(SETTLE_MS)
        return True

    async def _click(self, visit: Visit, index: int) -> _Effect | None:
        """Return the effect of a click; None if the control can't be clicked.

        Raises:
            Hung: the page did not come back, or the time is over.
        """
        if visit.left_s <= 0:
            raise Hung
        place = await visit.evaluate(f"walk.ready({index})")
        if place is None:
            return None
        notes = visit.notes = Witness()
        if place["isReached"]:
            await visit.click(place["x"], place["y"])
        else:
            await visit.evaluate(f"walk.push({index})")
        await visit.settle(CLICK_MS)
        said = await visit.evaluate("walk.effect()")
        return _Effect(
            has_changed=said["changed"],
            has_left=notes.left or said["moved"],
            is_unsure=said["unsure"],
            notes=notes,
        )

    def _count(self, effect: _Effect) -> None:
        self.changed += effect.has_changed
        self.left += effect.has_left
        if effect.notes.failures:
            self.errors += 1
            new = [*effect.notes.page_errors, *effect.notes.rejections]
            self.messages += [one for one in new if one not in self.messages]

    def _note_hang(self, visit: Visit) -> None:
        """A click that did not come back; without time for it, nothing is said of the page."""
        if visit.left_s > 0:
            self.hangs += 1
        else:
            self.is_late = True
