"""Crafts for hands, and a scorer that takes its time."""

import time
from dataclasses import dataclass

from benchmaker.errors import PrerequisiteError, SpecError
from benchmaker.plugins import scorer
from benchmaker.record import Score


class Doubler:
    """Doubles numbers; refuses some."""

    def __init__(self, settings):
        self.settings = settings or {}
        self.opened = False

    async def open(self):
        if self.settings.get("wall") == "none":
            raise PrerequisiteError("no wall holds here.", hint="Build one.")
        self.opened = True

    async def do(self, item):
        assert self.opened
        if item == self.settings.get("bad"):
            raise SpecError(f"{item} can't be doubled.", where="there", hint="Halve it.")
        return item * 2

    def close(self):
        self.opened = False


@scorer(id="slow")
@dataclass(frozen=True)
class Slow:
    """Right where the answer is expected, after a moment."""

    seconds: float = 0.002

    def score(self, case, trial):
        time.sleep(self.seconds)
        return Score.of(float(trial.text == case.expected), confidence=1.0)
