"""The click walk: clicks every control of the page once, and records the effects."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from benchmaker.arenas.code.probe.browser_events import Witness
from benchmaker.arenas.code.probe.visit import CLICK_MS, SETTLE_MS, Hung, Visit
from benchmaker.record import ClickWalk

MOST_CONTROLS = 40
_MOST_NAMED = 10


@dataclass(slots=True)
class Walk:
    """A walk in progress; its findings are kept if it is interrupted.

    ``animates`` is true if the page changed without interaction.
    """

    names: list[str] = field(default_factory=list)
    tried: int = 0
    changed: int = 0
    errors: int = 0
    left: int = 0
    hangs: int = 0
    dead: list[str] = field(default_factory=list)
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
            dead_controls=tuple(self.dead[:_MOST_NAMED]),
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
        for index in range(len(self.names)):
            if visit.left_s <= 0:
                self.is_late = True
                break
            try:
                await self._click(visit, index)
            except Hung:
                self._note_hang(visit)
                break

    async def only_count(self, visit: Visit) -> None:
        """Find the controls, and click none: no time passes for the page."""
        await visit.ask("walk")
        self.names = [str(name) for name in await visit.evaluate(f"walk.begin({MOST_CONTROLS})")]

    async def _rest(self, visit: Visit) -> None:
        """Observe the page without interaction."""
        await visit.evaluate("walk.rest()")
        await visit.settle(SETTLE_MS)
        self.animates = bool(await visit.evaluate("walk.rest()"))

    async def _click(self, visit: Visit, index: int) -> None:
        place = await visit.evaluate(f"walk.ready({index})")
        if place is None:
            return
        notes = visit.notes = Witness()
        if place["isReached"]:
            await visit.click(place["x"], place["y"])
        else:
            await visit.evaluate(f"walk.push({index})")
        await visit.settle(CLICK_MS)
        effect = await visit.evaluate("walk.effect()")
        self._count(index, notes, effect)

    def _count(self, index: int, notes: Witness, effect: Mapping[str, bool]) -> None:
        changed, left = effect["changed"], notes.left or effect["moved"]
        self.tried += 1
        self.changed += changed
        self.left += left
        if notes.failures:
            self.errors += 1
            new = [*notes.page_errors, *notes.rejections]
            self.messages += [one for one in new if one not in self.messages]
        if not (changed or left or notes.failures or effect["unsure"]):
            self.dead.append(self.names[index])

    def _note_hang(self, visit: Visit) -> None:
        """A click that did not come back; without time for it, nothing is said of the page."""
        if visit.left_s > 0:
            self.hangs += 1
        else:
            self.is_late = True
