"""A clock that stands still until it is told."""


class HandClock:
    """Time by hand: :meth:`advance` moves it."""

    def __init__(self, start: str = "2026-11-20T10:00:00.000Z") -> None:
        self.wall = start
        self.seconds = 0.0

    def now_utc(self) -> str:
        return self.wall

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
