"""Screenshots of pages as thumbnails: one of the three stored widths, by content."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from benchmaker.record.probe import ProbeReport, Shot
from benchmaker.store import Store

WIDTHS = (375, 768, 1440)
"""The widths, in CSS pixels, at which pages are shown and screenshots are stored."""

WIDTH_WORDS = tuple(map(str, WIDTHS))
"""The same as an address names them."""

USUAL_WIDTH = 1440
MOST_IN_ROW = 6


class Thumbnail(NamedTuple):
    """A stored screenshot: its address, its size in pixels, and the width of its window."""

    src: str
    width: int
    height: int
    viewport: int

    @classmethod
    def of(cls, shot: Shot) -> "Thumbnail":
        """The thumbnail of a screenshot."""
        return cls(f"/code/shots/{shot.sha256}", shot.width, shot.height, shot.viewport)


def thumbnail_of(report: ProbeReport | None, width: int = USUAL_WIDTH) -> Thumbnail | None:
    """Return the screenshot of that width, else the widest one; None without screenshots."""
    shots = report.screenshots if report else ()
    fitting = (it for it in shots if it.viewport == width)
    chosen = next(fitting, max(shots, key=lambda it: it.viewport, default=None))
    return None if chosen is None else Thumbnail.of(chosen)


def first_thumbnails(store: Store, run_ids: Sequence[str]) -> dict[str, tuple[Thumbnail, ...]]:
    """Return the first pages of each run, in an order that does not reveal their models."""
    found = store.renders.first_reports(run_ids, limit=MOST_IN_ROW)
    return {run_id: tuple(_shuffle(reports)) for run_id, reports in found.items()}


def _shuffle(reports: Iterable[ProbeReport]) -> Iterable[Thumbnail]:
    made = [made for report in reports if (made := thumbnail_of(report))]
    return sorted(made, key=lambda it: hashlib.sha256(it.src.encode()).digest())
