"""Snapshots of runs, as the engine gives them."""

from benchmaker.cli.progress.snapshot import ProgressAggregator
from benchmaker.engine.requests.progress import Progress
from benchmaker.engine.requests.rate_limiter import RateLimiterState
from benchmaker.record import Outcome


def a_snapshot(**given):
    usual = {"run_id": "r", "planned": 2000, "done": 500, "rate": 41.6, "seconds_left": 36.0,
             "left": 1500, "each": 2000}  # fmt: skip
    return Progress(**{**usual, "outcomes": {Outcome.SCORED: 500}, **given})


def a_moment(**given):
    return ProgressAggregator().snapshot(a_snapshot(**given))


def a_pace(*, flying=2, limit=5, rate=None, held_s=0.0):
    return RateLimiterState(flying, limit, rate, held_s)
