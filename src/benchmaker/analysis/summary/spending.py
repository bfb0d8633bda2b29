"""The cost of all requests of runs."""

from typing import NamedTuple


class Spending(NamedTuple):
    """The cost of all requests of runs, in dollars as far as known, and its completeness."""

    models_usd: float
    judges_usd: float
    is_whole: bool

    @property
    def usd(self) -> float:
        """The known total."""
        return self.models_usd + self.judges_usd
