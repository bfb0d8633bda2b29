"""Names and formats of a metric's figure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from benchmaker.analysis.metric import PLURALS, FigureName
from benchmaker.report.sentences import missing_figures


@dataclass(frozen=True, slots=True)
class FigureWords:
    """The head of a column, its unit, the figure in a sentence, several of it, and a title.

    A share has no unit in the head: each cell carries its sign.
    """

    head: str
    unit: str
    noun: str
    plural: str
    title: str

    @property
    def narrow_head(self) -> str:
        """The head, hyphenated where it is longer than its figures."""
        return self.head.replace("Accuracy", "Accu-\nracy")


WORDS: Final[Mapping[FigureName, FigureWords]] = {
    "mean": FigureWords("Mean", "0-100", "mean", PLURALS["mean"], "Mean score"),
    "checks": FigureWords(
        "Checks", "0-100", "share of checks passed", PLURALS["checks"], "Checks passed"
    ),
    "strict": FigureWords("Strict", "", "strict accuracy", PLURALS["strict"], "Strict accuracy"),
    "accuracy": FigureWords("Accuracy", "", "accuracy", PLURALS["accuracy"], "Accuracy"),
}


def figure_text(value: float | None, name: FigureName) -> str:
    """Return a figure from 0 to 1 as text: of 100, or a share in percent."""
    return (
        missing_figures.optional_score(value)
        if WORDS[name].unit
        else missing_figures.optional_share(value)
    )
