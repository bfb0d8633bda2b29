"""The score of setups against their cost per case, with both intervals."""

from collections.abc import Callable

from benchmaker.analysis.comparison.within_margin import SetupValue, WithinMargin
from benchmaker.report.plots.scatter import LogPlane, Point, scatter_svg
from benchmaker.report.sentences.notes import name


def cost_svg(made: WithinMargin, colour_of: Callable[[str], str]) -> str:
    """Plot score against cost, filled where within the margin; empty without known costs.

    ``colour_of`` returns the class of a setup, one of :func:`~.plots.colours`.

    The front joins the setups that no other beats at both.
    """
    points = [_point(one, made, colour_of(one.name)) for one in made.setups if one.cost.usd]
    ends = [end for one in points for end in (one.x, *(one.x_ends or ()))]
    tops = [end for one in points for end in (one.y, *(one.y_ends or ()))]
    plane = LogPlane.from_values(ends, tops)
    if plane is None:
        return ""
    return scatter_svg(plane, points, label="Score against cost per case", unit="dollars", sign="")


def _point(one: SetupValue, made: WithinMargin, colour: str) -> Point:
    cost = one.cost
    return Point(
        x=cost.usd or 0.0,
        y=one.mean,
        name=name(one.name),
        colour=colour,
        hollow=not one.is_within,
        on_front=_is_on_front(one, made),
        x_ends=None if cost.low is None or cost.high is None else (cost.low, cost.high),
        y_ends=None if one.low is None or one.high is None else (one.low, one.high),
    )


def _is_on_front(one: SetupValue, made: WithinMargin) -> bool:
    """True if no other setup is as good at less cost, or better at the same."""
    usd = one.cost.usd or 0.0
    return not any(
        other.cost.usd is not None
        and other.cost.usd <= usd
        and other.mean >= one.mean
        and (other.cost.usd < usd or other.mean > one.mean)
        for other in made.setups
    )
