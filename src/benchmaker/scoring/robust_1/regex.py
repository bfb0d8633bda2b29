"""The regex scorer of robust/1: a search in the text extracted by the earlier rules."""

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from benchmaker.record import Extraction
from benchmaker.scoring.extract import rules
from benchmaker.scoring.robust_1.extraction import NOTHING, extract, has_pattern
from benchmaker.scoring.text import regex


@dataclass(frozen=True, slots=True)
class Regex(regex.Regex):
    """Full marks if the pattern is found in the text extracted by the rules of robust/1."""

    earlier: ClassVar = {}

    async def _extract(self, text: str) -> Extraction | None:
        if self.extract in regex.WHOLE:
            return None
        if has_pattern(self.extract):
            taken = await asyncio.to_thread(extract, text, self.extract, kind="exact")
        else:
            taken = extract(text, self.extract, kind="exact")
        return rules.NOTHING if taken is NOTHING else taken
