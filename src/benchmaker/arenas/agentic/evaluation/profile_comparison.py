"""Two scoring profiles on the submissions of a store."""

from typing import Final

from benchmaker.analysis.boards.gaming import GamingResult, evaluate_gaming
from benchmaker.analysis.boards.profile_comparison import ProfileComparison, compare_profiles
from benchmaker.arenas.agentic.evaluation.profile_columns import ProfileRanking, own_weights
from benchmaker.record.submissions.metric_columns import MetricColumns
from benchmaker.record.submissions.metric_joining import collect_columns
from benchmaker.spec.tasks.agentic_profile import AgenticProfile
from benchmaker.store import Store

GAMED_ROWS: Final = 100_000
"""Maximum number of submissions for gaming strategies, each of which evaluates them all again."""


def compared_profiles(
    store: Store, a: AgenticProfile, b: AgenticProfile
) -> tuple[ProfileComparison, int]:
    """Compare both profiles on all submissions of a store; also return their number."""
    own = own_weights(store.agentic.tasks())
    columns = collect_columns(store.agentic.metrics())
    pair = ProfileRanking(a, own), ProfileRanking(b, own)
    return compare_rankings(columns, *pair), len(columns)


def compare_rankings(
    columns: MetricColumns, a: ProfileRanking, b: ProfileRanking
) -> ProfileComparison:
    """Two profiles at work on the same submissions, gaming strategies included."""
    sides = [(one.profile, one.composites(columns), one.rules) for one in (a, b)]
    gamed = [_gaming_results(columns, one) for one in (a, b)]
    return compare_profiles(columns, sides[0], sides[1], gamed=(gamed[0], gamed[1]))


def _gaming_results(columns: MetricColumns, ranking: ProfileRanking) -> tuple[GamingResult, ...]:
    if len(columns) > GAMED_ROWS:
        return ()
    return evaluate_gaming(columns.rows(), ranking.composites)
