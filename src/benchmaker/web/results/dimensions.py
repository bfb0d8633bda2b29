"""The panels of a result's page for runs with prompts, models and efforts."""

from typing import Any

from markupsafe import Markup

from benchmaker.analysis.comparison.comparison import cheapest_within
from benchmaker.analysis.comparison.within_margin import WithinMargin
from benchmaker.errors import AnalysisError, SpecError
from benchmaker.report.runs.dimension_panels import effects_panel, within_margin_panel
from benchmaker.report.runs.page import ReportPage
from benchmaker.store import Store
from benchmaker.web.results.run_cache import RunsOverview

_POINTS = 2.0
"""The margin of a page that names none."""


def effects_content(page: ReportPage, made: RunsOverview) -> dict[str, Any] | None:
    """The matrix and the effects; None for runs without dimensions."""
    return effects_panel(page, made.effects) if made.effects else None


def within_content(
    store: Store, page: ReportPage, made: RunsOverview, margin: str
) -> dict[str, Any] | None:
    """The cheapest setup within the margin of the address, 2 points by default.

    None for a single setup, and where no cost is known.

    Raises:
        SpecError: the margin is not a number of points above 0 and below 100.
    """
    points = _points(margin)
    found = made.remember(("within", points), lambda: _within(store, made, points))
    if found is None:
        return None
    shown = within_margin_panel(page, found)
    drawing = Markup(shown["drawing"])  # noqa: S704  drawn by us, names escaped
    return {**shown, "drawing": drawing}


def _points(word: str) -> float:
    if not word:
        return _POINTS
    try:
        points = float(word)
    except ValueError:
        points = -1.0
    if not 0 < points < 100:  # noqa: PLR2004  the scale
        raise SpecError(
            f"invalid value for margin: {word[:40]!r}.", hint="Give points above 0 and below 100."
        )
    return points


def _within(store: Store, made: RunsOverview, points: float) -> WithinMargin | None:
    columns = store.columns(made.run_ids)
    try:
        return cheapest_within(columns, made.runs, margin=points / 100)
    except AnalysisError:
        return None
