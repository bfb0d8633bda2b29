"""Boards and their analyses, as printed by the commands."""

from typing import Literal, NotRequired, TypedDict

from benchmaker.analysis.boards.bias import BiasReport
from benchmaker.analysis.boards.board import BoardRow, Leaderboard
from benchmaker.analysis.boards.fronts import Fronts
from benchmaker.analysis.boards.profile_comparison import ProfileComparison
from benchmaker.record.submissions.evaluation import BaselineSnapshot
from benchmaker.web.api.paging import extend_type, page_type


class Window(TypedDict):
    """The time a board looks at, in microseconds since 1970."""

    name: str
    since_us: int | None
    until_us: int | None


BoardIndex = page_type("BoardIndex", str, profile=str)

BoardPage = extend_type(
    "BoardPage",
    Leaderboard,
    without=("rows",),
    profile=str,
    board=str,
    window=Window,
    where=dict[str, str],
    undated=int,
    left_out=dict[str, int],
    count=int,
    items=list[BoardRow],
    next=str | None,
)
FrontOut = extend_type("FrontOut", Fronts, profile=str, notes=NotRequired[list[str]])


class Baselines(TypedDict):
    """Baselines of tasks, or of one task over time, as `baselines --json` prints them."""

    profile: str
    task: str | None
    baselines: list[BaselineSnapshot]


Bias = extend_type(
    "Bias", BiasReport, scale=Literal["0-100"], profile=str, submissions=int, flags=list[str]
)
ProfilesCompared = extend_type("ProfilesCompared", ProfileComparison, submissions=int)
