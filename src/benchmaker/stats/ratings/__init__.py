"""Ratings from battles: strengths on one scale with intervals, ranks, and sensitivity."""

from benchmaker.stats.ratings.battles import BattleCounts, Battles, battles, counts
from benchmaker.stats.ratings.bradley_terry import bradley_terry
from benchmaker.stats.ratings.connectivity import components
from benchmaker.stats.ratings.fragility import Flip, fewest_to_flip
from benchmaker.stats.ratings.glicko import Glicko, State, glicko2
from benchmaker.stats.ratings.influence import Influence, Sway, influence
from benchmaker.stats.ratings.newman import newman
from benchmaker.stats.ratings.online import EloRatings, elo
from benchmaker.stats.ratings.ranks import RankRow, Ranks, rank_intervals, rank_ub
from benchmaker.stats.ratings.rating import OFFSET, SCALE, RatingRow, Ratings
from benchmaker.stats.ratings.style import StyleControl, style_control
from benchmaker.stats.ratings.tie_comparison import TieComparison, compare_ties
from benchmaker.stats.ratings.win_rate import PointTotals, WinRates, count_points, win_rate

__all__ = [
    "OFFSET",
    "SCALE",
    "BattleCounts",
    "Battles",
    "EloRatings",
    "Flip",
    "Glicko",
    "Influence",
    "PointTotals",
    "RankRow",
    "Ranks",
    "RatingRow",
    "Ratings",
    "State",
    "StyleControl",
    "Sway",
    "TieComparison",
    "WinRates",
    "battles",
    "bradley_terry",
    "compare_ties",
    "components",
    "count_points",
    "counts",
    "elo",
    "fewest_to_flip",
    "glicko2",
    "influence",
    "newman",
    "rank_intervals",
    "rank_ub",
    "style_control",
    "win_rate",
]
